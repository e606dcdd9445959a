// The draft of an answer, kept in this tab until it is sent: a reload or a failure does not lose it.

const draftKey = (question) => `askback:${question.jti}:${question.request_hash}`;

/** The stored draft for a question, or an empty object. */
export function readDraft(question) {
  try {
    return JSON.parse(sessionStorage.getItem(draftKey(question))) ?? {};
  } catch {
    return {}; // Storage may be switched off; then a reload starts with an empty form.
  }
}

/** Store the draft of a form. */
export function keepDraft(question, form) {
  try {
    sessionStorage.setItem(draftKey(question), JSON.stringify(form.draft()));
  } catch {
    // As above.
  }
}

/** Delete the draft for a question. */
export function dropDraft(question) {
  try {
    sessionStorage.removeItem(draftKey(question));
  } catch {
    // As above.
  }
}
