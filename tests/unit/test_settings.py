"""The environment is read strictly: what is missing or wrong is named, and no value is ever repeated."""

from typing import Any

import pytest

from askback.domain.errors import InteractionConfigurationError
from askback.settings import ClaimNames, McpSettings, NotifySettings, Settings

MINIMAL = {"ASKBACK_TABLE_NAME": "t", "ASKBACK_BUCKET_NAME": "b", "ASKBACK_KEY_SECRET_ID": "arn"}


def environment(**over: str | None) -> dict[str, str]:
    """Return the smallest good environment with some variables replaced, or left out where the value is None."""
    return {name: value for name, value in {**MINIMAL, **over}.items() if value is not None}


class Noted(dict[str, str]):
    """An environment that notes the names of the variables that are read."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def test_what_is_not_set_has_its_documented_default() -> None:
    assert Settings.from_environment(MINIMAL) == Settings(
        table_name="t",
        bucket_name="b",
        key_secret_id="arn",
        local_key_ring="",
        inline_limit_bytes=8192,
        retention_days=30,
        has_sign_in=True,
        open_alarm_hours=24,
        claim_names=ClaimNames(tenant="tenant_id", sub_tenant="sub_tenant_id", namespace="namespace", answerer="sub"),
        answer_url="",
        sign_in_url="",
        return_links=False,
        list_titles=False,
        event_bus="",
        waiter_functions=frozenset(),
        decision_log_group="",
        notify=NotifySettings(
            from_address="",
            topic_arn="",
            webhook_secret_id="",
            language="en",
            time_zone="UTC",
            sender_name="",
            brand_name="",
            brand_colour="",
            support_contact="",
            texts_folder="",
        ),
        mcp=McpSettings(scope="mcp", issuer="", audience="", answer_audience=""),
        interactions_module="",
        mint_floor="",
        principal_scopes="",
        trust_unsigned_routes=False,
    )


def test_a_variable_that_is_set_to_nothing_counts_as_not_set() -> None:
    noted = Noted(MINIMAL)
    Settings.from_environment(noted)
    assert set(MINIMAL) < noted.read
    empty = dict.fromkeys(noted.read - set(MINIMAL), "")
    assert Settings.from_environment(environment(**empty)) == Settings.from_environment(MINIMAL)


@pytest.mark.parametrize(
    ("variable", "value", "attribute", "expected"),
    [
        ("ASKBACK_INLINE_LIMIT_BYTES", "0", "inline_limit_bytes", 0),
        ("ASKBACK_INLINE_LIMIT_BYTES", "350000", "inline_limit_bytes", 350_000),
        ("ASKBACK_RETENTION_DAYS", "1", "retention_seconds", 86_400),
        ("ASKBACK_RETENTION_DAYS", "3650", "retention_days", 3650),
        ("ASKBACK_ANSWER_URL", "https://answers.example.com/a", "answer_url", "https://answers.example.com/a"),
        ("ASKBACK_SIGN_IN_URL", "https://app.example.com/a?x=1", "sign_in_url", "https://app.example.com/a?x=1"),
        ("ASKBACK_EVENT_BUS", "pauses", "event_bus", "pauses"),
        ("ASKBACK_WAITER_FUNCTIONS", "arn:a,arn:b,", "waiter_functions", frozenset({"arn:a", "arn:b"})),
        ("ASKBACK_INTERACTIONS", "acme.questions", "interactions_module", "acme.questions"),
        ("ASKBACK_PRINCIPAL_SCOPES", '{"direct":["*"]}', "principal_scopes", '{"direct":["*"]}'),
        ("ASKBACK_MINT_FLOOR", '{"*":{}}', "mint_floor", '{"*":{}}'),
        ("AWS_SAM_LOCAL", "true", "trust_unsigned_routes", True),
        ("AWS_SAM_LOCAL", "false", "trust_unsigned_routes", False),
        ("AWS_SAM_LOCAL", "1", "trust_unsigned_routes", False),
        ("AWS_SAM_LOCAL", "True", "trust_unsigned_routes", False),
    ],
)
def test_a_setting_is_what_the_variable_says(variable: str, value: str, attribute: str, expected: Any) -> None:
    settings = Settings.from_environment(environment(**{variable: value}))
    assert getattr(settings, attribute) == expected


def test_the_claims_of_people_s_tokens_have_the_names_that_the_operator_gave() -> None:
    names = {
        "ASKBACK_TENANT_CLAIM": "org",
        "ASKBACK_SUB_TENANT_CLAIM": "team",
        "ASKBACK_NAMESPACE_CLAIM": "area",
        "ASKBACK_ANSWERER_CLAIM": "email",
    }
    assert Settings.from_environment(environment(**names)).claim_names == ClaimNames(
        tenant="org", sub_tenant="team", namespace="area", answerer="email"
    )


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("variable", ["ASKBACK_TABLE_NAME", "ASKBACK_BUCKET_NAME"])
def test_the_refusal_of_a_store_without_a_name_has_the_variable(variable: str, value: str | None) -> None:
    assert variable in refusal(environment(**{variable: value}))


@pytest.mark.parametrize(
    ("secret_id", "local_ring"),
    [("arn", "a local ring"), (None, None), ("", ""), (None, "")],
    ids=["both", "none", "both empty", "one empty"],
)
def test_there_is_exactly_one_place_for_the_keys(secret_id: str | None, local_ring: str | None) -> None:
    """A-18: no default, and no local ring beside a deployment's secret."""
    reason = refusal(environment(ASKBACK_KEY_SECRET_ID=secret_id, ASKBACK_LOCAL_KEY_RING=local_ring))
    assert "ASKBACK_KEY_SECRET_ID" in reason
    assert "ASKBACK_LOCAL_KEY_RING" in reason
    assert "a local ring" not in reason


