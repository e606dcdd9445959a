"""The states in docs/answer-page.md are those that the page shows, in the page's own words."""

import json
import re

from local.emulated.cloud import ROOT

_PAGE = (ROOT / "docs/answer-page.md").read_text(encoding="utf-8")
_STRINGS = (ROOT / "functions/page/strings/en.json").read_text(encoding="utf-8")


def test_each_state_of_the_table_stands_in_a_text_of_the_page() -> None:
    section = _PAGE.partition("## What it says")[2].partition("## ")[0]
    heading, *cells = re.findall(r"^\| (.+?) \|", section, re.MULTILINE)
    assert (heading, len(cells)) == ("state", 17)
    texts = json.loads(_STRINGS).values()
    states = [state for cell in cells for state in cell.split("; ")]
    assert [state for state in states if not any(state in text for text in texts)] == []
