"""The registry of interactions, and the built-in interactions."""
