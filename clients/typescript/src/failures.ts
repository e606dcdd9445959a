/** The failures of a call that are not refusals of the published table, and the reading of a reply into an error. */

import { type HumanInteractionError, InvalidRequest, KINDS, named, RequestTooLarge } from "./errors.js";
import type { Reply } from "./transport.js";

/**
 * The call failed without a refusal of the published table.
 *
 * `status` is the HTTP status, or 0 without one. `retryable` says whether the same call can succeed later.
 */
export class CallFailed extends Error {
  declare readonly detail: string;
  declare readonly code: string;
  declare readonly status: number;
  declare readonly retryable: boolean;

  constructor(detail: string, status = 0, retryable = false, code = "") {
    super(detail);
    Object.assign(this, { detail, code, status, retryable });
  }
}
/** There was no reply in time. The call may have had its effect. */
export class NoReply extends CallFailed {
  constructor(reason: string) {
    super(`the deployment did not reply: ${reason}`, 0, true, "no-reply");
  }
}
/** The deployment had an unexpected error. Its operator must look at the log. */
export class Unforeseen extends CallFailed {}
/** A refusal without a class in this version: a newer deployment's code, or no code if a gateway refused. */
export class UnknownProblem extends CallFailed {}
/** A success whose body has another form than the call returns. Often the URL is not that of a deployment. */
export class UnreadableReply extends CallFailed {}
/** The time of a `wait` is over and the pause is still open. It changes nothing: the pause can still be answered. */
export class StillOpen extends Error {}

named("CallFailed", CallFailed);
named("NoReply", NoReply);
named("Unforeseen", Unforeseen);
named("UnknownProblem", UnknownProblem);
named("UnreadableReply", UnreadableReply);
named("StillOpen", StillOpen);

/** The statuses of a gateway or of Lambda that is busy, or whose function ended during the request. */
const MAY_PASS = [429, 500, 502, 503, 504];

/** Returns the error in a reply, or null for a success. */
export function errorIn({ status, document }: Pick<Reply, "status" | "document">): HumanInteractionError | CallFailed | null {
  if (status < 400) return null;
  const { code, detail, retryable } = document;
  if (typeof code !== "string" || typeof detail !== "string") {
    // Not from askback: its text may contain parts of the request.
    const said = `refused with status ${status}; the refusal is not from askback`;
    return new UnknownProblem(said, status, MAY_PASS.includes(status));
  }
  const kind = code === InvalidRequest.code && status === 413 ? RequestTooLarge : KINDS.get(code);
  if (kind) return new kind({ ...document, code, detail, status });
  return new (code === "internal" ? Unforeseen : UnknownProblem)(detail, status, retryable === true, code);
}
