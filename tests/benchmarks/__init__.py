"""Measurements against the budgets: `make bench`, or `python -m tests.benchmarks`."""
