"""The server of the Model Context Protocol: messages, the catalogue of tools, and the four tools of askback."""
