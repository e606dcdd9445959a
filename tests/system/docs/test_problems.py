"""The table of problems in docs/http-api.md says of each refusal what the one table of the code says."""

import re

from askback.client.refusals import INTERNAL
from askback.domain.errors import REFUSALS, Actor
from local.emulated.cloud import ROOT

_PAGE = (ROOT / "docs/http-api.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?P<codes>`[^|]+`) \| (?P<statuses>\d{3}[^|]*) \| (?P<acts>[^|]+) \| [^|]*\|$", re.MULTILINE)


def _documented() -> set[tuple[str, int, str]]:
    """Return each code with each of its statuses, and with the one who must act."""
    return {
        (code, int(status), re.split(r"[:;,]", row["acts"])[0].removeprefix("the ").strip())
        for row in _ROW.finditer(_PAGE)
        for code in re.findall(r"`([a-z-]+)`", row["codes"])
        for status in re.findall(r"\d{3}", row["statuses"])
    }


def test_the_page_has_every_refusal_with_its_status_and_who_must_act_and_no_other() -> None:
    coded = {(refusal.code, refusal.status, refusal.acts.value) for refusal in REFUSALS}
    assert _documented() == coded | {(INTERNAL, 500, Actor.OPERATOR.value)}


def test_the_page_says_of_nothing_else_that_the_same_request_may_be_sent_again() -> None:
    again = {
        row["codes"].strip("`") for row in _ROW.finditer(_PAGE) if "again" in row["acts"] and "caller" in row["acts"]
    }
    assert again == {refusal.code for refusal in REFUSALS if refusal.retryable}
