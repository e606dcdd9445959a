"""One running deployment for the samples of the pages, and what their placeholders stand for in it."""

import io
import json
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from typing import Any, Final, Self

import boto3

from local.demo.api_client import Answer, Client
from local.demo.story import Transcript
from local.emulated.stack import Stack
from local.emulated.template import ACCOUNT, REGION, STACK
from tests.support.answer_links import workflow_token
from tests.system.docs.fences import Sample

ADDRESS: Final = "https://<api>.execute-api.eu-central-1.amazonaws.com"
PATIENCE_SECONDS: Final = 60
_PLACEHOLDER = re.compile(r"<[a-zA-Z][^<>\n]*>")


def arn(function: str) -> str:
    """Return the ARN of a function of the stack."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{STACK}-{function}"


PLACEHOLDERS: Final = {
    "<MintFunctionArn>": arn("mint"),
    "<ResumeFunctionArn>": arn("resumefunction"),
    "<OutcomesArn>": arn("resumefunction:outcomes"),
    "${MintFunctionArn}": arn("mint"),
}


class Deployed:
    """The stack with its example, and a CloudFormation stack of its outputs for the operator's command."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(redirect_stderr(io.StringIO()))
            self.stack = stack.enter_context(Stack(parameters={"DeployExample": "true"}))
            self.api = Client(self.stack.url)
            self._outputs()
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def filled(self, text: str) -> str:
        """Return a sample's text with what its placeholders stand for here."""
        text = text.replace(ADDRESS, self.stack.url)
        for placeholder, value in PLACEHOLDERS.items():
            text = text.replace(placeholder, value)
        return text

    def filled_for_a_shell(self, text: str) -> str:
        """Return a shell sample's text; a placeholder without a meaning here becomes a word."""
        return _PLACEHOLDER.sub("some-value", self.filled(text))

    def run(self, sample: Sample, names: dict[str, Any]) -> None:
        """Run a Python sample in the namespace of its page."""
        if "answered" in sample.attributes:
            jti = names[sample.attributes["answered"]].jti
            self.answer(self.api.post(f"/pauses/{jti}/links", {}).document["answer_token"])
        with redirect_stdout(io.StringIO()):
            exec(compile(self.filled(sample.text), sample.place, "exec"), names)  # noqa: S102 - that is the test

    def an_open_pause(self) -> str:
        """Mint a pause for the recipients that the pages name, let one of them ask back, and return its id."""
        asked = {
            **Transcript.refund().mint_request(),
            "idempotency_key": f"open/{secrets.token_hex(4)}",
            "recipients": ["ada@example.com", "eve@example.com"],
            "max_ttl_seconds": 30 * 24 * 3600,
            "about": {"takes_questions": True},
        }
        jti = str(self.api.post("/pauses", asked).document["jti"])
        token = self.api.post(f"/pauses/{jti}/links", {}).document["answer_token"]
        assert self.api.post("/clarifications", {"answer_token": token, "question": "Why?"}).status == 201
        return jti

    def execute(self, definition: Mapping[str, Any]) -> str:
        """Execute a state machine that asks, answer it, and return how it ended."""
        client = boto3.client("stepfunctions")
        text = self.filled(json.dumps(definition))
        machine = client.create_state_machine(
            name=f"sample-{abs(hash(text))}", definition=text, roleArn=f"arn:aws:iam::{ACCOUNT}:role/sample"
        )
        given = {"scope": {"tenant_id": "acme"}, "question": "Refund 49.90 EUR?", "ttl_seconds": 60, "items": [1]}
        execution = client.start_execution(stateMachineArn=machine["stateMachineArn"], input=json.dumps(given))
        token = workflow_token(self.stack.url, {"tenant_id": "acme"}, client, execution["executionArn"])
        answered = self.answer(token)
        assert answered.document["delivery"] == "delivered", answered.document
        end = time.monotonic() + PATIENCE_SECONDS
        while (status := client.describe_execution(executionArn=execution["executionArn"])["status"]) == "RUNNING":
            assert time.monotonic() < end, "the execution does not end"
            time.sleep(0.02)
        return status

    def answer(self, token: str) -> Answer:
        """Answer a question as a person does: approve an action, or take the first option of each."""
        question = self.api.post("/questions", {"answer_token": token}).document
        if "quorum" in question:
            return self._vote(question["jti"])
        if question["name"] == "approval":
            return self.api.post("/answers", {"answer_token": token, "response": {"decision": "approve"}})
        response = {
            "answers": [
                {"question_id": each["id"], "selections": [each["options"][0]["label"]]}
                for each in question["payload"]["questions"]
            ]
        }
        return self.api.post("/answers", {"answer_token": token, "response": response})

    def _vote(self, jti: str) -> Answer:
        """Approve an action as one member after the other, until the pause is answered; return the last receipt."""
        for link in self.api.post(f"/pauses/{jti}/links", {}).document["recipients"]:
            body = {"answer_token": link["answer_token"], "response": {"decision": "approve"}}
            receipt = self.api.post("/answers", body)
            if receipt.status != 202:
                break
        return receipt

    def _outputs(self) -> None:
        secret = boto3.client("secretsmanager").list_secrets()["SecretList"][0]["ARN"]
        template = {
            "Resources": {"Nothing": {"Type": "AWS::SQS::Queue"}},
            "Outputs": {
                "InboxFunctionArn": {"Value": arn("inboxfunction")},
                "LinksFunctionArn": {"Value": arn("links")},
                "KeyRingArn": {"Value": secret},
            },
        }
        boto3.client("cloudformation").create_stack(StackName="askback", TemplateBody=json.dumps(template))
