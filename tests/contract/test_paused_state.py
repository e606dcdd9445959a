"""What every reader of paused state promises: three separate reads or one batch, the same result."""

import asyncio
from typing import NamedTuple

import pytest

from askback.domain.pause.claims import PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import CheckpointPort, IssuanceLedger, PausedStateReader
from askback.domain.records.separate_reads import SeparateReads
from askback.testing.memory_ledger import InMemoryLedger
from askback.testing.memory_ports import InMemoryCheckpoints
from tests.support.aws_stores import INLINE_LIMIT, Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims, some_legacy_claims


class Recorded(NamedTuple):
    """A reader, and the ports that write what it reads."""

    checkpoints: CheckpointPort
    ledger: IssuanceLedger
    reader: PausedStateReader


class PausedStateContract:
    """Subclasses say which reader."""

    @pytest.fixture
    def recorded(self) -> Recorded:
        raise NotImplementedError

    def test_nothing_is_there_for_a_pause_that_left_nothing(self, recorded: Recorded) -> None:
        assert read(recorded, some_claims()) == (None, None, None)

    @pytest.mark.parametrize(
        ("claims", "request_key", "turn_key"),
        [
            (some_claims(), "ask_user_request:call_Cc03Ask", "turn_state:call_Cc03Ask"),
            (
                some_claims(name="approval", interrupt_id="i-1", tool_call_id=""),
                "interrupt_payload:i-1",
                "turn_state:i-1",
            ),
            (some_claims(name="approval", interrupt_id="i-1"), "interrupt_payload:i-1", "turn_state:call_Cc03Ask"),
        ],
        ids=["ask_user", "interrupt", "interrupt of a call"],
    )
    @pytest.mark.parametrize("size", [10, 200 * INLINE_LIMIT], ids=["small", "large"])
    def test_request_turn_and_row_are_read_together(
        self, recorded: Recorded, claims: PauseClaims, request_key: str, turn_key: str, size: int
    ) -> None:
        write(recorded, claims, request_key, "request" + "é" * size)
        write(recorded, claims, turn_key, "turn" + "é" * size)
        asyncio.run(recorded.ledger.issue(an_issued_row(claims)))
        assert read(recorded, claims) == ("request" + "é" * size, "turn" + "é" * size, an_issued_row(claims))

    def test_each_of_the_three_may_be_missing_alone(self, recorded: Recorded) -> None:
        write(recorded, some_claims(), "ask_user_request:call_Cc03Ask", "request")
        assert read(recorded, some_claims()) == ("request", None, None)
        write(recorded, some_claims(), "turn_state:call_Cc03Ask", "turn")
        assert read(recorded, some_claims()) == ("request", "turn", None)

    def test_a_legacy_pause_has_its_request_and_no_row(self, recorded: Recorded) -> None:
        write(recorded, some_legacy_claims(), "ask_user_request:call_Cc03Ask", "request")
        assert read(recorded, some_legacy_claims()) == ("request", None, None)

    def test_the_row_is_read_as_it_is_now(self, recorded: Recorded) -> None:
        asyncio.run(recorded.ledger.issue(an_issued_row()))
        asyncio.run(recorded.ledger.claim(some_claims(), an_acceptance()))
        row = read(recorded, some_claims())[2]
        assert row == an_issued_row(status=PauseStatus.ANSWERED, answer=an_acceptance())

    @pytest.mark.parametrize("size", [10, 200 * INLINE_LIMIT], ids=["small", "large"])
    def test_two_scopes_with_the_same_ids_have_their_own_records(self, recorded: Recorded, size: int) -> None:
        """And a pause of a version without the scope in the place has a third set of them."""
        scopes = [some_claims(scope_hash=f"{number}" * 64, jti=f"jti-{number}", scoped=True) for number in (1, 2)]
        for claims in (*scopes, some_claims()):
            for key in ("ask_user_request:call_Cc03Ask", "turn_state:call_Cc03Ask"):
                write(recorded, claims, key, f"{key} of {claims.jti} " + "é" * size)
            asyncio.run(recorded.ledger.issue(an_issued_row(claims, minter="ab" * 9 if claims.scoped else "")))
        for claims in (*scopes, some_claims()):
            request, turn, row = read(recorded, claims)
            assert request == f"ask_user_request:call_Cc03Ask of {claims.jti} " + "é" * size
            assert turn == f"turn_state:call_Cc03Ask of {claims.jti} " + "é" * size
            assert row is not None
            assert (row.claims, row.minter) == (claims, "ab" * 9 if claims.scoped else "")

    def test_another_pause_s_texts_are_never_read(self, recorded: Recorded) -> None:
        write(recorded, some_claims(), "ask_user_request:call_Cc03Ask", "request")
        write(recorded, some_claims(), "turn_state:call_Cc03Ask", "turn")
        asyncio.run(recorded.ledger.issue(an_issued_row()))
        others = (
            some_claims(thread_id="acme:us:sess-1", jti="other"),
            some_claims(checkpoint_id="cp-2", jti="other"),
            some_claims(tool_call_id="call_2", jti="other"),
            some_claims(name="approval", interrupt_id="call_Cc03Ask", tool_call_id="x", jti="other"),
        )
        assert [read(recorded, other) for other in others] == [(None, None, None)] * 4


class TestSeparateReadsInMemory(PausedStateContract):
    @pytest.fixture
    def recorded(self) -> Recorded:
        checkpoints, ledger = InMemoryCheckpoints(), InMemoryLedger()
        return Recorded(checkpoints, ledger, SeparateReads(checkpoints=checkpoints, ledger=ledger))


class TestSeparateReadsOnAws(PausedStateContract):
    @pytest.fixture
    def recorded(self, aws: Aws) -> Recorded:
        checkpoints, ledger = aws.checkpoints(), aws.ledger()
        return Recorded(checkpoints, ledger, SeparateReads(checkpoints=checkpoints, ledger=ledger))


class TestDynamoPausedState(PausedStateContract):
    @pytest.fixture
    def recorded(self, aws: Aws) -> Recorded:
        return Recorded(aws.checkpoints(inline_limit=1024), aws.ledger(), aws.states())


def write(recorded: Recorded, claims: PauseClaims, key: str, text: str) -> None:
    asyncio.run(
        recorded.checkpoints.write(
            **claims.record_place,
            key=key,
            text=text,
            expires_at=claims.exp,
        )
    )


def read(recorded: Recorded, claims: PauseClaims) -> tuple[str | None, str | None, LedgerRow | None]:
    async def state() -> tuple[str | None, str | None, LedgerRow | None]:
        found = await recorded.reader.read(claims)
        request = None if found.request is None else await found.request.read()
        turn = None if found.turn is None else await found.turn.read()
        return request, turn, found.row

    return asyncio.run(state())
