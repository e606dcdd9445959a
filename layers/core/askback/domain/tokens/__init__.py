"""Pause tokens and answer tokens: issue, authenticate, bind and consume them."""
