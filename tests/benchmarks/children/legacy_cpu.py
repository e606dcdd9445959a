"""Processor time of the legacy engine's own resume path: `legacy_cpu.py BATCHES RESUMES`.

What its engine does with a token, a recorded request and an answer: decode the token, compare the scope, read the
recorded request and hash it, read the answer and validate it against the request. Nothing is stored or consumed, and
the checkpoint that would have to be loaded is not. Prints the best batch's seconds for one.
"""

import json
import os
import sys
import time
from typing import Any

from symfonic.agent.middleware.pause_token import PauseToken  # type: ignore[import-not-found]
from symfonic.agent.types import FrameworkTenantScope  # type: ignore[import-not-found]
from symfonic.core.contracts.elicitation import (  # type: ignore[import-not-found]
    AskUserRequest,
    AskUserResponse,
    PauseTokenClaims,
    validate_against_request,
)

QUESTION = {
    "id": "q-0123456789ab",
    "question": "Refund 49.90 EUR?",
    "header": "Refund",
    "options": [
        {"label": "Approve", "description": "pay it out"},
        {"label": "Reject", "description": "do nothing"},
    ],
}
ANSWER = {"answers": [{"question_id": QUESTION["id"], "selections": ["Approve"]}]}


def main(batches: int, resumes: int) -> dict[str, float]:
    os.environ["JWT_SECRET"] = "a legacy key that only tests use, 32+"
    request = AskUserRequest.model_validate({"questions": [QUESTION]})
    recorded = request.model_dump_json()
    scope = FrameworkTenantScope(tenant_id="acme", namespace="billing")
    config: Any = None  # neither direction reads it
    tokens = [
        PauseToken.encode(
            PauseTokenClaims(
                run_id=f"run-{number}",
                session_id="sess-1",
                scope_hash=PauseToken.hash_scope(scope),
                thread_id="acme:eu:sess-1",
                checkpoint_id=f"checkpoint-{number}",
                tool_call_id="call_Cc03Ask",
                request_hash=PauseToken.hash_request(request),
                exp=4_000_000_000,
                jti=f"{number:032x}",
            ),
            config,
        )
        for number in range(resumes)
    ]
    best = float("inf")
    for _ in range(batches):
        begin = time.process_time()
        for token in tokens:
            claims = PauseToken.decode(token, config)
            assert PauseToken.hash_scope(scope) == claims.scope_hash
            found = AskUserRequest.model_validate_json(recorded)
            assert PauseToken.hash_request(found) == claims.request_hash
            validate_against_request(AskUserResponse.model_validate(ANSWER), found)
        best = min(best, (time.process_time() - begin) / resumes)
    return {"path": best}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
