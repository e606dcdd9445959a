"""The whole deployment on one machine: an emulated AWS, the real handlers, and a local HTTP server."""
