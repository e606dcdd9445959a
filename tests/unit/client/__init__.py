"""The client against the real functions, over both its transports."""
