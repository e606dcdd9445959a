"""The mappings load nothing that the client does not bring, and no function loads them."""

import subprocess
import sys

from tests.unit.architecture.sources import PACKAGE

_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["pydantic"] = sys.modules["boto3"] = None
import askback.a2a.asking, askback.a2a.serving, askback.agui.front_end, askback.agui.interrupts
"""


def test_the_mappings_need_neither_pydantic_nor_the_aws_sdk() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(PACKAGE.parent)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
