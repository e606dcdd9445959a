"""Python 3.13 and Lambda's runtime client, laid out in a root file system as the managed runtime has them."""

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
    """The Python 3.13 of this machine: where its interpreter, its library and its compiled modules are."""

    executable: Path
    library: Path
    extensions: Path
    version: str

    @classmethod
    def on_path(cls) -> Self:
        """Ask the `python3.13` on PATH; raises FileNotFoundError when there is none."""
        said = subprocess.run(["python3.13", "-I", "-c", _DESCRIBE], capture_output=True, text=True, check=True).stdout
        told = json.loads(said)
        return cls(
            executable=Path(told["executable"]),
            library=Path(told["library"]),
            extensions=Path(told["extensions"]),
            version=told["version"],
        )

    @property
    def programs(self) -> list[Path]:
        """The machine code whose libraries an image needs: the interpreter, and every module that is taken along."""
        modules = sorted(self.extensions.glob("*.so"))
        unused = _UNUSED(str(self.extensions), [path.name for path in modules])
        return [self.executable, *(path for path in modules if path.name not in unused)]

    def lay_out(self, root: Path, *, uv: Path, requirements: str) -> None:
        """Lay out the interpreter below /var/lang, and the client and the bootstrap in /var/runtime, byte-compiled.

        `requirements` names the client and what it needs, with hashes.
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

        # Now, because the function's user can write no byte-code; under the paths that the container will have; and
        # never looked at again, because nothing in an image changes.
        compile_all = [str(self.executable), "-m", "compileall", "-q", "-j", "0"]
        paths = ["-s", str(root), "-p", "/", "--invalidation-mode", "unchecked-hash"]
        subprocess.run([*compile_all, *paths, str(library), str(runtime)], check=True)
