"""Sixty-four people answer differently at once, fifty times over: one is accepted, and the run goes on once."""

import asyncio
import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from askback.domain.delivery.sweep import Sweep
from askback.domain.errors import AlreadyAnswered, StoreUnavailable
from askback.domain.mint.command import MintCommand
from askback.domain.mint.pause_mint import MintedPause, PauseMint
from askback.domain.pause.binding import PauseBinding
from askback.domain.pause.scope import Scope
from askback.domain.pause.waiters import Waiter, WaiterKind
from askback.domain.resume.eight_steps import ResumeCommand, ResumeService
from askback.domain.tokens.scope_binder import Redeemer
from askback.wiring import mint as mint_root, resume as resume_root, sweep as sweep_root
from local.emulated.cloud import Cloud
from local.emulated.workflows.interpreter import executing
from tests.support.memory_deployment import NOW
from tests.support.waiting_tasks import Tasks

ROUNDS = 50
PEOPLE = 64
TRIES = 40
SCOPE = Scope(tenant_id="acme")
QUESTION = {"question": "Which?", "allow_other": True, "options": [{"label": "A"}, {"label": "B"}]}

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    mint: PauseMint
    resume: ResumeService
    sweep: Sweep


@pytest.fixture(scope="module")
def deployed() -> Iterator[tuple[Services, Tasks]]:
    with Cloud() as cloud, executing():
        # A backend answers here, and it takes the token from the mint.
        os.environ.update({**cloud.functions[0].environment, "ASKBACK_RETURN_LINKS": "true"})
        logger = Logger(service="many")
        services = Services(
            mint=mint_root.build(logger).mint,
            resume=resume_root.build(logger).resume,
            sweep=sweep_root.build(logger).sweep,
        )
        yield services, Tasks()


@pytest.fixture
def eager_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.soak
@pytest.mark.usefixtures("eager_switching")
def test_of_many_different_answers_one_is_accepted_and_continues_the_run_once(deployed: tuple[Services, Tasks]) -> None:
    services, tasks = deployed
    with ThreadPoolExecutor(PEOPLE) as people:
        for _ in range(ROUNDS):
            execution, token = tasks.start()
            minted = mint(services, token)
            told = list(people.map(lambda person, to=minted: answer(services, to, person), range(PEOPLE)))
            kinds = Counter(type(one) for one in told)
            assert kinds == {str: 1, AlreadyAnswered: PEOPLE - 1}
            accepted = next(one for one in told if isinstance(one, str))
            # On a machine that is busy a delivery may time out; the sweep makes up for it.
            asyncio.run(services.sweep.run(at=NOW + 600, attempt_id="sweep", may_go_on=lambda: True))
            ended = tasks.ended(execution)
            assert ended["how"] == "answered"
            assert json.dumps(ended["outcome"]["response"], sort_keys=True) == accepted


def mint(services: Services, token: str) -> MintedPause:
    number = next(_numbers)
    return asyncio.run(
        services.mint.mint(
            MintCommand(
                name="ask_user",
                payload={"questions": [QUESTION]},
                binding=PauseBinding(scope=SCOPE, run_id=f"run-{number}", checkpoint_id="one"),
                ttl_seconds=3600,
                at=NOW,
                tool_call_id=f"call-{number}",
                waiter=Waiter(kind=WaiterKind.STEP_FUNCTIONS, address=token),
            )
        )
    )


def answer(services: Services, minted: MintedPause, person: int) -> Any:
    """Return the accepted answer as text, or why it was not accepted."""
    question = minted.payload["questions"][0]["id"]
    for attempt in itertools.count():
        command = ResumeCommand(
            token=minted.tokens.pause,
            redeemer=Redeemer(scope=SCOPE),
            response={"answers": [{"question_id": question, "other": f"answer {person}"}]},
            answered_by=f"person {person}",
            at=NOW + 1,
            attempt_id=f"attempt {attempt} of {person}",
        )
        try:
            outcome = asyncio.run(services.resume.resume(command))
        except AlreadyAnswered as refused:
            return refused
        except StoreUnavailable:
            assert attempt < TRIES, "the stores never answered"
        else:
            return json.dumps(outcome.response, sort_keys=True)
    raise AssertionError
