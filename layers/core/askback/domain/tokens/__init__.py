"""Pause tokens and answer tokens: issuing, authenticating, binding and consuming them."""
