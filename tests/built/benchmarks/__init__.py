"""Measurements against the budgets: `make bench`, or `python -m tests.built.benchmarks`."""
