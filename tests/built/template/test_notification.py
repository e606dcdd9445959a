"""People are told only where the deployment says by what, and what could not be told is kept."""

import re

import boto3
import pytest

from askback.adapters.channels.message_files import FOLDER
from askback.adapters.channels.webhook import WebhookTarget
from askback.adapters.dynamodb.roster_items import announced_change
from askback.domain.pause.changes import CHANGES_MAX
from local.emulated.cloud import Cloud
from tests.support.template import TEMPLATE, properties, resolver, resources

CHANNELS = {
    "NotifyFromAddress": "questions@mail.example.com",
    "NotifyTopicArn": "arn:aws:sns:eu-west-1:123456789012:questions",
    "NotifyWebhookUrl": "https://hooks.example.com/services/T0/B0/x-y_z?a=b",
}
OF_THE_RULE = ("NotifyRule", "NotifyPermission", "NotifyFailuresPolicy")


def test_each_language_of_messages_can_be_chosen_and_english_is_the_default() -> None:
    parameter = TEMPLATE["Parameters"]["MessageLanguage"]
    assert parameter["AllowedValues"] == sorted(path.stem for path in FOLDER.glob("*.json"))
    assert parameter["Default"] == "en"


def test_the_rule_listens_to_what_people_are_told_of() -> None:
    rule = properties("NotifyRule")
    for parameters, bus in (({}, "askback-local-eventbus"), ({"EventBusName": "default"}, "default")):
        resolving = resolver(**parameters, NotifyTopicArn=CHANNELS["NotifyTopicArn"])
        assert resolving.resolve(rule["EventBusName"]) == bus
    assert rule["EventPattern"] == {
        "source": ["askback"],
        "account": [{"Ref": "AWS::AccountId"}],
        "detail-type": [
            "PauseIssued",
            "PauseReminder",
            "PauseEscalated",
            "PauseReassigned",
            "PauseDelegated",
            "PauseClarified",
        ],
    }
    (target,) = rule["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": ["NotifyFunction", "Arn"]}


@pytest.mark.parametrize(("name", "value"), CHANNELS.items())
def test_any_channel_makes_the_rule_on_the_named_bus_or_on_a_bus_of_the_stack(name: str, value: str) -> None:
    for resource in OF_THE_RULE:
        assert TEMPLATE["Resources"][resource]["Condition"] == "Notifies"
    assert TEMPLATE["Resources"]["EventBus"]["Condition"] == "MakesEventBus"
    conditions = ("Notifies", "HasEventBus", "MakesEventBus")
    held = {
        str(parameters): tuple(map(resolver(**parameters).holds, conditions))
        for parameters in ({}, {"EventBusName": "default"}, {name: value}, {"EventBusName": "default", name: value})
    }
    assert list(held.values()) == [
        (False, False, False),
        (False, True, False),
        (True, True, True),
        (True, True, False),
    ]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("NotifyFromAddress", "Ada <ada@example.com>"),
        ("NotifyFromAddress", "ada@example.com, bob@example.com"),
        ("NotifyFromAddress", "*@example.com"),
        ("NotifyTopicArn", "arn:aws:sns:eu-west-1:123456789012:*"),
        ("NotifyTopicArn", "arn:aws:sns:eu-west-1:123456789012:questions.fifo"),
        ("NotifyWebhookUrl", "http://hooks.example.com/a"),
        ("NotifyWebhookUrl", "https://ada:secret@hooks.example.com/a"),
        ("NotifyWebhookUrl", 'https://hooks.example.com/","key":"mine'),
        ("NotifyWebhookUrl", "https://hooks.example.com/a#b"),
    ],
)
def test_a_parameter_takes_what_it_is_for_and_nothing_else(name: str, wrong: str) -> None:
    pattern = TEMPLATE["Parameters"][name]["AllowedPattern"]
    assert re.fullmatch(pattern, "")
    assert re.fullmatch(pattern, CHANNELS[name])
    assert not re.fullmatch(pattern, wrong)


def test_the_webhooks_address_is_a_secret_and_stands_in_no_environment() -> None:
    assert TEMPLATE["Parameters"]["NotifyWebhookUrl"]["NoEcho"] is True
    with Cloud(parameters={"EventBusName": "default", **CHANNELS}) as cloud:
        (function,) = [function for function in cloud.functions if function.code.name == "notify"]
        secret = secret_text(function.environment["ASKBACK_NOTIFY_WEBHOOK_SECRET_ID"])
    assert not [value for value in function.environment.values() if "hooks.example.com" in value]
    target = WebhookTarget.parse(secret)
    assert (target.url, len(target.key)) == (CHANNELS["NotifyWebhookUrl"], 64)


def secret_text(secret_id: str) -> str:
    manager = boto3.client("secretsmanager")
    return manager.get_secret_value(SecretId=secret_id)["SecretString"]


def test_without_a_webhook_there_is_no_secret_to_pay_for() -> None:
    assert TEMPLATE["Resources"]["NotifyWebhook"]["Condition"] == "HasNotifyWebhook"
    assert list(resolver().resources("AWS::SecretsManager::Secret")) == ["KeyRing"]


def test_what_could_not_be_told_is_tried_three_times_and_kept() -> None:
    failures = {"Fn::GetAtt": ["NotifyFailures", "Arn"]}
    after = properties("NotifyFunction")["EventInvokeConfig"]
    assert after["MaximumRetryAttempts"] == 2
    assert after["DestinationConfig"]["OnFailure"] == {"Type": "SQS", "Destination": failures}
    (target,) = properties("NotifyRule")["Targets"]
    assert target["DeadLetterConfig"] == {"Arn": failures}
    assert resources("AWS::SQS::Queue")["NotifyFailures"]["Properties"]["SqsManagedSseEnabled"] is True


def test_links_lead_where_the_mints_lead() -> None:
    mint, notify, links = (
        properties(name)["Environment"]["Variables"]["ASKBACK_ANSWER_URL"]
        for name in ("MintFunction", "NotifyFunction", "LinksFunction")
    )
    assert mint == notify == links


def test_notify_may_write_the_mark_of_each_announcement_and_nothing_else_of_a_row() -> None:
    (policy,) = [each for each in properties("NotifyRole")["Policies"] if each.get("PolicyName") == "notify"]
    (statement,) = [
        each
        for each in policy["PolicyDocument"]["Statement"]
        if isinstance(each, dict) and each.get("Action") == "dynamodb:UpdateItem"
    ]
    changes = {announced_change(number) for number in range(1, CHANGES_MAX + 1)}
    allowed = statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:Attributes"]
    assert set(allowed) == {"pk", "sk", "announced", "reminded"} | changes
