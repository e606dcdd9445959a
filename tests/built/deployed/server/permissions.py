"""The permission checks that MiniStack leaves out.

MiniStack checks a caller's role on the requests it can name. It cannot name the calls of durable functions, and what
the platform does under a role or a function's policy (logs, failure destinations, schedules, API routes) it does
without asking. It knows neither that S3 says "forbidden" of a missing object to who may not list the bucket, nor what a
task token belongs to. Each of these would let a missing permission pass. The verdict is always MiniStack's own
evaluation of the policies as they are at that moment.
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import unquote

from ministack import app
from ministack.core import iam_actions
from ministack.core.arn import execute_api_arn
from ministack.core.iam_evaluator import (
    EvalContext,
    _gather_role_policies,
    enforce,
    evaluate,
    evaluate_resource_policy,
)
from ministack.core.responses import get_account_id, get_region
from ministack.core.router import extract_access_key_id, extract_region
from ministack.services import apigateway, eventbridge, lambda_durable, lambda_svc, s3

Response = tuple[int, dict[str, str], Any]
OF_LOG_STREAMS = (".CreateLogStream", ".PutLogEvents", ".FilterLogEvents")
STREAM_READS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
TASK_CALLS = ("SendTaskSuccess", "SendTaskFailure", "SendTaskHeartbeat")


def install() -> None:
    """Put the checks in place; once in a process."""
    name_durable_calls()
    ask_before_logging()
    ask_before_keeping_failures()
    ask_before_firing_schedules()
    ask_before_the_api_invokes()
    tell_the_alias_that_was_invoked()
    hide_what_is_missing()
    ask_before_reading_streams()


def name_durable_calls() -> None:
    """Let the calls of durable functions be actions on the execution they belong to, as botocore's model has them."""
    iam_actions._BOTOCORE_SERVICE_MAP["lambda"] = ["lambda"]
    known = iam_actions.extract_resource_arn

    def resource(service: str, method: str, path: str, headers: dict[str, str], *request: Any) -> str:
        found: str = known(service, method, path, headers, *request)
        if service == "logs" and headers.get("x-amz-target", "").endswith(OF_LOG_STREAMS):
            # AWS checks the log stream, and MiniStack the log group alone.
            return f"{found}:log-stream:any"
        if found != "*":
            return found
        if service == "lambda":
            return _durable_execution(path) or found
        if service == "states" and headers.get("x-amz-target", "").endswith(TASK_CALLS):
            # A token belongs to an execution of some state machine. Which one is known where it runs, not here, and
            # SAM's own policy for callbacks names the state machine.
            return f"arn:aws:states:{get_region()}:{get_account_id()}:stateMachine:of-the-task-token"
        return found

    iam_actions.extract_resource_arn = resource


def _durable_execution(path: str) -> str | None:
    _, _, kind, name, *_ = [*path.split("/"), "", "", ""]
    if kind == "durable-executions":
        return unquote(name)
    if kind == "durable-execution-callbacks":
        execution, _ = lambda_durable._callback_index.get(unquote(name)) or (None, None)
        return execution
    return None


def ask_before_logging() -> None:
    """Write a function's log only where its role may."""
    write = lambda_svc._emit_lambda_logs

    def emit(function: dict[str, Any], *record: Any, **details: Any) -> None:
        config = function.get("config") or function
        group = config["LoggingConfig"]["LogGroup"]
        streams = f"arn:aws:logs:{get_region()}:{get_account_id()}:log-group:{group}:log-stream:any"
        if all(_role_allows(config, f"logs:{action}", streams) for action in ("CreateLogStream", "PutLogEvents")):
            write(function, *record, **details)

    lambda_svc._emit_lambda_logs = emit


def ask_before_keeping_failures() -> None:
    """Send what failed to its queue only under a role that may: a function's own, or a schedule's."""
    send = lambda_svc._route_async_failure

    def route(target: str, whose: str | dict[str, Any], *failure: Any) -> None:
        config = whose if isinstance(whose, dict) else lambda_svc._functions[whose]["config"]
        name = config["FunctionName"]
        if _role_allows(config, "sqs:SendMessage", target):
            send(target, name, *failure)
        else:
            app.logger.warning("%s may not keep its failures in %s", name, target)

    lambda_svc._route_async_failure = route


def ask_before_firing_schedules() -> None:
    """Let a schedule invoke its target, or keep that it could not, only where the schedule's role may."""
    invoke, keep = eventbridge._invoke_target, lambda_svc._route_async_failure

    def invoke_target(target: dict[str, Any], event: Any, cause: dict[str, Any], *more: Any) -> None:
        role = {"Role": target.get("RoleArn", ""), "FunctionName": cause.get("Name", "")}
        if ":scheduler:" not in cause.get("Arn", "") or _role_allows(role, "lambda:InvokeFunction", target["Arn"]):
            invoke(target, event, cause, *more)
        elif "DeadLetterConfig" in target:
            keep(target["DeadLetterConfig"]["Arn"], role, event, {})

    eventbridge._invoke_target = invoke_target


