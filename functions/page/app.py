"""The page function: serves the answer page, which is the same for everybody and knows nothing of a pause.

`static/page.js` is what `make page` builds from `script/`. It is in the repository, so no deployment needs npm.

The token stands in the link's fragment, which no browser sends, so no request here carries one. GET and HEAD read
nothing and consume nothing, whoever follows the link.
"""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"

# No inline script, nothing from anywhere else, no markup made from text, and in nobody's frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_INDENT = re.compile(r"^ +", re.MULTILINE)


def _page() -> str:
    strings = json.dumps(json.loads(_text("strings.json")), ensure_ascii=False, separators=(",", ":"))
    # Inside an element, `</script>` in a text would end it.
    return _text("page.html").replace("{{strings}}", strings.replace("<", "\\u003c"))


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _encodings(text: str) -> tuple[bytes, bytes]:
    plain = text.encode()
    return plain, gzip.compress(plain, mtime=0)


FILES = {
    "/answer": ("text/html; charset=utf-8", *_encodings(_page())),
    "/answer/page.css": ("text/css; charset=utf-8", *_encodings(_INDENT.sub("", _text("page.css")))),
    "/answer/page.js": ("text/javascript; charset=utf-8", *_encodings(_text("page.js"))),
}
"""By route: the type, the bytes, and the bytes compressed."""


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Return the file of a route; nothing else about the request is looked at, and nothing of it is logged."""
    method, _, path = str(event.get("routeKey", "")).partition(" ")
    if method not in ("GET", "HEAD") or path not in FILES:
        return {"statusCode": 404, "headers": {**_HEADERS, "content-type": "text/plain"}, "body": ""}
    kind, plain, compressed = FILES[path]
    accepted = str((event.get("headers") or {}).get("accept-encoding", ""))
    squeezed = re.search(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))", accepted) is not None
    body = compressed if squeezed else plain
    headers = {**_HEADERS, "content-type": kind} | ({"content-encoding": "gzip"} if squeezed else {})
    return {
        "statusCode": 200,
        "headers": headers,
        "body": "" if method == "HEAD" else base64.b64encode(body).decode(),
        "isBase64Encoded": method != "HEAD",
    }
