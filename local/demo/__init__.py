"""The story that `make run` tells."""
