"""What a message says, and that nothing a model wrote can be more in it than text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from askback.domain.pause.answerers import Answerers
from askback.domain.pause.quorum import Quorum
from askback.domain.people.brand import Brand, BrandInvalid, brand_colour, brand_line
from askback.domain.people.message import ASKED_MAX_CHARACTERS, NoticeKind, asked_in
from askback.domain.people.shown_text import inert_text
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.memory_deployment import NOW
from tests.support.notices import HOSTILE, LINK, a_notice

# markup, a formula, an override that turns the line round, a second header, a mention.


class Page(HTMLParser):
    """The elements of a document, its texts, and where its links lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def test_the_text_says_what_is_asked_for_whom_until_when_and_where_to_answer() -> None:
    text = a_notice().text()
    assert text == (
        "Your answer is needed.\n\nAsked for: “bob”\nQuestion: “Refund 49.90 EUR?”\n\n"
        "Scope: “acme / eu / billing”\nRun: “run-1”\n"
        "Answer by: 21 September 2026, 15:13 UTC\nYou answer as: “ada”\n\n"
        f"Answer here:\n{LINK}\n\nThis link answers in your name. Do not forward it.\n"
        "The texts between “ and ” come from the program that asks. Do not open an address that they name.\n"
        "You may get this message more than once; it is the same question, and one answer is enough.\n"
    )


def test_the_html_says_the_same_with_a_heading_a_language_and_the_link_to_be_seen() -> None:
    notice = a_notice()
    page = Page(notice.html())
    assert ("lang", "en") in page.attributes
    assert page.elements.count("h1") == page.elements.count("title") == 1
    assert [value for name, value in page.attributes if name == "href"] == [LINK]
    assert LINK in page.text
    for name, value in notice.facts():
        assert f"{name}: {value}" in page.text
    assert notice.caution in page.text
    # Nothing is fetched when the mail is opened, and SES puts no link of its own in the place of ours.
    assert not {"img", "link", "script", "style"} & set(page.elements)
    assert ("ses:no-track", None) in page.attributes


ACME = Brand(name="Acme & Sons", colour="#6a1b9a", support="help@acme.example")
ABOUT: dict[str, Any] = {"asker": "Refund agent", "reason": "The parcel was lost.", "high_risk": True}


def test_the_text_comes_from_the_organisation_and_says_who_asks_why_and_how_much_depends_on_it() -> None:
    text = a_notice(brand=ACME, zone=ZoneInfo("Europe/Berlin"), **ABOUT).text()
    assert text == (
        "Acme & Sons\n\nYour answer is needed.\n\n"
        "Your decision has a high risk. Read the question carefully.\n\n"
        "Asked by: “Refund agent”\nAsked for: “bob”\nQuestion: “Refund 49.90 EUR?”\nWhy: “The parcel was lost.”\n\n"
        "Scope: “acme / eu / billing”\nRun: “run-1”\n"
        "Answer by: 21 September 2026, 17:13 UTC+2\nYou answer as: “ada”\n\n"
        f"Answer here:\n{LINK}\n\nThis link answers in your name. Do not forward it.\n"
        "The texts between “ and ” come from the program that asks. Do not open an address that they name.\n"
        "You may get this message more than once; it is the same question, and one answer is enough.\n\n"
        "Contact for questions: help@acme.example\n"
    )


def test_the_html_says_the_facts_of_the_text_in_its_order() -> None:
    notice = a_notice(brand=ACME, **ABOUT)
    shown = Page(notice.html()).text
    facts = [ACME.name, notice.heading, notice.warning, *(value for _, value in notice.askers()), notice.question]
    facts += [value for _, value in (*notice.reasons(), *notice.facts())]
    facts += [notice.texts.answer_this, notice.caution, notice.texts.foreign, LINK, notice.texts.again, ACME.support]
    places = [shown.rindex(fact) for fact in facts]
    assert places == sorted(places)
    text = notice.text()
    for fact in facts:
        # The button says what to do, and the text has the address itself.
        assert fact in text or fact == notice.texts.answer_this


