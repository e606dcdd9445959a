// The draft of an answer, kept in this tab until it is sent: a reload or a failure does not lose it.
// Storage may be switched off. Then the drafts last until a reload.

const unstored = new Map();

const draftKey = (question) => `askback:${question.jti}:${question.request_hash}`;

/** The stored draft for a question, or an empty object. */
export function readDraft(question) {
  try {
    return JSON.parse(sessionStorage.getItem(draftKey(question))) ?? {};
  } catch {
    return unstored.get(draftKey(question)) ?? {};
  }
}

/** Store the draft of a form. */
export function keepDraft(question, form) {
  try {
    sessionStorage.setItem(draftKey(question), JSON.stringify(form.draft()));
  } catch {
    unstored.set(draftKey(question), form.draft());
  }
}

/** Delete the draft for a question. */
export function dropDraft(question) {
  try {
    sessionStorage.removeItem(draftKey(question));
  } catch {
    unstored.delete(draftKey(question));
  }
}

/** Delete all drafts for a question: that of the answer, and those of the parts below the form. */
export function dropDrafts({ jti, request_hash }) {
  for (const each of [request_hash, "ask_back", "pass_on"]) dropDraft({ jti, request_hash: each });
}
