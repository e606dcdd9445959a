"""The channels that send messages to people."""
