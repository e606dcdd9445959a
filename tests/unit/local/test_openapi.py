"""The OpenAPI document: it is what the generator writes, it is valid, and it says what the code says."""

import json
import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from askback.client.calls import Calls
from askback.domain.errors import REFUSALS, Actor
from askback.domain.interactions.ask_user import AskUserQuestion
from askback.edge.lambda_events import CallerAuth
from local.emulated.cloud import ROOT
from local.emulated.functions import bind_functions
from local.emulated.routes import Authorizer, read_routes
from local.emulated.template import Resolver
from local.openapi.__main__ import WRITTEN, text
from local.openapi.page import PAGE_ROUTES
from local.openapi.requests import LIMITS
from local.openapi.routes import is_described, served_routes
from tests.support.template import TEMPLATE, WITH_JWT

DOCUMENT: dict[str, Any] = json.loads(WRITTEN.read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def test_the_file_is_what_the_generator_writes() -> None:
    assert WRITTEN.read_text(encoding="utf-8") == text(), "run make openapi"


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_every_reference_leads_to_a_schema() -> None:
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT)))
    assert named <= set(SCHEMAS)


def test_it_has_every_route_of_the_template_with_its_authorizer_and_no_other() -> None:
    resolver = Resolver(TEMPLATE, WITH_JWT)
    bind_functions(resolver)
    routes = {route.key: route.authorizer for route in read_routes(resolver)}
    assert set(filter(is_described, routes)) == OPERATIONS.keys()
    security: dict[Authorizer, list[Any]] = {
        Authorizer.IAM: [{"sigv4": []}],
        Authorizer.JWT: [{"jwt": []}],
        Authorizer.NONE: [],
    }
    assert {route: OPERATIONS[route]["security"] for route in OPERATIONS} == {
        route: security[routes[route]] for route in OPERATIONS
    }


def test_the_functions_serve_the_routes_that_it_has() -> None:
    served = served_routes()
    assert served.keys() | PAGE_ROUTES == OPERATIONS.keys()
    assert served["POST /pauses"] is CallerAuth.IAM
    assert served["POST /answers"] is CallerAuth.LINK
    assert served["POST /user/answers"] is CallerAuth.JWT


def test_an_operation_has_the_name_of_the_method_of_the_client() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    # `wait` sends nothing of its own, and `clarifications` is `clarify` without a reply.
    methods = {name for name in vars(Calls) if not name.startswith("_")} - {"wait", "clarifications"}
    assert methods <= set(names)


def test_the_page_about_the_http_api_has_its_routes() -> None:
    page = (ROOT / "docs" / "http-api.md").read_text(encoding="utf-8")
    table = page.partition("\n## Routes\n")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    listed = set()
    for row in rows:
        words = re.findall(r"`([^`]+)`", row)
        methods = {word.split(" ")[0] for word in words if not word.startswith("/")}
        paths = [word.split(" ")[-1] for word in words if "/" in word]
        listed |= {f"{method} {path}" for method in methods for path in paths}
    assert set(filter(is_described, listed)) == OPERATIONS.keys()


def _described(response: dict[str, Any]) -> set[tuple[str, int, bool]]:
    schema = response["content"].get("application/problem+json", {"schema": {"oneOf": []}})["schema"]
    refusals = [SCHEMAS[each["$ref"].rpartition("/")[2]] for each in schema.get("oneOf", [schema])]
    fixed = [each["allOf"][1]["properties"] for each in refusals]
    return {(each["code"]["const"], each["status"]["const"], each["retryable"]["const"]) for each in fixed}


def test_each_refusal_stands_under_its_status_and_every_refusal_is_described() -> None:
    table = {(refusal.code, refusal.status, refusal.retryable) for refusal in REFUSALS}
    found = set()
    for operation in OPERATIONS.values():
        for status, response in operation["responses"].items():
            if int(status) >= 400 and "content" in response:
                refusals = _described(response)
                assert {each[1] for each in refusals} <= {int(status)}
                found |= refusals
    of_items = {each["$ref"].rpartition("/")[2] for each in SCHEMAS["RefusedItem"]["properties"]["problem"]["anyOf"]}
    assert of_items >= {"DuplicatePause", "NotTried", "AnswerInvalid", "Internal"}
    # One comes from the LangGraph adapter, one from paths that the document has not, and two from items of a batch.
    nowhere = {"interrupt-not-open", "unknown-route", "duplicate-pause", "not-tried"}
    assert found - {("internal", 500, True)} == {each for each in table if each[0] not in nowhere}
    assert {refusal.__name__ for refusal in REFUSALS} <= SCHEMAS.keys()


def test_a_refusal_says_what_its_class_says() -> None:
    answered = SCHEMAS["AlreadyAnswered"]
    own = answered["allOf"][1]
    assert own["properties"]["answered_at"] == {"type": "string", "format": "date-time"}
    assert own["required"][-1] == "answered_at"
    assert answered["description"].endswith(f"Who must act: {Actor.NONE.value}.")
    expired = SCHEMAS["PauseExpired"]["allOf"][1]
    assert "expired_at" in expired["properties"]
    assert "expired_at" not in expired["required"]
    assert "errors" in SCHEMAS["AnswerInvalid"]["allOf"][1]["properties"]
    assert "errors" not in own["properties"]


def test_the_limits_of_the_models_are_in_the_document() -> None:
    question = SCHEMAS["AskUserQuestion"]["properties"]
    assert question["question"]["maxLength"] == 500
    assert (question["options"]["minItems"], question["options"]["maxItems"]) == (2, 4)
    assert AskUserQuestion.model_fields["id"].is_required()
    assert "id" not in SCHEMAS["AskUserQuestion"]["required"]


@pytest.mark.parametrize("model", LIMITS, ids=lambda model: model.__name__)
def test_a_limit_is_one_of_a_field_that_the_model_has(model: Any) -> None:
    names = {field.alias or name for name, field in model.model_fields.items()}
    assert LIMITS[model].keys() <= names


def test_a_body_has_no_field_that_stands_in_the_path() -> None:
    assert "jti" not in SCHEMAS["ExtendPause"]["properties"]
    extend = OPERATIONS["POST /pauses/{jti}/extend"]
    assert [each["name"] for each in extend["parameters"]] == ["jti"]
    assert extend["requestBody"]["required"] is False
    assert OPERATIONS["POST /pauses/{jti}/reassign"]["requestBody"]["required"] is True
