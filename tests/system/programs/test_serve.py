"""The deployment kept up: its curl lines do what they say, and it starts and stops in good order."""

from __future__ import annotations

import re
import signal
import socket
import subprocess

import pytest

from local.demo.api_client import Client
from local.demo.story import Transcript
from tests.support.processes import lines_until, run, started

_READY = "# Ready"


@pytest.mark.parametrize("shell", ["bash", "sh"])
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
        f"# A question waits: {minted['answer_link']}\n",
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
