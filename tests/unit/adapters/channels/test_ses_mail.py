"""The sender of a mail: the organisation's name before the address, whatever letters it has."""

from email import message_from_string
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest

from askback.adapters.channels.ses_mail import sender

ADDRESS = "questions@example.com"


@pytest.mark.parametrize(
    "name",
    [
        "Acme",
        "Acme, Inc. (approvals)",
        'Acme "the best" \\ <eve@example.com>',
        "Müller & Söhne",
        "株式会社アクメ" * 8,
        "شركة أكمي",
    ],
)
def test_a_name_is_read_as_it_was_given_and_the_address_stays_the_only_one(name: str) -> None:
    written = sender(name, ADDRESS)
    assert written.isascii()
    assert written.isprintable()
    shown, address = parseaddr(written)
    assert address == ADDRESS
    assert str(make_header(decode_header(shown))) == name
    assert message_from_string(f"From: {written}\n\n")["From"] == written
    # RFC 2047: an encoded word has at most 75 characters.
    assert all(len(word) <= 75 for word in written.split() if word.startswith("=?"))


def test_without_a_name_the_sender_is_the_address() -> None:
    assert sender("", ADDRESS) == ADDRESS


@pytest.mark.parametrize("name", ["Acme\nBcc: eve@example.com", "Acme\r\n", "Müller\nBcc: eve@example.com", "a\x00b"])
def test_a_name_cannot_begin_another_header(name: str) -> None:
    with pytest.raises(ValueError, match="must be one line"):
        sender(name, ADDRESS)
