"""The deployment kept up: its curl lines do what they say, and it starts and stops in good order."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from local.demo.api_client import Client
from local.demo.story import Transcript
from tests.support.processes import lines_until, run, started

_READY = "# Ready"


@pytest.mark.parametrize("shell", ["sh", pytest.param("bash", marks=pytest.mark.slow)])
def test_the_curl_lines_tell_the_whole_story_when_pasted(shell: str) -> None:
    with started("local.serve", "--port", "0") as serving:
        script = "".join(lines_until(serving, _READY))
        printed = subprocess.run([shell], input=script, capture_output=True, text=True, check=True)
        serving.send_signal(signal.SIGTERM)
        _, complaints = serving.communicate()

    # D-43: statuses 7 to 9 are a pause of 30 seconds, a move of the clock, and the default answer.
    assert printed.stderr.split() == ["201", "200", "422", "200", "200", "409", "201", "200", "200"], printed.stderr
    assert (complaints, serving.returncode) == ("", 0)
    replies = list(documents(printed.stdout))
    assert [reply.get("resumable") for reply in (replies[0], replies[6])] == [True, True]
    assert [reply["replayed"] for reply in replies[3:5]] == [False, True]
    assert replies[5]["code"] == "already-answered"
    assert replies[7]["ran"]["sweep"]["done"] == {"AnsweredByPolicy": 1}
    assert (replies[8]["answered_by"], replies[8]["response"]["answers"][0]["selections"]) == ("policy", ["Reject"])
    # A person can read them: one field a line, and no token in what a pause shows.
    assert max(len(line) for line in printed.stdout.splitlines() if "answer_link" not in line) < 250
    assert '"pause_token": "..."' in printed.stdout


def documents(text: str) -> Iterator[dict[str, Any]]:
    """Yield each JSON document of a text of several."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        yield document
        at += len(text[at:]) - len(text[at:].lstrip())


def test_a_client_needs_the_printed_variables_alone() -> None:
    program = """
from askback import AskbackClient, HttpTransport, LambdaTransport, ask_user, question
for number, transport in enumerate((HttpTransport(), LambdaTransport())):
    asked = ask_user(question("Refund?", ["Approve", "Reject"]))
    names = dict(run_id="run-1", scope="acme", tool_call_id="call-1", idempotency_key=f"key-{number}")
    pause = AskbackClient(transport).pause(*asked, **names, ttl_seconds=60)
    print(pause.status)
"""
    with started("local.serve", "--port", "0") as serving:
        exports = [line for line in lines_until(serving, _READY) if line.startswith("export ")]
        script = "".join(exports) + f"exec {shlex.quote(sys.executable)} -c {shlex.quote(program)}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ASKBACK_"))}
        asked = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=False, env=clean)
        serving.send_signal(signal.SIGTERM)
        _, complaints = serving.communicate()

    assert (asked.stdout.split(), asked.stderr, complaints) == (["issued", "issued"], "", "")


def test_log_lines_are_shown_on_request() -> None:
    with started("local.serve", "--port", "0", "--logs") as serving:
        url = re.findall(r"http://[\d.:]+\d", "".join(lines_until(serving, _READY)))[0]
        Client(url).post("/local/clock", {"advance_seconds": 60})
        serving.send_signal(signal.SIGTERM)
        _, logged = serving.communicate()

    assert '"message":"swept"' in logged


def test_the_mail_to_people_is_printed_and_the_agent_gets_no_link() -> None:
    with started("local.serve", "--port", "0") as serving:
        client = Client(re.findall(r"http://[\d.:]+\d", "".join(lines_until(serving, _READY)))[0])
        asked = Transcript.refund().mint_request()
        minted = client.post("/pauses", asked).document
        printed = lines_until(serving, "# Answer link: ")
        links = client.post(f"/pauses/{minted['jti']}/links", {}).document
        # A repeated mint is no news.
        for_ada = {**asked, "recipients": ["ada"], "idempotency_key": "for-ada"}
        minted_for_ada = [client.post("/pauses", for_ada).document for _ in range(2)]
        client.post("/pauses", {**asked, "idempotency_key": "another"})
        printed += lines_until(serving, "# Answer link: ")
        links_of_ada = client.post(f"/pauses/{minted_for_ada[0]['jti']}/links", {}).document
        serving.send_signal(signal.SIGTERM)

    assert not [name for name in minted if "answer" in name or "recipient" in name]
    assert printed[:2] == [
        f"# Answer link: {links['answer_link']}\n",
        f"# ada can answer: {links_of_ada['recipients'][0]['answer_link']}\n",
    ]
    assert len(printed) == 3


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
        links = client.post(f"/pauses/{minted.document['jti']}/links", {}).document
        response = {"answer_token": links["answer_token"], "response": {"granted": "all"}}
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
