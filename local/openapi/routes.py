"""The routes of the functions, as their own sources say: each with the authentication of its callers."""

import ast
import re
from pathlib import Path
from typing import Final

from askback.edge.lambda_events import CallerAuth

ROOT: Final = Path(__file__).parents[2]
_OTHER_PROTOCOL: Final = re.compile(r"/mcp$|^[A-Z]+ /\.well-known/|/{lost\+}$")
"""Routes that a document like this cannot describe: those for tools of models, whose protocol describes its messages,
and the one of every other path, which the name of no path can say."""


def served_routes(root: Path = ROOT) -> dict[str, CallerAuth]:
    """Return every route that a function has in its `serve(..., http={...})`.

    The sources are read and not run: a function builds its services when it is imported.
    """
    found: dict[str, CallerAuth] = {}
    for path in sorted((root / "functions").glob("*/app.py")):
        # The functions for tools of models make their routes from the names of their protocol.
        if path.parent.name.endswith("mcp"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "serve":
                table = next(keyword.value for keyword in node.keywords if keyword.arg == "http")
                found |= _routes(table)
    return found


def is_described(route: str) -> bool:
    """Return whether a route of the API belongs into the document."""
    return _OTHER_PROTOCOL.search(route) is None


def _routes(table: ast.expr) -> dict[str, CallerAuth]:
    match table:
        case ast.Dict(keys=keys, values=values):
            return dict(map(_route, keys, values))
    raise ValueError("a function's `http` must be a table of its routes")


def _route(key: ast.expr | None, value: ast.expr) -> tuple[str, CallerAuth]:
    match key, value:
        case ast.Constant(value=str(route)), ast.Tuple(elts=[ast.Attribute(attr=auth), _]):
            return route, CallerAuth[auth]
    raise ValueError("a route must be a text with its authentication and its handler")
