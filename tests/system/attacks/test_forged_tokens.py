"""Attack: a stranger, who has no link, makes a token for a pause, or asks with tokens which pauses there are."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import jwt
import pytest

from tests.support.function_deployment import Answer, Deployment, Handlers
from tests.support.request_bodies import Pause

RESPONSE = {"answers": [{"question_id": "q", "selections": ["Approve"]}]}
GUESSED = "a key that a stranger has guessed, 32 bytes"


def b64(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forgeries(token: str) -> dict[str, str]:
    """Return tokens that claim what this one claims, signed with anything but a key of the deployment."""
    header, payload, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    kid = jwt.get_unverified_header(token)["kid"]
    return {
        "no algorithm": f"{b64({'alg': 'none', 'kid': kid})}.{payload}.",
        "no algorithm, with a signature": f"{b64({'alg': 'none', 'kid': kid})}.{payload}.{signature}",
        "another key": jwt.encode(claims, GUESSED, algorithm="HS256", headers={"kid": kid}),
        "another key and algorithm": jwt.encode(claims, GUESSED * 2, algorithm="HS512", headers={"kid": kid}),
        "a key of its own": jwt.encode(claims, GUESSED, algorithm="HS256", headers={"kid": "k9"}),
        "a key in the header": jwt.encode(
            claims, GUESSED, algorithm="HS256", headers={"kid": kid, "jwk": {"kty": "oct", "k": b64(GUESSED)}}
        ),
        "no key id": jwt.encode(claims, GUESSED, algorithm="HS256"),
        "the signature of another text": f"{header}.{b64({**claims, 'exp': claims['exp'] + 1})}.{signature}",
        "no signature": f"{header}.{payload}.",
    }


def everywhere(handlers: Handlers, token: str) -> list[Answer]:
    """Send the token to each open route."""
    return [
        handlers.post("/questions", {"answer_token": token}),
        handlers.post("/answers", {"answer_token": token, "response": RESPONSE}),
    ]


@pytest.mark.cannot("make a token: tokens are signed with HS256")
def test_no_token_of_a_stranger_shows_or_answers_a_question(handlers: Handlers) -> None:
    pause = handlers.pause()
    for way, forged in forgeries(pause.minted["answer_token"]).items():
        assert {answer.said for answer in everywhere(handlers, forged)} == {(401, "token-rejected")}, way
    assert handlers.redeems(pause)


@pytest.mark.cannot("try many tokens with one request")
def test_a_batch_of_forged_tokens_ends_at_the_third(handlers: Handlers) -> None:
    pause = handlers.pause()
    tokens = forgeries(pause.minted["answer_token"]).values()
    forged = [{"answer_token": token, "response": RESPONSE} for token in tokens]
    items = handlers.post("/answers/batch", {"items": [*forged, pause.answer()]}).document["items"]
    assert [item["problem"]["code"] for item in items] == ["token-rejected"] * 3 + ["not-tried"] * (len(forged) - 2)
    assert handlers.redeems(pause)


def of_each_state(handlers: Handlers) -> list[Pause]:
    """Return an open, an answered and a revoked pause."""
    opened, answered, revoked = (handlers.pause() for _ in range(3))
    assert handlers.redeems(answered)
    assert handlers.revoke(revoked.minted["jti"]).status == 200
    return [opened, answered, revoked]


@pytest.mark.cannot("learn whether a pause exists")
def test_a_token_that_is_not_authentic_says_the_same_of_every_pause(deployment: Deployment, handlers: Handlers) -> None:
    pauses = of_each_state(handlers)
    real = jwt.decode(pauses[0].minted["answer_token"], options={"verify_signature": False})
    unknown = jwt.encode({**real, "jti": "0" * 32}, GUESSED, algorithm="HS256", headers={"kid": "initial"})
    replies = [
        [answer.document for answer in everywhere(handlers, token)]
        for token in (unknown, *(forgeries(pause.minted["answer_token"])["another key"] for pause in pauses))
    ]
    assert {answer["code"] for answers in replies for answer in answers} == {"token-rejected"}
    assert all(answers == replies[0] for answers in replies)
    # The control: an authentic token does tell them apart.
    codes = [handlers.post("/answers", pause.answer(response=pause.response("Reject"))).code for pause in pauses]
    assert codes == ["", "already-answered", "revoked"]
