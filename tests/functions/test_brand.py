"""The page with an organisation's name, logo, colour and contact; what cannot be used is left out, and logged."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.emulated.cloud import ROOT
from tests.support.function_deployment import Deployment, Handlers
from tests.support.logos import PNG, SVG, WEBP

STRINGS = ROOT / "functions/page/strings"
ACME = {
    "ASKBACK_BRAND_NAME": "Acme & Söhne <GmbH>",
    "ASKBACK_BRAND_COLOR": "#6A1B9A",
    "ASKBACK_SUPPORT_CONTACT": "help@acme.example",
}

Page = Callable[..., Handlers]


@pytest.fixture
def page(deployment: Deployment) -> Page:
    """Return what loads the page function in an environment."""
    return lambda **environment: deployment.load(only=frozenset({"page"}), **environment)


def served(handlers: Handlers, path: str = "/answer", method: str = "GET", **headers: str) -> dict[str, Any]:
    response: dict[str, Any] = handlers.invoke(
        "page", {"routeKey": f"{method} {path}", "headers": {name.replace("_", "-"): v for name, v in headers.items()}}
    )
    return response


def content(response: dict[str, Any]) -> bytes:
    body = base64.b64decode(response["body"], validate=True)
    return gzip.decompress(body) if "content-encoding" in response["headers"] else body


def html(handlers: Handlers, language: str = "en") -> str:
    return content(served(handlers, accept_language=language)).decode()


def logged(deployment: Deployment, start: int) -> list[str]:
    lines = deployment.output.getvalue()[start:].splitlines()
    return [json.loads(line)["reason"] for line in lines if line.startswith("{")]


def test_without_a_brand_the_page_has_no_header_no_foot_and_no_logo(handlers: Handlers) -> None:
    assert not re.search("<header|<footer|<img", html(handlers))
    assert served(handlers, "/answer/logo")["statusCode"] == 404
    assert "'self'" not in served(handlers)["headers"]["content-security-policy"].partition("img-src")[2].split(";")[0]


def test_the_name_stands_above_the_page_and_the_contact_below_as_text(page: Page) -> None:
    acme = html(page(**ACME))
    assert '<header class="brand"><bdi>Acme &amp; Söhne &lt;GmbH&gt;</bdi></header><main' in acme
    assert acme.index("</main>") < acme.index('<footer class="support">')
    assert "{{" not in acme


@pytest.mark.parametrize("language", sorted(path.stem for path in STRINGS.glob("*.json")))
def test_the_contact_is_said_in_the_readers_language(page: Page, language: str) -> None:
    texts = json.loads((STRINGS / f"{language}.json").read_text(encoding="utf-8"))
    found = re.search('<footer class="support"><p>(.*?)</p></footer>', html(page(**ACME), language))
    assert found
    before, after = texts["support"].split("{contact}")
    assert re.sub("<[^>]*>", "", found[1]) == f"{before}help@acme.example{after}"


@pytest.mark.parametrize(
    ("contact", "href"),
    [
        ("help@acme.example", "mailto:help@acme.example"),
        ("a+b'?subject=x@acme.example", None),
        ("help?cc=eve@acme.example", "mailto:help%3Fcc%3Deve@acme.example"),
        ("https://acme.example/help?a=1&b=2", "https://acme.example/help?a=1&amp;b=2"),
        ("Call +49 30 1234 (Ada)", None),
        ("javascript:alert(1)", None),
        ("http://acme.example", None),
        ('https://acme.example/"onclick="alert(1)', None),
    ],
)
def test_only_a_mail_address_and_an_https_address_become_links(page: Page, contact: str, href: str | None) -> None:
    shown = html(page(ASKBACK_SUPPORT_CONTACT=contact))
    assert re.findall(r'<a href="([^"]*)"', shown) == ([href] if href else [])
    assert not re.search(r"\sonclick=", re.sub("&quot;", "", shown).partition("<footer")[2].partition("<bdi>")[0])


def test_the_colour_stands_behind_the_built_in_styles_and_before_the_adopters(page: Page, tmp_path: Path) -> None:
    (tmp_path / "page.css").write_text(":root { --accent: navy }", encoding="utf-8")
    own = html(page(**ACME, ASKBACK_PAGE_FOLDER=str(tmp_path)))
    assert own.index("--accent:#7fd3b7") < own.index("--fill:#6a1b9a") < own.index("--accent: navy")
    assert "@media (prefers-color-scheme:dark){:root{--accent:#" in own


@pytest.mark.parametrize(
    ("file", "picture", "kind"),
    [("logo.png", PNG, "image/png"), ("logo.webp", WEBP, "image/webp"), ("logo.svg", SVG, "image/svg+xml")],
)
def test_a_logo_is_served_by_the_stack(page: Page, tmp_path: Path, file: str, picture: bytes, kind: str) -> None:
    (tmp_path / file).write_bytes(picture)
    acme = page(**ACME, ASKBACK_PAGE_FOLDER=str(tmp_path))
    for encoding in ("", "gzip"):
        sent = served(acme, "/answer/logo", accept_encoding=encoding)
        assert (sent["statusCode"], sent["headers"]["content-type"], content(sent)) == (200, kind, picture)
        assert sent["headers"]["x-content-type-options"] == "nosniff"
        assert sent["headers"]["cache-control"] == "public, max-age=3600"
        policy = sent["headers"]["content-security-policy"]
        assert "sandbox" in policy, "an SVG that is opened by itself runs no script"
        assert policy.startswith("default-src 'none'")
    head = served(acme, "/answer/logo", method="HEAD")
    assert (head["statusCode"], head["body"]) == (200, "")
    assert re.findall("<img[^>]*>", html(acme)) == ['<img src="answer/logo" alt="">']
    assert "img-src 'self' data:;" in served(acme)["headers"]["content-security-policy"]


def test_a_logo_alone_is_shown(page: Page, tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG)
    assert '<header class="brand"><img src="answer/logo" alt=""><bdi></bdi></header>' in html(
        page(ASKBACK_PAGE_FOLDER=str(tmp_path))
    )


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({"ASKBACK_BRAND_COLOR": "purple"}, "ASKBACK_BRAND_COLOR is not used: must be a colour such as #0b5f4b"),
        ({"ASKBACK_BRAND_COLOR": "#12345"}, "ASKBACK_BRAND_COLOR is not used"),
        ({"ASKBACK_BRAND_COLOR": "#123456;}"}, "ASKBACK_BRAND_COLOR is not used"),
        ({"ASKBACK_BRAND_NAME": "a" * 61}, "ASKBACK_BRAND_NAME is not used: must be one line of at most 60 characters"),
        ({"ASKBACK_BRAND_NAME": "a\u202eb"}, "ASKBACK_BRAND_NAME is not used"),
        ({"ASKBACK_SUPPORT_CONTACT": "a\nb"}, "ASKBACK_SUPPORT_CONTACT is not used: must be one line"),
    ],
    ids=str,
)
def test_what_cannot_be_used_leaves_the_page_as_it_is_and_a_reason_in_the_log(
    deployment: Deployment, page: Page, handlers: Handlers, environment: dict[str, str], why: str
) -> None:
    start = len(deployment.output.getvalue())
    unusable = page(**environment)
    assert content(served(unusable)) == content(served(handlers))
    (reason,) = logged(deployment, start)
    assert reason.startswith(why)


@pytest.mark.parametrize(
    ("file", "picture", "why"),
    [
        ("logo.png", SVG, "logo.png is not used: is not a picture of the type image/png"),
        ("logo.svg", b"<html><script>alert(1)</script></html>", "logo.svg is not used"),
        ("logo.webp", b"RIFF", "logo.webp is not used"),
        ("logo.png", PNG + b"\0" * 65_536, "logo.png is not used: must have at most 65536 bytes"),
    ],
)
def test_a_logo_that_cannot_be_used_leaves_the_name(
    deployment: Deployment, page: Page, tmp_path: Path, file: str, picture: bytes, why: str
) -> None:
    (tmp_path / file).write_bytes(picture)
    start = len(deployment.output.getvalue())
    acme = page(**ACME, ASKBACK_PAGE_FOLDER=str(tmp_path))
    assert '<header class="brand"><bdi>Acme' in html(acme)
    assert served(acme, "/answer/logo")["statusCode"] == 404
    (reason,) = logged(deployment, start)
    assert reason.startswith(why)
