"""A mint and a resume in an interpreter of its own, whose time zone is the environment's.

The arguments are the clock's epoch seconds, or nothing for the real clock. Prints one JSON object.
"""

import json
import sys
import time
from typing import Any

from tests.support.function_deployment import Deployment
from tests.support.request_bodies import Pause


def main() -> None:
    """Tell the story once for each clock, in one deployment."""
    clocks = [{"clock": lambda at=int(argument): at} for argument in sys.argv[1:]]
    with Deployment() as up:
        stories = [_story(up, **options) for options in clocks or [{}]]
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
