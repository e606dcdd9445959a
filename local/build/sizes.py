"""How large the parts of the repository are: a report to look at, not a limit."""

import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG_LINES = 250
PARTS = {
    "code": ("layers/**/*.py", "functions/**/*.py", "functions/**/*.js", "local/**/*.py"),
    "tests": ("tests/**/*.py", "tests/**/*.js"),
    "docs": ("*.md", "docs/**/*.md"),
}


def main() -> None:
    """Print the lines of each part, the modules in each folder of code, and the long files."""
    lines = {part: {path: _lines(path) for path in _tracked(globs)} for part, globs in PARTS.items()}
    for part, files in lines.items():
        print(f"{sum(files.values()):7}  lines of {part} in {len(files)} files")
    print("\nModules in each folder")
    modules = [path for path in lines["code"] if path.suffix == ".py" and path.name != "__init__.py"]
    for folder, count in sorted(Counter(path.parent for path in modules).items()):
        print(f"{count:7}  {folder}")
    print(f"\nFiles of more than {LONG_LINES} lines of code or tests")
    for path, count in sorted({**lines["code"], **lines["tests"]}.items()):
        if count > LONG_LINES:
            print(f"{count:7}  {path}")


def _tracked(globs: Iterable[str]) -> list[Path]:
    patterns = [f":(glob){glob}" for glob in globs]
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def _lines(path: Path) -> int:
    return len((ROOT / path).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
