"""For authors of MCP servers: a tool that needs a person inside a call (extra `mcp`)."""
