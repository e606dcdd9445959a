"""`askback audit`: what an auditor types, and what comes out of decisions that were really made."""

import csv
import io
import json
from typing import Any

import pytest

from tests.support.operator_terminal import Ran, Terminal
from tests.support.table_stream import TableStream

YEARS = ("--from", "2020-01-01T00:00:00Z", "--to", "2999-01-01T00:00:00Z")


@pytest.fixture
def stream(terminal: Terminal) -> TableStream:
    return TableStream(terminal.world.deployment)


def of(ran: Ran, jti: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, ran.out.splitlines()) if line["jti"] == jti]


def test_every_decision_is_exported_as_a_line_of_json_or_of_a_table(terminal: Terminal, stream: TableStream) -> None:
    handlers = terminal.world.handlers
    pause = handlers.pause()
    handlers.post("/resume", pause.resume(answerer="ada"))
    lines = stream.audited(handlers, pause)
    # Lambda sends a batch again, and the lines come twice.
    stream.audited(handlers, pause)
    jti = pause.minted["jti"]
    ran = terminal.run("audit", *YEARS)
    assert ran.code == 0
    assert sorted(of(ran, jti), key=str) == sorted(lines, key=str)
    assert "Done: " in ran.err
    table = terminal.run("audit", *YEARS, "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(table.out, newline="")) if row["jti"] == jti]
    assert [(row["decision"], row["answered_by"]) for row in rows] == [
        (line["decision"], line["answered_by"] or "") for line in of(ran, jti)
    ]


def test_an_export_goes_on_after_its_cursor(terminal: Terminal, stream: TableStream) -> None:
    handlers = terminal.world.handlers
    earlier, later = stream.of(handlers.pause()), stream.of(handlers.pause())
    for record in earlier:
        record["dynamodb"]["ApproximateCreationDateTime"] -= 60
    handlers.invoke("audit", {"Records": [*earlier, *later]})
    whole = terminal.run("audit", *YEARS)
    cursor = whole.err.splitlines()[0].rpartition("--after ")[2]
    rest = terminal.run("audit", *YEARS, "--after", cursor)
    assert rest.code == 0
    assert rest.out
    assert whole.out.endswith(rest.out)


def test_the_log_can_be_named_once_its_stack_is_gone(terminal: Terminal, stream: TableStream) -> None:
    ran = terminal.run("audit", *YEARS, "--log-group", stream.log_group)
    assert ran.code == 0
    missing = terminal.run("audit", *YEARS, "--log-group", "none")
    assert (missing.code, missing.out) == (1, "")
    assert "Refused: ResourceNotFoundException" in missing.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "2026-01-02T00:00:00Z", "--to", "2026-01-02T00:00:00Z"), "--to must be after --from"),
        ((*YEARS, "--after", "x"), "--after is not a cursor"),
    ],
)
def test_what_cannot_be_exported_is_refused(terminal: Terminal, arguments: tuple[str, ...], said: str) -> None:
    ran = terminal.run("audit", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


def test_a_text_that_is_no_time_is_no_command(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        terminal.run("audit", "--from", "yesterday", "--to", "2026-01-02T00:00:00Z")
    assert raised.value.code == 2
    assert "must be a time such as" in capsys.readouterr().err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BrokenPipeError()])
def test_an_export_that_is_interrupted_says_how_to_go_on(
    terminal: Terminal, stream: TableStream, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    handlers = terminal.world.handlers
    stream.audited(handlers, handlers.pause())

    def interrupted(*_: object) -> Any:
        raise error

    monkeypatch.setattr("askback.operate.decisions.DecisionExport._write", interrupted)
    ran = terminal.run("audit", *YEARS)
    assert ran.code == 130
    assert "Interrupted after 0 lines." in ran.err
