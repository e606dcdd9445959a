"""Programs for version 1 of the MCP SDK, run by the interpreter of its environment, which has no pytest."""