def ask_before_the_api_invokes() -> None:
    """Let an API invoke a function only where the function's own policy lets it; what it answers else is AWS's."""
    invoke = apigateway._invoke_lambda_proxy

    async def proxy(
        integration: dict[str, Any], api: str, stage: str, path: str, method: str, *request: Any, **more: Any
    ) -> Response:
        reference = apigateway._extract_lambda_ref_from_integration_uri(integration["integrationUri"])
        function, config, _ = lambda_svc._get_func_record_for_ref_in_scope(
            reference, account_id=get_account_id(), region=get_region()
        )
        source = execute_api_arn(get_region(), get_account_id(), api, stage, method, path)
        context = _context("", "lambda:InvokeFunction", config["FunctionArn"], {"aws:sourcearn": source})
        verdict = evaluate_resource_policy(function["policy"], context, service="apigateway.amazonaws.com")
        if verdict.decision != "Allow":
            return 500, {"Content-Type": "application/json"}, b'{"message":"Internal Server Error"}'
        response: Response = await invoke(integration, api, stage, path, method, *request, **more)
        return response

    apigateway._invoke_lambda_proxy = proxy


def tell_the_alias_that_was_invoked() -> None:
    """Give an alias its own ARN, for Lambda's context and the function's policy; MiniStack gives the function's."""
    find = lambda_svc._get_func_record_for_ref

    def found(reference: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None, str]:
        record, config, name = find(reference)
        _, _, alias = str(reference).partition(f":function:{name}:")
        latest = {"FunctionVersion": "$LATEST"}.items()
        if record and config and alias and latest <= record.get("aliases", {}).get(alias, {}).items():
            base = config["FunctionArn"].partition(f":function:{name}")[0]
            config = config | {"FunctionArn": f"{base}:function:{name}:{alias}"}
        return record, config, name

    lambda_svc._get_func_record_for_ref = found


def hide_what_is_missing() -> None:
    """Answer 403 for a missing object to a caller who may not list its bucket."""
    answer: Callable[..., Awaitable[Response]] = s3.handle_request

    async def hide(method: str, path: str, headers: dict[str, str], body: bytes, query: dict[str, Any]) -> Response:
        response = await answer(method, path, headers, body, query)
        if method not in ("GET", "HEAD") or response[0] != 404 or len(path.split("/", 2)) < 3:
            return response
        bucket = "arn:aws:s3:::" + path.split("/")[1]
        key, region = extract_access_key_id(headers, query), extract_region(headers)
        denied = enforce(key, "s3:ListBucket", "s3", region, resource_arn=bucket)
        if denied is None:
            return response
        hidden: Response = iam_actions.access_denied_response(
            "s3", "s3:ListBucket", denied.principal_arn, "", headers=headers, resource_arn=bucket
        )
        return hidden

    s3.handle_request = hide


def ask_before_reading_streams() -> None:
    """Read a table's stream for a function only where its role may, and again from the records that it names.

    MiniStack reads it without asking, and takes a batch for done whose records are to be sent again.
    """
    mappings, execute = lambda_svc._iter_all_esms, lambda_svc._execute_function

    def readable() -> Iterator[tuple[str, str, dict[str, Any]]]:
        for account, region, mapping in mappings():
            source = mapping.get("EventSourceArn", "")
            if ":dynamodb:" in source:
                config = lambda_svc._functions[mapping["FunctionName"]]["config"]
                if not all(_role_allows(config, f"dynamodb:{action}", source) for action in STREAM_READS):
                    app.logger.warning("%s may not read its stream", mapping["FunctionName"])
                    continue
            yield account, region, mapping

    def executed(*call: Any, **more: Any) -> dict[str, Any]:
        result: dict[str, Any] = execute(*call, **more)
        body = result.get("body")
        unfinished = isinstance(body, dict) and body.get("batchItemFailures")
        return {**result, "error": True} if unfinished else result

    lambda_svc._iter_all_esms = readable
    lambda_svc._execute_function = executed


def _role_allows(config: dict[str, Any], action: str, resource: str) -> bool:
    role = config["Role"]
    policies = _gather_role_policies(role.rsplit("/", 1)[-1], get_account_id())
    return bool(evaluate(_context(role, action, resource, {}), policies).decision == "Allow")


def _context(principal: str, action: str, resource: str, keys: dict[str, Any]) -> EvalContext:
    return EvalContext(
        principal_arn=principal,
        principal_type="AssumedRole",
        principal_account=get_account_id(),
        action=action,
        resource_arn=resource,
        region=get_region(),
        service_context=keys,
    )
