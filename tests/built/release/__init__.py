"""The files that `make release` made, each used as a stranger would use it."""
