"""Processor time of one resume with in-memory ports: `resume_cpu.py BATCHES RESUMES`.

Every resume claims a pause of its own; between batches the ledger forgets the claims. One event loop runs them all, so
that starting a loop is not counted. Prints the best batch's seconds for one resume, with a turn and without.
"""

import asyncio
import json
import sys
import time
from typing import Any

from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import SecretsManagerKeyRing
from askback.domain.records.payloads import PausePayloadStore
from askback.domain.records.separate_reads import SeparateReads
from askback.domain.records.turns import TurnCheckpointStore
from askback.domain.resume.eight_steps import ResumeCommand, ResumeService
from askback.domain.tokens.service import PauseTokenService
from tests.support.memory_deployment import KEY_RING, InMemoryDeployment, a_binding, a_mint_command, a_resume_command


class OneSecret:
    """Secrets Manager's client as far as the key ring needs it."""

    def get_secret_value(self, **_: Any) -> dict[str, str]:
        """Return the ring."""
        return {"SecretString": KEY_RING}


def resume_service(deployment: InMemoryDeployment) -> ResumeService:
    """Return the service with the key ring that is deployed, which parses the secret once and keeps it."""
    ring = SecretsManagerKeyRing(client=OneSecret, secret_id="ring", clock=lambda: 0.0, wall_clock=lambda: 0.0)  # type: ignore[arg-type]
    return ResumeService(
        registry=deployment.registry,
        tokens=PauseTokenService(codec=JwtTokenCodec(ring), ledger=deployment.ledger),
        payloads=PausePayloadStore(deployment.checkpoints),
        turns=TurnCheckpointStore(deployment.checkpoints),
        states=SeparateReads(checkpoints=deployment.checkpoints, ledger=deployment.ledger),
        audit=deployment.audit,
        delivery=deployment.delivery,
    )


async def seconds_for_one(batches: int, resumes: int, **over: Any) -> float:
    """Mint `resumes` pauses, resume them all in each batch, and return the best batch's time for one."""
    deployment = InMemoryDeployment()
    commands: list[ResumeCommand] = []
    for number in range(resumes):
        binding = a_binding(run_id=f"run-{number}", checkpoint_id=f"checkpoint-{number}")
        minted = await deployment.minting.mint(a_mint_command(binding=binding, **over))
        redeemer = a_resume_command(minted).redeemer
        commands.append(
            a_resume_command(minted, redeemer=redeemer.__class__(scope=redeemer.scope, session_id="sess-1"))
        )
    issued = dict(deployment.ledger.rows)
    service = resume_service(deployment)
    best = float("inf")
    for _ in range(batches):
        deployment.ledger.rows = dict(issued)
        begin = time.process_time()
        for command in commands:
            await service.resume(command)
        best = min(best, (time.process_time() - begin) / resumes)
    return best


async def main(batches: int, resumes: int) -> dict[str, float]:
    return {
        "without_turn": await seconds_for_one(batches, resumes, messages=None),
        "with_turn": await seconds_for_one(batches, resumes),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))))
