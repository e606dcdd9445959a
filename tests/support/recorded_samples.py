"""The transcripts of several providers, and what the legacy engine really produced."""

import json
from pathlib import Path
from typing import Any

_SUPPORT = Path(__file__).parent

TRANSCRIPTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((_SUPPORT / "transcripts").glob("*.json"))
}
VECTORS: dict[str, Any] = json.loads((_SUPPORT / "vectors/symfonic_core_9_12_0.json").read_text(encoding="utf-8"))


def transcript(prefix: str) -> dict[str, Any]:
    """Return the one transcript whose file name starts with `prefix`."""
    (found,) = (sample for name, sample in TRANSCRIPTS.items() if name.startswith(prefix))
    return found
