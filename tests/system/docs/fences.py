"""The fenced samples of the pages, and what the info string of each says about how it is tested.

An info string is a language and attributes: a word, or `name="value"`. Code hosts show the language only.

| attribute | meaning |
|---|---|
| `no-run="reason"` | it is not run, for this reason |
| `from="path"` | it quotes this file, so that it is run where the file is |
| `needs="agents"` | it is run with the agent frameworks installed (`make agents`) |
| `answered="name"` | Python: before it runs, a person answers the pause of this name |
| `asl` | JSON: a state, or a whole state machine |
| `body="POST /route"` | JSON: a body that this route takes |
| `reply` | JSON: what comes back; it only has to be JSON |
"""

import re
from dataclasses import dataclass, field
from typing import Final

from local.emulated.cloud import ROOT

PAGES: Final = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "clients" / "typescript" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
NO_SAMPLES: Final = frozenset({"text", "mermaid"})
"""Languages of fences that nobody would run."""
_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_OPENING = re.compile(r"^ *```", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?P<name>[a-z-]+)(?:=\"(?P<value>[^\"]*)\")?(?:\s+|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One fence: its page, the line that it begins at, its language, its attributes, and its text."""

    page: str
    line: int
    language: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = field(repr=False)

    @property
    def place(self) -> str:
        """Where it stands, for the name of its test and for tracebacks."""
        return f"{self.page}:{self.line}"


def read_samples(page: str, whole: str) -> list[Sample]:
    """Return the samples of a page's text in their order; raises ValueError for a fence that is not closed."""
    found = [_sample(page, whole, match) for match in _FENCE.finditer(whole)]
    if 2 * len(found) != len(_OPENING.findall(whole)):
        raise ValueError(f"{page} has a fence that is not closed")
    return [sample for sample in found if sample.language not in NO_SAMPLES]


def _sample(page: str, whole: str, match: re.Match[str]) -> Sample:
    language, _, rest = match["info"].strip().partition(" ")
    attributes = {each["name"]: each["value"] or "" for each in _ATTRIBUTE.finditer(rest.strip())}
    indent = match["indent"]
    text = "\n".join(line.removeprefix(indent) for line in match["text"].split("\n"))
    line = whole.count("\n", 0, match.start()) + 2
    return Sample(page=page, line=line, language=language, attributes=attributes, text=text)


SAMPLES: Final = tuple(
    sample
    for path in PAGES
    if path.exists()
    for sample in read_samples(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
)
