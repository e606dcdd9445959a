"""What the policies for roles outside are for: agent, backend, messenger, operator, auditor."""

import io
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from botocore.exceptions import ClientError

from askback.operate import __main__ as operate
from askback.operate.stack import StackOperator
from local.demo.api_client import Answer
from tests.built.deployed.deployment import STACK
from tests.built.deployed.needs import needs
from tests.built.deployed.principals import DENIED, code_of
from tests.built.deployed.world import World
from tests.support.request_bodies import Pause, a_mint

FORBIDDEN = "403"
"""What the API answers to a caller whose policies do not allow the route."""


def over_http(world: World, policy: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> str:
    """Return how the request of a role ended, in a few words."""
    return said(world.principals[policy].call(method, path, body))


def said(answer: Answer) -> str:
    """Return the status of a reply, and the code of a problem that askback wrote."""
    return f"{answer.status} {answer.code}".strip()


def directly(world: World, policy: str, output: str, event: Mapping[str, Any]) -> str:
    """Return how the invocation of a role ended: the code of a refusal, or what the pause is."""
    reply = world.principals[policy].invoke(world.deployment.outputs[output], event)
    return str(reply.get("code") or reply.get("status") or reply.get("delivery") or "served")


def an_outcome(pause: Pause) -> dict[str, Any]:
    """Return the request for an outcome."""
    return {"pause_token": pause.minted["pause_token"], "scope": pause.request["scope"]}


def an_answered(world: World) -> Pause:
    """Return a pause that a person has answered."""
    pause = world.mint()
    assert world.answer(pause).status == 200
    return pause


@needs("AgentPolicy", "AskOverHttp", "execute-api:Invoke", whole="201", cut=FORBIDDEN)
def an_agent_asks(world: World) -> str:
    return over_http(world, "AgentPolicy", "POST", "/pauses", a_mint())


@needs("AgentPolicy", "ClarifyOwnOverHttp", "execute-api:Invoke", whole="404 unknown-pause", cut=FORBIDDEN)
def an_agent_reads_the_questions_about_a_pause_that_is_not_its_own(world: World) -> str:
    path = f"/pauses/{world.mint().minted['jti']}/clarifications"
    return over_http(world, "AgentPolicy", "POST", path, {})


@needs("AgentPolicy", "RevokeOwnOverHttp", "execute-api:Invoke", whole="404 unknown-pause", cut=FORBIDDEN)
def an_agent_revokes_a_pause_that_is_not_its_own(world: World) -> str:
    path = f"/pauses/{world.mint().minted['jti']}/revoke"
    return over_http(world, "AgentPolicy", "POST", path, {"reason": "No longer needed."})


@needs("AgentPolicy", "Ask", "lambda:InvokeFunction", whole="issued", cut=DENIED)
def an_agent_in_the_account_asks(world: World) -> str:
    return directly(world, "AgentPolicy", "MintFunctionArn", a_mint())


@needs("AgentPolicy", "ReadOutcomesOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_agent_fetches_the_outcome(world: World) -> str:
    return over_http(world, "AgentPolicy", "POST", "/outcomes", an_outcome(an_answered(world)))


@needs("AgentPolicy", "ReadOutcomes", "lambda:InvokeFunction", whole="none", cut=DENIED)
def an_agent_in_the_account_fetches_the_outcome(world: World) -> str:
    event = {"action": "outcome", **an_outcome(an_answered(world))}
    return directly(world, "AgentPolicy", "OutcomesArn", event)


@needs("AgentPolicy", "UseToolsOverMcp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_agent_uses_the_tools(world: World) -> str:
    return over_http(world, "AgentPolicy", "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})


@needs("BackendPolicy", "AnswerOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def a_backend_answers(world: World) -> str:
    return over_http(world, "BackendPolicy", "POST", "/resume", world.mint().resume())


@needs("BackendPolicy", "ReadOutcomesOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def a_backend_fetches_the_outcome(world: World) -> str:
    return over_http(world, "BackendPolicy", "POST", "/outcomes", an_outcome(an_answered(world)))


@needs("BackendPolicy", "AnswerAndReadOutcomes", "lambda:InvokeFunction", whole="none none", cut=f"{DENIED} {DENIED}")
def a_backend_in_the_account_answers_and_fetches_the_outcome(world: World) -> str:
    answered = directly(world, "BackendPolicy", "ResumeFunctionArn", world.mint().resume())
    fetch = {"action": "outcome", **an_outcome(an_answered(world))}
    return f"{answered} {directly(world, 'BackendPolicy', 'ResumeFunctionArn', fetch)}"


@needs("MessengerPolicy", "FetchLinksOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def a_messenger_fetches_the_links(world: World) -> str:
    return over_http(world, "MessengerPolicy", "POST", f"/pauses/{world.mint().minted['jti']}/links")


@needs("MessengerPolicy", "FetchLinks", "lambda:InvokeFunction", whole="issued", cut=DENIED)
def a_messenger_in_the_account_fetches_the_links(world: World) -> str:
    return directly(world, "MessengerPolicy", "LinksFunctionArn", {"jti": world.mint().minted["jti"], "operator": "m"})


def looked_at(world: World, policy: str) -> dict[str, str]:
    """Return how the requests of a role that only look ended."""
    pause = world.mint()
    return {
        "list": over_http(world, policy, "GET", f"/pauses?{urlencode(pause.request['scope'])}"),
        "show": over_http(world, policy, "GET", f"/pauses/{pause.minted['jti']}"),
        "keys": over_http(world, policy, "GET", "/keys"),
    }


@needs("OperatorPolicy", "ListOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_operator_lists(world: World) -> str:
    return looked_at(world, "OperatorPolicy")["list"]


@needs("OperatorPolicy", "ShowOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_operator_looks(world: World) -> str:
    return looked_at(world, "OperatorPolicy")["show"]


@needs("OperatorPolicy", "CountKeysOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_operator_counts(world: World) -> str:
    return looked_at(world, "OperatorPolicy")["keys"]


@needs("AuditorPolicy", "ListOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_auditor_lists(world: World) -> str:
    return looked_at(world, "AuditorPolicy")["list"]


@needs("AuditorPolicy", "ShowOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_auditor_looks(world: World) -> str:
    return looked_at(world, "AuditorPolicy")["show"]


@needs("AuditorPolicy", "CountKeysOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_auditor_counts(world: World) -> str:
    return looked_at(world, "AuditorPolicy")["keys"]


@needs("OperatorPolicy", "RevokeOverHttp", "execute-api:Invoke", whole="200", cut=FORBIDDEN)
def an_operator_revokes(world: World) -> str:
    return over_http(world, "OperatorPolicy", "DELETE", f"/pauses/{world.mint().minted['jti']}")


@needs("OperatorPolicy", "RevokeLinksOverHttp", "execute-api:Invoke", whole="400 bad-request", cut=FORBIDDEN)
def an_operator_revokes_a_link_of_a_pause_without_recipients(world: World) -> str:
    path = f"/pauses/{world.mint().minted['jti']}/links/revoke"
    return over_http(world, "OperatorPolicy", "POST", path, {"recipient": "ada@example.com"})


@needs("OperatorPolicy", "ExtendOverHttp", "execute-api:Invoke", whole="400 bad-request", cut=FORBIDDEN)
def an_operator_extends_a_pause_without_max_ttl_seconds(world: World) -> str:
    path = f"/pauses/{world.mint().minted['jti']}/extend"
    return over_http(world, "OperatorPolicy", "POST", path, {"extend_seconds": 1_000_000})


@needs("OperatorPolicy", "ReassignOverHttp", "execute-api:Invoke", whole="400 bad-request", cut=FORBIDDEN)
def an_operator_reassigns_a_pause_without_recipients(world: World) -> str:
    path = f"/pauses/{world.mint().minted['jti']}/reassign"
    return over_http(world, "OperatorPolicy", "POST", path, {"from": "ada@example.com", "to": "eve@example.com"})


@needs("OperatorPolicy", "RedriveOverHttp", "execute-api:Invoke", whole="409 not-redrivable", cut=FORBIDDEN)
def an_operator_redrives_what_needs_none(world: World) -> str:
    return over_http(world, "OperatorPolicy", "POST", f"/pauses/{world.mint().minted['jti']}/redrive")


def commanded(world: World, *command: str, policy: str = "OperatorPolicy") -> str:
    """Return how the operator's command ended: `done`, or the code of what refused it."""
    operator = world.principals[policy].session()
    out, err = io.StringIO(), io.StringIO()

    def connect(**options: Any) -> StackOperator:
        return StackOperator(session=operator, stack=options["stack"])

    status = operate.main(["--stack", STACK, *command], connect=connect, out=out, err=err)
    if status == operate.DONE:
        return "done"
    return DENIED if DENIED in err.getvalue() else err.getvalue()


@needs("OperatorPolicy", "Operate", "lambda:InvokeFunction", whole="done done done done", cut=" ".join([DENIED] * 4))
def an_operator_commands(world: World) -> str:
    jti = world.mint().minted["jti"]
    commands = (("show", jti), ("keys",), ("audit-due",), ("revoke", jti))
    return " ".join(commanded(world, *command) for command in commands)


@needs("OperatorPolicy", "FindTheFunctions", "cloudformation:DescribeStacks", whole="done", cut=DENIED)
def an_operators_command_finds_the_inbox(world: World) -> str:
    return commanded(world, "show", world.mint().minted["jti"])


@needs("OperatorPolicy", "RotateTheKey", "secretsmanager:RotateSecret", whole="begun", cut=DENIED)
def an_operator_rotates_the_key(world: World) -> str:
    ring, version = world.deployment.resources["KeyRing"], str(uuid.uuid4())
    try:
        world.principals["OperatorPolicy"].client("secretsmanager").rotate_secret(
            SecretId=ring, ClientRequestToken=version
        )
    except ClientError as error:
        return code_of(error)
    world.end_rotation(version)
    return "begun"


@needs("AuditorPolicy", "ReadTheDecisions", "logs:FilterLogEvents", whole="done", cut=DENIED)
@needs("AuditorPolicy", "FindTheLog", "cloudformation:DescribeStacks", whole="done", cut=DENIED)
def an_auditor_exports_the_decisions(world: World) -> str:
    days = ("--from", "2026-01-01T00:00:00Z", "--to", "2999-01-01T00:00:00Z")
    return commanded(world, "audit", *days, policy="AuditorPolicy")
