"""The place in a list, as callers carry it: opaque, and read strictly."""

import base64

import pytest

from askback.domain.errors import InvalidRequest
from askback.domain.pause.listing import ListPlace

PLACE = ListPlace(is_open=True, issued_at=1_790_000_000, jti="0123456789abcdef0123456789abcdef")
CURSOR = "MCMwMDE3OTAwMDAwMDAjMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"


def spelt(text: str | bytes) -> str:
    """Return a text as a cursor would spell it."""
    raw = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_a_cursor_is_this_text() -> None:
    assert PLACE.cursor() == CURSOR
    assert spelt("0#001790000000#0123456789abcdef0123456789abcdef") == CURSOR


@pytest.mark.parametrize("jti", ["j", "a#b", "1#000000000000#x", "Zürich 😀", "a" * 256, "a/b+c=d"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_place_comes_back_from_its_cursor(jti: str, is_open: bool) -> None:
    place = ListPlace(is_open=is_open, issued_at=0, jti=jti)
    assert ListPlace.of_cursor(place.cursor()) == place
    assert ListPlace.of_text(place.text()) == place


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        " ",
        "x",
        CURSOR + "=",
        CURSOR + "==",
        CURSOR[:-1],
        CURSOR[:-1] + "Z",
        CURSOR + "\n",
        " " + CURSOR,
        CURSOR * 9,
        "é",
        "\ud83d",
        "\x00",
        spelt("0#1790000000#j"),
        spelt("2#001790000000#j"),
        spelt("0#001790000000#"),
        spelt("0#001790000000"),
        spelt("0#00179000000a#j"),
        spelt("0#+01790000000#j"),
        spelt("0#٠٠١٧٩٠٠٠٠٠٠٠#j"),
        spelt("0#001790000000#" + "a" * 257),
        spelt("0#001790000000#a\nb"),
        spelt(b"0#001790000000#\xff"),
        spelt("0#001790000000#\ud83d"),
        base64.b64encode(b"0#001790000000#???").decode(),
        spelt("x0#001790000000#j"),
    ],
)
def test_anything_else_is_refused_by_its_name(cursor: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ListPlace.of_cursor(cursor)
    assert [error.field for error in refused.value.errors] == ["next"]
    assert cursor.strip() == "" or cursor not in refused.value.detail or len(cursor) < 3
