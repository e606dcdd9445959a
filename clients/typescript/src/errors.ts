/**
 * The refusals of askback: one class for each code of the published table, with the names of the Python client.
 *
 * No error has a token or an answer. A test holds the classes equal to the table of the deployment.
 */

import { camelCased } from "./names.js";

/** The error of one field of a body; `field` is a path such as `response.answers[0].selections`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A problem document (RFC 9457); without a code and a status where there was no reply. */
export interface Problem {
  readonly code?: string;
  readonly status?: number;
  readonly detail: string;
  readonly retryable?: unknown;
  readonly errors?: unknown;
  readonly [member: string]: unknown;
}

/** What all errors of this package have. */
class CodedError extends Error {
  /** The stable code; empty for the refusal of a gateway. */
  declare readonly code: string;
  /** The HTTP status, or 0 without one. */
  declare readonly status: number;
  declare readonly detail: string;
  /** Whether the same request can succeed later. */
  declare readonly retryable: boolean;
  /** The wrong fields; empty if there are none. */
  declare readonly errors: readonly FieldError[];

  constructor({ type, title, name, message, stack, code = "", status = 0, ...problem }: Problem) {
    const errors = (Array.isArray(problem.errors) ? problem.errors : []) as readonly FieldError[];
    // If the detail is already the error of the one field, it is not repeated.
    super([...new Set([problem.detail, ...errors.map((each) => `${each.field}: ${each.message}`)])].join("; "));
    Object.assign(this, camelCased({ code, status, ...problem, errors, retryable: problem.retryable === true }));
  }
}

/** The base class of all refusals. Its other members, such as `answeredAt`, are those of the problem document. */
export class HumanInteractionError extends CodedError {}
/** The token is authentic, but was issued for another place. */
export class BindingMismatch extends HumanInteractionError {}
/** The run cannot continue from the records; the token stays good, so an operator can repair them. */
export class PausedStateError extends HumanInteractionError {}
/** The call failed without a refusal of the published table. */
export class CallFailed extends CodedError {}

/** The class of one code. `error.name` and `error.code` say the same where two copies of this package can meet. */
export interface Kind<Made> {
  readonly code: string;
  readonly prototype: Made;
  new (problem: Problem): Made;
}
/** The error of one class. */
export type Refused<Name extends string, Members = unknown> = HumanInteractionError & { readonly name: Name } & Members;
export type Failed<Name extends string> = CallFailed & { readonly name: Name };

/** The class of each code; `InvalidRequest` for the code that it shares with `RequestTooLarge`. */
export const KINDS = new Map<string, Kind<HumanInteractionError | CallFailed>>();

/** Makes the class of a code, which is its name in lower case with hyphens, if no other one is given. */
function kind<Name extends string, Members = unknown>(name: Name, code?: string): Kind<Refused<Name, Members>>;
function kind<Name extends string, Base>(
  name: Name,
  code: string | undefined,
  base: { new (problem: Problem): Base },
): Kind<Base & { readonly name: Name }>;
function kind(
  name: string,
  code = name.replace(/\B[A-Z]/g, "-$&").toLowerCase(),
  base: new (problem: Problem) => CodedError = HumanInteractionError,
): Kind<CodedError> {
  const made = class extends base {
    static readonly code = code;
  };
  // A bundler shortens the name of a class, and the `name` of an error must not change with it.
  made.prototype.name = name;
  if (!KINDS.has(code)) KINDS.set(code, made);
  return made;
}

/** Returns the error of one field of a request that was not sent. */
export function invalid(field: string, message: string): InvalidRequest {
  return new InvalidRequest({
    code: InvalidRequest.code,
    status: 400,
    detail: `${field}: ${message}`,
    errors: [{ field, message }],
  });
}

// --- The request cannot be read, or its sender is not known ----------------------------------------------------------

/** The route does not accept the request: it is not JSON, has a wrong type, or exceeds a limit. */
export const InvalidRequest = kind("InvalidRequest", "bad-request");
export type InvalidRequest = Refused<"InvalidRequest">;
/** The request is over a size limit. It has the status 413. */
export const RequestTooLarge = kind("RequestTooLarge", "bad-request", InvalidRequest);
export type RequestTooLarge = Refused<"RequestTooLarge">;
/** The route needs a caller that the gateway has authenticated. */
export const Unauthenticated = kind("Unauthenticated");
export type Unauthenticated = Refused<"Unauthenticated">;
/** There is no such route. */
export const UnknownRoute = kind("UnknownRoute");
export type UnknownRoute = Refused<"UnknownRoute">;

