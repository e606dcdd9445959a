// The entry of the page: it fetches the question and shows its form, or shows how the question ended.

import { askingBack, clarifications, isReplied, showAsked } from "./clarifications.js";
import { deadline } from "./deadline.js";
import { dropDraft, keepDraft, readDraft } from "./draft.js";
import { el, foreign, foreignBlock, sayWith, show } from "./elements.js";
import { ENDINGS, answered, ended, isFinal, notByLink, voted } from "./endings.js";
import { effects } from "./effects.js";
import { formOf } from "./forms.js";
import { jsonView } from "./json_view.js";
import { takeToken } from "./link.js";
import { passingOn } from "./passing_on.js";
import { sender } from "./sending.js";
import { serviceFor } from "./service.js";
import { plain, say, speak } from "./text.js";
import { entries } from "./typed.js";
import { showProgress } from "./votes.js";
import { watch } from "./watching.js";

const token = takeToken();
const service = serviceFor(token);

async function start() {
  if (!token) return ENDINGS["token-rejected"]();
  show(el("p", { class: "quiet" }, say("loading")));
  opened(await service.fetchQuestion());
}

/** Show the service's reply for a question. */
function opened(reply, notice = null) {
  const { status, body: question } = reply;
  if (status !== 200) return ended(reply, start);
  if (question.status === "revoked") return ENDINGS.revoked(question);
  if (question.status === "superseded") return ENDINGS.superseded(question);
  if (question.status === "expired") return ENDINGS.expired(question);
  if (question.status !== "issued") return answered(question);
  if (question.voted_at) return voted(question);
  if (!question.link_may_answer) return notByLink(question);
  return asking(question, notice);
}

function asking(question, notice) {
  const form = formOf(question);
  const typed = entries(form);
  // Whatever takes the place of the form, what was typed stays on the page.
  const keepingTyped = (next) => (...given) => {
    const kept = typed();
    next(...given);
    if (kept) document.getElementById("page").append(kept);
  };
  const another = keepingTyped(opened);
  // A reply to a question of the reader or of another person.
  const instead = (reply, notice) => {
    if (!isReplied(reply.body, question)) return another(reply, notice);
    // The fields are the same ones, so what was typed stays in them.
    if (typed()) keepDraft(reply.body, form);
    dropDraft(question);
    return opened(reply, say("has_reply"));
  };
  const watching = watch(question, {
    service,
    isFinal,
    changed: (reply) => instead(reply, say("changed_question")),
    moved(body) {
      line.move(body.expires_at);
      showProgress(body.quorum);
      showAsked(question, body, asked);
    },
  });
  const line = deadline(question, { now: service.now, over: watching.look });
  const sending = sender({
    question, form, service, watching, opened: instead, ended: keepingTyped((reply) => ended(reply, start)),
  });
  const asked = clarifications(question);
  const given = { question, service, sending };
  form.restore(readDraft(question));
  form.listen(() => keepDraft(question, form));
  document.title = plain(form.title);
  const heading = foreignBlock("h1", form.title, "", { tabindex: "-1" });
  const said = el("div", { id: "notice", role: "alert" });
  // Only a press of a button sends an answer. With a submit button, Enter in a field or a script could send one too, and
  // the browser would choose the button.
  const press = (event) => sending.submit(event.currentTarget);
  // Of several buttons none is the proposed one: they have one size and one look, and none has the focus.
  const look = form.buttons.length > 1 ? "second" : null;
  const buttons = form.buttons.map(({ label, kind }) =>
    el("button", { type: "button", value: kind, class: look, onclick: press }, label));
  // The bar stays in view while the sheet scrolls, so it belongs to the sheet and not to the fields alone.
  const element = el("form", { class: "sheet", novalidate: true },
    question.about?.risk === "high" && el("span", { class: "tag bad" }, say("high_risk")), form.above, heading,
    asker(question), whyNow(question), reason(question), line.node, otherValues(question), ...form.intro, asked,
    el("div", { class: "fields" }, ...form.nodes),
    effects(question), said,
    el("div", { class: "bar" }, el("div", { class: "buttons" }, ...buttons)));
  element.addEventListener("submit", (event) => event.preventDefault());
  show(
    notice && el("p", { class: "notice", role: "alert" }, notice),
    element,
    question.presentation === "approval"
      && el("p", { class: "quiet after" }, say(question.waits ? "next_waiting" : "next_fetched")),
    askingBack(question, asked, given),
    passingOn(question, form.title, given),
    references(question),
    form.shownAsJson ? null : el("div", { class: "after" }, jsonView(question.payload)),
  );
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Who asks, for which scope and person, and the person as whom the reader answers. */
function asker(question) {
  return named("quiet asker", [["asked_by", question.about?.asker], ["for_scope", question.scope_label], ["for_requester", question.requester],
    ["answer_as", question.recipient]]);
}

/** Why this person is asked only now; nothing for a person whom the mint has named. */
function whyNow({ asked_because: because, delegated_by: by }) {
  if (because === "delegated") return el("p", { class: "notice" }, sayWith("because_delegated", by));
  const key = { escalated: "because_escalated", reassigned: "because_reassigned" }[because];
  return key && el("p", { class: "notice" }, say(key));
}

/** Why the agent asks, in its own words. */
function reason({ about }) {
  return about?.reason && el("p", { class: "reason" }, el("strong", {}, say("why")), " ", foreign(about.reason));
}

/** That the fields show the values for which another person has voted. */
function otherValues({ proposal }) {
  return Object.keys(proposal?.edits ?? {}).length > 0 && el("p", { class: "notice" }, say("other_values"));
}

/** The references that an operator needs to find the question. */
function references(question) {
  return named("quiet references", [["interaction", question.name], ["in_run", question.run_id],
    ["contact", question.about?.contact]]);
}

function named(look, pairs) {
  const known = pairs.filter(([, value]) => value);
  return el("p", { class: look }, ...known.map(([key, value]) => el("span", {}, `${say(key)} `, foreign(value))));
}

speak(JSON.parse(document.getElementById("strings").textContent), document.documentElement.lang, navigator.languages);
// When another answer link is opened in this tab, only the fragment changes.
addEventListener("hashchange", () => location.reload());
start();
