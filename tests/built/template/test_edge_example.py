"""docs/examples/edge.yaml: a template that CloudFormation takes, which lets people through and records no token."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from local.emulated.routes import Authorizer, read_routes
from local.emulated.template import load_template
from tests.support.template import ROOT, WITH_JWT, resolver

PATH: Final = ROOT / "docs/examples/edge.yaml"
RESOURCES: Final[dict[str, dict[str, Any]]] = load_template(PATH)["Resources"]
FIREWALL: Final = RESOURCES["Firewall"]["Properties"]


def passes(path: str) -> bool:
    """Tell whether the firewall's last rule lets a path through; its default action blocks."""
    (allowed,) = [rule["Statement"] for rule in FIREWALL["Rules"] if rule.get("Action") == {"Allow": {}}]
    return re.search(allowed["RegexMatchStatement"]["RegexString"], path) is not None


def test_cfn_lint_finds_nothing() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("cfn-lint")), "--regions", "us-east-1", "--template", str(PATH)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_routes_of_people_pass_and_no_other_does() -> None:
    # The last route of the API is for links that a program changed; those begin with /answer too.
    routes = [route for route in read_routes(resolver(**WITH_JWT)) if "{lost+}" not in route.key]
    for route in routes:
        # Agents use the address of the API: a signature, and the resource of a token, are for one address.
        of_agents = route.path.endswith("/mcp") or route.path.startswith("/.well-known/")
        of_people = route.authorizer is not Authorizer.IAM and not of_agents
        assert passes(route.key.partition(" ")[2].replace("{jti}", "6c51795b")) is of_people, route.key
    assert passes("/answer%23eyJhbGciOiJIUzI1NiJ9")
    assert not passes("/")
    assert FIREWALL["DefaultAction"] == {"Block": {}}


def test_each_address_has_a_limit_before_all_other_rules() -> None:
    first = min(FIREWALL["Rules"], key=lambda rule: int(rule["Priority"]))
    limit = first["Statement"]["RateBasedStatement"]
    assert limit == {"AggregateKeyType": "IP", "EvaluationWindowSec": 300, "Limit": {"Ref": "RequestsOfAnAddress"}}
    assert first["Action"]["Block"]["CustomResponse"]["ResponseCode"] == 429


def test_no_rule_about_a_body_blocks_an_answer_that_quotes_something() -> None:
    (common,) = [
        rule["Statement"]["ManagedRuleGroupStatement"] for rule in FIREWALL["Rules"] if rule["Name"] == "common"
    ]
    assert all(each["ActionToUse"] == {"Count": {}} for each in common["RuleActionOverrides"])
    assert {each["Name"].rpartition("_")[2] for each in common["RuleActionOverrides"]} == {"BODY"}


def test_nothing_of_a_request_is_kept() -> None:
    """No sample, no log, and no piece of a body if a log is set up later."""
    shown = [FIREWALL["VisibilityConfig"], *(rule["VisibilityConfig"] for rule in FIREWALL["Rules"])]
    assert not [each for each in shown if each["SampledRequestsEnabled"]]
    fields = [each["Field"] for each in FIREWALL["DataProtectionConfig"]["DataProtections"]]
    assert {"FieldType": "BODY"} in fields
    assert {kind["Type"] for kind in RESOURCES.values()} == {"AWS::WAFv2::WebACL", "AWS::CloudFront::Distribution"}
    assert "Logging" not in json.dumps(RESOURCES)


def test_the_api_is_called_by_its_own_host_and_nothing_is_cached() -> None:
    behaviour = RESOURCES["Distribution"]["Properties"]["DistributionConfig"]["DefaultCacheBehavior"]
    # The ids of AWS for CachingDisabled and AllViewerExceptHostHeader.
    assert behaviour["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a084be7ad"
    assert behaviour["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-38738e2966ac"
