"""The package installs where there is nothing else, holds what belongs in it, and is typed."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import askback
from tests.built.package.environments import ROOT, SOURCE, Environment, interpreters, output

pytestmark = pytest.mark.package

CLIENT = """
import sys
import askback
from askback import *

HttpTransport("https://a1.execute-api.eu-central-1.amazonaws.com")
AskbackClient(HttpTransport("https://a1.execute-api.eu-central-1.amazonaws.com"))
LambdaTransport(mint="mint", resume="resume", client=object())
print(askback.__version__, Scope.parse("acme/eu").tenant_id)
"""
USER_TEST = """
import pytest

from askback import AlreadyAnswered, IssuedPause, ask_user, question
from askback.testing.deployment import InProcessDeployment


def ask(askback: InProcessDeployment) -> IssuedPause:
    asked = ask_user(question("Refund?", ["Approve", "Reject"]))
    return askback.client().pause(*asked, run_id="r", scope="acme", ttl_seconds=60, tool_call_id="c", messages=[])


def test_refund(askback: InProcessDeployment) -> None:
    pause = ask(askback)
    askback.answer(pause, choice="Approve")
    assert askback.client().wait(pause).response["answers"][0]["selections"] == ["Approve"]
    with pytest.raises(AlreadyAnswered):
        askback.answer(pause, choice="Reject")
"""
USER_CODE = """
from datetime import timedelta

from askback import AskbackClient, AsyncAskbackClient, HttpTransport, PauseExpired, Scope, ask_user, question
from askback.client import LambdaTransport

client = AskbackClient(HttpTransport("https://answers.example.com", region="eu-central-1"))
pause = client.pause(*ask_user(question("?", ["A", "B"])), run_id="r", scope="acme", ttl_seconds=timedelta(days=1))
reveal_type(pause)
reveal_type(client.wait(pause, timeout=60))


async def wait(client: AsyncAskbackClient) -> None:
    reveal_type(await client.wait(pause))


try:
    client.outcome(pause, scope=Scope(tenant_id="acme"))
except PauseExpired as error:
    reveal_type(error.detail)
"""
BRIDGE = """
from askback.langgraph.continuing import resume_command
from askback.langgraph.open_interrupts import open_interrupts
from askback.langgraph.questions import Question, question
"""
REVEALED = ["IssuedPause", "ResumedPause", "ResumedPause", "str"]
WRONG = {
    "import askback; askback.Nothing": 'has no attribute "Nothing"',
    "from askback import AskbackClient, Transport; AskbackClient(Transport()).question(1)": "arg-type",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    output([str(ROOT / ".tools/bin/uv"), "build", "--quiet", "--out-dir", str(folder), str(SOURCE)], folder)
    return folder


def the(folder: Path, pattern: str) -> str:
    (found,) = folder.glob(pattern)
    return str(found)


def sources() -> set[str]:
    """Return the files of the package that are in version control."""
    command = ["git", "ls-files", "askback"]
    return set(subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split())


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(the(built, "*.whl")) as wheel:
        names, license_text = set(wheel.namelist()), wheel.read(f"{_about()}/licenses/LICENSE")
    about = {f"{_about()}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert names == sources() | about
    assert "askback/py.typed" in names
    assert license_text == (ROOT / "LICENSE").read_bytes()


def test_the_sdist_holds_what_the_wheel_is_built_from_and_nothing_else(built: Path) -> None:
    with tarfile.open(the(built, "*.tar.gz")) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    # hatchling adds the .gitignore by which it chose the files.
    assert names == sources() | {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO", ".gitignore"}


def _about() -> str:
    return f"askback-{askback.__version__}.dist-info"


@pytest.mark.parametrize("interpreter", interpreters())
def test_the_client_needs_botocore_alone(built: Path, tmp_path: Path, interpreter: str) -> None:
    environment = Environment.made(tmp_path / "venv", interpreter, the(built, "*.whl"))
    assert environment.packages() == {"askback", "botocore", "jmespath", "python-dateutil", "six", "urllib3"}
    assert environment.run("-W", "error", "-c", CLIENT).split() == [askback.__version__, "acme"]


def test_it_installs_from_a_clone(tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "venv", interpreters()[-1], str(SOURCE))
    assert environment.run("-W", "error", "-c", CLIENT).split() == [askback.__version__, "acme"]


def test_an_adopters_test_gets_the_fixture_and_type_checkers_see_the_names(built: Path, tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "venv", interpreters()[0], f"{the(built, '*.whl')}[testing]")
    (tmp_path / "test_refund.py").write_text(USER_TEST)
    environment.run("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(tmp_path / "test_refund.py"))
    (tmp_path / "code.py").write_text(USER_CODE)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(environment.python)]
    said = output([*mypy, "test_refund.py", "code.py"], tmp_path)
    assert re.findall(r'type is "(?:[\w.]+\.)?(\w+)"', said) == REVEALED
    for number, (wrong, fault) in enumerate(WRONG.items()):
        (tmp_path / f"wrong_{number}.py").write_text(wrong)
        done = subprocess.run([*mypy, f"wrong_{number}.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert fault in done.stdout


def test_an_operator_gets_the_command_with_the_extra_for_deployments(built: Path, tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "venv", interpreters()[-1], f"{the(built, '*.whl')}[deployment]")
    assert "usage: python -m askback.operate" in environment.run("-W", "error", "-m", "askback.operate", "--help")
    environment.run("-W", "error", "-c", "import askback.wiring.mint, askback.wiring.resume, askback.wiring.sweep")


def test_langgraph_finds_its_bridge_with_the_extra(built: Path, tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "venv", interpreters()[0], f"{the(built, '*.whl')}[langgraph]")
    assert {"langgraph", "boto3", "pydantic"} < environment.packages()
    environment.run("-c", BRIDGE)


def test_the_fixture_says_what_is_missing(built: Path, tmp_path: Path) -> None:
    environment = Environment.made(tmp_path / "venv", interpreters()[0], the(built, "*.whl"), "pytest")
    (tmp_path / "test_it.py").write_text("def test_it(askback): ...\n\n\ndef test_other(): ...\n")
    command = [str(environment.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "pip install 'askback[testing]'" in done.stdout
    assert "1 passed, 1 error" in done.stdout
