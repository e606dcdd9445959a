"""Peak memory of a large turn: `memory.py LAYER IMAGE_BYTES`.

Mints and resumes a turn with one image as a data URI through the deployed adapters, in this process, after a smaller
one has made every client and cache. Prints the size of the encoded turn and, for mint and resume, the peak that Python
allocated over what was allocated before. The caller's own messages exist before a mint and are not its doing; what a
resume returns is.
"""

import asyncio
import base64
import gc
import json
import random
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

sys.path.insert(0, sys.argv[1])

from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause, PauseMint
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.resume.eight_steps import ResumeCommand, ResumeService
from askback.domain.tokens.scope_binder import Redeemer
from askback.wiring import mint as mint_root, resume as resume_root
from askback.wiring.observers import observers
from askback.wiring.sources import now

SCOPE = Scope(tenant_id="acme", sub_tenant_id="eu", namespace="billing")
OPTIONS = [{"label": "Approve", "description": ""}, {"label": "Reject", "description": ""}]
PAYLOAD = {"questions": [{"question": "Is this the receipt?", "header": "Receipt", "options": OPTIONS}]}

T = TypeVar("T")


def messages(image_bytes: int) -> list[dict[str, Any]]:
    """Return a turn with an image that does not compress beyond its base64."""
    image = base64.b64encode(random.Random(image_bytes).randbytes(image_bytes)).decode()  # noqa: S311  repeatable
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}}
    return [{"role": "user", "content": [{"type": "text", "text": "Check this receipt."}, part]}]


def mint(service: PauseMint, turn: list[dict[str, Any]]) -> MintedPause:
    command = MintCommand(
        name="ask_user",
        payload=PAYLOAD,
        binding=PauseBinding(scope=SCOPE, run_id="run-1", session_id="session-1"),
        ttl_seconds=3600,
        at=now(),
        tool_call_id=f"call_{id(turn)}",
        messages=turn,
    )
    return asyncio.run(service.mint(command))


def resume(service: ResumeService, minted: MintedPause) -> int:
    question = minted.payload["questions"][0]["id"]
    command = ResumeCommand(
        token=minted.tokens.pause,
        redeemer=Redeemer(scope=SCOPE),
        response={"answers": [{"question_id": question, "selections": ["Approve"]}]},
        answered_by="ada",
        at=now(),
        attempt_id="attempt-1",
    )
    outcome = asyncio.run(service.resume(command, require_turn=True))
    if outcome.turn is None:
        raise RuntimeError("the turn did not come back")
    return len(outcome.turn.messages)


def over_base(work: Callable[[], T]) -> tuple[int, T]:
    """Return the peak over what is allocated now, and what the work returned."""
    gc.collect()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    result = work()
    return tracemalloc.get_traced_memory()[1] - before, result


def main() -> dict[str, int]:
    logger, _ = observers("memory")
    minting = mint_root.build(logger).mint
    resuming = resume_root.build(logger).resume
    warm = messages(20_000)  # large enough for the bucket
    resume(resuming, mint(minting, warm))
    tracemalloc.start()
    turn = messages(int(sys.argv[2]))
    size = len(json.dumps(turn))
    mint_peak, minted = over_base(partial(mint, minting, turn))
    del turn
    resume_peak, _ = over_base(partial(resume, resuming, minted))
    return {"turn": size, "mint": mint_peak, "resume": resume_peak}


if __name__ == "__main__":
    print(json.dumps(main()))
