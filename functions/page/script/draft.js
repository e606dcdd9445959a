// What was typed, kept in this tab until it is sent: a reload or a failure loses nothing.

const draftKey = (question) => `askback:${question.jti}:${question.request_hash}`;

/** What was typed for a question before, or an empty object. */
export function readDraft(question) {
  try {
    return JSON.parse(sessionStorage.getItem(draftKey(question))) ?? {};
  } catch {
    return {}; // Storage may be switched off; then a reload begins anew.
  }
}

/** Keep what stands in a form. */
export function keepDraft(question, form) {
  try {
    sessionStorage.setItem(draftKey(question), JSON.stringify(form.draft()));
  } catch {
    // As above.
  }
}

/** Forget what was typed for a question. */
export function dropDraft(question) {
  try {
    sessionStorage.removeItem(draftKey(question));
  } catch {
    // As above.
  }
}
