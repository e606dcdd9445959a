"""Cutover from the legacy engine: files, records, exports and verdicts, without the engine and without AWS."""
