"""The programs and people outside the stack: each has one of its policies, and no other permission."""

import json
from collections.abc import Mapping
from typing import Any, Final

import boto3
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from local.demo.api_client import Answer
from local.emulated.template import REGION
from tests.built.deployed.deployment import Deployment

DENIED: Final = "AccessDenied"
"""The beginning of each code with which a service of AWS refuses a caller for its policies."""


class Principal:
    """A user of the account with one managed policy of the stack."""

    def __init__(self, deployment: Deployment, policy: str) -> None:
        self._deployment = deployment
        iam = deployment.cloud.client("iam")
        iam.create_user(UserName=policy)
        iam.attach_user_policy(UserName=policy, PolicyArn=deployment.outputs[f"{policy}Arn"])
        key = iam.create_access_key(UserName=policy)["AccessKey"]
        self._credentials = Credentials(key["AccessKeyId"], key["SecretAccessKey"])
        self._lambda = self.client("lambda")

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Make a request of the HTTP API."""
        return self._deployment.call(method, path, body, signed_by=self._credentials)

    def invoke(self, function: str, event: Mapping[str, Any]) -> dict[str, Any]:
        """Invoke a function, by an ARN; the problem of a refusal, also of IAM's, is returned with its `code`."""
        try:
            reply = self._lambda.invoke(FunctionName=function, Payload=json.dumps(event))
        except ClientError as error:
            return {"code": code_of(error)}
        result: dict[str, Any] = json.loads(reply["Payload"].read())
        if "FunctionError" not in reply:
            return result
        raised = str(result["errorMessage"])
        problem: dict[str, Any] = json.loads(raised) if raised.startswith("{") else {"code": "failed"}
        return problem

    def client(self, service: str) -> Any:
        """Return a client of a service of AWS."""
        return self._deployment.cloud.client(service, signed_by=self._credentials)

    def session(self) -> boto3.session.Session:
        """Return a session, for the operator's command."""
        return boto3.session.Session(
            aws_access_key_id=self._credentials.access_key,
            aws_secret_access_key=self._credentials.secret_key,
            region_name=REGION,
        )


def code_of(error: ClientError) -> str:
    """Return the code of a refusal; each service spells that of IAM in its own way."""
    code = str(error.response["Error"]["Code"])
    return DENIED if code.startswith(DENIED) else code
