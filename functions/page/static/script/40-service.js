// The two requests the page makes. Both are POST: nothing on this page acts by being fetched.

// What a mail program added to the link, such as a bracket or a full stop, is no part of it.
const TOKEN = /[\w-]+\.[\w-]+\.[\w-]+/.exec(location.hash)?.[0];
const PATIENCE_MILLISECONDS = 35000;
let clockAhead = 0;

/** The time by the service's clock, in milliseconds. */
function now() {
  return Date.now() - clockAhead;
}

/** What the service says: its status and body, or status 0 when it cannot be reached. */
async function ask(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ pause_token: TOKEN, ...body }),
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

/** A number as it was written: rounded, the digits of a long one would be others than those that are approved. */
function exactly(_, value, context) {
  const whole = typeof value === "number" && /^-?\d+$/.test(context?.source);
  return whole && !Number.isSafeInteger(value) ? BigInt(context.source) : value;
}

/** The recorded question, for display. Relative, so that the page works under any base path. */
const fetchQuestion = () => ask("questions", {});

/** Send an answer to the very question that was shown. */
const sendAnswer = (question, response) => ask("answers", { response, request_hash: question.request_hash });
