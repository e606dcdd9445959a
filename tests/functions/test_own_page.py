"""The page with an adopter's texts and styles; what cannot be used leaves the page as it is without them."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.emulated.cloud import ROOT
from tests.support.function_deployment import Deployment, Handlers

EXAMPLE = ROOT / "docs" / "examples" / "own_interactions" / "layer" / "askback_page"
ENGLISH: dict[str, str] = json.loads((ROOT / "functions/page/strings/en.json").read_text(encoding="utf-8"))
PATHS = ("/answer", "/answer/page.js", "/answer/page-markdown.js")

Page = Callable[[str], Handlers]


@pytest.fixture
def page(deployment: Deployment) -> Page:
    """Return what loads the page function of a deployment that names a folder."""
    return lambda folder: deployment.load(only=frozenset({"page"}), ASKBACK_PAGE_FOLDER=folder)


def served(handlers: Handlers, path: str, accepted: str = "") -> dict[str, Any]:
    event = {"routeKey": f"GET {path}", "headers": {"accept-language": accepted}}
    response: dict[str, Any] = handlers.invoke("page", event)
    assert response["statusCode"] == 200
    return response


def content(handlers: Handlers, path: str, accepted: str = "") -> str:
    return base64.b64decode(served(handlers, path, accepted)["body"]).decode()


def texts(handlers: Handlers, accepted: str = "") -> dict[str, str]:
    page = content(handlers, "/answer", accepted)
    (found,) = re.findall(r'<script type="application/json" id="strings">(.*?)</script>', page)
    strings: dict[str, str] = json.loads(found)
    return strings


def styles(handlers: Handlers) -> str:
    (found,) = re.findall("<style>(.*?)</style>", content(handlers, "/answer"), re.DOTALL)
    return str(found)


def logged(deployment: Deployment, start: int) -> list[str]:
    lines = deployment.output.getvalue()[start:].splitlines()
    return [json.loads(line)["reason"] for line in lines if line.startswith("{")]


def test_the_example_changes_some_texts_and_colours_and_nothing_else(page: Page, handlers: Handlers) -> None:
    own = page(str(EXAMPLE))
    changed = json.loads((EXAMPLE / "strings.json").read_text(encoding="utf-8"))
    assert texts(own, "en")["thanks_title"] == "Thank you from Acme"
    assert texts(own, "de")["thanks_title"] == "Acme dankt"
    for language in changed:
        assert texts(own, language) == texts(handlers, language) | changed[language]

    style = (EXAMPLE / "page.css").read_text(encoding="utf-8")
    assert styles(own) == styles(handlers) + style
    for path in PATHS[1:]:
        assert served(own, path) == served(handlers, path)
    others = {
        name
        for name, value in served(own, "/answer")["headers"].items()
        if served(handlers, "/answer")["headers"][name] != value
    }
    assert others == {"content-security-policy"}


def test_a_folder_may_have_one_of_the_two_files(page: Page, handlers: Handlers, tmp_path: Path) -> None:
    (tmp_path / "page.css").write_text(":root { --accent: navy }", encoding="utf-8")
    own = page(str(tmp_path))
    assert styles(own) == styles(handlers) + ":root { --accent: navy }"
    assert texts(own) == texts(handlers)


def test_styles_cannot_end_the_element_that_they_stand_in_and_have_the_hash_that_a_browser_takes(
    page: Page, handlers: Handlers, tmp_path: Path
) -> None:
    (tmp_path / "page.css").write_bytes(b'a { content: "</style><b>\0" }\r\nb { }\rc { }')
    own = page(str(tmp_path))
    assert styles(own) == styles(handlers) + 'a { content: "<\\/style><b>\ufffd" }\nb { }\nc { }'
    digest = base64.b64encode(hashlib.sha256(styles(own).encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in served(own, "/answer")["headers"]["content-security-policy"]


def test_a_language_of_its_own_has_every_text(page: Page, tmp_path: Path) -> None:
    (tmp_path / "strings.json").write_text(json.dumps({"pt-BR": ENGLISH | {"send": "Enviar"}}), encoding="utf-8")
    own = page(str(tmp_path))
    assert texts(own, "pt-br,en")["send"] == "Enviar"
    assert served(own, "/answer", "pt-BR")["headers"]["content-language"] == "pt-BR"
    assert served(own, "/answer", "pt-PT")["headers"]["content-language"] == "pt"


def test_a_text_of_ones_own_in_a_built_in_language_leaves_the_others_as_they_are(
    page: Page, handlers: Handlers, tmp_path: Path
) -> None:
    (tmp_path / "strings.json").write_text(json.dumps({"ar": {"send": "إرسال"}}), encoding="utf-8")
    own = page(str(tmp_path))
    assert texts(own, "ar") == texts(handlers, "ar") | {"send": "إرسال"}
    assert texts(own, "en") == ENGLISH
    assert content(own, "/answer", "fr") == content(handlers, "/answer", "fr")


def test_a_text_cannot_end_the_element_that_it_stands_in(page: Page, tmp_path: Path) -> None:
    own = {"send": "</script><b>", "one_question": "</title><b>", "too_old": "</p><b>"}
    (tmp_path / "strings.json").write_text(json.dumps({"en": own}), encoding="utf-8")
    handlers = page(str(tmp_path))
    assert {key: texts(handlers)[key] for key in own} == own
    assert "<b>" not in content(handlers, "/answer")
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in content(handlers, "/answer")
    assert '<p class="late">&lt;/p&gt;&lt;b&gt;</p>' in content(handlers, "/answer")


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"en": {"sned": "Send"}}, "en has 'sned', which is not a text of the page"),
        ({"en": {"left": "soon"}}, "en.left must have exactly these placeholders: ['{time}']"),
        ({"de": {"send": "{name}"}}, "de.send must have exactly these placeholders: none"),
        ({"en": {"send": " "}}, "en.send must be a text that is not blank"),
        ({"en": {"send": None}}, "en.send must be a text that is not blank"),
        ({"en": {"direction": "up"}}, "en.direction must be ltr or rtl"),
        ({"sv": {"send": "Skicka"}}, "sv needs its direction, ltr or rtl"),
        ({"English": {}}, "'English' is not a language code, such as en or pt-BR"),
        ({"en": "Send"}, "must be an object of languages, each an object of texts"),
        ({"en": {"send": "\ud800"}}, "'utf-8' codec can't encode"),
        ([], "must be an object of languages, each an object of texts"),
    ],
    ids=str,
)
def test_texts_that_cannot_be_used_leave_the_page_as_it_is_and_a_reason_in_the_log(
    deployment: Deployment, page: Page, handlers: Handlers, tmp_path: Path, own: object, why: str
) -> None:
    (tmp_path / "strings.json").write_text(json.dumps(own), encoding="utf-8")
    start = len(deployment.output.getvalue())
    unusable = page(str(tmp_path))
    assert [content(unusable, path) for path in PATHS] == [content(handlers, path) for path in PATHS]
    (reason,) = logged(deployment, start)
    assert reason.startswith(f"ASKBACK_PAGE_FOLDER: strings.json is not used: {why}")


def test_english_stands_for_the_texts_that_a_language_of_before_does_not_have(
    deployment: Deployment, page: Page, tmp_path: Path
) -> None:
    own = {"sv": {"direction": "ltr", "send": "Skicka"}}
    (tmp_path / "strings.json").write_text(json.dumps(own), encoding="utf-8")
    start = len(deployment.output.getvalue())
    swedish = texts(page(str(tmp_path)), "sv-SE")
    assert (swedish["send"], swedish["answer"]) == ("Skicka", "Your answer")
    (reason,) = logged(deployment, start)
    assert reason.startswith("ASKBACK_PAGE_FOLDER: strings.json: sv has no ")
    assert ", answer, " in reason


@pytest.mark.parametrize("content_", [b"{", b"\xff", b'{"en": {"send": "Go"}}' + b" " * 64 * 1024, b"[" * 60_000])
def test_a_file_that_cannot_be_read_leaves_the_page_as_it_is(
    deployment: Deployment, page: Page, handlers: Handlers, tmp_path: Path, content_: bytes
) -> None:
    (tmp_path / "strings.json").write_bytes(content_)
    start = len(deployment.output.getvalue())
    assert content(page(str(tmp_path)), "/answer") == content(handlers, "/answer")
    assert len(logged(deployment, start)) == 1


def test_a_style_sheet_that_is_too_large_leaves_the_styles_as_they_are(
    deployment: Deployment, page: Page, handlers: Handlers, tmp_path: Path
) -> None:
    (tmp_path / "page.css").write_text("/* */" * 20_000, encoding="utf-8")
    start = len(deployment.output.getvalue())
    assert content(page(str(tmp_path)), "/answer") == content(handlers, "/answer")
    assert logged(deployment, start) == ["ASKBACK_PAGE_FOLDER: page.css is not used: must be at most 65536 bytes"]


def test_a_folder_that_is_not_there_is_reported(deployment: Deployment, page: Page, handlers: Handlers) -> None:
    start = len(deployment.output.getvalue())
    missing = page("/no/such/folder")
    assert [content(missing, path) for path in PATHS] == [content(handlers, path) for path in PATHS]
    assert len(logged(deployment, start)) == 2
