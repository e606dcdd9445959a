"""The client for other people's programs."""
