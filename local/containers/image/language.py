"""Copies Python 3.13 and Lambda's runtime client into a root file system, at the paths of the managed runtime."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_BOOTSTRAP: Final = Path(__file__).with_name("bootstrap.py")
_DESCRIBE: Final = """
import json, pathlib, sys, sysconfig
print(json.dumps({
    "executable": str(pathlib.Path(sys.executable).resolve()),
    "library": sysconfig.get_path("stdlib"),
    "extensions": sysconfig.get_config_var("DESTSHARED"),
    "version": sys.version,
}))
"""
_UNUSED: Final = shutil.ignore_patterns(
    *("__pycache__", "site-packages", "dist-packages", "test", "tests", "_test*", "_ctypes_test*", "_xxtestfuzz*"),
    *("_tkinter*", "tkinter", "turtle*", "idlelib", "ensurepip", "pydoc_data", "config-3.13-*", "*.a"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Python:
    """The Python 3.13 of this machine: the paths of its interpreter, library and compiled modules."""

    executable: Path
    library: Path
    extensions: Path
    version: str

    @classmethod
    def on_path(cls) -> Self:
        """Return the facts of the `python3.13` on PATH; raises FileNotFoundError when there is none."""
        reply = subprocess.run(["python3.13", "-I", "-c", _DESCRIBE], capture_output=True, text=True, check=True).stdout
        facts = json.loads(reply)
        return cls(
            executable=Path(facts["executable"]),
            library=Path(facts["library"]),
            extensions=Path(facts["extensions"]),
            version=facts["version"],
        )

    @property
    def programs(self) -> list[Path]:
        """The binaries whose libraries an image needs: the interpreter and every copied module."""
        modules = sorted(self.extensions.glob("*.so"))
        unused = _UNUSED(str(self.extensions), [path.name for path in modules])
        return [self.executable, *(path for path in modules if path.name not in unused)]

    def lay_out(self, root: Path, *, uv: Path, requirements: str) -> None:
        """Copy the interpreter to /var/lang, and the client and the bootstrap to /var/runtime, with byte-code.

        `requirements` lists the client and its dependencies, with hashes.
        """
        library = root / "var/lang/lib/python3.13"
        shutil.copytree(self.library, library, ignore=_UNUSED, symlinks=True)
        binary = root / "var/lang/bin/python3.13"
        binary.parent.mkdir(parents=True)
        shutil.copy2(self.executable, binary)

        runtime = root / "var/runtime"
        subprocess.run(
            [
                *(str(uv), "pip", "install", "--quiet", "--python", str(self.executable)),
                *("--target", str(runtime), "--require-hashes", "--requirements", "-"),
            ],
            input=requirements,
            text=True,
            check=True,
        )
        bootstrap = runtime / "bootstrap"
        shutil.copyfile(_BOOTSTRAP, bootstrap)
        bootstrap.chmod(0o755)

        # Compiled now, because the function's user cannot write byte-code. With the paths of the container, and
        # unchecked, because the files of an image do not change.
        compile_all = [str(self.executable), "-m", "compileall", "-q", "-j", "0"]
        paths = ["-s", str(root), "-p", "/", "--invalidation-mode", "unchecked-hash"]
        subprocess.run([*compile_all, *paths, str(library), str(runtime)], check=True)
