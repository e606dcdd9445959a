"""A clock for the functions of a test."""


class SetClock:
    """A clock that stands at `now` (epoch seconds) until a test sets it."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now
