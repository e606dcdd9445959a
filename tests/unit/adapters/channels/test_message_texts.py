"""Messages in every language: complete texts, times as people write them, and each text in its own direction."""

import json
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from askback.adapters.channels.message_files import FOLDER, message_texts
from askback.adapters.channels.time_zone import TimeZoneUnknown, time_zone
from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.changes import ChangeKind, PauseChange
from askback.domain.people.brand import Brand
from askback.domain.people.message import NoticeKind
from askback.domain.people.message_texts import MessageTexts
from tests.support.domain_values import an_issued_row, some_claims
from tests.support.notices import LINK, a_notice

LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.json"))
PLACEHOLDERS = {
    "delegated": {"name"},
    "sentence": {"heading"},
    "pair": {"label", "value"},
    "time": {"day", "month", "year", "hour", "minute", "zone"},
}
EVENING = 1_789_848_300
"""19 September 2026, 20:05 UTC."""


def texts_of(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


def test_messages_have_the_languages_of_the_page() -> None:
    page = Path(__file__).parents[4] / "functions/page/strings"
    assert {language: texts_of(language)["direction"] for language in LANGUAGES} == {
        path.stem: json.loads(path.read_text(encoding="utf-8"))["direction"] for path in page.glob("*.json")
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_its_placeholders(language: str) -> None:
    texts = texts_of(language)
    assert list(texts) == list(texts_of("en")), "the same order makes the files easy to compare"
    assert {"language", *texts} == {field.name for field in fields(MessageTexts)}
    for key, text in texts.items():
        assert text == text.strip() != "", key
        assert set(re.findall(r"\{(\w+)", text)) == PLACEHOLDERS.get(key, set()), key
    assert len(texts["months"].split()) == 12
    # Both marks around the texts of the agent are named, and SNS takes a subject of less than 100 characters.
    assert "“" in texts["foreign"]
    assert "”" in texts["foreign"]
    assert max(len(texts[kind.value]) for kind in NoticeKind) < 100


@pytest.mark.parametrize(
    ("language", "time"),
    [
        ("ar", "19 سبتمبر 2026، الساعة 20:05 (UTC)"),
        ("de", "19. September 2026, 20:05 Uhr (UTC)"),
        ("en", "19 September 2026, 20:05 UTC"),
        ("es", "19 de septiembre de 2026, 20:05 (UTC)"),
        ("fr", "19/09/2026 à 20:05 (UTC)"),
        ("it", "19 settembre 2026, ore 20:05 (UTC)"),
        ("ja", "2026年9月19日 20:05 (UTC)"),
        ("nl", "19 september 2026, 20:05 uur (UTC)"),
        ("pl", "19 września 2026, godz. 20:05 (UTC)"),
        ("pt", "19 de setembro de 2026, 20:05 (UTC)"),
    ],
)
def test_a_time_is_written_as_people_write_it_and_names_its_zone(language: str, time: str) -> None:
    assert message_texts(language).moment(EVENING) == time


@pytest.mark.parametrize(
    ("zone", "at", "written"),
    [
        ("UTC", EVENING, "19 September 2026, 20:05 UTC"),
        ("Europe/Berlin", EVENING, "19 September 2026, 22:05 UTC+2"),
        # The clocks go back on 25 October 2026 at 01:00 UTC: an hour comes twice, and the zone tells which one it is.
        ("Europe/Berlin", 1_792_886_400, "25 October 2026, 02:00 UTC+2"),
        ("Europe/Berlin", 1_792_890_000, "25 October 2026, 02:00 UTC+1"),
        ("Europe/London", 1_792_890_000, "25 October 2026, 01:00 UTC"),
        ("Asia/Kolkata", EVENING, "20 September 2026, 01:35 UTC+5:30"),
        ("America/St_Johns", EVENING, "19 September 2026, 17:35 UTC-2:30"),
        ("America/Chicago", EVENING, "19 September 2026, 15:05 UTC-5"),
    ],
)
def test_a_time_is_that_of_the_zone_and_says_which_one_it_is(zone: str, at: int, written: str) -> None:
    assert message_texts("en").moment(at, zone=time_zone(zone)) == written


@pytest.mark.parametrize("name", ["Europe/Nowhere", "Europe", "../../etc/passwd", "/etc/passwd", "", "a\x00b"])
def test_a_zone_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(TimeZoneUnknown, match="must be a time zone of the IANA database"):
        time_zone(name)


def own(folder: Path, texts: object) -> str:
    (folder / "messages.json").write_text(json.dumps(texts), encoding="utf-8")
    return str(folder)


def test_the_adopters_texts_stand_in_the_place_of_the_built_in_ones(tmp_path: Path) -> None:
    folder = own(tmp_path, {"en": {"asked": "Acme needs you", "answer_this": "Decide"}, "de": {"asked": "Acme fragt"}})
    texts = message_texts("en", folder=folder)
    assert texts == replace(message_texts("en"), asked="Acme needs you", answer_this="Decide")
    assert message_texts("fr", folder=folder) == message_texts("fr")
    assert message_texts("en", folder=str(tmp_path / "none")) == message_texts("en")
    assert "Acme needs you." in a_notice(texts=texts).text()


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"en": {"askd": "x"}}, "en has 'askd', which is not a text of messages"),
        ({"en": {"direction": "rtl"}}, "en has 'direction', which is not a text of messages"),
        ({"sv": {"asked": "x"}}, "'sv' is not a language that messages have"),
        ({"../messages/en": {}}, "'../messages/en' is not a language that messages have"),
        ({"en": {"asked": "Answer\r\nBcc: eve@example.com"}}, "en.asked must be one line that is not blank"),
        ({"en": {"asked": " "}}, "en.asked must be one line that is not blank"),
        ({"en": {"asked": 7}}, "en.asked must be one line that is not blank"),
        ({"en": {"asked": "x" * 100}}, "en.asked must have at most 99 characters"),
        ({"en": {"again": "x" * 501}}, "en.again must have at most 500 characters"),
        ({"en": {"pair": "{label}"}}, "en.pair must have exactly these placeholders: {label}, {value}"),
        ({"en": {"again": "{0}"}}, "en.again must have exactly these placeholders: none"),
        ({"en": {"again": "a { b"}}, "en.again must have exactly these placeholders: none"),
        ({"en": {"sentence": "{heading.__class__}"}}, "en.sentence must have exactly these placeholders: {heading}"),
        ({"en": {"months": "Jan Feb"}}, "en.months must have twelve words"),
        ({"en": {"foreign": "Do not trust the texts."}}, "en.foreign must name both marks"),
        ({"en": "x"}, "must be an object of languages, each an object of texts"),
        ([], "must be an object of languages, each an object of texts"),
    ],
    ids=str,
)
def test_texts_that_cannot_be_used_leave_the_built_in_ones_and_a_reason(
    tmp_path: Path, texts: object, why: str
) -> None:
    reasons: list[str] = []
    assert message_texts("en", folder=own(tmp_path, texts), not_used=reasons.append) == message_texts("en")
    (reason,) = reasons
    assert reason.startswith(f"ASKBACK_PAGE_FOLDER: messages.json is not used: {why}")


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 60_000, b'{"en": {}}' + b" " * 65_536])
def test_a_file_that_cannot_be_read_leaves_the_built_in_ones_and_a_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "messages.json").write_bytes(content)
    reasons: list[str] = []
    assert message_texts("en", folder=str(tmp_path), not_used=reasons.append) == message_texts("en")
    assert len(reasons) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_built_in_text_could_be_the_adopters(tmp_path: Path, language: str) -> None:
    texts = {key: text for key, text in texts_of(language).items() if key != "direction"}
    refused: list[str] = []
    message_texts(language, folder=own(tmp_path, {language: texts}), not_used=refused.append)
    assert refused == []


