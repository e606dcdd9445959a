"""A member of the roster who must be known better than the others: at every door, for each vote and each answer."""

from typing import Any

import pytest

from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.operator_terminal import Terminal
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, SCOPE, a_mint
from tests.support.several import FIVE, YES, Several
from tests.support.table_stream import TableStream
from tests.support.waiting_world import World

SIGN_IN = "https://app.example.com/answers"
ADA_SIGNS_IN: list[Any] = [{"name": "ada", "least_assurance": "signed_in"}, *FIVE[1:]]


def with_floors(handlers: Handlers, approvers: list[Any] = ADA_SIGNS_IN, **over: Any) -> Several:
    return Several(handlers, {"needed": 2}, approvers=approvers, **over)


def refused_for_ada(several: Several) -> list[Answer]:
    """Vote as ada at every door that knows her less well than by a sign-in."""
    item = {"answer_token": several.link("ada"), "response": YES}
    batch = several.handlers.post("/answers/batch", {"items": [item]})
    assert batch.document["items"][0]["problem"]["code"] == "answerer-not-allowed"
    return [several.vote("ada"), several.vote_stated("ada"), several.vote_stated(" ADA")]


def test_a_member_votes_only_as_well_known_as_the_mint_says(handlers: Handlers) -> None:
    several = with_floors(handlers)
    for reply in refused_for_ada(several):
        require_problem(reply, 403, "answerer-not-allowed")
    # The others keep the demand of the pause.
    assert several.vote("bob").status == 202
    voted = several.vote_signed_in("ADA")
    assert (voted.status, voted.document["status"], voted.document["assurance"]) == (200, "answered", "personal_link")
    assert voted.document["votes"][1]["assurance"] == "signed_in"


def test_it_holds_for_a_single_answer_too(handlers: Handlers) -> None:
    no_quorum: Any = ...
    several = Several(handlers, no_quorum, approvers=ADA_SIGNS_IN)
    for reply in refused_for_ada(several):
        require_problem(reply, 403, "answerer-not-allowed")
    assert several.vote_signed_in("ada").document["answered_by"] == "ada"


def test_a_member_reads_what_is_needed_and_is_led_to_the_sign_in(deployment: Deployment) -> None:
    several = with_floors(deployment.load(ASKBACK_SIGN_IN_URL=SIGN_IN))
    ada, bob = several.question("ada"), several.question("bob")
    assert (ada["link_may_answer"], ada["least_assurance"]) == (False, "signed_in")
    assert ada["sign_in_url"] == f"{SIGN_IN}?pause={several.minted['jti']}"
    assert (bob["link_may_answer"], bob["least_assurance"], bob["sign_in_url"]) == (True, "stated", None)
    body = {"jti": several.minted["jti"]}
    assert several.handlers.post("/user/questions", body, claims={**PERSON, "sub": "ada"}).document["may_answer"]


def test_of_two_demands_the_stronger_one_holds(handlers: Handlers) -> None:
    weaker = [{"name": "ada", "least_assurance": "link"}, *FIVE[1:]]
    several = with_floors(handlers, weaker, least_assurance="signed_in")
    require_problem(several.vote("ada"), 403, "answerer-not-allowed")
    assert several.question("ada")["least_assurance"] == "signed_in"
    assert several.vote_signed_in("ada").status == 202


def test_the_same_mint_is_one_pause_and_another_demand_is_another(deployment: Deployment) -> None:
    handlers = deployment.load()
    first = with_floors(handlers, idempotency_key="floors")
    strict = deployment.load(ASKBACK_MINT_FLOOR='{"*": {"least_assurance": "signed_in"}}')
    assert strict.post("/pauses", first.request).document["jti"] == first.minted["jti"]
    plain = [{"name": name, "least_assurance": "stated"} for name in FIVE]
    require_problem(handlers.post("/pauses", {**first.request, "approvers": plain}), 409, "pause-conflict")
    named = with_floors(handlers, list(FIVE), idempotency_key="no floors")
    again = handlers.post("/pauses", {**named.request, "approvers": plain})
    assert again.document["jti"] == named.minted["jti"]


