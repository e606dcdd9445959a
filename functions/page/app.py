"""The page function: serves the answer page, which contains no data of a pause.

Only its language depends on the request. `strings/<language>.json` has the texts of one language; a file is read when
the first reader of its language comes.

`static/page.js` and `static/page-markdown.js` are what `make page` builds from `script/`. They are in the repository,
so no deployment needs npm. The page loads the second one only for a question with markdown.

The token is in the fragment of the link. Browsers do not send the fragment, so a request here contains no token, unless
a mail filter wrote the link's `#` as `%23`. Such a request is sent on to the page. GET and HEAD read no pause and
consume nothing, so link scanners do no harm.
"""

import base64
import gzip
import json
import os
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from brand import Brand

STATIC = Path(__file__).parent / "static"
STRINGS = Path(__file__).parent / "strings"
LANGUAGES = frozenset(path.stem for path in STRINGS.glob("*.json"))
"""The languages with built-in texts."""
OWN_FILE_MAX_BYTES = 64 * 1024
"""The limit of each file in the folder ASKBACK_PAGE_FOLDER, so that the page stays small and loads quickly."""

# No inline script, no styles but the page's own, nothing from other origins, no markup made from text, and no display
# in a frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src {styles}; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY.format(styles="'none'"),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_NO_FILE = {**_HEADERS, "content-type": "text/plain"}
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_WANTED = re.compile(r"(?P<tag>[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(?P<weight>[01](?:\.\d{0,3})?))?")
_PART = re.compile(r"\{\{(\w+)\}\}")
ACCEPTED_MAX_CHARACTERS = 1024
"""How much of an `accept-language` header is read; a browser sends less."""
LOST = "/{lost+}"
"""The path of the route that gets every request to no other route."""
LOST_PATH_MAX_CHARACTERS = 4096
"""The limit of a path that is read; a link has at most 300 characters, and those of earlier versions some 1,500."""
_SPARE = re.compile(r"/\*.*?\*/|^ +| (?=\{)|(?<=[{};,])\n|(?<=[:;,]) ", re.DOTALL | re.MULTILINE)
"""What a style sheet needs for its readers alone: the page is smaller without it."""


def _styles() -> str:
    """The built-in styles, then the brand's and the adopter's: of two equal rules, a browser takes the later one."""
    styles: str = _SPARE.sub("", _text("page.css")) + BRAND.styles()
    try:
        styles += _own("page.css")
    except Exception as error:  # noqa: BLE001 - as above
        _not_used("page.css", error)
    # They stand inside an element, which `</style>` would end. A browser reads other line ends as "\n", and the hash is
    # that of what it reads.
    return re.sub(r"\r\n?", "\n", styles).replace("</", "<\\/").replace("\0", "\ufffd")


