"""Taking over from the legacy engine (symfonic-core 9.12.0): what knows it, apart from reading its tokens."""
