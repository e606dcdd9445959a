"""Questions with content that the page draws in a form of its own: diffs, tables, images, code."""

import base64
import struct
import zlib
from typing import Any, Final


def png(width: int, height: int, colour: tuple[int, int, int]) -> str:
    """Return the data URI of an image: a frame of one colour around a field that is seen through."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    def pixel(x: int, y: int) -> bytes:
        inside = width // 4 < x < width * 3 // 4 and height // 4 < y < height * 3 // 4
        return bytes((*colour, 0 if inside else 255))

    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def long_diff(lines: int) -> str:
    """Return a unified diff with so many lines."""
    body = [f"{' -+ '[at % 4]}    total = total + amount_of_position[{at}]  # position {at}" for at in range(lines - 3)]
    before, after = (sum(not line.startswith(sign) for line in body) for sign in "+-")
    return "\n".join(["--- a/invoice/totals.py", "+++ b/invoice/totals.py", f"@@ -1,{before} +1,{after} @@", *body])


DIFF: Final = """--- a/config/limits.yaml
+++ b/config/limits.yaml
@@ -1,6 +1,6 @@ limits:
   daily:
-    amount: 1000
+    amount: 100000
     currency: EUR
-    approvers: 2
+    approvers: 1
   # The board has decided on the limits of 2025, and looks at them again every year in January.
   weekly:
"""
BEFORE: Final = "\n".join(
    ["from: shop@example.com", *(f"line {at}" for at in range(1, 12)), "retries: 3", "timeout: 30"]
)
CONTENT: Final[dict[str, Any]] = {
    "title": "Change the limits of the shop?",
    "action": {
        "name": "apply_change",
        "arguments": {
            "diff": DIFF,
            "before": BEFORE,
            "after": BEFORE.replace("retries: 3", "retries: 30") + "\nverbose: true",
            "command": 'kubectl apply -f shop.yaml --namespace "shop"',
            "query": {"sql": "SELECT *\nFROM orders\nWHERE  paid = 0", "filter": '{"paid": false}'},
            "positions": [
                {"article": "Difference engine", "code": "rm -rf  /a", "pieces": 1, "price": 1249.50, "note": None},
                {"article": "Punched cards", "code": "{}", "pieces": 500, "price": 1.0, "note": ""},
                {"article": "Brass, polished, for the second engine", "code": "a\nb", "pieces": "5", "price": 3},
            ],
            "receipt": png(120, 80, (11, 95, 75)),
        },
    },
    "comment": "none",
}
"""An approval with each form of content."""
MARKDOWN_TEXT: Final = """## What changes
The **daily limit** of the shop goes from `1000` to `100000`. This is *not* undone by itself.

1. The new limit holds at once.
2. One person approves, not two:
   - for amounts below the limit
   - on every day

> The board asked for it, see [the minutes](https://wiki.example.com/minutes?page=7 "Minutes of May").

```yaml
daily:
  amount: 100000
```

Ask <ada@example.com>. HTML stays <b>text</b>, and an image is its address: ![chart](https://wiki.example.com/chart.png)
"""
MARKDOWN: Final[dict[str, Any]] = {
    "title": "Change the limits of the shop?",
    "summary": MARKDOWN_TEXT,
    "action": {"name": "apply_change", "arguments": {"note": "**not** [markdown](https://example.com)"}},
    "comment": "none",
}
"""An approval with a summary in markdown; an argument is never markdown."""
MARKDOWN_QUESTION: Final[dict[str, Any]] = {
    "questions": [
        {
            "question": "Which **limit** for the shop?\n\nSee the [minutes](https://wiki.example.com/).",
            "header": "Limits",
            "options": [
                {
                    "label": "**Low**",
                    "description": "`1000` a day, *as today*",
                    "preview": "- a\n- b\n\n```\ncode\n```",
                },
                {"label": "High", "description": "# 100000\nsee <https://wiki.example.com/high>"},
            ],
        }
    ]
}
