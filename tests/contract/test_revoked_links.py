"""How every issuance ledger revokes the link of one recipient, in memory and on DynamoDB alike."""

import asyncio
from typing import Any

import pytest

from askback.domain.errors import LinkRevoked, StoreUnavailable
from askback.domain.pause.answerers import Answerers
from askback.domain.pause.claims import Audience, PauseClaims
from askback.domain.pause.ledger import LedgerRow, PauseStatus
from askback.domain.ports import IssuanceLedger
from askback.testing.memory_ledger import InMemoryLedger
from tests.support.aws_stores import Aws
from tests.support.domain_values import an_acceptance, an_issued_row, some_claims
from tests.support.ledger_steps import EVENT, TASK, a_row, claim, find, issued
from tests.support.memory_deployment import NOW

PEOPLE = Answerers(recipients=("ada", "bob", "eve"))


def revoke(ledger: IssuanceLedger, row: LedgerRow, *recipients: str) -> bool:
    return asyncio.run(ledger.revoke_links(row, recipients))


def link_of(row: LedgerRow, recipient: str) -> PauseClaims:
    """Return the claims that the token of a recipient's link is read as."""
    return some_claims(jti=row.claims.jti, audience=Audience.ANSWER, recipient=recipient)


class RevokedLinksContract:
    """Subclasses say which ledger."""

    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        raise NotImplementedError

    def test_a_row_has_no_revoked_link_until_one_is_revoked(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, answerers=PEOPLE)
        assert find(ledger, row).revoked_links == ()
        assert revoke(ledger, row, "ada")
        assert find(ledger, row) == a_row(answerers=PEOPLE, revoked_links=("ada",))

    @pytest.mark.parametrize("waiter", [None, TASK, EVENT], ids=["no waiter", "task", "event"])
    def test_the_revoked_link_does_not_answer_and_every_other_does(self, ledger: IssuanceLedger, waiter: Any) -> None:
        over: dict[str, Any] = {} if waiter is None else {"redeliver_at": NOW + 60, "waiter": waiter}
        for number, recipient in enumerate(["bob", "eve", ""]):
            row = issued(ledger, jti=f"pause-{number}", answerers=PEOPLE, waiter=waiter)
            assert revoke(ledger, row, "ada")
            with pytest.raises(LinkRevoked):
                asyncio.run(ledger.claim(link_of(row, "ada"), an_acceptance(), **over))
            assert find(ledger, row).status is PauseStatus.ISSUED
            receipt = asyncio.run(ledger.claim(link_of(row, recipient), an_acceptance(), **over))
            assert (receipt.replayed, receipt.row.revoked_links) == (False, ("ada",))

    def test_a_second_link_is_added_to_the_first(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, answerers=PEOPLE)
        assert revoke(ledger, row, "ada")
        # Another operator who read the row before would lose the first revocation.
        assert not revoke(ledger, row, "bob")
        assert revoke(ledger, find(ledger, row), "ada", "bob")
        assert find(ledger, row).revoked_links == ("ada", "bob")

    def test_nothing_is_revoked_of_a_pause_that_has_ended(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, answerers=PEOPLE)
        claim(ledger, row)
        assert not revoke(ledger, row, "ada")
        assert find(ledger, row).revoked_links == ()
        assert not revoke(ledger, a_row(jti="unknown", answerers=PEOPLE), "ada")

    def test_a_waiter_that_comes_later_changes_nothing_of_a_revoked_link(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, answerers=PEOPLE)
        assert revoke(ledger, row, "ada")
        # The row as it was read before the revocation: its waiter is not written over the revocation.
        assert not asyncio.run(ledger.replace_waiter(row, EVENT))
        seen = find(ledger, row)
        assert asyncio.run(ledger.replace_waiter(seen, EVENT))
        assert (find(ledger, row).waiter, find(ledger, row).revoked_links) == (EVENT, ("ada",))
        assert not revoke(ledger, seen, "ada", "bob")
        with pytest.raises(LinkRevoked):
            asyncio.run(ledger.claim(link_of(row, "ada"), an_acceptance(), redeliver_at=NOW + 60, waiter=EVENT))

    def test_a_claim_by_a_good_link_of_a_changed_row_is_sent_again(self, ledger: IssuanceLedger) -> None:
        row = issued(ledger, answerers=PEOPLE, waiter=TASK)
        assert revoke(ledger, row, "ada")
        with pytest.raises(StoreUnavailable):
            asyncio.run(ledger.claim(link_of(row, "bob"), an_acceptance()))


class TestInMemory(RevokedLinksContract):
    @pytest.fixture
    def ledger(self) -> IssuanceLedger:
        return InMemoryLedger()


class TestDynamoDb(RevokedLinksContract):
    @pytest.fixture
    def ledger(self, aws: Aws) -> IssuanceLedger:
        return aws.ledger()


def test_only_a_row_with_a_revoked_link_has_the_attribute(aws: Aws) -> None:
    row = an_issued_row(answerers=PEOPLE)
    asyncio.run(aws.ledger().issue(row))
    before = aws.row(row.claims.jti)
    assert before is not None
    assert revoke(aws.ledger(), row, "ada")
    after = aws.row(row.claims.jti)
    assert after is not None
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"revoked_links", "terms"}
    assert "revoked_links" not in before
