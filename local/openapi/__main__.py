"""Writes the document: `python -m local.openapi [path]`."""

import json
import sys
from pathlib import Path

from local.openapi.document import document
from local.openapi.routes import ROOT

WRITTEN = ROOT / "docs" / "openapi.json"


def text() -> str:
    """Return the document as the file has it."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else WRITTEN).write_text(text(), encoding="utf-8")
