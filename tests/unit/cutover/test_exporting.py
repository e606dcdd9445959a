"""The export command runs beside the legacy engine, with any saver and without anything of AWS."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from askback.cutover.__main__ import main

HERE = "tests.support.listed_saver"


def _export(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["export-requests", *arguments], out=out, err=err), out.getvalue(), err.getvalue()


@pytest.mark.parametrize("name", ["saver", "held"])
def test_a_saver_or_what_holds_one_is_exported_as_lines(name: str) -> None:
    code, out, err = _export("--saver", f"{HERE}:{name}")
    assert (code, err) == (0, "1 requests\n")
    assert [json.loads(line)["text"] for line in out.splitlines()] == ['{"questions": ["é"]}']


def test_threads_can_be_named_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "threads"
    file.write_text("another\n\n", encoding="utf-8")
    assert _export("--saver", f"{HERE}:saver", "--threads", str(file)) == (0, "", "0 requests\n")


@pytest.mark.parametrize("name", [f"{HERE}:absent", "nowhere.at.all:saver", HERE, f"{HERE}:ONE", f"{HERE}:nothing"])
def test_a_name_that_gives_no_saver_is_refused(name: str) -> None:
    code, out, err = _export("--saver", name)
    assert (code, out) == (1, "")
    assert err.startswith("Refused: ")


def test_it_needs_nothing_that_the_engine_does_not_have() -> None:
    program = (
        "import sys; from askback.cutover.__main__ import main; "
        f"main(['export-requests', '--saver', '{HERE}:saver']); "
        "sys.exit(bool({'boto3', 'botocore', 'jwt', 'aws_lambda_powertools', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0
