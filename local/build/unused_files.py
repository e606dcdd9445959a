"""Removes files of packages that no function reads: `python3.13 -sEBm local.build.unused_files BUILD_FOLDER`.

The layer has a size limit. A module stays even when no function imports it, because another module may name it; such
modules only get no byte-code (`bytecode.LEFT_AS_SOURCE`). A file here is no module.

Standard library only: this runs on the Python version that Lambda uses.
"""

import sys
from pathlib import Path

_SWAGGER = "aws_lambda_powertools/event_handler/openapi/swagger_ui"
FILES = (f"{_SWAGGER}/swagger-ui-bundle.min.js", f"{_SWAGGER}/swagger-ui.min.css")
"""Below the layer's `python`: a web page that Powertools can serve, and no function here does. They are 1.7 MB."""


def unused(build: Path) -> list[Path]:
    """Return the files of the build that can go."""
    layer = build / "CoreLayer" / "python"
    return [file for name in FILES if (file := layer / name).is_file()]


def main() -> int:
    """Run the command line."""
    for file in unused(Path(sys.argv[1]).resolve()):
        file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
