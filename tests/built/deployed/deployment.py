"""The built template, deployed: its API, its functions, its roles and the state behind them."""

import http.client
import io
import json
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.demo.api_client import Answer
from local.emulated.cloud import replaced_environment
from local.emulated.template import ACCOUNT, REGION
from tests.built.deployed.expansion import Template, expanded, for_ministack
from tests.built.deployed.ministack import ROOT_USER, SECRET, MiniStack
from tests.built.deployed.policies import Roles
from tests.built.deployed.step_functions import step_functions
from tests.support.token_issuer import AUDIENCE, Issuer, an_issuer

STACK: Final = "askback"
BUS: Final = "default"
WAITER: Final = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:waiter"
OF_TASK_TOKENS: Final = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:of-the-task-token"
"""The state machine of every task token here: MiniStack's check of a caller knows no other."""
FILES: Final = {"ArtifactBucket": "artifacts", "ArtifactPrefix": "askback/"}
"""Where the files of the release are."""
_PATIENCE_SECONDS: Final = 60.0


class Deployment:
    """One stack, complete: `resources` are physical names by logical id, `outputs` its outputs."""

    def __init__(self, cloud: MiniStack, sfn: Any, issuer: Issuer, stack: Mapping[str, Any]) -> None:
        self.cloud = cloud
        self.issuer = issuer
        """Who issues the tokens of people for the tools."""
        self.sfn = sfn
        self.outputs: dict[str, str] = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
        found = cloud.client("cloudformation").describe_stack_resources(StackName=STACK)["StackResources"]
        self.resources = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}
        kinds = {each["LogicalResourceId"]: each["ResourceType"] for each in found}
        self.of_kind = {kind: [name for name in sorted(kinds) if kinds[name] == kind] for kind in kinds.values()}
        self.roles = Roles(
            cloud.client("iam"),
            {name: self.resources[name] for name in self.of_kind["AWS::IAM::Role"]},
            {name: self.resources[name] for name in self.of_kind["AWS::IAM::ManagedPolicy"]},
        )
        self.functions = cloud.client("lambda")
        self._schedules = cloud.client("scheduler")
        self._schedule = self._schedules.get_schedule(Name=f"{STACK}-sweep")
        # It would sweep at any moment; here that is up to the tests.
        self._schedules.delete_schedule(Name=self._schedule["Name"])
        self._api = f"{self.resources['HttpApi']}.execute-api.localhost:{cloud.port}"

    def post(self, path: str, body: Mapping[str, Any], *, signed_by: Credentials | None = ROOT_USER) -> Answer:
        """Send an object to the HTTP API and read the object that comes back."""
        return self.call("POST", path, body, signed_by=signed_by)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        signed_by: Credentials | None = ROOT_USER,
    ) -> Answer:
        """Make a request of the HTTP API and read the object that comes back."""
        data = None if body is None else json.dumps(body)
        request = AWSRequest(method, f"http://{self._api}{path}", data=data)
        request.headers["content-type"] = "application/json"
        if signed_by is not None:
            SigV4Auth(signed_by, "execute-api", REGION).add_auth(request)
        connection = http.client.HTTPConnection("127.0.0.1", self.cloud.port, timeout=60)
        try:
            connection.request(method, path, data, {**dict(request.headers.items()), "host": self._api})
            response = connection.getresponse()
            return Answer(status=response.status, document=json.loads(response.read()))
        finally:
            connection.close()

    def invoke(self, function: str, event: Mapping[str, Any], **how: Any) -> Any:
        """Invoke a function directly and return what it returns or failed with."""
        reply = self.functions.invoke(FunctionName=self.resources[function], Payload=json.dumps(event), **how)
        return json.loads(reply["Payload"].read() or b"null")

    def let_a_minute_pass(self) -> None:
        """Let the schedule do once, and soon, what it does every minute."""
        self._schedules.create_schedule(
            Name=self._schedule["Name"],
            ScheduleExpression="at(2020-01-01T00:00:00)",
            FlexibleTimeWindow=self._schedule["FlexibleTimeWindow"],
            Target=self._schedule["Target"],
            ActionAfterCompletion="DELETE",
        )

    def hand_over_at_once(self, queue: str) -> None:
        """Let a queue keep no message back."""
        self.cloud.client("sqs").set_queue_attributes(QueueUrl=self.resources[queue], Attributes={"DelaySeconds": "0"})

    def start_afresh(self, function: str) -> None:
        """Let the next invocation find no environment that has run before, and nothing that one kept."""
        name = self.resources[function]
        memory = self.functions.get_function_configuration(FunctionName=name)["MemorySize"]
        self.functions.update_function_configuration(FunctionName=name, MemorySize=memory)

    @contextmanager
    def replies_without_links(self) -> Iterator[None]:
        """Let the mint reply as by default, without what answers, until leaving."""
        name, before = self.resources["MintFunction"], self.environment("MintFunction")
        by_default = before | {"ASKBACK_RETURN_LINKS": "false"}
        self.functions.update_function_configuration(FunctionName=name, Environment={"Variables": by_default})
        try:
            yield
        finally:
            self.functions.update_function_configuration(FunctionName=name, Environment={"Variables": before})

    def environment(self, function: str) -> dict[str, str]:
        """Return a function's environment as it is deployed."""
        found = self.functions.get_function_configuration(FunctionName=self.resources[function])
        variables: dict[str, str] = found["Environment"]["Variables"]
        return variables


