"""Who can do no harm: whoever opens a link without meaning to, whoever writes the question, pages of other origins."""

import http.client
import json
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import expect

from tests.built.browser.steps import choose, the_answer
from tests.built.browser.visitor import Visitor
from tests.support import page_questions as questions
from tests.support.page_deployment import Asked, Deployed

pytestmark = pytest.mark.browser

AGENTS = (
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
    "",
)


def require_open(deployed: Deployed, asked: Asked) -> None:
    """It is still to be answered, and can be."""
    assert deployed.question(asked)["status"] == "issued"
    assert deployed.answer(asked.token, the_answer(asked.minted["payload"])).status == 200


@pytest.mark.parametrize("method", ["HEAD", "GET"])
@pytest.mark.parametrize("cookie", ["", "session=1"])
def test_fetching_the_link_twenty_times_consumes_nothing(deployed: Deployed, method: str, cookie: str) -> None:
    """A-45."""
    asked = deployed.ask("ask_user", questions.ONE)
    connection = http.client.HTTPConnection(urlsplit(asked.link).netloc)
    for _ in range(20):
        connection.request(method, "/answer", headers={"cookie": cookie} if cookie else {})
        reply = connection.getresponse()
        body = reply.read()
        assert (reply.status, body == b"") == (200, method == "HEAD")
        assert (reply.headers["cache-control"], reply.headers["referrer-policy"]) == ("no-store", "no-referrer")
    connection.close()
    require_open(deployed, asked)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_scanner_that_renders_runs_scripts_and_follows_links_consumes_nothing(
    deployed: Deployed, visit: Callable[..., Visitor], agent: str
) -> None:
    """A-45, A-46: safe because of the method; the answer below is taken from the same agent."""
    asked = deployed.ask("ask_user", questions.ONE)
    scanner = visit(user_agent=agent)
    page = scanner.opens(asked.link)
    links = page.eval_on_selector_all("[href], [src]", "all => all.map((each) => each.href || each.src)")
    for link in links:
        if link.startswith("http"):
            assert scanner.context.request.get(link).ok
    for path in ("/answers", "/questions", "/answer"):
        scanner.context.request.get(urljoin(asked.link, f"{path}?token={asked.token}"), fail_on_status_code=False)
    assert deployed.question(asked)["status"] == "issued"
    assert scanner.seen.posts("/answers") == []
    choose(scanner)
    scanner.sends()
    scanner.sees("Thank you")


