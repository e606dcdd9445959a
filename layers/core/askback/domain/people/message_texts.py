"""The texts of messages in one language, and how it writes times and labels."""

from dataclasses import dataclass
from datetime import UTC, datetime


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
    sentence: str
    """A {heading} as a sentence."""
    question: str
    requester: str
    scope: str
    run: str
    answer_by: str
    answer_as: str
    """The labels of the facts."""
    pair: str
    """A {label} and its {value} on one line."""
    time: str
    """A time from its {day}, {month}, {year}, {hour} and {minute}; it names the zone, UTC."""
    months: str
    """What stands for {month}: twelve words, or numbers where the language writes dates with them."""
    answer_here: str
    answer_this: str
    caution_recipient: str
    caution_shared: str
    copy_address: str
    foreign: str
    again: str

    def moment(self, at: int) -> str:
        """Return a time (epoch seconds) in UTC, as people write it in this language."""
        when = datetime.fromtimestamp(at, UTC)
        month = self.months.split()[when.month - 1]
        return self.time.format(day=when.day, month=month, year=when.year, hour=when.hour, minute=when.minute)

    def line(self, label: str, value: str) -> str:
        """Return a label and its value on one line."""
        return self.pair.format(label=label, value=value)
