"""The other files of the image: a shell, four tools, and the libraries that all programs load.

`sam local` adds the runtime interface emulator and the layer to an image with these tools; no other program runs there.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

TOOLS: Final = ("sh", "mv", "chmod", "cp", "rm")
# Loaded at run time or by the layer's compiled modules, so `ldd` does not list them for any tool.
_BY_NAME: Final = (
    *("libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libm.so.6"),
)
_LIBRARY: Final = re.compile(r"(?:=> )?(/\S+) \(0x")
_CACHED: Final = re.compile(r"^\s*(?P<name>\S+) \(libc6,(?P<machine>[^,)]+)[^)]*\) => (?P<path>\S+)$", re.MULTILINE)
_MACHINES: Final = {"x86_64": "x86-64", "aarch64": "AArch64"}
_FOLDERS: Final = ("etc", "opt", "proc", "sys", "dev", "run", "tmp", "usr/bin", "usr/lib", "var/rapid", "var/task")
_USERS: Final = "root:x:0:0:root:/root:/bin/sh\nsandbox:x:993:990::/tmp:/bin/false\n"
_GROUPS: Final = "root:x:0:\nsandbox:x:990:\n"


def lay_out(root: Path, programs: Iterable[Path]) -> None:
    """Create the folders, and copy the tools and the libraries that they and `programs` load."""
    for folder in _FOLDERS:
        (root / folder).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    # As on every current distribution. All libraries are in one folder, which every loader searches.
    for link, target in {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib", "usr/lib64": "lib"}.items():
        (root / link).symlink_to(target)
    (root / "etc/passwd").write_text(_USERS, encoding="utf-8")
    (root / "etc/group").write_text(_GROUPS, encoding="utf-8")

    tools = {name: Path(shutil.which(name) or f"/bin/{name}").resolve() for name in TOOLS}
    for name, tool in tools.items():
        shutil.copy2(tool, root / "usr/bin" / name)
    for library in {*_loaded_by([*tools.values(), *programs]), *_named()}:
        shutil.copy2(library.resolve(), root / "usr/lib" / library.name)


def _loaded_by(programs: Iterable[Path]) -> set[Path]:
    """Return every library that the dynamic loader would load for the programs, and the loader itself."""
    listed = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    return {Path(path) for path in _LIBRARY.findall(listed)}


def _named() -> set[Path]:
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    cache = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=True).stdout
    machine = _MACHINES[platform.machine()]
    # The loader uses the first entry of a name.
    found = {
        entry["name"]: entry["path"] for entry in reversed([*_CACHED.finditer(cache)]) if entry["machine"] == machine
    }
    return {Path(found[name]) for name in _BY_NAME if name in found}
