"""The parameters of an organisation's face: what they take, which functions get them, and a domain of its own."""

import re
from typing import Any

import pytest

from local.emulated.functions import read_functions
from tests.support.expanded_template import expanded, resolving
from tests.support.template import FUNCTIONS, ROOT, TEMPLATE, properties, resolver

CERTIFICATE = "arn:aws:acm:eu-west-1:123456789012:certificate/1a2b3c4d-0000-1111-2222-333344445555"
DOMAIN = {"DomainName": "answers.example.com", "CertificateArn": CERTIFICATE}
RIGHT = {
    "BrandName": ["", "Acme", "Müller & Söhne", "株式会社アクメ", "  Acme "],
    "BrandColor": ["", "#0b5f4b", "#FFFFFF"],
    "SupportContact": ["", "help@acme.example", "https://acme.example/help?a=b", "Call +49 30 1234"],
    "SenderName": ["", "Acme approvals"],
    "MessageTimeZone": ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"],
    "DomainName": ["", "answers.example.com", "a-b.example.co"],
    "CertificateArn": ["", CERTIFICATE],
    "HostedZoneId": ["", "Z0123456789ABCDEFGHIJ"],
}
WRONG = {
    "BrandName": [" ", "Acme\nBcc: eve@example.com", "a\x00b"],
    "BrandColor": ["0b5f4b", "#fff", "purple", "#0b5f4b;"],
    "SupportContact": ["  ", "help@acme.example\n"],
    "SenderName": ["\t", "Acme\r\nBcc: eve@example.com"],
    "MessageTimeZone": ["", "Europe/", "/etc/passwd", "../x", "Europe Berlin"],
    "DomainName": ["Answers.example.com", "example", "https://example.com", "-a.example.com", "a.example.com."],
    "CertificateArn": ["arn:aws:iam::123456789012:server-certificate/x", "x"],
    "HostedZoneId": ["z1", "/hostedzone/Z1"],
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_parameter_takes_what_it_is_for_and_nothing_else(name: str) -> None:
    pattern = TEMPLATE["Parameters"][name]["AllowedPattern"]
    assert [value for value in RIGHT[name] if not re.fullmatch(pattern, value)] == []
    assert [value for value in WRONG[name] if re.fullmatch(pattern, value)] == []


def test_every_function_has_the_face_of_the_deployment() -> None:
    face = {
        "BrandName": "Acme",
        "BrandColor": "#6a1b9a",
        "SupportContact": "help@acme.example",
        "SenderName": "Acme approvals",
        "MessageTimeZone": "Europe/Berlin",
    }
    for function in read_functions(TEMPLATE, resolver(**face), ROOT):
        assert {
            "ASKBACK_BRAND_NAME": "Acme",
            "ASKBACK_BRAND_COLOR": "#6a1b9a",
            "ASKBACK_SUPPORT_CONTACT": "help@acme.example",
            "ASKBACK_SENDER_NAME": "Acme approvals",
            "ASKBACK_MESSAGE_TIME_ZONE": "Europe/Berlin",
        }.items() <= function.environment.items()


def links_lead_to(**parameters: str) -> set[str]:
    found = read_functions(TEMPLATE, resolver(**parameters), ROOT)
    return {url for function in found if (url := function.environment["ASKBACK_ANSWER_URL"])}


def test_links_lead_to_the_domain_and_an_address_of_ones_own_goes_before_it() -> None:
    assert links_lead_to(**DOMAIN) == {"https://answers.example.com/answer"}
    assert links_lead_to(**DOMAIN, AnswerUrl="https://acme.example/a") == {"https://acme.example/a"}
    page = TEMPLATE["Outputs"]["PageUrl"]["Value"]
    assert resolver(**DOMAIN).resolve(page) == "https://answers.example.com/answer"
    written = [properties(name)["Environment"]["Variables"].get("ASKBACK_ANSWER_URL") for name in FUNCTIONS]
    assert [each for each in written if each] == [page] * 3


def made(**parameters: str) -> dict[str, dict[str, Any]]:
    """Return the resources of a domain that these parameters make, by type."""
    resolved = resolving(**parameters)
    kinds = ("AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping", "AWS::Route53::RecordSet")
    return {
        kind: found["Properties"]
        for kind in kinds
        for found in expanded(kind).values()
        if resolved.resolve({"Fn::If": [found["Condition"], True, False]})
    }


def test_a_domain_is_served_with_its_certificate_at_the_root_of_the_deployed_stage() -> None:
    assert made() == {}
    found = made(**DOMAIN)
    assert set(found) == {"AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping"}
    assert found["AWS::ApiGatewayV2::DomainName"] == {
        "DomainName": {"Ref": "DomainName"},
        "DomainNameConfigurations": [
            {"CertificateArn": {"Ref": "CertificateArn"}, "EndpointType": "REGIONAL", "SecurityPolicy": "TLS_1_2"}
        ],
    }
    (stage,) = expanded("AWS::ApiGatewayV2::Stage")
    assert found["AWS::ApiGatewayV2::ApiMapping"] == {
        "ApiId": {"Ref": "HttpApi"},
        "DomainName": {"Ref": "ApiDomain"},
        "Stage": {"Ref": stage},
    }


def test_the_record_leads_to_the_domain_and_exists_only_with_a_zone() -> None:
    record = made(**DOMAIN, HostedZoneId="Z123")["AWS::Route53::RecordSet"]
    assert record["AliasTarget"] == {
        "DNSName": {"Fn::GetAtt": ["ApiDomain", "RegionalDomainName"]},
        "HostedZoneId": {"Fn::GetAtt": ["ApiDomain", "RegionalHostedZoneId"]},
    }
    assert (record["Name"], record["HostedZoneId"]) == ({"Ref": "DomainName"}, {"Ref": "HostedZoneId"})


@pytest.mark.parametrize(
    ("name", "alone", "complete"),
    [
        ("DomainNeedsCertificate", {"DomainName": "answers.example.com"}, DOMAIN),
        ("RecordNeedsDomain", {"HostedZoneId": "Z123"}, {**DOMAIN, "HostedZoneId": "Z123"}),
    ],
)
def test_a_part_of_a_domain_without_the_other_is_refused(
    name: str, alone: dict[str, str], complete: dict[str, str]
) -> None:
    rule = TEMPLATE["Rules"][name]
    (assertion,) = rule["Assertions"]
    assert resolver(**alone).resolve(rule["RuleCondition"]) is True
    assert resolver(**alone).resolve(assertion["Assert"]) is False
    assert resolver(**complete).resolve(assertion["Assert"]) is True
    assert resolver().resolve(rule["RuleCondition"]) is False


def test_notify_has_the_time_zones_that_the_runtime_need_not_have() -> None:
    requirements = (ROOT / "functions/notify/requirements.txt").read_text(encoding="utf-8")
    assert re.match(r"tzdata==[\d.]+ \\\n    --hash=sha256:[0-9a-f]{64}", requirements)
