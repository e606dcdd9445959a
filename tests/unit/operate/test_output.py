"""What the operator's command prints reaches every terminal."""

import io

import pytest

from askback.operate.output import write


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [
        ("utf-8", "\u0141ukasz \u200b \u2013"),
        ("cp1252", "\\u0141ukasz \\u200b \u2013"),
        ("ascii", "\\u0141ukasz \\u200b \\u2013"),
    ],
)
def test_a_character_that_a_terminal_does_not_have_is_printed_as_an_escape(encoding: str, printed: str) -> None:
    """D-41: a pause was revoked; its name must not end the command with an error."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="")
    write(stream, "\u0141ukasz \u200b \u2013")
    stream.flush()
    assert raw.getvalue().decode(encoding) == printed + "\n"


def test_a_stream_without_an_encoding_takes_everything() -> None:
    """D-41."""
    stream = io.StringIO()
    write(stream, "\u0141")
    assert stream.getvalue() == "\u0141\n"
