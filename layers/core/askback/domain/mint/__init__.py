"""Minting: one question becomes one recorded pause and its tokens."""
