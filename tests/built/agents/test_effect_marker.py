"""The recipe for a system that takes no key: a process that dies at each of its steps, and another one after it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.example import FOLDER
from tests.built.agents.counted import loaded

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

recipe = loaded(FOLDER / "effect_marker.py")
KEY = "the-id-of-the-pause"


class Died(BaseException):
    """Nothing in the recipe catches it, as nothing catches SIGKILL."""


@dataclass
class Process:
    """A process that dies before its step with the number `dies_at`: the marker, the effect, the note."""

    table: "Table"
    sent: list[str]
    dies_at: int = -1
    passed: int = 0

    def step(self) -> None:
        if self.passed == self.dies_at:
            raise Died
        self.passed += 1

    def put_item(self, **given: Any) -> Any:
        self.step()
        return self.table.put_item(**given)

    def get_item(self, **given: Any) -> Any:
        return self.table.get_item(**given)

    def update_item(self, **given: Any) -> Any:
        self.step()
        return self.table.update_item(**given)

    def effect(self) -> str:
        self.step()
        self.sent.append(KEY)
        return f"parcel {len(self.sent)}"

    def run(self) -> str:
        return str(recipe.at_most_once(self, KEY, self.effect))


@pytest.fixture
def table(stores: object) -> "Table":
    return boto3.resource("dynamodb").create_table(
        TableName=f"effects-{id(stores)}-{len(list(boto3.resource('dynamodb').tables.all()))}",
        KeySchema=[{"AttributeName": "effect", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "effect", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


@pytest.mark.parametrize(("dies_at", "effects"), [(0, 1), (1, 0), (2, 1)])
def test_an_effect_runs_at_most_once_and_what_is_unclear_is_said(table: "Table", dies_at: int, effects: int) -> None:
    sent: list[str] = []
    with pytest.raises(Died):
        Process(table, sent, dies_at=dies_at).run()
    if dies_at == 0:
        assert Process(table, sent).run() == "parcel 1"
    else:
        with pytest.raises(recipe.EffectUnclear, match=KEY):
            Process(table, sent).run()
    assert len(sent) == effects


def test_a_later_process_gets_the_result_of_the_first(table: "Table") -> None:
    sent: list[str] = []
    assert [Process(table, sent).run() for _ in range(3)] == ["parcel 1"] * 3
    assert len(sent) == 1


def test_a_process_that_comes_while_another_is_at_it_runs_nothing(table: "Table") -> None:
    sent: list[str] = []
    first = Process(table, sent)

    def interrupted() -> str:
        with pytest.raises(recipe.EffectUnclear):
            Process(table, sent).run()
        return first.effect()

    assert recipe.at_most_once(first, KEY, interrupted) == "parcel 1"
    assert len(sent) == 1


def test_a_table_that_fails_is_no_marker(stores: object) -> None:
    sent: list[str] = []
    with pytest.raises(Exception, match="ResourceNotFoundException"):
        Process(boto3.resource("dynamodb").Table("no-such-table"), sent).run()
    assert not sent
