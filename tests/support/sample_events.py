"""The sample events of events/: which function each is for, and how its placeholders are filled in.

A sample's name begins with what it asks for, and that names its function; a new beginning needs a line here.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from local.emulated.cloud import ROOT

NAMES: Final = sorted(path.stem for path in (ROOT / "events").glob("*.json"))
FUNCTIONS: Final = {
    "answer": "resume",
    "ask": "resume",
    "asker": "mint",
    "batch": "resume",
    "delegate": "resume",
    "ended": "ended",
    "inbox": "inbox",
    "links": "links",
    "mcp": "mcp",
    "mint": "mint",
    "notify": "notify",
    "outcome": "resume",
    "page": "page",
    "question": "resume",
    "resume": "resume",
    "rotate": "rotate",
    "sweep": "sweep",
    "user": "resume",
    "usermcp": "user_mcp",
}
"""The folder in functions/ by the first word of a sample's name."""
_A_SECRET: Final = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRing-AbCdEf"
_A_VERSION: Final = "d565feff-8f3d-4c57-9c0b-6b0a4a1f7e52"


def function_of(name: str) -> str:
    """Return the folder of the function that a sample is for."""
    beginning = name.split("-", maxsplit=1)[0]
    assert beginning in FUNCTIONS, f"events/{name}.json: say in tests/support/sample_events.py whose event it is"
    return FUNCTIONS[beginning]


def read_event(
    name: str, minted: Mapping[str, Any], *, secret_id: str = _A_SECRET, version_id: str = _A_VERSION
) -> dict[str, Any]:
    """Return a sample with its placeholders filled in from a mint of `ask_user`, or from a rotation."""
    text = (ROOT / "events" / f"{name}.json").read_text(encoding="utf-8")
    for placeholder, value in (
        ("<pause token from mint>", minted["pause_token"]),
        ("<answer token from links>", minted["answer_token"]),
        ("<jti from mint>", minted["jti"]),
        ("<question id from mint>", minted["payload"]["questions"][0]["id"]),
        ("<task token from the context object>", "AAAAKgAAAAIAAA+/x/y=="),
        ("<key secret from the stack>", secret_id),
        ("<pending version from the secret>", version_id),
    ):
        text = text.replace(placeholder, value)
    left = re.findall("<[^>]* from [^>]*>", text)
    assert left == [], f"events/{name}.json: tests/support/sample_events.py does not fill these in"
    event: dict[str, Any] = json.loads(text)
    return event
