"""The take-over from the legacy engine (symfonic-core 9.12.0); only the code that reads its tokens stands elsewhere."""
