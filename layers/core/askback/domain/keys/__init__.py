"""The ring of signing keys: which key signs, which verify, and how a rotation makes the next ring."""