@pytest.mark.only_chromium("Playwright reads no body of a request from Firefox")
def test_the_token_is_in_no_address_and_no_referrer(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    visitor.opens(asked.link)
    choose(visitor)
    visitor.sends()
    visitor.sees("Thank you")
    for request in visitor.seen.requests:
        assert asked.token not in request.url.partition("#")[0]
        assert not request.headers.get("referer")
        assert (asked.token in (request.post_data or "")) is (request.method == "POST")


def test_what_a_model_wrote_is_shown_as_text(deployed: Deployed, visitor: Visitor) -> None:
    """A-58: no element, no link, no dialog and no request is made of it, and what turns text round is made visible."""
    page = visitor.opens(deployed.ask("ask_user", questions.HOSTILE).link, "2 questions for you")
    for preview in page.get_by_text("Preview", exact=True).all():
        preview.click()
    shown = page.inner_text("main")
    assert questions.MARKUP in shown
    assert "javascript:alert(4) https://evil.example/x" in shown
    assert "</script><style>*{display:none}</style>" in shown
    assert "{{strings}} {question} ${1}" in shown
    assert "\u202e" not in shown
    assert "[U+202E]000,1" in shown
    assert page.locator("a, img, svg, iframe, main script, main style").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    preview = questions.HOSTILE["questions"][0]["options"][0]["preview"]
    page.get_by_role("button", name="Show all").first.click()
    shown = str(page.locator("details .value").first.text_content())
    assert shown.replace("[U+202E]", "\u202e").count("<b>") == preview.count("<b>")


def test_a_proposed_action_hides_no_argument_whatever_it_is_called(deployed: Deployed, visitor: Visitor) -> None:
    """`constructor` is something that every object of JavaScript has, and an argument like any other here."""
    asked = deployed.ask("approval", questions.HOSTILE_APPROVAL)
    page = visitor.opens(asked.link)
    names = page.locator(".action > dl > div > dt").all_text_contents()
    assert names == ["__proto__", "constructor", "deep"]
    expect(page.get_by_text("polluted", exact=False).first).to_be_visible()
    page.get_by_label(questions.MARKUP).fill(questions.MARKUP + "!")
    visitor.sends("Approve")
    visitor.sees("Thank you")
    taken = deployed.outcome(asked)["response"]
    assert taken["arguments"] == questions.HOSTILE_APPROVAL["action"]["arguments"] | {"note": questions.MARKUP + "!"}


def test_fields_may_be_called_like_what_every_object_has(deployed: Deployed, visitor: Visitor) -> None:
    names = ["constructor", "toString", "__proto__"]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    asked = deployed.ask("form", {"title": "Names", "schema": schema})
    page = visitor.opens(asked.link)
    fields = page.locator("form textarea")
    assert [field.input_value() for field in fields.all()] == ["", "", ""]
    for index in range(3):
        fields.nth(index).fill(f"text {index}")
    page.reload()
    visitor.sends()
    visitor.sees("Thank you")
    assert sorted(deployed.outcome(asked)["response"]) == sorted(names)


@pytest.mark.only_chromium("the words are Chromium's")
def test_an_inline_script_does_not_run_and_no_markup_is_made_of_text(deployed: Deployed, visitor: Visitor) -> None:
    page = visitor.opens(deployed.ask("ask_user", questions.ONE).link)
    for attempt in (
        "document.body.innerHTML = '<p>markup</p>'",
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))",
    ):
        assert (
            page.evaluate(f"(() => {{ try {{ {attempt} }} catch (error) {{ return error.name }} }})()") == "TypeError"
        )
    assert page.evaluate("window.ran") is None
    assert ["TrustedHTML" in visitor.seen.wrong[0], "TrustedScript" in visitor.seen.wrong[1]] == [True, True]
    visitor.seen.wrong.clear()


@pytest.mark.only_chromium("the words are Chromium's")
def test_no_other_page_can_frame_the_page(deployed: Deployed, visitor: Visitor) -> None:
    asked = deployed.ask("ask_user", questions.ONE)
    page = visitor.goes_to(deployed.other_origin)
    page.set_content(f"<iframe src='{asked.link}'></iframe>")
    page.wait_for_load_state("networkidle")
    assert page.frames[1].url.startswith("chrome-error://")
    assert "frame-ancestors 'none'" in visitor.seen.wrong.pop()


CALL = """async ([url, body]) => {
  try {
    const reply = await fetch(url, {method: "POST", headers: {"content-type": "application/json"}, body});
    return [reply.status, (await reply.json()).code ?? ""];
  } catch (error) {
    return [0, error.name];
  }
}"""


def test_a_page_of_a_listed_origin_reads_every_answer_refusals_too(deployed: Deployed, visitor: Visitor) -> None:
    """A-30: each request is preceded by a preflight, which needs no authorisation."""
    page = visitor.goes_to(deployed.listed_origin)
    asked, revoked = (deployed.ask("ask_user", questions.ONE) for _ in range(2))
    deployed.revoke(revoked)
    answer = the_answer(asked.minted["payload"])
    said = [
        page.evaluate(CALL, [f"{deployed.url}/answers", body])
        for body in (
            "no json",
            json.dumps({"answer_token": "x.y.z", "response": answer}),
            json.dumps({"answer_token": asked.token, "response": answer}),
            json.dumps({"answer_token": revoked.token, "response": the_answer(revoked.minted["payload"])}),
        )
    ]
    assert said == [[400, "bad-request"], [401, "token-rejected"], [200, ""], [410, "revoked"]]


@pytest.mark.only_chromium("the words are Chromium's")
def test_a_page_of_another_origin_reads_nothing_and_answers_nothing(deployed: Deployed, visitor: Visitor) -> None:
    """A-30."""
    page = visitor.goes_to(deployed.other_origin)
    asked = deployed.ask("ask_user", questions.ONE)
    body = json.dumps({"answer_token": asked.token, "response": the_answer(asked.minted["payload"])})
    assert page.evaluate(CALL, [f"{deployed.url}/answers", body]) == [0, "TypeError"]
    assert "No 'Access-Control-Allow-Origin' header" in visitor.seen.wrong.pop()
    require_open(deployed, asked)
