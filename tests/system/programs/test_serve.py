"""The deployment kept up: its curl lines do what they say, and it starts and stops in good order."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import urllib.request

import pytest

from local.demo.api_client import Client
from local.demo.story import Transcript
from tests.support.processes import lines_until, run, started

_READY = "# Ready"


@pytest.mark.parametrize("shell", ["sh", pytest.param("bash", marks=pytest.mark.slow)])
def test_the_curl_lines_tell_the_whole_story_when_pasted(shell: str) -> None:
    with started("local.serve", "--port", "0") as serving:
        script = "".join(lines_until(serving, _READY))
        told = subprocess.run([shell], input=script, capture_output=True, text=True, check=True)
        serving.send_signal(signal.SIGTERM)
        _, complaints = serving.communicate()

    statuses = [line for line in told.stdout.splitlines() if line.isdecimal()]
    assert statuses == ["200", "422", "200", "200", "409"], told.stdout
    assert '"resumable": true' in told.stdout
    assert told.stdout.count('"replayed":true') + told.stdout.count('"replayed": true') == 1
    assert "already-answered" in told.stdout
    assert (told.stderr, complaints, serving.returncode) == ("", "", 0)


def test_the_link_to_every_question_is_printed() -> None:
    with started("local.serve", "--port", "0") as serving:
        url = re.findall(r"http://[\d.:]+\d", "".join(lines_until(serving, _READY)))[0]
        minted = Client(url).post("/pauses", Transcript.refund().mint_request() | {"recipients": ["ada"]}).document
        told = lines_until(serving, "# ada can answer: ")
        serving.send_signal(signal.SIGTERM)

    assert told == [
        f"# Answer link: {minted['answer_link']}\n",
        f"# ada can answer: {minted['recipients'][0]['answer_link']}\n",
    ]
    assert minted["answer_link"] == f"{url}/answer#{minted['answer_token']}"


def test_ctrl_c_stops_it_quietly() -> None:
    with started("local.serve", "--port", "0") as serving:
        lines_until(serving, _READY)
        serving.send_signal(signal.SIGINT)
        rest, complaints = serving.communicate()

    assert (rest, complaints, serving.returncode) == ("# Stopped.\n", "", 0)


@pytest.mark.parametrize("module", ["local.serve", "local.run"])
def test_a_taken_port_is_one_line_and_status_1(module: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run(module, PORT=str(port))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"askback: cannot listen on 127.0.0.1:{port}: ")
    assert done.stderr.count("\n") == 1


def test_a_parameter_that_the_template_does_not_have_is_one_line_and_status_1() -> None:
    done = run("local.serve", "--port", "0", "--parameter", "Colour=blue")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "askback: template.yaml has no parameter Colour\n"


def test_a_layer_of_ones_own_is_used_as_on_lambda() -> None:
    parameters = ("InteractionsModule=acme_interactions", "PageFolder=/opt/askback_page")
    options = [part for parameter in parameters for part in ("--parameter", parameter)]
    with started("local.serve", "--port", "0", "--layer", "docs/examples/own_interactions/layer", *options) as serving:
        url = re.findall(r"http://[\d.:]+\d", "".join(lines_until(serving, _READY)))[0]
        client = Client(url)
        own = {"name": "acme_refund", "payload": {"order": "A-1009", "amount": 49.9}}
        minted = client.post("/pauses", Transcript.refund().mint_request() | own)
        response = {"answer_token": minted.document["answer_token"], "response": {"granted": "all"}}
        answered = client.post("/answers", response)
        with urllib.request.urlopen(f"{url}/answer") as page:  # noqa: S310 - our own http address
            shown = page.read().decode()
        serving.send_signal(signal.SIGTERM)
        _, complaints = serving.communicate()

    assert (minted.status, answered.status) == (201, 200)
    assert "Thank you from Acme" in shown
    assert complaints == ""


def test_a_layer_that_is_no_folder_is_refused() -> None:
    done = run("local.serve", "--port", "0", "--layer", "no/such/folder")

    assert done.returncode == 2
    assert "'no/such/folder' is not a folder" in done.stderr
