"""What every refusal over HTTP looks like."""

from tests.support.function_deployment import Answer


def require_problem(answer: Answer, status: int, code: str) -> None:
    """Hold a refusal to RFC 9457 and to the table."""
    assert answer.said == (status, code)
    document = answer.document
    assert set(document) - {"errors", "answered_at", "expired_at", "voted_at", "superseded_by"} == {
        "type",
        "title",
        "status",
        "detail",
        "code",
        "retryable",
    }
    assert (document["type"], document["status"]) == (f"urn:askback:problem:{code}", status)
    assert document["title"]
    assert document["detail"]
    assert document["retryable"] is (code in ("store-unavailable", "not-answered", "too-many-open"))
    assert ("retry-after" in answer.headers) == (status == 503)