def test_the_button_has_the_colour_of_the_organisation_and_a_text_that_can_be_read_on_it() -> None:
    for colour, text in (("#6a1b9a", "#ffffff"), ("#ffd400", "#000000")):
        styles = [value or "" for name, value in Page(a_notice(brand=Brand(colour=colour)).html()).attributes]
        assert f"background:{colour};color:{text};" in "".join(styles)
        assert colour in styles, "for programs that know no style of a cell"


def test_a_mail_leaves_the_ground_to_the_readers_program_and_lays_out_no_column() -> None:
    page = Page(a_notice(brand=ACME, **ABOUT).html())
    backgrounds = re.findall(r"background[^;]*:([^;]*)", ";".join(value or "" for _, value in page.attributes))
    assert set(backgrounds) == {ACME.colour}
    assert page.elements.count("td") == 1
    assert ("content", "light dark") in page.attributes


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_an_agent_says_of_itself_is_text_wherever_it_stands(hostile: str) -> None:
    plain, notice = a_notice(**ABOUT), a_notice(asker=hostile, reason=hostile, high_risk=True)
    page = Page(notice.html())
    assert page.elements == Page(plain.html()).elements
    assert page.attributes == Page(plain.html()).attributes
    assert page.text.count(f"“{inert_text(hostile, limit=80)}”") >= 2
    assert len(notice.text().splitlines()) == len(plain.text().splitlines())
    assert notice.text().replace("\n", "").isprintable()
    document = notice.document()
    assert document["asker"].isprintable()
    assert document["reason"].isprintable()


def test_what_an_agent_says_of_itself_is_cut() -> None:
    document = a_notice(asker="a " * 100, reason="b " * 1000).document()
    assert (len(document["asker"]), len(document["reason"])) == (80, 500)
    text = a_notice(asker="a" * 100, reason="b" * 1000).text()
    assert f"“{'a' * 79}…”" in text
    assert f"“{'b' * 499}…”" in text


def test_a_program_gets_who_asks_and_why_only_where_the_agent_said_it() -> None:
    given = a_notice(**ABOUT).document()
    assert (given.pop("asker"), given.pop("reason"), given.pop("risk")) == (*list(ABOUT.values())[:2], "high")
    assert given == a_notice().document()


def test_the_texts_of_an_organisation_are_text() -> None:
    brand = Brand(name="<b>Acme</b>", support="<a href=x>help</a>")
    page = Page(a_notice(brand=brand).html())
    assert "b" not in page.elements
    assert page.elements.count("a") == 1
    assert {"<b>Acme</b>", "<a href=x>help</a>"} <= set(page.texts)
    own = replace(a_notice().texts, **dict.fromkeys(("asked", "answer_this", "foreign", "caution_recipient"), "<i>“”"))
    assert "i" not in Page(a_notice(texts=own).html()).elements


@pytest.mark.parametrize("text", ["Acme\nBcc: eve@example.com", "a\rb", "a\x00b", "a\u202eb", "a\u200bb", "a" * 61])
def test_a_name_that_is_not_one_line_of_what_people_see_is_refused(text: str) -> None:
    with pytest.raises(BrandInvalid, match="must be one line of at most 60 characters"):
        brand_line(text, limit=60)


def test_a_name_and_a_colour_are_taken_as_they_are() -> None:
    assert [brand_line(text, limit=60) for text in ("", " Acme ", "株式会社アクメ", "O'Neil & Söhne")] == [
        "", "Acme", "株式会社アクメ", "O'Neil & Söhne",
    ]  # fmt: skip
    assert (brand_colour(""), brand_colour("#6A1B9A")) == (Brand().colour, "#6a1b9a")
    for wrong in ("6a1b9a", "#fff", "red", "#6a1b9a;"):
        with pytest.raises(BrandInvalid, match="must be a colour"):
            brand_colour(wrong)


