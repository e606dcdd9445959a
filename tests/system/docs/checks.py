"""Whether a recorded call is one that the program takes: by the program's own parser, or its service's description."""

import importlib
import io
from importlib.util import find_spec
from itertools import pairwise
from typing import Final

import botocore.session
from botocore import xform_name
from botocore.exceptions import UnknownServiceError

from askback.cutover.arguments import parser as cutover_parser
from local.emulated.cloud import ROOT
from local.example import NAMES
from tests.system.docs.clone import Call, targets

_OF_THE_CLI: Final = frozenset({"query", "output", "cli-binary-format", "region", "profile"})

_SERVICES: Final = {"s3api": "s3"}
"""Commands of the CLI that have another name than their service."""


def check(call: Call) -> None:
    """Require that the call could be made; raises AssertionError or SystemExit for one that could not."""
    if call.program == "aws":
        _check_aws(*call.arguments)
    elif call.program == "make":
        _check_make(*call.arguments)
    elif call.program == "python":
        _check_module(*call.arguments)
    elif call.program == "sam":
        assert call.arguments[0] in ("deploy", "build", "delete", "package", "publish"), call
    elif call.program == "pytest":
        paths = [argument for argument in call.arguments if not argument.startswith("-")]
        assert all((ROOT / path).exists() for path in paths), call


def _check_aws(service: str, operation: str, *arguments: str) -> None:
    session = botocore.session.get_session()
    try:
        model = session.get_service_model(_SERVICES.get(service, service))
    except UnknownServiceError:
        raise AssertionError(f"there is no AWS service {service}") from None
    names = {xform_name(name, "-"): name for name in model.operation_names}
    assert operation in names, f"{service} has no operation {operation}"
    shape = model.operation_model(names[operation]).input_shape
    members = {xform_name(name, "-"): name for name in shape.members} if shape else {}
    given = {argument.removeprefix("--") for argument in arguments if argument.startswith("--")}
    assert given - _OF_THE_CLI <= set(members), f"{operation} does not take {given - _OF_THE_CLI - set(members)}"
    required = {xform_name(name, "-") for name in (shape.required_members if shape else ())}
    assert required <= given, f"{operation} needs {required - given}"
    empty = [option for option, value in pairwise(arguments) if option.startswith("--") and not value]
    assert not empty, f"{operation} is given nothing for {empty}"


def _check_make(*arguments: str) -> None:
    for argument in arguments:
        assert "=" in argument or argument in targets(), f"the Makefile has no target {argument}"


def _check_module(*arguments: str) -> None:
    flag, module, *rest = arguments
    assert flag == "-m", arguments
    assert find_spec(module) is not None, f"there is no module {module}"
    if module == "askback.cutover":
        cutover_parser().parse_args(rest)
    elif module == "askback.operate":
        main = importlib.import_module("askback.operate.__main__").main
        # 2 is for what is no command; what this stack refuses is a command.
        assert main(rest, out=io.StringIO(), err=io.StringIO()) in (0, 1)
    elif module == "local.example":
        assert rest[0] in NAMES
