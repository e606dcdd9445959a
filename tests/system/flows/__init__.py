"""Workflows that ask a person, executed for real.

The state machine by moto's interpreter, the durable function by its SDK's runner, both with the real functions behind.
"""
