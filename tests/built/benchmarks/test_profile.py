"""The arithmetic of a cold start's profile."""

from tests.built.benchmarks.profile import WIRING, by_package, parse, render

PRINTED = """\
import time: self [us] | cumulative | imported package
import time:       100 |        100 |   asyncio.events
import time:        50 |        150 | asyncio
import time:       700 |        900 |     askback.domain.pause.claims
import time:        20 |         20 |   zoneinfo
import time:      9000 |      12000 | app
{"cpu": 0.1, "wall": 0.1}
"""


def test_every_module_has_the_time_that_is_its_own() -> None:
    assert parse(PRINTED) == {
        "asyncio.events": 100,
        "asyncio": 50,
        "askback.domain.pause.claims": 700,
        "zoneinfo": 20,
        "app": 9000,
    }


def test_modules_are_summed_up_by_package_and_wiring_stands_apart() -> None:
    modules = parse(PRINTED)
    del modules["app"]
    assert by_package(modules, 3000) == {WIRING: 3000, "askback": 700, "asyncio": 150, "standard library": 20}


def test_the_largest_contribution_comes_first() -> None:
    assert list(render("mint", by_package({"askback.a": 1500, "jwt": 200}, -5))) == [
        "mint, beyond the floor:",
        "      1.5 ms  askback",
        "      0.2 ms  jwt",
        f"      0.0 ms  {WIRING}",
    ]
