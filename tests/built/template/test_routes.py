"""Every route has one authorizer, and the one that its callers' kind needs."""

import json
from typing import Any

import pytest

from askback.edge.lambda_events import HTTP_ALIAS
from local.emulated.routes import Authorizer, read_cors, read_routes
from tests.support.template import TEMPLATE, WITH_JWT, properties, resolver, resources

ASKERS = dict.fromkeys(
    ("POST /pauses", "POST /pauses/{jti}/revoke", "POST /pauses/{jti}/clarifications"), Authorizer.IAM
)
SIGNED = {**ASKERS, "POST /resume": Authorizer.IAM, "POST /outcomes": Authorizer.IAM}
OPERATORS = dict.fromkeys(
    (
        "GET /pauses",
        "GET /pauses/{jti}",
        "DELETE /pauses/{jti}",
        "POST /pauses/{jti}/redrive",
        "POST /pauses/{jti}/extend",
        "POST /pauses/{jti}/reassign",
        "POST /pauses/{jti}/links/revoke",
        "GET /keys",
    ),
    Authorizer.IAM,
)
MESSENGERS = {"POST /pauses/{jti}/links": Authorizer.IAM}
MCP = {"POST /mcp": Authorizer.IAM, "GET /mcp": Authorizer.NONE, "DELETE /mcp": Authorizer.NONE}
USER_MCP = dict.fromkeys(
    (
        "POST /user/mcp",
        "GET /user/mcp",
        "DELETE /user/mcp",
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/user/mcp",
    ),
    Authorizer.NONE,
)
"""The function verifies the token; what it refuses says where to sign in."""
PAGE = dict.fromkeys(
    (
        f"{method} {path}"
        for method in ("GET", "HEAD")
        for path in ("/answer", "/answer/page-markdown.js", "/answer/page.js", "/answer/logo", "/{lost+}")
    ),
    Authorizer.NONE,
)
OPEN = (
    dict.fromkeys(
        ("POST /answers", "POST /answers/batch", "POST /clarifications", "POST /delegations", "POST /questions"),
        Authorizer.NONE,
    )
    | PAGE
)
PERSONAL = {
    "POST /user/resume": Authorizer.JWT,
    "POST /user/answers": Authorizer.JWT,
    "POST /user/answers/batch": Authorizer.JWT,
    "POST /user/clarifications": Authorizer.JWT,
    "POST /user/delegations": Authorizer.JWT,
    "POST /user/questions": Authorizer.JWT,
}


def authorizers(**parameters: str) -> dict[str, Authorizer]:
    return {route.key: route.authorizer for route in read_routes(resolver(**parameters))}


def definition() -> dict[str, Any]:
    body: dict[str, Any] = properties("HttpApi")["DefinitionBody"]
    return body


def test_without_a_jwt_issuer_there_are_no_routes_for_people() -> None:
    assert authorizers() == SIGNED | OPERATORS | MESSENGERS | OPEN | MCP


def test_with_a_jwt_issuer_people_have_routes_of_their_own() -> None:
    assert authorizers(**WITH_JWT) == SIGNED | OPERATORS | MESSENGERS | OPEN | MCP | PERSONAL | USER_MCP


def test_with_a_jwt_issuer_and_no_audience_for_mcp_no_agent_of_a_person_gets_in() -> None:
    assert authorizers(**{**WITH_JWT, "McpAudience": ""}) == SIGNED | OPERATORS | MESSENGERS | OPEN | MCP | PERSONAL


@pytest.mark.parametrize(
    ("parameters", "good"),
    [
        ({"McpAudience": "askback-mcp"}, [False, True]),
        ({"JwtIssuer": "https://login.example.com", "JwtAudience": "one", "McpAudience": "one"}, [True, False]),
        (WITH_JWT, [True, True]),
    ],
)
def test_agents_and_people_have_different_audiences(parameters: dict[str, str], good: list[bool]) -> None:
    """With a token for people, an agent could answer its own question."""
    rule = TEMPLATE["Rules"]["McpAudienceIsItsOwn"]
    assert resolver(**parameters).resolve(rule["RuleCondition"]) is True
    assert [resolver(**parameters).resolve(each["Assert"]) for each in rule["Assertions"]] == good
    assert resolver(McpAudience="").resolve(rule["RuleCondition"]) is False