// --- The token, and the place that it is used from -------------------------------------------------------------------

/** The token is not authentic. Malformed and forged tokens get the same reply. */
export const TokenRejected = kind("TokenRejected");
export type TokenRejected = Refused<"TokenRejected">;
/** The caller's tenant, sub tenant or namespace is not that of the pause. */
export const ScopeMismatch = kind("ScopeMismatch", undefined, BindingMismatch);
export type ScopeMismatch = Refused<"ScopeMismatch">;
/** The caller's session is not that of the pause. */
export const SessionMismatch = kind("SessionMismatch", undefined, BindingMismatch);
export type SessionMismatch = Refused<"SessionMismatch">;
/** The caller's run is not that of the pause. */
export const RunMismatch = kind("RunMismatch", undefined, BindingMismatch);
export type RunMismatch = Refused<"RunMismatch">;
/** The caller's tool call is not that of the pause. */
export const CallMismatch = kind("CallMismatch", undefined, BindingMismatch);
export type CallMismatch = Refused<"CallMismatch">;
/** This principal may not use the scope of the request. */
export const PrincipalNotAllowed = kind("PrincipalNotAllowed");
export type PrincipalNotAllowed = Refused<"PrincipalNotAllowed">;
/** This person, or the holder of a link without a sign-in, may not answer this pause. */
export const AnswererNotAllowed = kind("AnswererNotAllowed");
export type AnswererNotAllowed = Refused<"AnswererNotAllowed">;

// --- The pause cannot be made, or is not in a state for this ---------------------------------------------------------

/** No pause is recorded for the id or the token. */
export const UnknownPause = kind("UnknownPause");
export type UnknownPause = Refused<"UnknownPause">;
/** The recorded request is not the one of the token. */
export const PayloadBindingError = kind("PayloadBindingError", "payload-mismatch");
export type PayloadBindingError = Refused<"PayloadBindingError">;
/** The scope or a recipient has as many open pauses as allowed. It is not repeated: a person must act first. */
export const TooManyOpen = kind("TooManyOpen");
export type TooManyOpen = Refused<"TooManyOpen">;
/** Another pause is recorded for the same thread, checkpoint and call, or for the same idempotency key. */
export const PauseConflict = kind("PauseConflict");
export type PauseConflict = Refused<"PauseConflict">;
/** The person saw another question than the recorded one, and must read the recorded one first. */
export const QuestionChanged = kind("QuestionChanged");
export type QuestionChanged = Refused<"QuestionChanged">;
/** The pause is still open. It is also thrown for a vote that was recorded and leaves the pause open. */
export const NotAnswered = kind("NotAnswered");
export type NotAnswered = Refused<"NotAnswered">;
/** The pause is not undeliverable, so no delivery can be repeated. */
export const NotRedrivable = kind("NotRedrivable");
export type NotRedrivable = Refused<"NotRedrivable">;
/** The graph does not wait at the answered interrupt. No route refuses with it. */
export const InterruptNotOpen = kind("InterruptNotOpen");
export type InterruptNotOpen = Refused<"InterruptNotOpen">;
/** Another answer was accepted first; `answeredAt` says when. */
export const AlreadyAnswered = kind<"AlreadyAnswered", { readonly answeredAt: Date }>("AlreadyAnswered");
export type AlreadyAnswered = Refused<"AlreadyAnswered", { readonly answeredAt: Date }>;
/** The person has given another vote on this question; `votedAt` says when. */
export const AlreadyVoted = kind<"AlreadyVoted", { readonly votedAt: Date }>("AlreadyVoted");
export type AlreadyVoted = Refused<"AlreadyVoted", { readonly votedAt: Date }>;
/** An earlier item of the same batch names this pause, so this answer was not tried. */
export const DuplicatePause = kind("DuplicatePause");
export type DuplicatePause = Refused<"DuplicatePause">;
/** The time to answer ended without an answer; `expiredAt` says when, if it is known. */
export const PauseExpired = kind<"PauseExpired", { readonly expiredAt?: Date }>("PauseExpired", "expired");
export type PauseExpired = Refused<"PauseExpired", { readonly expiredAt?: Date }>;
/** An operator, or the program that asked, revoked the pause. */
export const PauseRevoked = kind("PauseRevoked", "revoked");
export type PauseRevoked = Refused<"PauseRevoked">;
/** A newer question has replaced this one; `supersededBy` is the id of its pause. */
export const PauseSuperseded = kind<"PauseSuperseded", { readonly supersededBy: string }>(
  "PauseSuperseded",
  "superseded",
);
export type PauseSuperseded = Refused<"PauseSuperseded", { readonly supersededBy: string }>;
/** An operator revoked the link of this recipient. The pause is still open for other people. */
export const LinkRevoked = kind("LinkRevoked");
export type LinkRevoked = Refused<"LinkRevoked">;
/** An operator erased the question, the answer and the turn of the pause. */
export const PauseErased = kind("PauseErased", "erased");
export type PauseErased = Refused<"PauseErased">;
/** The run that asked is no longer waiting for the answer. */
export const WaiterGone = kind("WaiterGone");
export type WaiterGone = Refused<"WaiterGone">;

