"""The settings of a deployment: the environment variables, read once and validated.

This file has every variable that the functions read; template.yaml declares them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from askback.domain.errors import InteractionConfigurationError
from askback.domain.pause.assurance import Assurance
from askback.domain.pause.step_up import Demand, StepUpInvalid, read_step_up

DAY_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimNames:
    """The names of the JWT claims with the scope and the person, and what a stronger sign-in must claim."""

    tenant: str
    sub_tenant: str
    namespace: str
    answerer: str
    step_up: tuple[Demand, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """The settings of the server for the Model Context Protocol, which only its function has."""

    scope: str
    """The scope, as `tenant/sub/namespace`, of a signed caller for whom the deployment names none."""
    issuer: str
    """Who issues the tokens of signed-in people; empty switches their route off."""
    audience: str
    """The audience of their tokens for this server: no token for it may be good where people answer."""
    answer_audience: str
    """The audience of tokens that answer; a token that has it too is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """The channels for messages to people, and their language; an empty channel is not used."""

    from_address: str
    topic_arn: str
    webhook_secret_id: str
    """The secret with the webhook's address and key: the address can be a secret too."""
    language: str
    """The tag of the language of messages; the notify function reads its texts, and refuses one without texts."""
    time_zone: str
    """The name of the zone of times in messages."""
    sender_name: str
    brand_name: str
    brand_colour: str
    support_contact: str
    """The organisation that messages come from, each empty for none; notify leaves out what it cannot use."""
    texts_folder: str
    """The adopter's folder, which can have texts of messages; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a deployment.

    `local_key_ring` is for local use and excludes `key_secret_id`; there is no default key.
    """

    table_name: str
    bucket_name: str
    key_secret_id: str
    local_key_ring: str
    inline_limit_bytes: int
    retention_days: int
    has_sign_in: bool
    """Whether people can sign in. True unless the environment says no: a question is then never called unanswerable
    by mistake."""
    open_alarm_hours: int
    """After this time the sweep counts a pause that is still open; 0 switches this off."""
    claim_names: ClaimNames
    answer_url: str
    sign_in_url: str
    """The adopter's page for people who sign in to answer; empty for none."""
    return_links: bool
    """Whether the mint's reply has the tokens and links that answer; then the program that asks can answer."""
    list_titles: bool
    """Whether the list of operators may show the titles of questions."""
    event_bus: str
    """The bus for events; empty for none."""
    waiter_functions: frozenset[str]
    """The names or ARNs of the functions that can be the waiter of a pause."""
    notify: NotifySettings
    mcp: McpSettings
    interactions_module: str
    """The module with the adopter's interactions; empty for only the built-in ones."""
    mint_floor: str
    """The least that every mint must demand, as JSON (`askback.domain.interactions.floor`); empty for the defaults."""
    principal_scopes: str
    """The scopes of each principal, as JSON (`askback.domain.pause.principal_scopes`); empty for every scope."""
    decision_log_group: str
    """The log group with one line for each decision; only the audit function writes to it."""
    trust_unsigned_routes: bool
    """True under `sam local` only, because its events have no authorizer data."""

    @property
    def retention_seconds(self) -> int:
        """How long a row and its bodies are kept after the expiry of the pause."""
        return self.retention_days * DAY_SECONDS

    @property
    def best_sign_in(self) -> Assurance | None:
        """How well a person who signs in can be known; None without sign-in."""
        if not self.has_sign_in:
            return None
        return Assurance.STEPPED_UP if self.claim_names.step_up else Assurance.SIGNED_IN

    @property
    def open_alarm_seconds(self) -> int:
        """`open_alarm_hours` in seconds."""
        return self.open_alarm_hours * 3600

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Read and validate; raises InteractionConfigurationError. Its reason has the variable but never the value."""
        settings = cls(
            table_name=_required(environment, "ASKBACK_TABLE_NAME"),
            bucket_name=_required(environment, "ASKBACK_BUCKET_NAME"),
            key_secret_id=environment.get("ASKBACK_KEY_SECRET_ID", ""),
            local_key_ring=environment.get("ASKBACK_LOCAL_KEY_RING", ""),
            inline_limit_bytes=_number(environment, "ASKBACK_INLINE_LIMIT_BYTES", default=8192, low=0, high=350_000),
            retention_days=_number(environment, "ASKBACK_RETENTION_DAYS", default=30, low=1, high=3650),
            has_sign_in=environment.get("ASKBACK_SIGN_IN", "") != "none",
            open_alarm_hours=_number(environment, "ASKBACK_OPEN_ALARM_HOURS", default=24, low=0, high=720),
            claim_names=ClaimNames(
                tenant=environment.get("ASKBACK_TENANT_CLAIM") or "tenant_id",
                sub_tenant=environment.get("ASKBACK_SUB_TENANT_CLAIM") or "sub_tenant_id",
                namespace=environment.get("ASKBACK_NAMESPACE_CLAIM") or "namespace",
                answerer=environment.get("ASKBACK_ANSWERER_CLAIM") or "sub",
                step_up=_step_up(environment, "ASKBACK_STEP_UP_CLAIMS"),
            ),
            answer_url=environment.get("ASKBACK_ANSWER_URL", ""),
            sign_in_url=_https(environment, "ASKBACK_SIGN_IN_URL"),
            return_links=_flag(environment, "ASKBACK_RETURN_LINKS"),
            list_titles=_flag(environment, "ASKBACK_LIST_TITLES"),
            event_bus=environment.get("ASKBACK_EVENT_BUS", ""),
            waiter_functions=frozenset(filter(None, environment.get("ASKBACK_WAITER_FUNCTIONS", "").split(","))),
            notify=NotifySettings(
                from_address=environment.get("ASKBACK_NOTIFY_FROM_ADDRESS", ""),
                topic_arn=environment.get("ASKBACK_NOTIFY_TOPIC_ARN", ""),
                webhook_secret_id=environment.get("ASKBACK_NOTIFY_WEBHOOK_SECRET_ID", ""),
                language=environment.get("ASKBACK_MESSAGE_LANGUAGE") or "en",
                time_zone=environment.get("ASKBACK_MESSAGE_TIME_ZONE") or "UTC",
                sender_name=environment.get("ASKBACK_SENDER_NAME", ""),
                brand_name=environment.get("ASKBACK_BRAND_NAME", ""),
                brand_colour=environment.get("ASKBACK_BRAND_COLOR", ""),
                support_contact=environment.get("ASKBACK_SUPPORT_CONTACT", ""),
                texts_folder=environment.get("ASKBACK_PAGE_FOLDER", ""),
            ),
            mcp=McpSettings(
                scope=environment.get("ASKBACK_MCP_SCOPE") or "mcp",
                issuer=environment.get("ASKBACK_MCP_ISSUER", ""),
                audience=environment.get("ASKBACK_MCP_AUDIENCE", ""),
                answer_audience=environment.get("ASKBACK_MCP_ANSWER_AUDIENCE", ""),
            ),
            interactions_module=_module(environment, "ASKBACK_INTERACTIONS"),
            mint_floor=environment.get("ASKBACK_MINT_FLOOR", ""),
            principal_scopes=environment.get("ASKBACK_PRINCIPAL_SCOPES", ""),
            decision_log_group=environment.get("ASKBACK_DECISION_LOG_GROUP", ""),
            trust_unsigned_routes=environment.get("AWS_SAM_LOCAL") == "true",
        )
        if bool(settings.key_secret_id) == bool(settings.local_key_ring):
            raise misconfigured("exactly one of ASKBACK_KEY_SECRET_ID and ASKBACK_LOCAL_KEY_RING must be set")
        return settings


def _required(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        raise misconfigured(f"{name} is not set")
    return value


def _number(environment: Mapping[str, str], name: str, *, default: int, low: int, high: int) -> int:
    text = environment.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise misconfigured(f"{name} must be a whole number from {low} to {high}")
    return int(text)


def _flag(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name) or "false"
    if text not in ("true", "false"):
        raise misconfigured(f"{name} must be true or false")
    return text == "true"


def _module(environment: Mapping[str, str], name: str) -> str:
    text = environment.get(name, "")
    if text and not all(part.isidentifier() for part in text.split(".")):
        raise misconfigured(f"{name} must be the name of a Python module")
    return text


def _https(environment: Mapping[str, str], name: str) -> str:
    text = environment.get(name, "")
    # A query is allowed. A fragment would hide the id that is appended, and a `@` can hide the host.
    if text and not re.fullmatch(r"https://[^\s#@\\\"<>]+", text):
        raise misconfigured(f"{name} must be an https address without a fragment")
    return text


def _step_up(environment: Mapping[str, str], name: str) -> tuple[Demand, ...]:
    try:
        return read_step_up(environment.get(name, ""))
    except StepUpInvalid as error:
        raise misconfigured(f"{name} {error}") from None


def misconfigured(reason: str) -> InteractionConfigurationError:
    return InteractionConfigurationError("the deployment is not configured", reason=reason)
