"""A2A 1.0: a task that waits for a person (`serving`), and another agent's task that asks (`asking`). Pure functions.

Statuses, messages and parts are JSON objects in the protocol's own form (ProtoJSON), as `MessageToDict` writes them and
`ParseDict` reads them. There is no server here. What the other agent sees has the id of a pause, and never a token or a
link: with these, an agent could answer.
"""
