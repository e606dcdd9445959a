"""The rules of pausing, answering and resuming: standard library and pydantic only, no I/O, no clock, no randomness."""
