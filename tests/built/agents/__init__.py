"""The example agents, run as a developer runs them: each command in a process of its own."""
