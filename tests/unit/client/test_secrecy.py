"""Nothing the client makes shows a token, an answer or a message; and loading it loads next to nothing."""

import subprocess
import sys
import traceback
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from askback.client.client import AskbackClient
from askback.client.transport import Reply
from askback.domain.errors import HumanInteractionError
from tests.unit.client.deployed import SCOPE, Deployed, a_choice, a_request
from tests.unit.client.faulty_front import request_lost, saying

MARKER = "MARKER-7f3a"


def test_no_value_shows_a_token_an_answer_or_a_message(client: AskbackClient) -> None:
    pause = client.pause(**a_request(messages=[{"role": "user", "content": MARKER}], prompt=MARKER))
    resumed = client.resume(pause.pause_token, a_choice(pause), scope=SCOPE)
    shown = repr(pause) + repr(resumed) + str(pause) + str(resumed) + repr(client) + repr(Reply(status=1, document={}))
    assert resumed.turn is not None
    assert pause.jti in shown
    for secret in (pause.pause_token, pause.answer_token, "selections", MARKER):
        assert secret not in shown


def test_values_are_frozen(client: AskbackClient) -> None:
    pause: Any = client.pause(**a_request())
    with pytest.raises(FrozenInstanceError):
        pause.status = "answered"


@pytest.mark.parametrize("fault", [request_lost, saying(500, MARKER.encode()), saying(200, b"[]")])
def test_no_failure_on_the_way_shows_what_was_sent_or_what_came_back(deployed: Deployed, fault: Any) -> None:
    deployed.front.faults.extend([fault] * 9)
    client = deployed.client(deployed.http())
    with pytest.raises(Exception, match=r"\w") as caught:
        client.resume(MARKER, {"secret": MARKER}, scope=SCOPE)
    assert MARKER not in "".join(traceback.format_exception(caught.value))


def test_no_refusal_shows_what_was_sent(client: AskbackClient) -> None:
    pause = client.pause(**a_request())
    for token, answer in ((MARKER, {}), (pause.pause_token, {"answers": MARKER})):
        with pytest.raises(HumanInteractionError) as caught:
            client.resume(token, answer, scope=SCOPE)
        text = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(vars(caught.value))
        assert MARKER not in text
        assert pause.pause_token not in text


def test_the_client_loads_without_the_frameworks_of_the_functions() -> None:
    heavy = ("pydantic", "aws_lambda_powertools", "boto3", "botocore", "jwt")
    program = f"import sys, askback.client.client; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("transport", ["http_transport", "lambda_transport"])
def test_a_transport_loads_the_aws_sdk_and_nothing_else(transport: str) -> None:
    heavy = ("pydantic", "aws_lambda_powertools", "jwt")
    program = f"import sys, askback.client.{transport}; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
