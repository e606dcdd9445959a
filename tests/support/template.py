"""The template as data, and the questions the tests of this folder ask it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from local.emulated.functions import bind_functions
from local.emulated.template import Resolver, load_template

ROOT: Final = Path(__file__).parents[2]
TEMPLATE: Final = load_template(ROOT / "template.yaml")
FUNCTIONS: Final = {
    "MintFunction": "Mint",
    "ResumeFunction": "Resume",
    "SweepFunction": "Sweep",
    "EndedFunction": "Ended",
    "InboxFunction": "Inbox",
    "LinksFunction": "Links",
    "McpFunction": "Mcp",
    "UserMcpFunction": "UserMcp",
    "RotateFunction": "Rotate",
    "PageFunction": "Page",
    "NotifyFunction": "Notify",
    "AuditFunction": "Audit",
}
"""The functions that are askback, and the first word of what belongs to each."""
EXAMPLE: Final = "DurableExampleFunction"
CHANNELS: Final = ("HasNotifyMail", "HasNotifyTopic", "HasNotifyWebhook")
"""The conditions under which people are written to."""
OPTED_IN: Final = {
    "EndedStateMachineArns": "arn:aws:states:eu-west-1:123456789012:stateMachine:refunds",
    "McpAudience": "askback-mcp",
}
"""Parameters with which every function of `FUNCTIONS` exists and can serve; without an issuer, no person signs in."""
WITH_JWT: Final = {
    "JwtIssuer": "https://login.example.com",
    "JwtAudience": "askback-app",
    "McpAudience": "askback-mcp",
}


def properties(logical_id: str) -> dict[str, Any]:
    """Return one resource's properties."""
    declared: dict[str, Any] = TEMPLATE["Resources"][logical_id]["Properties"]
    return declared


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Return the resources of one type, whole, by logical id."""
    return {name: found for name, found in TEMPLATE["Resources"].items() if found["Type"] == kind}


def resolver(**parameters: str) -> Resolver:
    """Return what works the template out under these parameters, with every function there and bound."""
    resolving = Resolver(TEMPLATE, {**OPTED_IN, **parameters})
    bind_functions(resolving)
    return resolving


def role_of(function: str) -> dict[str, Any]:
    """Return the properties of the role that a function runs as."""
    name, attribute = properties(function)["Role"]["Fn::GetAtt"]
    assert attribute == "Arn"
    return properties(name)


def statements(role: Mapping[str, Any], condition: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield each statement of a role's policies that hold always, or under one condition."""
    for policy in role["Policies"]:
        under, held = None, policy
        if "Fn::If" in policy:
            under, held, otherwise = policy["Fn::If"]
            assert otherwise == {"Ref": "AWS::NoValue"}
        if under == condition:
            yield from held["PolicyDocument"]["Statement"]


def listed(value: Any) -> list[Any]:
    """Return the value as the list that IAM lets one leave out."""
    return value if isinstance(value, list) else [value]


def granted(function: str, condition: str | None = None) -> set[tuple[str, str]]:
    """Return every (action, resource) a role allows, always or under one condition; resources as they are written."""
    return {
        (action, written(resource))
        for statement in statements(role_of(function), condition)
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    }


def written(value: Any) -> str:
    """Return a reference as one line: `Table.Arn`, `KeyRing`, `${Bucket.Arn}/turns/*`, `Has ? A : B`."""
    match value:
        case {"Fn::GetAtt": [owner, attribute]}:
            return f"{owner}.{attribute}"
        case {"Ref": name}:
            return str(name)
        case {"Fn::Sub": [text, _] | text}:
            return str(text)
        case {"Fn::If": [condition, held, otherwise]}:
            return f"{condition} ? {written(held)} : {written(otherwise)}"
    return str(value)
