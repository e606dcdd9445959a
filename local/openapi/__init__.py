"""The OpenAPI document of the HTTP API, written from the code: `python -m local.openapi` writes `docs/openapi.json`.

The bodies are the pydantic models of `askback.edge`, the routes and their callers are those of the functions, and the
refusals are those of `askback.domain.errors`. Only what no code says stands here: the forms of the replies
(`replies.py`), and which body, replies and refusals a route has (`operations.py`).
"""
