"""Pauses from an agent's own loop, in the process of the agent."""
