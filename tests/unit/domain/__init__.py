"""The rules of the domain, through its public entry points and over the ports in memory."""