// --- The answer and the question -------------------------------------------------------------------------------------

/** The answer does not fit the question. The person can correct it and send it again with the same token. */
export const AnswerInvalid = kind("AnswerInvalid");
export type AnswerInvalid = Refused<"AnswerInvalid">;
/** No interaction with this name is registered in the deployment. */
export const UnknownInteraction = kind("UnknownInteraction");
export type UnknownInteraction = Refused<"UnknownInteraction">;

// --- The records of the pause ----------------------------------------------------------------------------------------

/** The recorded request is missing in the store. */
export const PayloadMissing = kind("PayloadMissing", undefined, PausedStateError);
export type PayloadMissing = Refused<"PayloadMissing">;
/** The recorded request cannot be read, or does not fit the registered schema any more. */
export const PayloadUnreadable = kind("PayloadUnreadable", undefined, PausedStateError);
export type PayloadUnreadable = Refused<"PayloadUnreadable">;
/** The accepted answer is recorded, but its body is missing or damaged. */
export const OutcomeUnreadable = kind("OutcomeUnreadable", undefined, PausedStateError);
export type OutcomeUnreadable = Refused<"OutcomeUnreadable">;
/** What is recorded of the pause is damaged, or of a newer version. */
export const RowUnreadable = kind("RowUnreadable", undefined, PausedStateError);
export type RowUnreadable = Refused<"RowUnreadable">;
/** No paused turn is recorded, and the route must return one. */
export const TurnMissing = kind("TurnMissing", undefined, PausedStateError);
export type TurnMissing = Refused<"TurnMissing">;
/** The recorded turn cannot be read, or has changed since it was written. */
export const TurnUnreadable = kind("TurnUnreadable", undefined, PausedStateError);
export type TurnUnreadable = Refused<"TurnUnreadable">;
/** The recorded turn is of another run, session, thread, checkpoint, scope or call than the token. */
export const TurnMismatch = kind("TurnMismatch", undefined, PausedStateError);
export type TurnMismatch = Refused<"TurnMismatch">;

// --- The deployment --------------------------------------------------------------------------------------------------

/** The deployment is misconfigured; its operator must act. */
export const InteractionConfigurationError = kind("InteractionConfigurationError", "misconfigured");
export type InteractionConfigurationError = Refused<"InteractionConfigurationError">;
/** A store did not answer. Nothing was consumed: send the same request again. */
export const StoreUnavailable = kind("StoreUnavailable");
export type StoreUnavailable = Refused<"StoreUnavailable">;
/** A batch ended before this item. Send it again. */
export const NotTried = kind("NotTried");
export type NotTried = Refused<"NotTried">;

// --- Failures of a call that are no refusals -------------------------------------------------------------------------

/** There was no reply in time. The call may have had its effect. */
export const NoReply = kind("NoReply", undefined, CallFailed);
export type NoReply = Failed<"NoReply">;
/** The deployment had an unexpected error. Its operator must look at the log. */
export const Unforeseen = kind("Unforeseen", "internal", CallFailed);
export type Unforeseen = Failed<"Unforeseen">;
/** A refusal without a class in this version: a newer deployment's code, or no code if a gateway refused. */
export const UnknownProblem = kind("UnknownProblem", "", CallFailed);
export type UnknownProblem = Failed<"UnknownProblem">;
/** A success whose body has another form than the call returns. Often the URL is not that of a deployment. */
export const UnreadableReply = kind("UnreadableReply", undefined, CallFailed);
export type UnreadableReply = Failed<"UnreadableReply">;
/** The time of a `wait` is over and the pause is still open. It changes nothing: the pause can still be answered. */
export const StillOpen = kind("StillOpen", undefined, CodedError);
export type StillOpen = CodedError & { readonly name: "StillOpen" };