@pytest.mark.parametrize(
    ("left", "reminder", "kind"),
    [
        (7200, False, NoticeKind.ASKED),
        (60, False, NoticeKind.ASKED),
        (3601, True, NoticeKind.REMINDER),
        (3600, True, NoticeKind.EXPIRES_SOON),
    ],
)
def test_a_reminder_in_the_last_hour_says_so(left: int, reminder: bool, kind: NoticeKind) -> None:
    assert NoticeKind.of(an_issued_row(some_claims(exp=NOW + left)), reminder=reminder, at=NOW) is kind
    said = {NoticeKind.ASKED: "is needed:", NoticeKind.REMINDER: "still", NoticeKind.EXPIRES_SOON: "within the hour"}
    assert said[kind] in a_notice(kind=kind).subject


def test_every_try_of_a_message_has_one_id_that_does_not_show_the_recipient() -> None:
    reminder = a_notice(kind=NoticeKind.REMINDER)
    assert a_notice(asked="Another text", link="https://elsewhere.example").message_id == a_notice().message_id
    # The last hour may begin between two tries.
    assert a_notice(kind=NoticeKind.EXPIRES_SOON).message_id == reminder.message_id
    others = [a_notice(), reminder, a_notice(recipient="bob"), a_notice(recipient="")]
    others.append(a_notice(row=an_issued_row(claims=some_claims(jti="another"))))
    assert len({notice.message_id for notice in others}) == len(others)
    assert all(re.fullmatch("msg_[0-9a-f]{32}", notice.message_id) for notice in others)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_one_line_of_text_in_the_subject_and_in_the_text(hostile: str) -> None:
    plain, notice = a_notice(), a_notice(asked=hostile, recipient="ada")
    assert notice.subject.isprintable()
    assert len(notice.text().splitlines()) == len(plain.text().splitlines())
    assert notice.text().replace("\n", "").isprintable()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text_in_the_html_wherever_it_stands(hostile: str) -> None:
    plain = Page(a_notice().html())
    row = an_issued_row(scope_label=hostile, answerers=Answerers(requester=hostile), claims=some_claims(run_id=hostile))
    page = Page(a_notice(asked=hostile, recipient=hostile, row=row).html())
    assert page.elements == plain.elements
    assert page.attributes == plain.attributes
    assert page.text.count(f"“{inert_text(hostile, limit=150)}”") == 5
    assert page.text.replace("\n", "").isprintable()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_one_line_of_text_for_a_program(hostile: str) -> None:
    document = a_notice(asked=hostile).document()
    assert document["asked"].isprintable()
    assert json.loads(json.dumps(document)) == document


def test_a_question_is_cut_at_150_characters_and_its_script_survives() -> None:
    assert len(a_notice(asked="long " * 100).question) == ASKED_MAX_CHARACTERS
    assert a_notice(asked="long " * 100).question.endswith("…")
    joined = "\u0645\u06cc\u200c\u062e\u0648\u0631\u0645 \U0001f469\u200d\U0001f680"
    assert a_notice(asked=joined).question == joined


def test_a_question_of_nothing_to_see_is_named_after_its_interaction() -> None:
    assert a_notice(asked="\u202e\x00").question == "ask_user"


@pytest.mark.parametrize(
    ("payload", "asked"),
    [
        ({"title": "Send it?", "question": "no"}, "Send it?"),
        ({"questions": [{"question": "First?"}, {"question": "Second?"}]}, "First?"),
        ({"question": "One?"}, "One?"),
        ({"title": 7, "questions": []}, ""),
        ({}, ""),
    ],
)
def test_what_is_asked_is_the_title_or_the_first_question(payload: dict[str, Any], asked: str) -> None:
    assert asked_in(payload) == asked


def test_a_link_for_nobody_in_particular_says_that_whoever_has_it_can_answer() -> None:
    notice = a_notice(recipient="")
    assert "You answer as" not in notice.text()
    assert "Every person who has this link can answer." in notice.text()


def test_a_notice_does_not_show_its_link_in_a_log() -> None:
    assert LINK not in repr(a_notice())


def test_a_message_says_how_many_must_approve() -> None:
    row = an_issued_row(answerers=Answerers(approvers=("ada", "bob", "cyd")), quorum=Quorum(needed=2))
    for text in (a_notice(row=row).text(), a_notice(row=row).html()):
        assert "Approvals needed" in text
        assert "2 / 3" in text
    assert "Approvals" not in a_notice().text()
