"""Messages that send people the links to their questions."""
