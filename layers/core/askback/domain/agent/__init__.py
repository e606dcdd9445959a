"""Pausing inside an agent's own process."""
