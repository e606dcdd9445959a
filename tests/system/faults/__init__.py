"""Every AWS call fails in every way, in turn; nothing accepted is lost."""
