"""A token that the released engine has redeemed is refused here, once its consumed-token store is imported."""

from pathlib import Path

import pytest

from tests.built.legacy.pauses import ROOT, SCOPE, LeftBehind
from tests.built.legacy.postgres import copied
from tests.support.cutover_deployment import SECRET, Cutover

pytestmark = pytest.mark.legacy

QUERY = "select jti, scope_hash, consumed_at, name from interrupt_consumed_tokens"


def test_its_key_is_not_admitted_before_the_import(cutover: Cutover) -> None:
    cutover.deployment.delete({"pk": {"S": "cutover"}, "sk": {"S": "legacy"}})
    refused = cutover.run("admit", key=SECRET)
    assert (refused.code, refused.err.split(":")[1].strip()) == (1, "not-imported")


def test_what_its_postgresql_table_holds_is_used_up(
    cutover: Cutover, consumed: LeftBehind, programs: Path, postgres: str
) -> None:
    export = cutover.folder / "consumed.csv"
    copied(programs, postgres, QUERY, export)
    assert QUERY in (ROOT / "docs/cutover.md").read_text(encoding="utf-8")
    assert cutover.imported("requests", consumed.requests).code == 0
    frozen = ("--frozen-at", str(cutover.now + 1))
    cutover.now += 1
    for said in ("1 written", "1 known"):
        ran = cutover.run("consumed", str(export), *frozen)
        assert (ran.code, ran.out.strip()) == (0, said)
    assert cutover.run("admit", key=SECRET).code == 0
    handlers, pause = cutover.load(), consumed.pause("consumed")
    problem = handlers.refused("resume", pause.body())
    assert (problem["status"], problem["code"]) == (409, "already-answered")
    row = handlers.invoke("inbox", {"action": "show", "jti": pause.claims["jti"]})
    assert (row["status"], row["answered_by"], row["name"]) == ("answered", "legacy engine", "ask_user")
    assert row["answered_at"] == problem["answered_at"]
    outcome = handlers.refused("resume", {"action": "outcome", "pause_token": pause.token, "scope": SCOPE})
    assert (outcome["status"], outcome["code"]) == (424, "outcome-unreadable")


def test_what_its_mongodb_collection_holds_is_used_up(cutover: Cutover, consumed: LeftBehind) -> None:
    assert consumed.collection in (ROOT / "docs/cutover.md").read_text(encoding="utf-8")
    assert [set(document) for document in consumed.documents] == [{"_id", "scope_hash", "name"}]
    handlers, pause = cutover.cut_over(requests=consumed.requests, consumed=consumed.documents), consumed.pause("mongo")
    assert handlers.refused("resume", pause.body())["code"] == "already-answered"
    # The one beside it, which the engine had not redeemed.
    assert handlers.invoke("resume", consumed.pause("open").body())["replayed"] is False
