"""Cutover from the released legacy engine itself, which lives in an environment of its own."""
