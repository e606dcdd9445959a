"""Resuming: the eight steps from a token and an answer to an outcome."""
