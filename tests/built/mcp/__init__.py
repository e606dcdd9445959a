"""MCP with the released SDK and the official conformance suite, which live in environments of their own."""
