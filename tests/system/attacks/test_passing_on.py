"""A member passes a question on: only where the mint allows it, never twice for one seat, and never to a weaker one."""

import pytest

from tests.support.function_deployment import Answer, Handlers
from tests.support.problems import require_problem
from tests.support.request_bodies import PERSON, SCOPE
from tests.support.several import YES, Several

ZOE = "zoe"


def passes_on(several: Several, token: str, to: str = ZOE) -> Answer:
    return several.handlers.post("/delegations", {"answer_token": token, "to": to})


def link_now(several: Several, person: str) -> str:
    links = several.handlers.post(f"/pauses/{several.minted['jti']}/links", {}).document["recipients"]
    return str({each["recipient"]: each["answer_token"] for each in links}[person])


@pytest.mark.cannot("pass the question on to another person unless the mint allows it")
def test_nothing_is_passed_on_that_no_mint_allows(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2})
    require_problem(passes_on(several, several.link("ada")), 400, "bad-request")
    allowed = Several(handlers, {"needed": 2}, delegates=["deputy-*"])
    for to in (ZOE, "deputy", "x deputy-1", "DEPUTY\u200b-1"):
        require_problem(passes_on(allowed, allowed.link("ada"), to), 400, "bad-request")
    shared = allowed.minted["answer_token"]
    require_problem(passes_on(allowed, shared, "deputy-1"), 403, "answerer-not-allowed")
    assert passes_on(allowed, allowed.link("ada"), "Deputy-1").status == 200


@pytest.mark.cannot("decide, or pass it on once more, after passing it on")
def test_a_seat_decides_once(handlers: Handlers) -> None:
    several = Several(handlers, {"needed": 2}, delegates=["*"])
    ada = several.link("ada")
    assert passes_on(several, ada).status == 200
    require_problem(several.vote("ada"), 410, "link-revoked")
    require_problem(several.vote_signed_in("ada"), 403, "answerer-not-allowed")
    require_problem(several.vote_stated("ada"), 403, "answerer-not-allowed")
    require_problem(passes_on(several, ada, "eva"), 410, "link-revoked")
    again = {"jti": several.minted["jti"], "to": "eva"}
    require_problem(
        handlers.post("/user/delegations", again, claims={**PERSON, "sub": " ADA"}), 403, "answerer-not-allowed"
    )
    # Nor does it come back, under another spelling either.
    for to in ("ada", "ADA ", ZOE):
        require_problem(passes_on(several, link_now(several, ZOE), to), 400, "bad-request")


@pytest.mark.cannot("make a decision weaker by passing it on")
def test_the_other_person_needs_what_the_member_needed(handlers: Handlers) -> None:
    members = [{"name": "ada", "least_assurance": "signed_in"}, "bob", "cyd", "dan", "eve"]
    several = Several(handlers, {"needed": 2}, approvers=members, delegates=["*"])
    require_problem(passes_on(several, several.link("ada")), 403, "answerer-not-allowed")
    body = {"jti": several.minted["jti"], "to": ZOE}
    assert handlers.post("/user/delegations", body, claims={**PERSON, "sub": "ada"}).status == 200
    link = {"answer_token": link_now(several, ZOE), "response": YES}
    require_problem(handlers.post("/answers", link), 403, "answerer-not-allowed")
    stated = {"pause_token": several.minted["pause_token"], "scope": SCOPE, "response": YES, "answerer": ZOE}
    require_problem(handlers.post("/resume", stated), 403, "answerer-not-allowed")
    assert passes_on(several, link_now(several, ZOE), "eva").said == (403, "answerer-not-allowed")
    assert several.vote_signed_in(ZOE).document["for"] == "ada"