@pytest.mark.parametrize(
    ("approvers", "field"),
    [
        ([5], "approvers.0"),
        (["ada", {"name": "bob"}], "approvers.1.least_assurance"),
        ([{"name": "bob", "least_assurance": "policy"}], "approvers.0.least_assurance"),
        ([{"name": "bob", "least_assurance": "link", "sub": 1}], "approvers.0.sub"),
        ([{"name": 5, "least_assurance": "link"}], "approvers.0.name"),
        ([{"name": "", "least_assurance": "link"}], "approvers[0]"),
        ([{"name": "\ud800", "least_assurance": "link"}], "approvers[0].name"),
        (["\ud800"], "approvers[0]"),
        (["ada", {"name": "ADA", "least_assurance": "link"}], "approvers"),
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_read_is_refused_with_its_field(
    handlers: Handlers, approvers: list[Any], field: str
) -> None:
    refused = handlers.post("/pauses", a_mint(approvers=approvers))
    assert refused.said == (400, "bad-request")
    assert [error["field"] for error in refused.document["errors"]] == [field]


def test_the_mint_says_that_no_person_or_too_few_can_be_known_so_well(deployment: Deployment) -> None:
    handlers = deployment.load(ASKBACK_SIGN_IN="none")
    few = [{"name": name, "least_assurance": "signed_in"} for name in FIVE[1:]]
    assert "only 1 of the 2 people" in with_floors(handlers, ["ada", *few]).minted["unanswerable"]
    assert "unanswerable" not in with_floors(handlers).minted
    all_of_them = [{"name": name, "least_assurance": "signed_in"} for name in FIVE]
    assert "has no JwtIssuer" in with_floors(handlers, all_of_them).minted["unanswerable"]
    signing_in = deployment.load()
    assert "unanswerable" not in with_floors(signing_in, all_of_them).minted
    all_of_them[0]["least_assurance"] = "personal_link"
    no_links = with_floors(handlers, all_of_them, recipients=[])
    assert "no recipients" in no_links.minted["unanswerable"]


def test_the_demand_stays_with_the_person_when_others_come_and_go(world: World) -> None:
    step = {"after_seconds": 600, "to": ["cfo"]}
    several = with_floors(world.handlers, escalation=[step], ttl_seconds=3600, idempotency_key="come and go")
    path = f"/pauses/{several.minted['jti']}"
    assert world.handlers.post(f"{path}/reassign", {"from": "bob", "to": "zoe"}).status == 200
    world.sweep(after=600)
    shown = {each["name"]: each["least_assurance"] for each in world.handlers.get(path).document["approvers"]}
    assert shown == {
        "ada": "signed_in", "cyd": "stated", "dan": "stated", "eve": "stated", "zoe": "stated", "cfo": "stated",
    }  # fmt: skip
    require_problem(several.vote("ada"), 403, "answerer-not-allowed")
    assert world.handlers.post("/pauses", several.request).document["jti"] == several.minted["jti"]
    assert several.vote_stated("cfo").status == 202
    assert "approvers" not in world.handlers.get(f"/pauses/{world.handlers.pause().minted['jti']}").document


def test_a_person_who_comes_instead_has_no_demand_of_their_own(world: World) -> None:
    several = with_floors(world.handlers)
    path = f"/pauses/{several.minted['jti']}/reassign"
    assert world.handlers.post(path, {"from": "ada", "to": "zoe"}).status == 200
    assert several.vote_stated("zoe").status == 202


def test_the_log_of_decisions_says_how_well_each_voter_had_to_be_known(
    deployment: Deployment, handlers: Handlers
) -> None:
    stream = TableStream(deployment)
    several = with_floors(handlers)
    several.vote("bob")
    several.vote_signed_in("ada")
    lines = stream.audited(handlers, several.pause)
    said = {(line["decision"], line["voted_by"]): line["least_assurance"] for line in lines}
    assert said == {
        ("issued", None): "stated", ("voted", "bob"): "stated", ("voted", "ada"): "signed_in",
        ("answered", None): "signed_in",
    }  # fmt: skip


def test_the_name_of_a_person_with_a_demand_is_erased(terminal: Terminal) -> None:
    zoe = {"name": "zoe@example.com", "least_assurance": "signed_in"}
    several = with_floors(terminal.world.handlers, [zoe, "bob"], recipients=[])
    body = {"pause_token": several.minted["pause_token"], "scope": SCOPE, "response": {"decision": "reject"}}
    assert terminal.world.handlers.post("/resume", {**body, "answerer": "bob"}).status == 200
    ran = terminal.run("--json", "erase", "--person", "ZOE@example.com", "--yes")
    assert "zoe" not in str(terminal.world.deployment.item(terminal.world.deployment.row_key(several.pause)))
    shown = terminal.run("--json", "show", several.minted["jti"]).document["approvers"]
    assert shown[0] == {"name": ran.document["pseudonym"], "least_assurance": "signed_in"}
