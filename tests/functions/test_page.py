"""The page function: files with their headers and nothing else, whoever asks and whatever they send."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from askback import AnswerInvalid, FieldError
from askback.interactions import InteractionRegistration
from local.emulated.cloud import ROOT
from tests.support.function_deployment import Deployment, Handlers

PAGE = ROOT / "functions" / "page"
STATIC = PAGE / "static"
STRINGS: dict[str, dict[str, str]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((PAGE / "strings").glob("*.json"))
}
DIRECTIONS = dict.fromkeys(["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt"], "ltr") | {"ar": "rtl"}
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((PAGE / "script").glob("*.js")))
BUILT = (STATIC / "page.js").read_text(encoding="utf-8")
MARKDOWN = (STATIC / "page-markdown.js").read_text(encoding="utf-8")
KINDS = {
    "/answer": "text/html; charset=utf-8",
    "/answer/page.js": "text/javascript; charset=utf-8",
    "/answer/page-markdown.js": "text/javascript; charset=utf-8",
}
WIRE_BUDGET_BYTES = 40_000
"""Below the 40 KB that the page promises, because an adopter's styles and texts come on top; with markdown."""

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(handlers: Handlers) -> Ask:
    """Return what sends a request to the page and gives back its response as the function returned it."""

    def send(path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
        event = handlers.event(path, method=method)
        event["headers"] |= {name.replace("_", "-"): value for name, value in headers.items()}
        result: dict[str, Any] = handlers.invoke("page", event)
        return result

    return send


@pytest.fixture
def lost(handlers: Handlers) -> Ask:
    """Return what sends a request that no route but the last one takes."""

    def send(path: str, method: str = "GET") -> dict[str, Any]:
        result: dict[str, Any] = handlers.invoke("page", {"routeKey": f"{method} /{{lost+}}", "rawPath": path})
        return result

    return send


def content(response: dict[str, Any]) -> bytes:
    assert response["isBase64Encoded"] is True
    body = base64.b64decode(response["body"], validate=True)
    encoding = response["headers"].get("content-encoding")
    assert encoding in (None, "gzip")
    return gzip.decompress(body) if encoding else body


@pytest.mark.parametrize("path", KINDS)
def test_a_file_has_its_type_and_is_nobodys_to_keep_frame_or_guess_at(ask: Ask, path: str) -> None:
    response = ask(path)
    headers = response["headers"]
    assert (response["statusCode"], headers["content-type"]) == (200, KINDS[path])
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert content(response)


def test_the_policy_allows_the_pages_own_scripts_and_styles_and_nothing_else(ask: Ask) -> None:
    response = ask("/answer")
    (styles,) = re.findall("<style>(.*?)</style>", content(response).decode(), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(styles.encode()).digest()).decode()
    sent = response["headers"]["content-security-policy"]
    assert dict(part.strip().split(" ", 1) for part in sent.split(";")) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'sha256-{digest}'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_the_page_has_nothing_inline_and_names_no_other_origin(ask: Ask) -> None:
    page = content(ask("/answer")).decode()
    assert re.findall(r"<script(?![^>]*(?:src=|application/json))", page) == []
    assert re.findall(r"\sstyle=|\son\w+=", page) == []
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert sorted(sources) == ["answer/page.js", "data:,"]
    files = page + content(ask("/answer/page.js")).decode() + content(ask("/answer/page-markdown.js")).decode()
    assert set(re.findall(r"https?://[\w.]+\w", files)) <= {"https://example.com"}


def test_the_served_scripts_are_the_built_files_as_they_are(ask: Ask) -> None:
    assert content(ask("/answer/page.js")).decode() == BUILT
    assert content(ask("/answer/page-markdown.js")).decode() == MARKDOWN


@pytest.mark.parametrize("scripts", [SCRIPTS, BUILT, MARKDOWN], ids=["sources", "built", "markdown"])
def test_no_script_makes_markup_from_text(scripts: str) -> None:
    assert ("replaceChildren" in scripts) is (scripts != MARKDOWN)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser", scripts
    )


def test_the_page_knows_the_refusals_of_an_adopters_own_rules() -> None:
    """It shows their words, and says every other refusal in the reader's language."""

    class Anything(BaseModel):
        pass

    rules = InteractionRegistration(
        name="own",
        payload_schema=Anything,
        response_schema=int,
        validate_response=lambda payload, response: [FieldError("response", "too much")],
    )
    with pytest.raises(AnswerInvalid) as refused:
        rules.read_response(1, Anything())
    assert f'"{refused.value.detail}"' in SCRIPTS


def test_the_built_script_is_strict_and_gives_other_scripts_no_names() -> None:
    assert BUILT.startswith('"use strict";(()=>{')
    assert BUILT.endswith("})();")


@pytest.mark.parametrize("path", KINDS)
def test_head_has_the_headers_and_no_body(ask: Ask, path: str) -> None:
    """A-45."""
    got, asked = ask(path), ask(path, "HEAD")
    assert (asked["statusCode"], asked["headers"], asked["body"]) == (200, got["headers"], "")


