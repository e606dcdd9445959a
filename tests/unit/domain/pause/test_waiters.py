"""Who waits: an address is there where one is needed, fits its service, and never shows."""

import copy
from dataclasses import replace

import pytest

from askback.domain.errors import InvalidRequest, RequestTooLarge
from askback.domain.pause.waiters import ADDRESS_MAX_CHARACTERS, OUTCOME_MAX_BYTES, Waiter, WaiterKind
from tests.support.domain_values import an_issued_row
from tests.support.waiting_pauses import TASK, WAITERS

ADDRESSED = [kind for kind in WaiterKind if kind is not WaiterKind.EVENT]
SECRET = "AAAAKgAAAAIAAA+/x/y=="


@pytest.mark.parametrize("kind", ADDRESSED)
def test_an_address_has_one_character_up_to_what_its_service_takes(kind: WaiterKind) -> None:
    longest = ADDRESS_MAX_CHARACTERS[kind]
    for length in (1, longest):
        assert len(Waiter(kind=kind, address="a" * length).address) == length
    for length in (0, longest + 1):
        with pytest.raises(InvalidRequest, match=f"1 to {longest} characters"):
            Waiter(kind=kind, address="a" * length)


def test_the_limits_are_those_of_the_services() -> None:
    assert ADDRESS_MAX_CHARACTERS == {"step_functions": 2048, "lambda_durable": 1024, "lambda": 256, "event": 0}
    assert OUTCOME_MAX_BYTES == {
        "step_functions": 262_144,
        "lambda_durable": 1_048_576,
        "lambda": 262_144,
        "event": 1_048_576,
    }


def test_an_event_has_no_address() -> None:
    assert Waiter(kind=WaiterKind.EVENT).address == ""
    with pytest.raises(InvalidRequest):
        Waiter(kind=WaiterKind.EVENT, address="x")


@pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
def test_an_address_shows_in_no_text_of_the_waiter_or_of_its_row(waiter: Waiter) -> None:
    row = an_issued_row(waiter=waiter)
    shown = f"{waiter!r} {waiter} {row!r} {replace(row, attempts=1)!r} {copy.copy(row)!r}"
    assert waiter.kind.value in shown
    assert not waiter.address or waiter.address not in shown


@pytest.mark.parametrize("kind", ADDRESSED)
@pytest.mark.parametrize("address", ["", SECRET * 300])
def test_a_refused_address_is_not_repeated(kind: WaiterKind, address: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Waiter(kind=kind, address=address)
    assert SECRET not in f"{refused.value!r} {refused.value.detail} {refused.value.errors}"


@pytest.mark.parametrize("waiter", WAITERS, ids=lambda waiter: waiter.kind.value)
@pytest.mark.parametrize("character", ["a", "\u00e4", "\u20ac"])
def test_an_outcome_is_measured_in_bytes_of_utf_8(waiter: Waiter, character: str) -> None:
    limit = OUTCOME_MAX_BYTES[waiter.kind]
    width = len(character.encode())
    text = character * (limit // width) + "a" * (limit % width)
    waiter.require_room(text)
    with pytest.raises(RequestTooLarge, match=str(limit)) as refused:
        waiter.require_room(text + "a")
    assert TASK.address not in str(refused.value)
