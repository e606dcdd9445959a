"""The demo of `make run`."""
