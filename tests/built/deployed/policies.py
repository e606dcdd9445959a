"""What the roles and the policies for other roles allow, action by action, and how to take one away."""

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Permission:
    """One action of one statement; a statement without a Sid is called after its policy.

    A statement has one resource, so that an action which is taken away is taken away for one resource.
    """

    role: str
    statement: str
    action: str

    def __str__(self) -> str:
        return f"{self.role}-{self.statement}-{self.action}"


class Roles:
    """The roles of a deployment, and its managed policies, each of which is the role of a program outside.

    `names` are the physical names of roles by logical id, `managed` the ARNs of the managed policies.
    """

    def __init__(self, iam: Any, names: Mapping[str, str], managed: Mapping[str, str]) -> None:
        self._iam = iam
        self._names = names
        self._managed = managed

    def permissions(self) -> Iterator[Permission]:
        """Yield everything that the roles allow at this moment."""
        for role in (*self._names, *self._managed):
            for policy, document in self._policies(role):
                for statement in document["Statement"]:
                    name = statement.get("Sid", policy)
                    assert len(_listed(statement["Resource"])) == 1, f"{role} {name} has several resources"
                    for action in _listed(statement["Action"]):
                        yield Permission(role=role, statement=name, action=action)

    @contextmanager
    def without(self, *permissions: Permission) -> Iterator[None]:
        """Take these permissions away, until leaving."""
        before = {role: list(self._policies(role)) for role in {each.role for each in permissions}}
        for role, policies in before.items():
            for policy, document in policies:
                self._write(role, policy, _cut(policy, document, {each for each in permissions if each.role == role}))
        try:
            yield
        finally:
            for role, policies in before.items():
                for policy, document in policies:
                    self._write(role, policy, document)

    def _policies(self, role: str) -> Iterator[tuple[str, Document]]:
        if role in self._managed:
            arn = self._managed[role]
            version = self._iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            found = self._iam.get_policy_version(PolicyArn=arn, VersionId=version)
            yield role, found["PolicyVersion"]["Document"]
            return
        name = self._names[role]
        for policy in self._iam.list_role_policies(RoleName=name)["PolicyNames"]:
            yield policy, self._iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]

    def _write(self, role: str, policy: str, document: Document) -> None:
        if role in self._managed:
            arn = self._managed[role]
            version = self._iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
            self._iam.create_policy_version(PolicyArn=arn, PolicyDocument=json.dumps(document), SetAsDefault=True)
            # A policy has five versions at most.
            self._iam.delete_policy_version(PolicyArn=arn, VersionId=version)
            return
        name = self._names[role]
        if document["Statement"]:
            text = json.dumps(document)
            self._iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=text)
        else:
            self._iam.delete_role_policy(RoleName=name, PolicyName=policy)


def _cut(policy: str, document: Document, gone: set[Permission]) -> Document:
    kept = copy.deepcopy(document)
    for statement in kept["Statement"]:
        name = statement.get("Sid", policy)
        cut = {each.action for each in gone if each.statement == name}
        statement["Action"] = [action for action in _listed(statement["Action"]) if action not in cut]
    kept["Statement"] = [statement for statement in kept["Statement"] if statement["Action"]]
    return kept


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
