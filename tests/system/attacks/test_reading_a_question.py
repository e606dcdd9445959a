"""Attack: a principal who operates the stack, or looks at it, reads what people are asked."""

import json

import pytest

from tests.support.function_deployment import Handlers
from tests.support.recorded_output import ASKED, LABEL, a_secret_mint
from tests.support.request_bodies import a_scope


@pytest.mark.cannot("read a text of a question under `OperatorPolicy` or `AuditorPolicy`")
def test_no_route_of_an_operator_shows_a_text_of_a_question(handlers: Handlers) -> None:
    """Those of the two policies; without `ListTitles`, a request for titles is refused."""
    scope = a_scope()
    jti = handlers.post("/pauses", a_secret_mint(scope=scope)).document["jti"]
    of_tenant = f"/pauses?tenant_id={scope['tenant_id']}&whole=true"
    said = [handlers.get(of_tenant), handlers.get(of_tenant + "&titles=true"), handlers.get(f"/pauses/{jti}")]
    assert [answer.status for answer in said] == [200, 400, 200]
    direct = {"action": "list", "tenant_id": scope["tenant_id"], "whole": True}
    documents = [answer.document for answer in (*said, handlers.get("/keys"), handlers.revoke(jti))]
    documents += [handlers.invoke("inbox", direct), handlers.refused("inbox", {**direct, "titles": True})]
    assert jti in json.dumps(documents)
    assert not [text for text in (ASKED, LABEL) if text in json.dumps(documents)]