def test_a_local_ring_alone_is_taken() -> None:
    settings = Settings.from_environment(environment(ASKBACK_KEY_SECRET_ID=None, ASKBACK_LOCAL_KEY_RING="{}"))
    assert (settings.key_secret_id, settings.local_key_ring) == ("", "{}")


@pytest.mark.parametrize(
    "value", ["-1", "350001", "8192.0", "8e3", "8k", " 8192", "8192\n", "+8192", "8_192", "0x10", "²", "٣", "true"]
)
def test_the_refusal_of_a_number_has_the_variable_and_its_limit(value: str) -> None:
    reason = refusal(environment(ASKBACK_INLINE_LIMIT_BYTES=value))
    assert "ASKBACK_INLINE_LIMIT_BYTES" in reason
    assert "350000" in reason


@pytest.mark.parametrize("value", ["0", "3651", "-1", "30d"])
def test_the_refusal_of_a_retention_out_of_range_has_the_variable(value: str) -> None:
    assert "ASKBACK_RETENTION_DAYS" in refusal(environment(ASKBACK_RETENTION_DAYS=value))


@pytest.mark.parametrize("value", ["acme questions", ".acme", "acme.", "acme/questions", "acme-questions", "1acme"])
def test_the_refusal_of_a_module_has_the_variable_and_not_its_value(value: str) -> None:
    reason = refusal(environment(ASKBACK_INTERACTIONS=value))
    assert "ASKBACK_INTERACTIONS" in reason
    assert value not in reason


def refusal(variables: dict[str, str]) -> str:
    """Return the reason for the log; what the caller is told names nothing."""
    with pytest.raises(InteractionConfigurationError) as refused:
        Settings.from_environment(variables)
    assert "ASKBACK" not in refused.value.detail
    return refused.value.reason


@pytest.mark.parametrize(
    "value",
    [
        "http://app.example.com",
        "javascript:alert(1)",
        "https://",
        "https://a b",
        "https://a#b",
        "https://a@b",
        'https://a"',
    ],
)
def test_the_refusal_of_a_sign_in_address_has_the_variable_and_not_its_value(value: str) -> None:
    reason = refusal(environment(ASKBACK_SIGN_IN_URL=value))
    assert "ASKBACK_SIGN_IN_URL" in reason
    assert value not in reason.replace("https address", "")
