"""What opening an answer link takes, counted by Chromium: people do it on phones, on whatever network there is."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from tests.built.benchmarks import budgets
from tests.built.benchmarks.artifact import ROOT, NotReadyError
from tests.built.benchmarks.report import Row, render


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """Requests of a first view, and bytes of the page's files: as they travel, and unpacked.

    `work` has, for each interaction, the milliseconds of the main thread at four times CPU slowdown.
    """

    requests: int
    sent: int
    whole: int
    work: dict[str, dict[str, float]]


def measure() -> PageView:
    """Open a link in a fresh browser; raises NotReadyError where there is none."""
    python = ROOT / ".venv-browser" / "bin" / "python"
    chromium = shutil.which("chromium")
    if not python.is_file() or chromium is None:
        raise NotReadyError("the answer page is measured in Chromium: install it, and run make bench")
    command = [str(python), "-m", "tests.built.benchmarks.children.page_view", chromium]
    # The paths are those that pytest gives the tests.
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{ROOT / 'layers' / 'core'}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return PageView(**json.loads(done.stdout))


def page_rows(view: PageView) -> Iterator[Row]:
    """The page's weight and its requests."""
    group = "answer page, a first view in Chromium"
    yield Row(group=group, what="requests", value=view.requests, unit="", budget=budgets.PAGE_REQUESTS)
    yield Row(group=group, what="files over the wire", value=view.sent, unit="B", budget=budgets.PAGE_BYTES)
    yield Row(group=group, what="files unpacked", value=view.whole, unit="B")
    group = "answer page, a first view on a quarter of the processor"
    for name, took in view.work.items():
        budget = budgets.PAGE_MAIN_THREAD
        yield Row(group=group, what=f"{name}: main thread", value=took["main_thread"], unit="ms", budget=budget)
        yield Row(group=group, what="  of it script", value=took["script"], unit="ms")
        yield Row(group=group, what="  of it layout and styles", value=took["layout"], unit="ms")


if __name__ == "__main__":
    print(render(list(page_rows(measure()))))
