"""Whole flows over several functions, faults, and programs as a person starts them."""
