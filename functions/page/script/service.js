// The page's requests. All are POST: opening a URL never reads or answers a question.

import { jsonText, readJson } from "./exact_json.js";

const PATIENCE_MILLISECONDS = 35000;

/** Whether the same request may succeed later: no connection, too many requests, or a fault of the service. */
export const canPass = (status) => status === 0 || status === 429 || status >= 500;

/** The service with this token. The token is sent only in the body. */
export function serviceFor(token) {
  let clockAhead = 0;

  /** The status and body of the service's reply; status 0 when it cannot be reached. */
  async function ask(path, body) {
    // AbortSignal.timeout() is younger than the browsers that this page supports.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE_MILLISECONDS);
    try {
      const response = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: jsonText({ answer_token: token, ...body }),
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal: patience.signal,
      });
      const date = Date.parse(response.headers.get("date"));
      if (!Number.isNaN(date)) clockAhead = Date.now() - date;
      return { status: response.status, body: readJson(await response.text()) };
    } catch {
      return { status: 0, body: {} };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /** The time of the service's clock, in milliseconds. */
    now: () => Date.now() - clockAhead,
    /** The recorded question, for display. The path is relative, so that the page works under any base path. */
    fetchQuestion: () => ask("questions", {}),
    /** The same for the question that is shown: while it can be answered, the reply has its status and times alone. */
    lookAgain: (question) => ask("questions", { seen: question.request_hash }),
    /** Send an answer to the question that was shown; the service refuses it when the question has changed. */
    sendAnswer: (question, response) => ask("answers", { response, request_hash: question.request_hash }),
    /** Send something else about it, to a path of its own. */
    post: ask,
  };
}
