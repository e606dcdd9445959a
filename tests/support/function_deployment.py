"""The deployment of template.yaml in this process, and its functions called as the gateway and the SDK call them."""

import asyncio
import io
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any, Self

import boto3
import pytest

from askback.adapters.dynamodb.keys import Key, ledger_key, record_key
from askback.adapters.jwt_codec import JwtTokenCodec
from askback.adapters.secrets.key_ring import FixedKeyRing
from askback.domain.interactions.registry import InteractionRegistry
from askback.domain.pause.scope import Scope
from askback.edge import handler as edge
from askback.edge.lambda_events import HTTP_ALIAS
from askback.interactions import REGISTRY
from askback.wiring.sources import now
from local.emulated.cloud import Cloud
from local.emulated.functions import Function, Handler
from local.emulated.gateway import LOCAL_USER
from local.emulated.http_events import Request, build_event
from local.emulated.routes import Authorizer, find_route
from tests.support.aws_probe import Probe
from tests.support.described_replies import require_described
from tests.support.loaded_function import load
from tests.support.memory_deployment import signed
from tests.support.request_bodies import PERSON, Pause, a_mint
from tests.support.template import OPTED_IN

PARAMETERS = {
    # The tests here answer through what the mint returns. Those of the default reply set the variable themselves.
    "ReturnLinks": "true",
    "JwtIssuer": "https://login.example.com",
    "JwtAudience": "askback-app",
    "AnswerUrl": "https://answers.example.com/a",
    **OPTED_IN,
}

LOCAL_ARN = str(LOCAL_USER["userArn"])
"""The principal of a signed request that names no other."""

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP response as the gateway reads it."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, Any]

    @property
    def code(self) -> str:
        """The problem's code, empty for an outcome."""
        return str(self.document.get("code", ""))

    @property
    def said(self) -> tuple[int, str]:
        return self.status, self.code


