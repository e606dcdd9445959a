"""Finds a time zone by its name in the IANA database.

The database comes from the package `tzdata` of the notify function: the runtime of Lambda need not have one.
"""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo


class TimeZoneUnknown(ValueError):
    """The database has no zone of this name."""


def time_zone(name: str) -> tzinfo:
    """Return the zone of a name such as `Europe/Berlin`; raises TimeZoneUnknown."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    # KeyError for a name that is not there, OSError for a folder such as `Europe`, ValueError for a path.
    except (KeyError, OSError, ValueError):
        raise TimeZoneUnknown("must be a time zone of the IANA database, such as Europe/Berlin") from None
