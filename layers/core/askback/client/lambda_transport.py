"""The transport that invokes the functions of a deployment, for callers in the account; it does not use the gateway."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionError as NotConnected, HTTPClientError

from askback.adapters.aws.clients import Clients
from askback.client.transport import Action, NoReply, Reply

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 35
"""Longer than the functions may run, so that their reply comes before our timeout."""

MINT_VARIABLE = "ASKBACK_MINT_FUNCTION"
RESUME_VARIABLE = "ASKBACK_RESUME_FUNCTION"
LINKS_VARIABLE = "ASKBACK_LINKS_FUNCTION"

_NAMED = "Askback."
_FAILED = 502
"""The status of a function that ended without a reply: it ran out of time or memory, or could not start."""


class LambdaTransport:
    """Invokes the functions `mint`, `resume` and `links`, each by its name or ARN; only `links` needs the last.

    As `resume`, a program that asks and only reads outcomes gives the alias `outcomes` of the function, the stack's
    output `OutcomesArn`: an agent's policy allows no other entry. What answers is then refused with `InvalidRequest`.

    The defaults are in the variables ASKBACK_MINT_FUNCTION, ASKBACK_RESUME_FUNCTION and ASKBACK_LINKS_FUNCTION. Raises
    ValueError if a function is named neither by its parameter nor by its variable.

    If you give your own `LambdaClient`, it must not repeat calls (`total_max_attempts` of 1): it does not know which
    calls may be repeated.
    """

    def __init__(
        self,
        *,
        mint: str | None = None,
        resume: str | None = None,
        links: str | None = None,
        client: "LambdaClient | None" = None,
    ) -> None:
        self._mint = mint or _named_by(MINT_VARIABLE, "mint")
        self._resume = resume or _named_by(RESUME_VARIABLE, "resume")
        self._links = links
        self._client: LambdaClient = client or Clients().make(
            "lambda",
            Config(
                connect_timeout=CONNECT_TIMEOUT_SECONDS,
                read_timeout=READ_TIMEOUT_SECONDS,
                retries={"mode": "standard", "total_max_attempts": 1},
            ),
        )

    def send(self, action: Action, body: Mapping[str, Any]) -> Reply:
        """Invoke the action's function and return its reply.

        Raises:
            NoReply: there was no reply in time.
            NoCredentialsError: the AWS SDK finds no credentials.
            ValueError: the call needs the links function, and nothing names it.
        """
        event = body if action is Action.PAUSE else {"action": action.value, **body}
        try:
            response = self._client.invoke(
                FunctionName=self._function_of(action),
                Payload=json.dumps(event, allow_nan=False).encode(),
            )
            content = response["Payload"].read()
        except ClientError as error:
            return Reply(status=error.response["ResponseMetadata"]["HTTPStatusCode"], document={})
        except (HTTPClientError, NotConnected) as error:
            # Only the class: the text of some errors contains the request.
            raise NoReply(type(error).__name__) from None
        result = json.loads(content)
        if response.get("FunctionError"):
            return _failure(result)
        return Reply(status=200, document=result)

    def _function_of(self, action: Action) -> str:
        if action is not Action.LINKS:
            return self._mint if action in (Action.PAUSE, Action.REVOKE, Action.CLARIFY) else self._resume
        return self._links or _named_by(LINKS_VARIABLE, "links")


def _named_by(variable: str, parameter: str) -> str:
    found = os.environ.get(variable)
    if not found:
        raise ValueError(f"give the function's name or ARN as `{parameter}` or in the variable {variable}")
    return found


def _failure(report: Mapping[str, Any]) -> Reply:
    if not str(report.get("errorType")).startswith(_NAMED):
        return Reply(status=_FAILED, document={})
    document = json.loads(report["errorMessage"])
    return Reply(status=document["status"], document=document)
