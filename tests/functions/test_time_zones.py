"""Times are the same instants wherever the functions run."""

import calendar
import json
import time
from typing import Any

import pytest

from tests.support.processes import run

# POSIX rules, so that no time zone database is needed: Los Angeles, Kolkata, UTC.
ZONES = {"PST8PDT,M3.2.0,M11.1.0": ("PST", "PDT"), "IST-5:30": ("IST", "IST"), "UTC0": ("UTC", "UTC")}
LOS_ANGELES = "PST8PDT,M3.2.0,M11.1.0"
SPRING_FORWARD, FALL_BACK = 1_772_964_000, 1_793_523_600
"""2026-03-08T10:00:00Z and 2026-11-01T09:00:00Z, when clocks in Los Angeles change."""


def stories(zone: str, *clocks: int) -> list[dict[str, Any]]:
    done = run("tests.functions.story_in_a_time_zone", *map(str, clocks), TZ=zone)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert tuple(told["zone"]) == ZONES[zone], "the process did not take the zone"
    result: list[dict[str, Any]] = told["stories"]
    return result


def seconds(text: str) -> int:
    """Return the epoch seconds of a time in UTC as RFC 3339 writes it."""
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


@pytest.mark.parametrize(
    "zone", [LOS_ANGELES, *(pytest.param(zone, marks=pytest.mark.slow) for zone in ZONES if zone != LOS_ANGELES)]
)
def test_a_token_lasts_as_long_as_it_was_asked_to_in_every_zone(zone: str) -> None:
    """A-49: read off the real clock; `expires_at` is the token's own end."""
    (story,) = stories(zone)
    assert story["before"] + 3600 <= story["exp"] <= story["after"] + 3600
    assert seconds(story["expires_at"]) == story["exp"] == story["row_exp"]
    assert seconds(story["issued_at"]) == story["iat"]
    assert story["status"] == 200
    assert 0 <= seconds(story["answered_at"]) - story["iat"] < 60


def test_a_token_that_lives_through_a_change_of_the_clocks_lasts_just_as_long() -> None:
    """A-49: an hour is an hour, though the wall clock shows two or none."""
    clocks = [change + offset for change in (SPRING_FORWARD, FALL_BACK) for offset in (-1800, -1, 0, 1800)]
    for clock, story in zip(clocks, stories(LOS_ANGELES, *clocks), strict=True):
        assert (story["iat"], story["exp"], story["status"]) == (clock, clock + 3600, 200)
        assert seconds(story["expires_at"]) == clock + 3600
        assert seconds(story["answered_at"]) == seconds(story["issued_at"]) == clock
