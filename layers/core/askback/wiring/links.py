"""The composition root of the links function: the ledger and the keys, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.logging import Logger

from askback.domain.pause.principal_scopes import PrincipalScopes, read_principal_scopes
from askback.domain.people.answer_links import AnswerLinks
from askback.edge.log import pause_namer
from askback.settings import Settings
from askback.wiring.pauses import pause_tokens
from askback.wiring.sources import now
from askback.wiring.stores import open_stores


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksServices:
    """The services of the links function; `clock` returns epoch seconds."""

    links: AnswerLinks
    settings: Settings
    scopes: PrincipalScopes
    clock: Callable[[], int]


def build(logger: Logger, *, clock: Callable[[], int] = now) -> LinksServices:
    """Build the services from the environment; raises as `open_stores` does."""
    stores = open_stores()
    links = AnswerLinks(ledger=stores.ledger, tokens=pause_tokens(stores, logger), known=pause_namer(logger))
    scopes = read_principal_scopes(stores.settings.principal_scopes)
    return LinksServices(links=links, settings=stores.settings, scopes=scopes, clock=clock)
