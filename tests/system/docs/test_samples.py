"""Every sample of README, CONTRIBUTING and docs/ runs, or says why it does not (D-44, D-45, D-46)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from askback.domain.interactions.floor import read_floors
from askback.domain.pause.principal_scopes import read_principal_scopes
from local.emulated.cloud import ROOT
from tests.system.docs.checks import check
from tests.system.docs.clone import Clone
from tests.system.docs.deployed import Deployed, arn
from tests.system.docs.fences import SAMPLES, Sample

SHELL: Final = "sh"
TOGETHER: Final = {"docs/operate.md": "docs/deploy.md", "docs/audit.md": "docs/deploy.md"}
"""Pages whose shell samples go on where those of another page ended, in the order in which they go on."""
ENVIRONMENT: Final = {"JWT_SECRET": "0" * 32, "MONGODB_URI": "mongodb://localhost"}


def _run(sample: Sample) -> bool:
    return not {"no-run", "from"} & sample.attributes.keys()


def _of(language: str) -> list[Sample]:
    return [sample for sample in SAMPLES if sample.language == language and _run(sample)]


def _params(samples: list[Sample]) -> list[Any]:
    return [pytest.param(sample, id=sample.place) for sample in samples]


def _pages(language: str) -> list[Any]:
    pages: dict[str, list[Sample]] = {}
    order = list(TOGETHER)
    # In the order of the pages: deploying comes before operating.
    for sample in sorted(_of(language), key=lambda each: order.index(each.page) + 1 if each.page in order else 0):
        if "needs" not in sample.attributes:
            pages.setdefault(TOGETHER.get(sample.page, sample.page), []).append(sample)
    return [pytest.param(samples, id=page) for page, samples in pages.items()]


@pytest.fixture(scope="module")
def deployed() -> Iterator[Deployed]:
    with Deployed() as up:
        yield up


def test_every_sample_is_run_or_says_why_it_is_not() -> None:
    known = {"python", SHELL, "json"}
    unclear = [
        sample.place
        for sample in SAMPLES
        if sample.language not in known and not {"no-run", "from"} & sample.attributes.keys()
    ]
    assert not unclear
    assert all(sample.attributes.get("no-run", "a reason") for sample in SAMPLES)


@pytest.mark.parametrize("samples", _pages("python"))
def test_the_python_samples_of_a_page_run_one_after_the_other(deployed: Deployed, samples: list[Sample]) -> None:
    names: dict[str, Any] = {"__name__": "sample"}
    for sample in samples:
        deployed.run(sample, names)


def test_a_wrong_name_in_a_raw_call_is_a_refusal_that_can_be_read(deployed: Deployed) -> None:
    """D-45."""
    names: dict[str, Any] = {"__name__": "sample"}
    for sample in _of("python"):
        if sample.page == "docs/how-to.md":
            deployed.run(sample, names)
    request = {"name": "refund", "payload": {}, "run_id": "run-1", "scope": {"tenant_id": "acme"}, "ttl_seconds": 60}
    refusal = r"^Askback\.UnknownInteraction: .*no interaction of this name .* it knows ask_user"
    with pytest.raises(RuntimeError, match=refusal):
        names["invoke"](arn("mint"), request)


@pytest.mark.agents
def test_the_langgraph_samples_run_one_after_the_other(deployed: Deployed) -> None:
    """D-44."""
    names: dict[str, Any] = {"__name__": "sample"}
    samples = [sample for sample in _of("python") if sample.attributes.get("needs") == "agents"]
    assert samples
    for sample in samples:
        deployed.run(sample, names)


@pytest.mark.parametrize("samples", _pages(SHELL))
def test_the_shell_samples_of_a_page_run_in_a_fresh_clone(
    deployed: Deployed, samples: list[Sample], tmp_path: Path
) -> None:
    """D-46: what a page runs out of an environment is installed by what the page said before."""
    clone = Clone(tmp_path)
    script = "\n".join(
        f"echo 'in the sample at {sample.place}' >&2\n{deployed.filled_for_a_shell(sample.text)}" for sample in samples
    )
    clones = "git clone" in script
    for call in clone.run(script, cwd=clone.home if clones else clone.folder, **ENVIRONMENT):
        check(call)


@pytest.mark.parametrize("sample", _params(_of("json")))
def test_a_json_sample_is_json_and_what_it_says_it_is(deployed: Deployed, sample: Sample) -> None:
    document = json.loads(deployed.filled(sample.text))
    if "asl" in sample.attributes:
        assert deployed.execute(document) == "SUCCEEDED"
    elif "body" in sample.attributes:
        method, path = sample.attributes["body"].split()
        path = path.replace("{jti}", deployed.an_open_pause())
        reply = deployed.api.send(method, path, document)
        # A placeholder is no token; that is said once the body has been read.
        assert reply.status < 300 or reply.code == "token-rejected", reply.document
    elif "floor" in sample.attributes:
        assert read_floors(sample.text)
    elif "principal-scopes" in sample.attributes:
        assert read_principal_scopes(sample.text).entries
    else:
        assert "reply" in sample.attributes, "the fence must say what it is, for example body or reply"


@pytest.mark.parametrize("sample", _params([sample for sample in SAMPLES if "from" in sample.attributes]))
def test_a_quotation_stands_in_the_file_that_it_quotes(sample: Sample) -> None:
    source = _flat((ROOT / sample.attributes["from"]).read_text(encoding="utf-8"))
    for part in re.split(r"^\s*(?:# )?…$", sample.text, flags=re.MULTILINE):
        assert _flat(part) in source


def _flat(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