def test_each_route_leads_to_the_function_that_it_is_for() -> None:
    leads = {route.key: route.function for route in read_routes(resolver(**WITH_JWT))}
    assert {leads.pop(key) for key in ASKERS} == {"askback-local-mint"}
    assert {leads.pop(key) for key in MESSENGERS} == {"askback-local-links"}
    assert {leads.pop(key) for key in PAGE} == {"askback-local-pagefunction"}
    assert {leads.pop(key) for key in MCP} == {"askback-local-mcpfunction"}
    assert {leads.pop(key) for key in USER_MCP} == {"askback-local-usermcpfunction"}
    assert {leads.pop(key) for key in OPERATORS} == {"askback-local-inboxfunction"}
    assert set(leads.values()) == {"askback-local-resumefunction"}


def test_the_api_invokes_the_alias_of_each_function_that_believes_it_and_only_the_api_may() -> None:
    invoked = {
        route.function.removeprefix("askback-local-"): route.alias for route in read_routes(resolver(**WITH_JWT))
    }
    assert invoked == {
        "mint": "http",
        "resumefunction": "http",
        "inboxfunction": "http",
        "links": "http",
        "mcpfunction": "http",
        "usermcpfunction": "http",
        "pagefunction": "",
    }
    for name in ("Mint", "Resume", "Inbox", "Links", "Mcp", "UserMcp"):
        assert properties(f"{name}Permission")["FunctionName"] == {"Ref": f"{name}Http"}
        assert properties(f"{name}Http") == {
            "Name": HTTP_ALIAS,
            "FunctionName": {"Ref": f"{name}Function"},
            "FunctionVersion": "$LATEST",
        }
        policies = json.dumps(resources("AWS::IAM::Role"))
        assert f"{name}Http" not in policies
        assert f":{HTTP_ALIAS}" not in policies


def test_a_route_that_names_no_authorizer_is_closed() -> None:
    assert properties("HttpApi")["Auth"] == {"EnableIamAuthorizer": True, "DefaultAuthorizer": "AWS_IAM"}


def test_no_route_is_declared_beside_the_definition() -> None:
    kinds = {resource["Type"] for resource in TEMPLATE["Resources"].values()}
    own = {kind.removeprefix("AWS::ApiGatewayV2::") for kind in kinds if kind.startswith("AWS::ApiGatewayV2::")}
    assert own == {"DomainName", "ApiMapping"}
    assert "Events" not in properties("MintFunction")
    assert "Events" not in properties("ResumeFunction")


def test_the_jwt_authorizer_trusts_one_issuer_and_one_audience_and_exists_only_with_them() -> None:
    schemes = definition()["components"]["securitySchemes"]
    assert resolver().resolve(schemes) == {}
    authorizer = resolver(**WITH_JWT).resolve(schemes)["UserJwt"]["x-amazon-apigateway-authorizer"]
    assert authorizer["type"] == "jwt"
    assert authorizer["identitySource"] == "$request.header.Authorization"
    assert authorizer["jwtConfiguration"] == {
        "issuer": WITH_JWT["JwtIssuer"],
        "audience": [WITH_JWT["JwtAudience"]],
    }


def test_an_issuer_without_an_audience_is_refused_before_anything_is_deployed() -> None:
    rule = TEMPLATE["Rules"]["JwtIssuerNeedsAudience"]
    assert resolver(JwtIssuer=WITH_JWT["JwtIssuer"]).resolve(rule["RuleCondition"]) is True
    (assertion,) = rule["Assertions"]
    assert resolver(JwtIssuer=WITH_JWT["JwtIssuer"]).resolve(assertion["Assert"]) is False
    assert resolver(**WITH_JWT).resolve(assertion["Assert"]) is True


def test_no_other_origin_may_call_unless_the_deployment_lists_it() -> None:
    assert read_cors(resolver()) is None
    cors = read_cors(resolver(AllowedOrigins="https://a.example,https://b.example"))
    assert cors is not None
    assert cors.origins == ("https://a.example", "https://b.example")
    assert cors.credentials is False
    assert "POST" in cors.methods
    assert {"authorization", "content-type"} <= set(cors.headers)


def test_every_route_is_throttled() -> None:
    assert resolver().resolve(properties("HttpApi")["DefaultRouteSettings"]) == {
        "ThrottlingRateLimit": "100",
        "ThrottlingBurstLimit": "200",
    }


def test_each_open_route_and_no_other_has_a_limit_of_its_own() -> None:
    settings = properties("HttpApi")["RouteSettings"]
    for parameters in ({}, WITH_JWT):
        limited = resolver(**parameters).resolve(settings).keys()
        assert limited == {key for key, kind in authorizers(**parameters).items() if kind is Authorizer.NONE}
    chosen = resolver(OpenThrottleRate="7", OpenThrottleBurst="9").resolve(settings)
    assert all(each == {"ThrottlingRateLimit": "7", "ThrottlingBurstLimit": "9"} for each in chosen.values())
