"""The mint: it records one question as a pause and issues the tokens."""