@contextmanager
def deployed() -> Iterator[Deployment]:
    """Deploy the built template with its example, until leaving."""
    with ExitStack() as stack:
        cloud = stack.enter_context(MiniStack())
        endpoint, sfn = stack.enter_context(step_functions(cloud))
        issuer = stack.enter_context(an_issuer())
        parameters = {
            **FILES,
            "DeployExample": "true",
            "EndpointUrl": cloud.url,
            "EventBusName": BUS,
            "InlineLimitBytes": "1024",
            "MintFloor": '{"approval": {"open_pauses_max": 10000}}',
            # The stories take the tokens that the mint returns.
            "ReturnLinks": "true",
            "NotifyTopicArn": cloud.client("sns").create_topic(Name="questions")["TopicArn"],
            "WaiterFunctionArns": WAITER,
            "EndedStateMachineArns": OF_TASK_TOKENS,
        }
        _add_waiter(cloud)
        template = _template(cloud, endpoint, parameters)
        # No parameters: they would make the routes of people, whose authorizer reads the keys of an https address.
        variables = template["Resources"]["UserMcpFunction"]["Properties"]["Environment"]["Variables"]
        variables |= {"ASKBACK_MCP_ISSUER": issuer.url, "ASKBACK_MCP_AUDIENCE": AUDIENCE}
        _create(cloud, template, parameters)
        described = cloud.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
        deployment = Deployment(cloud, sfn, issuer, described)
        _move_state_machine(deployment)
        reach = {
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": REGION,
        }
        stack.enter_context(replaced_environment(deployment.environment("MintFunction") | reach))
        yield deployment


def _template(cloud: MiniStack, endpoint: str, parameters: Mapping[str, str]) -> Template:
    s3 = cloud.client("s3")
    bucket, prefix = FILES.values()
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})

    def upload(name: str, data: bytes) -> None:
        s3.put_object(Bucket=bucket, Key=prefix + name, Body=data)

    template = for_ministack(expanded(upload, parameters), parameters)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            resource["Properties"]["Environment"]["Variables"]["AWS_ENDPOINT_URL_SFN"] = endpoint
    return template


def _create(cloud: MiniStack, template: Template, parameters: Mapping[str, str]) -> None:
    cloud.client("s3").put_object(Bucket="artifacts", Key="template", Body=json.dumps(template))
    cloudformation = cloud.client("cloudformation")
    cloudformation.create_stack(
        StackName=STACK,
        TemplateURL=f"{cloud.url}/artifacts/template",
        Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()],
        Capabilities=["CAPABILITY_IAM"],
    )
    end = time.monotonic() + _PATIENCE_SECONDS
    while (state := cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]) != "CREATE_COMPLETE":
        if state != "CREATE_IN_PROGRESS" or time.monotonic() > end:
            events = cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]
            reasons = [each["ResourceStatusReason"] for each in events if each.get("ResourceStatusReason")]
            raise RuntimeError(f"the stack is {state}: {reasons}")
        time.sleep(0.05)


def _move_state_machine(deployment: Deployment) -> None:
    """Create the deployed state machine where it is executed."""
    arn = deployment.outputs["ApprovalFlowArn"]
    found = deployment.cloud.client("stepfunctions").describe_state_machine(stateMachineArn=arn)
    created = deployment.sfn.create_state_machine(
        name=found["name"], definition=found["definition"], roleArn=found["roleArn"]
    )
    assert created["stateMachineArn"] == arn


def _add_waiter(cloud: MiniStack) -> None:
    """Create a function for pauses to name as their waiter."""
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("app.py", "def handler(event, context):\n    return None\n")
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    role = cloud.client("iam").create_role(
        RoleName="waiter", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    cloud.client("lambda").create_function(
        FunctionName="waiter",
        Runtime="python3.13",
        Role=role["Role"]["Arn"],
        Handler="app.handler",
        Code={"ZipFile": package.getvalue()},
    )
