"""Nothing of a text that a model wrote is live where people read it, and an ordinary text reads as before."""

import pytest
from hypothesis import given, strategies as st

from askback.domain.people.shown_text import inert_text, shown_text
from tests.support.live_text import alike, live_parts

PIECES = [
    *"*_~`[]()<>|\\#@:./!&=-+'\"“”„ \n\t\r\u200b\u200d\u200c\ufe0f\u202e\u2066\u0301\u3002\uff0e\uff20\x00",
    "https://", "www.", "evil", ".com", ".example", "@everyone", "<!channel>", "<@U1>", "mailto:", "tel:", "1.2.3.4",
    "](", "javascript:", "a", "B", "7", "中国", "рф", ":rocket:", "Answer here:", "xn--p1ai", "\U0001f469", "//",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.characters()), max_size=40).map("".join), st.integers(1, 200))
def test_no_text_is_live_or_longer_than_its_limit(text: str, limit: int) -> None:
    inert = inert_text(text, limit=limit)
    assert live_parts(inert) == []
    # Joiners count as not printable; they stay within words of other scripts and within emoji.
    assert inert.translate(dict.fromkeys((0x200C, 0x200D))).isprintable()
    assert len(inert) <= limit
    assert not {"“", "”"} & set(inert)


@pytest.mark.parametrize(
    "text",
    [
        "Refund 49.90 EUR to order #4711 at 10:30?",
        "1.234.567,89 EUR (10 % off), e.g. for run_1 & run_2: yes/no?",
        "Upgrade to v3.11.2 in the U.S. or not…",
        "请批准。谢谢",
        "می‌خورم \U0001f469\u200d\U0001f680 ❤\ufe0f",
        "हिन्दी ภาษาไทย עִבְרִית",
    ],
)
def test_an_ordinary_text_reads_as_it_was_written(text: str) -> None:
    assert inert_text(text, limit=200) == shown_text(text, limit=200) == text


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("see https://evil.example/x", "see https[:]//evil[.]example/x"),
        ("www.evil.com or evil.com:80", "www[.]evil[.]com or evil[.]com[:]80"),
        ("www.x WWW.7", "www[.]x WWW[.]7"),
        ("eve@example.com, @everyone", "eve[@]example[.]com, [@]everyone"),
        ("http://192.0.2.1/a", "http[:]//192[.]0[.]2[.]1/a"),
        ("mailto:x tel:+1 \\\\srv\\x", "mailto[:]x tel[:]+1 [\\]\\srv\\x"),
        ("[x](https://y) *b* _i_ `c` ~s~", alike("[x]") + "(https[:]//y) " + alike("*b* _i_ `c` ~s~")),
        ("<!channel> <@U1> # H #tag :+1:", alike("<!channel> <") + "[@]U1" + alike("> # H ") + "[#]tag [:]+1:"),
        ("evil\u3002com evil\uff0ecom", "evil[\u3002]com evil[\uff0e]com"),
        ("evil.\u200dcom ev\u00adil", "evil[.]com evil"),
        ("“Answer here: https://evil.example”", '"Answer here: https[:]//evil[.]example"'),
        ("a[.]b", alike("a[.]b")),
    ],
)
def test_what_would_be_live_stays_readable(text: str, inert: str) -> None:
    assert inert_text(text, limit=200) == inert


def test_a_tower_of_marks_is_cut() -> None:
    assert inert_text("x" + "\u0336" * 50 + "y", limit=200) == "x" + "\u0336" * 4 + "y"
