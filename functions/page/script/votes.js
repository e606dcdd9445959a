// A decision by several people: how many must approve, how far it is, and who voted what.

import { el, foreign, sayWith } from "./elements.js";
import { moment, say } from "./text.js";
import { valueText } from "./value_text.js";

/** How many must approve, and how far the decision is: rows of a label and values; none for an ordinary question. */
export function votesRows({ quorum, votes = [] }) {
  if (!quorum) return [];
  const { needed, members, veto } = quorum;
  return [
    [say("votes_needed"), say("needed_of", { needed, members }), ...(veto ? [say("veto_ends")] : [])],
    [say("so_far"), el("span", { id: "so-far" }, soFar(quorum)), ...(votes.length ? [votesList(votes)] : [])],
  ];
}

function soFar({ voted, approved, rejected }) {
  return approved === null ? say("votes_hidden", { voted }) : say("votes_so_far", { approved, rejected });
}

/** Show on the open page how far the decision is now. */
export function showProgress(quorum) {
  const place = document.getElementById("so-far");
  if (quorum && place) place.textContent = soFar(quorum);
}

/** The votes, each with its member and the one for whom it is, decision, time and comment; a void one is marked. */
export function votesList(votes) {
  return el("ul", { class: "votes" }, ...votes.map(({ by, for: member, decision, at, comment, counts }) => el("li", {},
    foreign(by), member && " ", member && sayWith("vote_for", member), ": ", el("strong", {}, say(decision)), ", ", moment(at),
    counts ? null : el("span", { class: "quiet" }, ` (${say("void_vote")})`),
    comment ? el("div", {}, valueText(comment)) : null)));
}
