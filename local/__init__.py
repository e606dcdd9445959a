"""Programs for a developer's machine: the real handlers, an emulated AWS and a local HTTP server.

Nothing here is deployed, and the deployed code imports nothing from here.
"""
