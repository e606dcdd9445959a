"""`export-requests`: it runs where the legacy engine's packages are installed, and needs no AWS package."""

import asyncio
import importlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any, TextIO

from askback.cutover.saver_export import MARGIN_SECONDS, exported


class SaverRefused(Exception):
    """`--saver` names something that does not exist or that returns no saver."""


def find_saver(name: str) -> Callable[[], Any]:
    """Return the callable named `package.module:name`; raises SaverRefused."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise SaverRefused(f"{name} cannot be imported: {error}") from None
    if not callable(found):
        raise SaverRefused(f"{name} is not callable")
    return found  # type: ignore[no-any-return]


def export_requests(
    make: Callable[[], Any], out: TextIO, *, threads: Path | None, longest_ttl: int, at: int
) -> Counter[str]:
    """Write a line of JSON for every request that a valid token can refer to; return the counts.

    `requests` counts the lines; `others` counts requests that were left out, because another request has their key.
    """
    thread_ids = None if threads is None else [line for line in threads.read_text("utf-8").splitlines() if line]
    return asyncio.run(_export(make, out, thread_ids=thread_ids, not_before=at - longest_ttl - MARGIN_SECONDS))


async def _export(
    make: Callable[[], Any], out: TextIO, *, thread_ids: Sequence[str] | None, not_before: int
) -> Counter[str]:
    counts: Counter[str] = Counter(requests=0)
    made = make()
    held: AbstractAsyncContextManager[Any] = nullcontext(made) if hasattr(made, "alist") else made
    if not hasattr(held, "__aenter__"):
        raise SaverRefused("the callable returned neither a saver nor an asynchronous context manager of one")
    async with held as saver:
        async for found in exported(saver, thread_ids=thread_ids, not_before=not_before):
            for request in found.requests:
                out.write(json.dumps(request.to_record()) + "\n")
                counts["requests"] += 1
            counts["others"] += found.others
    return counts