class Handlers:
    """The functions, loaded afresh from their folders, with an environment, a registry and a clock of their own."""

    def __init__(
        self,
        cloud: Cloud,
        output: io.StringIO,
        *,
        registry: InteractionRegistry = REGISTRY,
        clock: Callable[[], int] = now,
        only: frozenset[str] | None = None,
        **environment: str,
    ) -> None:
        # Not the id of this object: a later one may have it again, and would write to the logger of this one.
        self._number = next(_numbers)
        self._cloud = cloud
        self._output = output
        self.environment = environment
        self._loaded: dict[str, tuple[Function, Handler]] = {}
        for function in cloud.functions:
            kind = function.code.name
            if only is not None and kind not in only:
                continue
            with self._running(function):
                self._loaded[kind] = (function, load(function, registry=registry, clock=clock))

    def event(
        self,
        target: str,
        body: object = ...,
        *,
        method: str = "POST",
        claims: Mapping[str, Any] = PERSON,
        arn: str = LOCAL_ARN,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return the event of a request, let in by the route's authorizer; a body that is no text becomes JSON.

        `claims` are those of a JWT, `arn` is that of the principal on a signed route. `headers` are further ones.
        """
        found = find_route(self._cloud.routes, method, target.partition("?")[0])
        assert found is not None, target
        authorizers: dict[Authorizer, dict[str, Any] | None] = {
            Authorizer.IAM: {"iam": {**LOCAL_USER, "userArn": arn}},
            Authorizer.JWT: {"jwt": {"claims": dict(claims), "scopes": None}},
            Authorizer.NONE: None,
        }
        request = Request(
            method=method,
            target=target,
            headers=(("content-type", "application/json"), *(headers or {}).items()),
            body=b"" if body is ... else (body if isinstance(body, str) else json.dumps(body)).encode(),
        )
        return build_event(request, found[0], path_parameters=found[1], authorizer=authorizers[found[0].authorizer])

    def post(self, path: str, body: object, **options: Any) -> Answer:
        """Send one request; the function is the route's."""
        return self.send(self.event(path, body, **options))

    def get(self, target: str, **options: Any) -> Answer:
        return self.send(self.event(target, method="GET", **options))

    def revoke(self, jti: str, **options: Any) -> Answer:
        return self.send(self.event(f"/pauses/{jti}", method="DELETE", **options))

    def redrive(self, jti: str, **options: Any) -> Answer:
        return self.send(self.event(f"/pauses/{jti}/redrive", **options))

    def send(self, event: Mapping[str, Any]) -> Answer:
        """Hand an HTTP event to the function that its route key names, and read the response."""
        kinds = {function.name: kind for kind, (function, _) in self._loaded.items()}
        leads = {route.key: kinds.get(route.function) for route in self._cloud.routes}
        kind = leads.get(str(event.get("routeKey"))) or "resume"
        answer = read_answer(self.gateway(kind, event))
        kind = answer.headers["content-type"]
        require_described(event.get("routeKey"), status=answer.status, kind=kind, body=answer.document)
        return answer

    def gateway(self, kind: str, event: Any) -> Any:
        """Invoke a function as the gateway does, through its alias, and return what it returned."""
        return self.invoke(kind, event, alias=HTTP_ALIAS)

    def invoke(self, kind: str, event: Any, context: Any = None, *, alias: str = "") -> Any:
        """Invoke a function directly, or through an alias, and return what it returned; what it raises is raised."""
        function, handler = self._loaded[kind]
        with self._running(function):
            return handler(event, context) if context else function.invoke(handler, event, alias=alias)

    def rebuild(self, kind: str, **parts: Any) -> None:
        """Give a function other parts of its services, such as what it does instead of waiting."""
        function, handler = self._loaded[kind]
        assert isinstance(handler, edge.Handler)
        with self._running(function):
            self._loaded[kind] = (function, handler.rebuilt(**parts))

    def refused(self, kind: str, event: Any, *, alias: str = "") -> dict[str, Any]:
        """Return the problem that an invocation raises as an exception named after its code."""
        with pytest.raises(Exception, match=r"^\{") as raised:
            self.invoke(kind, event, alias=alias)
        document: dict[str, Any] = json.loads(str(raised.value))
        assert type(raised.value).__name__ == "Askback." + document["code"].title().replace("-", "")
        return document

    def pause(self, **over: Any) -> Pause:
        """Mint the refund question over HTTP, with parts of the body replaced."""
        request = a_mint(**over)
        answer = self.post("/pauses", request)
        assert answer.status == 201, answer.document
        return Pause(request=request, minted=answer.document)

    def redeems(self, pause: Pause) -> bool:
        """Tell whether the pause's token is still good, by using it up."""
        answer = self.post("/resume", pause.resume())
        return answer.status == 200 and answer.document["replayed"] is False

    @contextmanager
    def _running(self, function: Function) -> Iterator[None]:
        own = {**function.environment, "POWERTOOLS_SERVICE_NAME": f"test-{self._number}-{function.code.name}"}
        with ExitStack() as stack:
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            for name, value in (own | self.environment).items():
                patch.setenv(name, value)
            stack.enter_context(redirect_stdout(self._output))
            stack.enter_context(redirect_stderr(self._output))
            yield


@dataclass
class Deployment:
    """Emulated AWS with the template's resources, the handlers, and ways to look into the stores and to break them."""

    probe: Probe = field(default_factory=Probe)
    output: io.StringIO = field(default_factory=io.StringIO)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.cloud = stack.enter_context(Cloud(parameters=PARAMETERS))
            stack.enter_context(self.probe.installed())
            own = boto3.session.Session()
            self.dynamodb = own.client("dynamodb")
            self.s3 = own.client("s3")
            environment = self.cloud.functions[0].environment
            self.table, self.bucket = environment["ASKBACK_TABLE_NAME"], environment["ASKBACK_BUCKET_NAME"]
            secret = own.client("secretsmanager").get_secret_value(SecretId=environment["ASKBACK_KEY_SECRET_ID"])
            self.key_ring = secret["SecretString"]
            self.handlers = self.load()
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        self._exit.close()

    def load(self, **options: Any) -> Handlers:
        """Load both functions once more, with a registry, a clock or environment variables of their own."""
        return Handlers(self.cloud, self.output, **options)

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a token of the deployment's own current key over any claims."""
        return signed(JwtTokenCodec(FixedKeyRing(self.key_ring)), claims)

    def claims(self, token: str) -> dict[str, Any]:
        """Return what a token of this deployment says."""
        return dict(asyncio.run(JwtTokenCodec(FixedKeyRing(self.key_ring)).verify(token)).claims)

    def row_key(self, pause: Pause) -> Key:
        return ledger_key(pause.minted["jti"])

    def request_key(self, pause: Pause) -> Key:
        named = pause.minted["name"] != "ask_user"
        key = f"interrupt_payload:{pause.minted['interrupt_id']}" if named else f"ask_user_request:{_call(pause)}"
        return record_key(**_place(pause), key=key)

    def turn_key(self, pause: Pause) -> Key:
        return record_key(**_place(pause), key=f"turn_state:{_call(pause) or pause.minted['interrupt_id']}")

    def item(self, key: Key) -> dict[str, Any]:
        """Return the item as it is stored; empty when there is none."""
        return dict(self.dynamodb.get_item(TableName=self.table, Key=key, ConsistentRead=True).get("Item", {}))

    def put(self, item: Mapping[str, Any]) -> None:
        self.dynamodb.put_item(TableName=self.table, Item=dict(item))

    def leave_as_legacy(self, pause: Pause) -> None:
        """Leave of a pause what the legacy engine has: its request, in the place without a scope, and no row."""
        self.delete(self.row_key(pause))
        request = self.item(self.request_key(pause))
        place = {name: pause.minted[name] for name in ("thread_id", "checkpoint_id")}
        self.put({**request, **record_key(**place, key=request["sk"]["S"])})

    def delete(self, key: Key) -> None:
        self.dynamodb.delete_item(TableName=self.table, Key=key)


def read_answer(result: Any) -> Answer:
    """Read a function's result as the gateway does; what it could not read, or what must never be sent, fails."""
    assert isinstance(result, dict), result
    assert set(result) <= {"statusCode", "headers", "body", "isBase64Encoded"}
    assert "isBase64Encoded" not in result or result["isBase64Encoded"] is True
    assert type(result["statusCode"]) is int
    assert isinstance(result["body"], str)
    headers = result["headers"]
    assert all(isinstance(value, str) and name == name.lower() for name, value in headers.items())
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["strict-transport-security"] == "max-age=31536000"
    kind = "application/json" if result["statusCode"] < 400 else "application/problem+json"
    assert headers["content-type"] == kind
    return Answer(status=result["statusCode"], headers=headers, document=json.loads(result["body"]))


def _place(pause: Pause) -> dict[str, str]:
    place = {name: pause.minted[name] for name in ("thread_id", "checkpoint_id")}
    return {**place, "scope_hash": Scope(**pause.request["scope"]).digest()}


def _call(pause: Pause) -> str:
    return str(pause.minted["tool_call_id"])
