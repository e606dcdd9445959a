"""Requests made from the document by Schemathesis, and what was wrong with their replies.

Half of the requests are about pauses that are there, so that answers are accepted and refused for every reason. The
rest have values that fit the document, or values that do not.
"""

import collections
from collections.abc import Sequence
from typing import Any, Final, cast

import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.described_replies import closed_document, without_security
from tests.system.openapi.aims import named_fields
from tests.system.openapi.world import Known, World

ENDING: Final = frozenset({"answers", "resume", "batch", "revoke", "{jti}"})
"""Ends of the paths whose requests can end a pause."""
# Without the authentication: the local gateway does not check it, so no request can be refused for it.
DOCUMENT: Final = schemathesis.openapi.from_dict(without_security(closed_document()))
OPERATIONS: Final[dict[str, Any]] = {each.ok().label: each.ok() for each in cast("Any", DOCUMENT.get_all_operations())}
CONFORMANCE: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Fuzz:
    """The requests of one operation, and what was wrong with their replies."""

    def __init__(self, label: str, world: World, url: str) -> None:
        self.documented = OPERATIONS[label].definition.raw["responses"]
        self._operation = OPERATIONS[label]
        self._world = world
        self._url = url
        world.renew(*world.open)
        self._positive = self._operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        self._negative = self._operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        self._ends = not label.startswith("GET") and label.rpartition("/")[2] in ENDING
        self._can_be_aimed = self._operation.body or "jti" in label or label == "GET /pauses"
        self.statuses: collections.Counter[str] = collections.Counter()
        self.faults: list[str] = []

    def shoot(self, data: st.DataObject) -> None:
        """Send a request as the document says, or against it; then the same one about a pause that is there."""
        fits = data.draw(st.booleans())
        case = data.draw(self._positive if fits else self._negative)
        self._send(case, fits=fits)
        if self._can_be_aimed and not isinstance(case.body, str | bytes):
            # A request can end its pause, or change it so often that nothing more is allowed.
            seldom = data.draw(st.integers(0, 9)) == 0
            known = self._aim(case, data, whole=data.draw(st.booleans()))
            if self._send(case, fits=True) and (self._ends or seldom):
                self._world.renew(*known)

    def _send(self, case: Any, *, fits: bool) -> bool:
        """Send a request, judge its reply, and return whether it had an effect."""
        # A batch refuses each item apart.
        checks = CONFORMANCE if fits or "batch" in case.path else [*CONFORMANCE, negative_data_rejection]
        response = case.call(base_url=self._url, session=self._world.session)
        document = response.json() if "json" in response.headers["content-type"][0] else {}
        self.statuses[f"{response.status_code} {document.get('code', '')}".strip()] += 1
        try:
            case.validate_response(response, checks=checks)
        except FailureGroup as fault:
            self.faults.append(f"{fault}\n{case.as_curl_command()}")
        return response.status_code < 300 and document.get("replayed") is not True

    def _aim(self, case: Any, data: st.DataObject, *, whole: bool) -> list[Known]:
        """Make the request one about known pauses, as a whole or in some of its fields, and return these."""
        known = [_one_of(self._world.all(), data)]
        if "jti" in (case.path_parameters or {}):
            case.path_parameters["jti"] = known[0].jti
        if self._operation.label == "GET /pauses":
            case.query = {**(case.query or {}), **self._world.scope}
        if not isinstance(case.body, dict):
            return known
        if not isinstance(case.body.get("items"), list):
            case.body = self._mixed(case.body, known[0], data, whole=whole)
            return known
        known = [_one_of(self._world.all(), data) for _ in case.body["items"]]
        case.body["items"] = [
            self._mixed(item, about, data, whole=whole) for item, about in zip(case.body["items"], known, strict=True)
        ]
        return known

    def _mixed(self, body: Any, known: Known, data: st.DataObject, *, whole: bool) -> dict[str, Any]:
        label = self._operation.label
        named = named_fields(label, known, self._world, lambda count: data.draw(st.integers(0, count - 1)))
        if whole or not isinstance(body, dict):
            return named
        either = sorted({*body, *named})
        kept = data.draw(st.sets(st.sampled_from(either))) if either else set[str]()
        return {
            **{name: body[name] for name in body if name in kept},
            **{n: v for n, v in named.items() if n not in kept},
        }


def _one_of(every: Sequence[Known], data: st.DataObject) -> Known:
    return every[data.draw(st.integers(0, len(every) - 1))]
