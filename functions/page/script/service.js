// The two requests the page makes. Both are POST: nothing on this page acts by being fetched.

import { exactly } from "./json_values.js";

const PATIENCE_MILLISECONDS = 35000;

/** The token of a link's fragment. What a mail program added, such as a bracket or a full stop, is no part of it. */
export function tokenIn(fragment) {
  return /[\w-]+\.[\w-]+\.[\w-]+/.exec(fragment)?.[0];
}

/** Whether the same request may succeed later: there was no connection, too many at once, or a fault of the service. */
export const canPass = (status) => status === 0 || status === 429 || status >= 500;

/** The service, for the holder of `token`. The token goes into the body and nowhere else. */
export function serviceFor(token) {
  let clockAhead = 0;

  /** What the service says: its status and body, or status 0 when it cannot be reached. */
  async function ask(path, body) {
    try {
      const response = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ pause_token: token, ...body }),
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      });
      const date = Date.parse(response.headers.get("date"));
      if (!Number.isNaN(date)) clockAhead = Date.now() - date;
      return { status: response.status, body: JSON.parse(await response.text(), exactly) };
    } catch {
      return { status: 0, body: {} };
    }
  }

  return {
    /** The time by the service's clock, in milliseconds. */
    now: () => Date.now() - clockAhead,
    /** The recorded question, for display. The path is relative, so that the page works under any base path. */
    fetchQuestion: () => ask("questions", {}),
    /** Send an answer to the very question that was shown. */
    sendAnswer: (question, response) => ask("answers", { response, request_hash: question.request_hash }),
  };
}
