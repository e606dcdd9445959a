"""The transcripts of several providers, what the legacy engine really produced, and rows of the version before."""

import base64
import json
from pathlib import Path
from typing import Any

_SUPPORT = Path(__file__).parent

TRANSCRIPTS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((_SUPPORT / "transcripts").glob("*.json"))
}
VECTORS: dict[str, Any] = json.loads((_SUPPORT / "vectors/symfonic_core_9_12_0.json").read_text(encoding="utf-8"))
ROWS_WITH_COUNTS: dict[str, dict[str, Any]] = json.loads(
    (_SUPPORT / "vectors/ledger_rows_with_counts.json").read_text(encoding="utf-8")
)
"""One pause's row as version 6aabda9 wrote it, by what had become of the pause."""
ROWS_BY_VERSION: dict[str, dict[str, Any]] = json.loads(
    (_SUPPORT / "vectors/ledger_rows_by_version.json").read_text(encoding="utf-8"),
    object_hook=lambda read: {"B": bytes.fromhex(read["B"])} if read.keys() == {"B"} else read,
)
"""An open pause's row by what its version hashes: nothing, who may answer (`who`), or the terms of the pause.

`restricted` has people, a default answer and a waiter; `plain` has none of these.
"""

PAUSES_OF_BEFORE: dict[str, Any] = json.loads(
    (_SUPPORT / "vectors/pauses_of_6aabda9.json").read_text(encoding="utf-8"),
    object_hook=lambda read: {"B": bytes.fromhex(read["B"])} if read.keys() == {"B"} else read,
)
"""Open pauses as version 6aabda9 minted them at `at`: the request, the reply, and the items of the table, by kind."""
PAUSES_WITH_A_QUORUM: dict[str, Any] = json.loads(
    (_SUPPORT / "vectors/pauses_with_a_quorum.json").read_text(encoding="utf-8"),
    object_hook=lambda read: {"B": bytes.fromhex(read["B"])} if read.keys() == {"B"} else read,
)
"""Pauses of the first version with a quorum, in the same form: `open` has one vote of two, `decided` has both.

The votes came 60 and 120 seconds after the mint at `at`.
"""
PAUSES_BEFORE_SCOPES: dict[str, Any] = json.loads(
    (_SUPPORT / "vectors/pauses_before_scoped_records.json").read_text(encoding="utf-8"),
    object_hook=lambda read: base64.b64decode(read["base64"]) if read.keys() == {"base64"} else read,
)
"""Pauses as version 24554af wrote them, whose records have no scope in their place.

`pauses` has the request and the reply of each mint, `items` and `objects` have what it left in the stores. `key_ring`
signed the tokens, and `now` is the time of every mint.
"""


def transcript(prefix: str) -> dict[str, Any]:
    """Return the one transcript whose file name starts with `prefix`."""
    (found,) = (sample for name, sample in TRANSCRIPTS.items() if name.startswith(prefix))
    return found