def _placeholders(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{\w+\}", text)))


def _own(name: str) -> str:
    """Return a file of the adopter's folder, or an empty text without the folder or the file."""
    folder = os.environ.get("ASKBACK_PAGE_FOLDER", "")  # noqa: TID251 - the page loads nothing of the layer
    path = Path(folder) / name
    if not folder or (path.parent.is_dir() and not path.exists()):
        return ""
    text = path.read_text(encoding="utf-8")
    if len(text.encode()) > OWN_FILE_MAX_BYTES:
        raise ValueError(f"must be at most {OWN_FILE_MAX_BYTES} bytes")
    return text


def _not_used(name: str, error: Exception) -> None:
    reason = f"ASKBACK_PAGE_FOLDER: {name} is not used: {error}"
    _log("ERROR", "the page uses only its built-in texts and styles", reason)


def _brand() -> Brand:
    try:
        return Brand.read(os.environ, _left_out)  # noqa: TID251 - as above
    except OSError as error:
        _left_out("the logo", str(error))
        return Brand()


def _left_out(name: str, reason: str) -> None:
    _log("ERROR", "the page shows no part of the brand that cannot be used", f"{name} is not used: {reason}")


def _log(level: str, message: str, reason: str) -> None:
    print(json.dumps({"level": level, "message": message, "reason": reason}))  # noqa: T201 - the log


def _warn_of_missing(own: Mapping[str, Mapping[str, str]]) -> None:
    """Log which texts a new language does not have: a version can add texts, and English stands for them."""
    for language in own.keys() - LANGUAGES:
        if missing := sorted(built_in_texts("en").keys() - own[language].keys()):
            reason = f"ASKBACK_PAGE_FOLDER: strings.json: {language} has no {', '.join(missing)}"
            _log("WARNING", "the page has English texts in another language", reason)


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _encodings(content: str | bytes) -> tuple[bytes, bytes]:
    plain = content.encode() if isinstance(content, str) else content
    return plain, gzip.compress(plain, mtime=0)


@cache
def built_in_texts(language: str) -> dict[str, str]:
    """Return the texts of a language in LANGUAGES by key."""
    texts: dict[str, str] = json.loads((STRINGS / f"{language}.json").read_text(encoding="utf-8"))
    return texts


def checked_texts(own: Any) -> dict[str, dict[str, str]]:
    """Return an adopter's texts by language; they replace built-in ones, or are a new language.

    Raises:
        ValueError: a key does not exist, a placeholder such as {time} is missing or unknown, or a value is not a text.
    """
    if not isinstance(own, dict) or not all(isinstance(language, dict) for language in own.values()):
        raise ValueError("must be an object of languages, each an object of texts")
    english = built_in_texts("en")
    for language, changed in own.items():
        if not _LANGUAGE.fullmatch(language):
            raise ValueError(f"{language!r} is not a language code, such as en or pt-BR")
        if language not in LANGUAGES and "direction" not in changed:
            raise ValueError(f"{language} needs its direction, ltr or rtl")
        for key, text in changed.items():
            if key not in english:
                raise ValueError(f"{language} has {key!r}, which is not a text of the page")
            if not (isinstance(text, str) and text.strip()):
                raise ValueError(f"{language}.{key} must be a text that is not blank")
            if key == "direction" and text not in ("ltr", "rtl"):
                raise ValueError(f"{language}.direction must be ltr or rtl")
            if (needed := _placeholders(english[key])) != _placeholders(text):
                raise ValueError(f"{language}.{key} must have exactly these placeholders: {needed or 'none'}")
            text.encode()  # Half a surrogate pair has no UTF-8 form.
    return own


def _own_texts() -> dict[str, dict[str, str]]:
    try:
        own = _own("strings.json")
        texts = checked_texts(json.loads(own)) if own else {}
    except Exception as error:  # noqa: BLE001 - people must be able to answer, whatever an adopter's file holds
        _not_used("strings.json", error)
        return {}
    _warn_of_missing(texts)
    return texts


OWN_TEXTS = _own_texts()
_TAGS = {tag.lower(): tag for tag in (*LANGUAGES, *OWN_TEXTS)}


def texts_in(language: str) -> dict[str, str]:
    """Return every text of a language, the adopter's before the built-in ones; English stands for a missing one."""
    return {**built_in_texts(language if language in LANGUAGES else "en"), **OWN_TEXTS.get(language, {})}


def chosen_language(accepted: str) -> str:
    """Return the language of the page for an `accept-language` header: the first of its languages that has texts.

    The page has the texts of this language alone.
    """
    weights: dict[str, float] = {}
    for part in accepted[:ACCEPTED_MAX_CHARACTERS].lower().split(","):
        if wanted := _WANTED.fullmatch(part.strip()):
            weights.setdefault(wanted["tag"], float(wanted["weight"] or 1))
    for tag in sorted(weights, key=lambda tag: -weights[tag]):
        for name in (tag, tag.partition("-")[0]):
            if weights[tag] > 0 and name in _TAGS:
                return _TAGS[name]
    return "en"


@cache
def page_in(language: str) -> tuple[bytes, bytes]:
    """Return the page with the texts of a language, plain and compressed."""
    texts = texts_in(language)
    strings = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    # Inside an element, `</script>` in a text would end it.
    parts = {name: escape(text) for name, text in {**texts, "language": language}.items()}
    parts |= {"strings": strings.replace("<", "\\u003c"), "styles": STYLES}
    parts |= {"brand": BRAND.header(), "contact": BRAND.foot(texts["support"])}
    return _encodings(_PART.sub(lambda part: parts[part[1]], _text("page.html")))


BRAND = _brand()
STYLES = _styles()
"""They stand in the page itself: a file of their own would be one more request."""
_PAGE_POLICY = _POLICY.format(styles=f"'sha256-{base64.b64encode(sha256(STYLES.encode()).digest()).decode()}'")
FILES = {
    f"/answer/{name}": ("text/javascript; charset=utf-8", *_encodings(_text(name)))
    for name in ("page.js", "page-markdown.js")
}
"""For each route that is the same for every reader: the content type, the bytes, and the compressed bytes."""
BROTLI = {path: (STATIC / f"{path.rpartition('/')[2]}.br").read_bytes() for path in FILES}
"""The same, in the form that is about a tenth smaller; `make page` makes it."""


LOGO = _encodings(BRAND.logo.content) if BRAND.logo else None
"""The picture of the organisation, plain and compressed: compressed once, as every other file."""
LOGO_CACHE = "public, max-age=3600"
"""A picture for everyone, without data of a pause; a new one is seen within an hour."""


def _file(path: str, accepted: str) -> tuple[dict[str, str], bytes, bytes] | None:
    """Return the headers of a route of their own, the bytes, and the compressed bytes; None for no route."""
    if path == "/answer":
        language = chosen_language(accepted)
        own = {"content-type": "text/html; charset=utf-8", "content-language": language}
        own["content-security-policy"] = _PAGE_POLICY
        if BRAND.logo:
            own["content-security-policy"] = _PAGE_POLICY.replace("img-src ", "img-src 'self' ")
        return {**own, "vary": "accept-encoding, accept-language"}, *page_in(language)
    if path == "/answer/logo" and BRAND.logo and LOGO:
        own = {"content-type": BRAND.logo.kind, "content-security-policy": BRAND.logo.policy}
        return {**own, "cache-control": LOGO_CACHE}, *LOGO
    if path not in FILES:
        return None
    kind, plain, compressed = FILES[path]
    return {"content-type": kind}, plain, compressed


def page_address(path: str) -> str | None:
    """Return the page's address, relative to a path in which the `#` of an answer link is encoded; None for another.

    A filter can encode the `#` more than once, and add a slash. The address is relative, so it is right under any base
    path. The fragment is encoded again, so it cannot end the header that it stands in.
    """
    if len(path) > LOST_PATH_MAX_CHARACTERS:
        return None
    lost = re.search(r"/answer(?P<slash>/?)(?:(?:%(?:25)*23|#)(?P<fragment>.*))?", path, re.DOTALL | re.IGNORECASE)
    if lost is None or lost.end() != len(path):
        return None
    up = "../" * lost[0].count("/", 1)
    fragment = lost["fragment"]
    # Without a fragment in the address, the browser keeps the one that it has.
    return f"{up}answer" if fragment is None else f"{up}answer#{quote(unquote(fragment), safe='')}"


def _sent_on(event: Mapping[str, Any]) -> dict[str, Any]:
    address = page_address(str(event.get("rawPath", "")))
    if address is None:
        return {"statusCode": 404, "headers": _NO_FILE, "body": ""}
    return {"statusCode": 302, "headers": {**_NO_FILE, "location": address}, "body": ""}


def _header(event: Mapping[str, Any], name: str) -> str:
    headers = event.get("headers")
    return str(headers.get(name, "")) if isinstance(headers, dict) else ""


def _takes(accepted: str, encoding: str) -> bool:
    return re.search(rf"(?<![\w-]){encoding}\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))", accepted) is not None


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Return the file of a route, or the way to it; the function logs nothing of a request."""
    event = event if isinstance(event, dict) else {}
    method, _, path = str(event.get("routeKey", "")).partition(" ")
    if method in ("GET", "HEAD") and path == LOST:
        return _sent_on(event)
    found = _file(path, _header(event, "accept-language"))
    if method not in ("GET", "HEAD") or found is None:
        return {"statusCode": 404, "headers": _NO_FILE, "body": ""}
    own, plain, compressed = found
    encodings = {"br": BROTLI.get(path), "gzip": compressed}
    accepted = _header(event, "accept-encoding")
    encoding = next((name for name, made in encodings.items() if made and _takes(accepted, name)), "")
    body = encodings.get(encoding) or plain
    headers = {**_HEADERS, **own} | ({"content-encoding": encoding} if encoding else {})
    return {
        "statusCode": 200,
        "headers": headers,
        "body": "" if method == "HEAD" else base64.b64encode(body).decode(),
        "isBase64Encoded": method != "HEAD",
    }