@pytest.mark.parametrize("kind", NoticeKind)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_is_in_its_language_throughout(language: str, kind: NoticeKind) -> None:
    english, texts = texts_of("en"), texts_of(language)
    passed_on = PauseChange(kind=ChangeKind.DELEGATED, at=1, approvers=("ada",), places=1, by="grace")
    row = an_issued_row(scope_label="acme", claims=some_claims(exp=EVENING), changes=(passed_on,))
    brand = Brand(name="Acme", support="help@acme.example")
    about = {"asker": "Refund agent", "reason": "The parcel was lost.", "high_risk": True}
    notice = a_notice(kind=kind, change=1, row=row, texts=message_texts(language), brand=brand, **about)
    grace = "“grace”" if texts["direction"] == "ltr" else "\u2068“grace”\u2069"
    now = (NoticeKind.ESCALATED, NoticeKind.REASSIGNED, NoticeKind.DELEGATED, NoticeKind.CLARIFIED)
    heading = "asked" if kind in now else kind.value
    assert texts[heading] in notice.subject
    assert "“Refund 49.90 EUR?”" in notice.subject
    for message in (notice.text(), notice.html()):
        for key in (
            "asker",
            "reason",
            "high_risk",
            "support",
            "scope",
            "run",
            "answer_by",
            "answer_as",
            "caution_recipient",
            "foreign",
            "again",
            heading,
            kind.value,
        ):
            assert texts[key].format(name=grace) in message, key
            assert language == "en" or english[key].format(name="“grace”") not in message, key
        assert notice.deadline in message
        assert LINK in message
    assert f"\n{LINK}\n" in notice.text(), "on a line of its own, whatever the direction"
    assert texts["caution_shared"] in a_notice(recipient="", texts=message_texts(language)).text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mail_has_its_language_and_direction_also_where_a_program_drops_the_document(language: str) -> None:
    html = a_notice(texts=message_texts(language)).html()
    whole = f'lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">'
    assert f"<html {whole}" in html
    assert f"<div {whole}" in html.partition("<body")[2]
    assert f'<bdi dir="ltr">{LINK}</bdi>' in html


@pytest.mark.parametrize(("language", "asked"), [("ar", "Refund 49.90 EUR?"), ("en", "49.90 يورو؟")])
def test_a_text_of_the_other_direction_keeps_its_own_order_in_the_plain_text(language: str, asked: str) -> None:
    notice = a_notice(asked=asked, texts=message_texts(language))
    assert f"\u2068“{asked}”\u2069" in notice.subject
    assert f"\u2068“{asked}”\u2069\n" in notice.text()
    broken = a_notice(asked=f"{asked}\u2069\u2068", texts=message_texts(language))
    assert broken.text() == notice.text(), "the text of the agent cannot end it"


def test_a_message_of_one_direction_has_no_signs_of_direction() -> None:
    assert a_notice().text().replace("\n", "").isprintable()


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(InteractionConfigurationError) as refused:
        message_texts("sv")
    assert refused.value.reason == "ASKBACK_MESSAGE_LANGUAGE is not a language that messages have"
