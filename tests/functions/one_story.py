"""A mint and a resume in an interpreter of its own, whose time zone is the environment's.

The arguments are the clock's epoch seconds, or nothing for the real clock. Prints one JSON object.
"""

import json
import sys
import time
from typing import Any

from tests.functions.builders import Pause
from tests.functions.deployment import Deployment


def main() -> None:
    """Tell the story once for each clock, in one deployment."""
    stories: list[dict[str, Any]] = []
    with Deployment() as up:
        for at in map(int, sys.argv[1:]):
            stories.append(_story(up, clock=lambda at=at: at))  # type: ignore[misc]
        if not stories:
            stories.append(_story(up))
    print(json.dumps({"zone": time.tzname, "stories": stories}))


def _story(up: Deployment, **options: Any) -> dict[str, Any]:
    handlers = up.load(**options)
    before = int(time.time())
    pause: Pause = handlers.pause(ttl_seconds=3600)
    after = int(time.time())
    resumed = handlers.post("/resume", pause.resume())
    claims = up.claims(pause.minted["pause_token"])
    return {
        "before": before,
        "after": after,
        "exp": claims["exp"],
        "iat": claims["iat"],
        "issued_at": pause.minted["issued_at"],
        "expires_at": pause.minted["expires_at"],
        "status": resumed.status,
        "answered_at": resumed.document["answered_at"],
        "row_exp": int(up.item(up.row_key(pause))["exp"]["N"]),
    }


if __name__ == "__main__":
    main()
