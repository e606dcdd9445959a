"""The texts of messages in one language, and how it writes times and labels."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTexts:
    """The texts of one language, without any text of an agent; what stands in braces is replaced."""

    language: str
    """The tag of the language, such as `en`."""
    direction: str
    """`ltr` or `rtl`."""
    asked: str
    reminder: str
    expires_soon: str
    """The three headings, by kind of the message."""
    high_risk: str
    """The sentence of a question with a high risk."""
    escalated: str
    reassigned: str
    delegated: str
    """Why a person is asked only now: there is no answer yet, an operator has passed the question on, or the member
    {name} has. Each is a sentence."""
    clarified: str
    """The sentence that the asker has replied to a question back."""
    sentence: str
    """A {heading} as a sentence."""
    question: str
    asker: str
    requester: str
    reason: str
    scope: str
    run: str
    answer_by: str
    answer_as: str
    votes_needed: str
    """The labels of the facts."""
    pair: str
    """A {label} and its {value} on one line."""
    time: str
    """A time from its {day}, {month}, {year}, {hour} and {minute}, with its {zone}."""
    months: str
    """What stands for {month}: twelve words, or numbers where the language writes dates with them."""
    answer_here: str
    answer_this: str
    caution_recipient: str
    caution_shared: str
    copy_address: str
    foreign: str
    again: str
    support: str
    """The label of the contact for questions."""

    def moment(self, at: int, *, zone: tzinfo = UTC) -> str:
        """Return a time (epoch seconds) in a zone, as people write it in this language; it names the zone."""
        when = datetime.fromtimestamp(at, zone)
        month = self.months.split()[when.month - 1]
        return self.time.format(
            day=when.day, month=month, year=when.year, hour=when.hour, minute=when.minute, zone=_offset(when)
        )

    def line(self, label: str, value: str) -> str:
        """Return a label and its value on one line."""
        return self.pair.format(label=label, value=value)


def _offset(when: datetime) -> str:
    """Return the zone of a time as its distance from UTC: `UTC+2`, `UTC-3:30`.

    Abbreviations are no names: CST is a time in Chicago, in Havana and in Shanghai.
    """
    minutes = (when.utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return "UTC" + (f"{sign}{hours}" if minutes else "") + (f":{rest:02}" if rest else "")
