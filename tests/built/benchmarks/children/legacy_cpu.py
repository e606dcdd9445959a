"""Processor time of the legacy engine's own resume path: `legacy_cpu.py BATCHES RESUMES`.

`path` is what its engine does with a token, a recorded request and an answer: decode the token, compare the scope, read
the recorded request and hash it, read the answer and validate it against the request. Nothing is loaded or consumed.
`in_memory` does that too, with the request loaded from an in-memory saver and the token consumed in its in-memory
store. Prints the best batch's seconds for one of each.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import MemorySaver
from symfonic.agent.middleware.pause_token import PauseToken, PauseTokenManager
from symfonic.agent.types import FrameworkTenantScope
from symfonic.core.contracts.elicitation import (
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


CALL = "call_Cc03Ask"
CONFIG: Any = None
"""Neither direction of the token reads it."""


async def prepare(resumes: int, saver: Any, scope: Any) -> tuple[list[str], str]:
    """Record the request `resumes` times and return a token for each, and the recorded text."""
    request = AskUserRequest.model_validate({"questions": [QUESTION]})
    recorded = request.model_dump_json()
    tokens = []
    for number in range(resumes):
        thread, checkpoint = f"acme:_:session-{number}", empty_checkpoint()
        place = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        place = await saver.aput(place, checkpoint, {"source": "loop", "step": 1}, {})
        await saver.aput_writes(place, [(f"ask_user_request:{CALL}", recorded)], "task")
        claims = PauseTokenClaims(
            run_id=f"run-{number}",
            session_id=f"session-{number}",
            scope_hash=PauseToken.hash_scope(scope),
            thread_id=thread,
            checkpoint_id=checkpoint["id"],
            tool_call_id=CALL,
            request_hash=PauseToken.hash_request(request),
            exp=4_000_000_000,
            jti=f"{number:032x}",
        )
        tokens.append(PauseToken.encode(claims, CONFIG))
    return tokens, recorded


async def main(batches: int, resumes: int) -> dict[str, float]:
    os.environ["JWT_SECRET"] = "a legacy key that only tests use, 32+"
    scope, saver = FrameworkTenantScope(tenant_id="acme", namespace="billing"), MemorySaver()
    tokens, recorded = await prepare(resumes, saver, scope)
    best = {"path": float("inf"), "in_memory": float("inf")}
    for _ in range(batches):
        begin = time.process_time()
        for token in tokens:
            claims = PauseToken.decode(token, CONFIG)
            assert PauseToken.hash_scope(scope) == claims.scope_hash
            request = AskUserRequest.model_validate_json(recorded)
            assert PauseToken.hash_request(request) == claims.request_hash
            validate_against_request(AskUserResponse.model_validate(ANSWER), request)
        best["path"] = min(best["path"], (time.process_time() - begin) / resumes)

        manager = PauseTokenManager()
        begin = time.process_time()
        for token in tokens:
            claims = PauseToken.decode(token, CONFIG)
            assert PauseToken.hash_scope(scope) == claims.scope_hash
            request = await PauseToken.load_original_request(saver, claims)
            validate_against_request(AskUserResponse.model_validate(ANSWER), request)
            assert await manager.consume(claims.jti, scope)
        best["in_memory"] = min(best["in_memory"], (time.process_time() - begin) / resumes)
    return best


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))))
