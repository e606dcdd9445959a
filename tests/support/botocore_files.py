"""Botocore's descriptions of services, read from the disk once for each process of tests.

Each session of botocore reads them anew, for 0.1 seconds of a processor, and tests make sessions by the thousand.
Botocore shares what it has read between the clients of one session, so nothing changes it.
"""

import functools
from typing import Any

from botocore.loaders import JSONFileLoader, Loader


def read_once() -> None:
    """Let every session of this process share what one has read."""
    load: Any = JSONFileLoader.load_file
    available: Any = Loader.list_available_services

    @functools.cache
    def load_once(path: str) -> Any:
        return load(JSONFileLoader(), path)

    @functools.cache
    def available_once(paths: tuple[str, ...], type_name: str) -> Any:
        return available(Loader(list(paths), include_default_search_paths=False), type_name)

    patched = {
        JSONFileLoader: {"load_file": lambda _, path: load_once(path)},
        Loader: {
            "list_available_services": lambda loader, type_name: available_once(tuple(loader.search_paths), type_name)
        },
    }
    for kind, methods in patched.items():
        for name, method in methods.items():
            setattr(kind, name, method)