@pytest.mark.parametrize(
    ("accepted", "squeezed"),
    [
        ("gzip", True),
        ("gzip, deflate, br;q=0, zstd", True),
        ("x-br, gzip;q=0.8", True),
        ("gzip;q=0", False),
        ("gzip;q=0.0, br;q=0", False),
        ("deflate", False),
        ("", False),
        ("x-gzipped", False),
    ],
)
def test_a_file_is_compressed_for_those_who_take_that(ask: Ask, accepted: str, squeezed: bool) -> None:
    plain, response = ask("/answer/page.js"), ask("/answer/page.js", accept_encoding=accepted)
    assert ("content-encoding" in response["headers"]) is squeezed
    assert (len(response["body"]) < len(plain["body"])) is squeezed
    assert content(response) == content(plain)
    assert response["headers"]["vary"] == "accept-encoding"


@pytest.mark.parametrize("accepted", ["br", "gzip, deflate, br, zstd", "gzip;q=1.0, br;q=0.8"])
def test_a_script_is_smaller_still_for_those_who_take_brotli(ask: Ask, accepted: str) -> None:
    for name in ("page.js", "page-markdown.js"):
        response = ask(f"/answer/{name}", accept_encoding=accepted)
        assert response["headers"]["content-encoding"] == "br"
        assert base64.b64decode(response["body"]) == (STATIC / f"{name}.br").read_bytes()
    assert ask("/answer", accept_encoding=accepted)["headers"].get("content-encoding") in (None, "gzip")


@pytest.mark.parametrize("language", STRINGS)
def test_all_of_it_keeps_to_the_budget_over_the_wire_in_every_language(ask: Ask, language: str) -> None:
    sent = [ask(path, accept_encoding="gzip, br", accept_language=language) for path in KINDS]
    assert sum(len(base64.b64decode(response["body"])) for response in sent) < WIRE_BUDGET_BYTES


@pytest.mark.parametrize(
    "event",
    [
        {"routeKey": "GET /answer/../app.py"},
        {"routeKey": "GET /answer/strings.json"},
        {"routeKey": "POST /answer"},
        {"routeKey": "$default"},
        {"routeKey": None},
        {},
        {"routeKey": "GET /answer/page.js/"},
    ],
    ids=str,
)
def test_anything_else_is_not_found(handlers: Handlers, event: dict[str, Any]) -> None:
    response = handlers.invoke("page", event)
    assert (response["statusCode"], response["body"]) == (404, "")
    assert response["headers"]["cache-control"] == "no-store"


TOKEN = "eyJhbGciOiJIUzI1NiJ9.e30." + "s" * 43


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "address"),
    [
        (f"/answer%23{TOKEN}", f"answer#{TOKEN}"),
        (f"/answer%2523{TOKEN}", f"answer#{TOKEN}"),
        (f"/answer/%23{TOKEN}", f"../answer#{TOKEN}"),
        (f"/answer%23{TOKEN}/", f"../answer#{TOKEN}%2F"),
        (f"/stage/answer%23{TOKEN}", f"answer#{TOKEN}"),
        (f"/answer#{TOKEN}", f"answer#{TOKEN}"),
        (f"/answer%23{TOKEN}%0D%0Aset-cookie:a=b", f"answer#{TOKEN}%0D%0Aset-cookie%3Aa%3Db"),
        (f"/answer%23{TOKEN}\r\nx: y", f"answer#{TOKEN}%0D%0Ax%3A%20y"),
        ("/answer/", "../answer"),
    ],
)
def test_a_link_whose_number_sign_was_encoded_leads_to_the_page(
    lost: Ask, path: str, address: str, method: str
) -> None:
    """D-27: the token gets out of the path, and into the fragment, which no server sees."""
    response = lost(path, method=method)
    assert (response["statusCode"], response["headers"]["location"], response["body"]) == (302, address, "")
    assert response["headers"]["cache-control"] == "no-store"
    assert response["headers"]["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/", "/answers", "/answer/page.png", "/answered%23x", "/answer%24x", f"/answer%23{'x' * 4096}"]
)
def test_a_path_that_is_no_link_is_not_found(lost: Ask, path: str) -> None:
    response = lost(path)
    assert (response["statusCode"], response["body"]) == (404, "")
    assert "location" not in response["headers"]


@pytest.mark.parametrize("headers", [None, {}, {"accept-encoding": "gzip", "cookie": "a=b"}])
def test_who_asks_changes_nothing(handlers: Handlers, headers: dict[str, str] | None) -> None:
    event = {"routeKey": "GET /answer", "headers": headers, "rawQueryString": "token=x.y.z"}
    assert content(handlers.invoke("page", event)) == content(handlers.invoke("page", {"routeKey": "GET /answer"}))


def embedded(page: str) -> dict[str, str]:
    (found,) = re.findall(r'<script type="application/json" id="strings">(.*?)</script>', page)
    strings: dict[str, str] = json.loads(found)
    return strings


