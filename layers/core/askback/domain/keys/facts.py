"""The public facts of a key ring: the id of each key, which one signs, until when the others are needed; never a key.

They stand in the tags of the key secret, so that a function can list the keys without permission to read one. They name
the version of the secret that they describe: after a change of the ring that did not write them, they do not count.

A tag's value has at most 256 signs of a small set. So the facts are one text of fields with `/` between them, in as
many tags as it needs: `version=<id>/signs=<key id>/verifies=<key id>:<until>/.../legacy/end`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from askback.domain.keys.ring import KeyRing, KeyState

CURRENT = "AWSCURRENT"
"""The stage of the version of the secret that has the current ring."""
_TAG = "askback:ring-"
_TAG_CHARS = 256
_TAGS_MAX = 20
"""Room for more than 200 keys of 24 signs; a secret has at most 50 tags, and the adopter has some too."""
_END = "end"
_FACTS = re.compile(
    r"version=(?P<version>[^/]+)/signs=(?P<signs>[\w.-]+)(?P<others>(?:/verifies=[\w.-]+:\d*)*)(?P<legacy>/legacy)?/end",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RingFacts:
    """The public facts of the ring of one version of the secret; the key that signs comes first."""

    version_id: str
    keys: tuple[KeyState, ...]
    has_legacy: bool

    @classmethod
    def of_ring(cls, ring: KeyRing, *, version_id: str) -> Self:
        """Return the facts of a ring."""
        return cls(version_id=version_id, keys=ring.states(), has_legacy=ring.legacy is not None)

    @classmethod
    def of_tags(cls, tags: Mapping[str, str]) -> Self | None:
        """Read the facts from the tags of the secret; None when there are none, or they are damaged."""
        text = ""
        # A longer text of before may have left tags behind the end of this one.
        for number in range(1, _TAGS_MAX + 1):
            text += tags.get(f"{_TAG}{number}", "")
            if text.endswith(f"/{_END}"):
                break
        found = _FACTS.fullmatch(text)
        if found is None:
            return None
        others = [field.partition("=")[2].partition(":") for field in found["others"].split("/")[1:]]
        return cls(
            version_id=found["version"],
            keys=(
                KeyState(key_id=found["signs"], signs=True, until=None),
                *(
                    KeyState(key_id=key_id, signs=False, until=int(until) if until else None)
                    for key_id, _, until in others
                ),
            ),
            has_legacy=found["legacy"] is not None,
        )

    def to_tags(self) -> dict[str, str]:
        """Return the tags to write; none when the ring has more keys than the tags have room for."""
        first, *others = self.keys
        fields = [f"version={self.version_id}", f"signs={first.key_id}"]
        fields += [f"verifies={key.key_id}:{'' if key.until is None else key.until}" for key in others]
        text = "/".join([*fields, *(["legacy"] if self.has_legacy else []), _END])
        parts = [text[start : start + _TAG_CHARS] for start in range(0, len(text), _TAG_CHARS)]
        return {f"{_TAG}{number}": part for number, part in enumerate(parts, 1)} if len(parts) <= _TAGS_MAX else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretState:
    """Whether rotation is enabled, the stages of each version, and the facts of a ring that the tags have."""

    rotates: bool
    stages: Mapping[str, frozenset[str]]
    tagged: RingFacts | None = None

    @property
    def facts(self) -> RingFacts | None:
        """The facts of the current ring; None when the tags have none, or those of another version."""
        if self.tagged and CURRENT in self.stages.get(self.tagged.version_id, ()):
            return self.tagged
        return None
