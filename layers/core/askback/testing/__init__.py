"""A deployment in the process of a test: the real rules over ports in memory, and a pytest fixture for it."""