@pytest.mark.parametrize("language", STRINGS)
def test_the_page_has_the_texts_of_the_readers_language_alone(ask: Ask, language: str) -> None:
    response = ask("/answer", accept_language=f"{language}-XX,{language};q=0.9")
    page = content(response).decode()
    assert embedded(page) == STRINGS[language]
    assert f'<html lang="{language}" dir="{DIRECTIONS[language]}">' in page
    assert f"<title>{STRINGS[language]['one_question']}</title>" in page
    assert STRINGS[language]["too_old"] in re.sub("<script.*</script>", "", page)
    assert response["headers"]["content-language"] == language
    assert response["headers"]["vary"] == "accept-encoding, accept-language"
    assert "{{" not in page


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("*", "en"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"),
        ("sv-SE,sv;q=0.8,nl;q=0.6,en;q=0.4", "nl"),
        ("sv,en;q=0.5,nl;q=0.3", "en"),
        ("en;q=0.3,pl;q=0.9", "pl"),
        ("pl;q=0,it;q=0.1", "it"),
        ("ja;q=0", "en"),
        ("DE-at", "de"),
        ("zh-Hant-TW,pt-BR", "pt"),
        ("en-US@posix,es", "es"),
        ("../ar", "en"),
        ("ar;q=abc,de;q=9", "en"),
        ("it," * 9000, "it"),
        ("x," * 9000 + "it", "en"),
    ],
    ids=lambda value: value[:40],
)
def test_the_header_chooses_the_first_language_that_the_page_has(ask: Ask, accepted: str, language: str) -> None:
    assert ask("/answer", accept_language=accepted)["headers"]["content-language"] == language


def test_a_file_of_a_language_is_read_once_when_its_first_reader_comes(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[str] = []
    read_text = Path.read_text

    def noted(path: Path, **options: Any) -> str:
        files.append(path.name)
        return read_text(path, **options)

    monkeypatch.setattr(Path, "read_text", noted)
    handlers = deployment.load(only=frozenset({"page"}))
    assert [name for name in files if name.endswith(".json")] == []
    for accepted in ("ja", "ja-JP", "en"):
        handlers.invoke("page", {"routeKey": "GET /answer", "headers": {"accept-language": accepted}})
    assert sorted(name for name in files if name.endswith(".json")) == ["en.json", "ja.json"]


def test_nothing_of_a_request_is_written_down(handlers: Handlers, deployment: Deployment) -> None:
    before = len(deployment.output.getvalue())
    event = json.loads((ROOT / "events" / "page-html.json").read_text(encoding="utf-8"))
    handlers.invoke("page", event | {"rawQueryString": "token=secret", "queryStringParameters": {"token": "secret"}})
    handlers.invoke("page", {"routeKey": "GET /secret"})
    handlers.invoke("page", {"routeKey": "GET /{lost+}", "rawPath": "/answer%23secret"})
    assert deployment.output.getvalue()[before:] == ""


def test_no_code_of_ours_asks_what_program_a_request_comes_from() -> None:
    """A-46: what is safe is so because of the method. Adapters and the client send requests and receive none."""
    sources = [path for part in ("layers/core/askback", "functions") for path in (ROOT / part).rglob("*.[pj][ys]")]
    receiving = [path for path in sources if not {"adapters", "client"} & set(path.parts)]
    assert len(receiving) > 70
    naming = re.compile("user.?agent", re.IGNORECASE)
    assert [path.name for path in receiving if naming.search(path.read_text(encoding="utf-8"))] == []


def test_the_page_speaks_ten_languages() -> None:
    assert {language: texts["direction"] for language, texts in STRINGS.items()} == DIRECTIONS


@pytest.mark.parametrize("language", STRINGS)
def test_every_language_has_every_text_with_its_placeholders(language: str) -> None:
    own, english = STRINGS[language], STRINGS["en"]
    assert list(own) == list(english), "the same order makes the files easy to compare"
    for key, text in own.items():
        assert text.strip(), key
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key


def test_the_scripts_say_what_there_is_and_all_of_it() -> None:
    said = set(re.findall(r'say\(\s*"(\w+)"', SCRIPTS))
    written = {part for part in re.findall(r'"([a-z_]+)"', SCRIPTS) if part in STRINGS["en"]}
    ended = {f"{key}_{part}" for key in re.findall(r'simply\("(\w+)"', SCRIPTS) for part in ("title", "text")}
    answered = {f"{whose}_{part}" for whose in ("by_you", "by_other", "answered") for part in ("title", "text")}
    assert said <= set(STRINGS["en"])
    assert ended | answered <= set(STRINGS["en"])
    in_the_page = set(re.findall(r"\{\{(\w+)\}\}", (STATIC / "page.html").read_text(encoding="utf-8")))
    assert set(STRINGS["en"]) == written | ended | answered | in_the_page - {
        "brand",
        "contact",
        "language",
        "strings",
        "styles",
    } | {"support"}
