"""Delivery of outcomes to the runs that wait for them, and the sweep that repeats it."""
