/**
 * The results of the calls: frozen values with the names of the Python client, in camel case. Times are `Date`s.
 *
 * Tokens, links, answers and messages are fields that are not enumerable: a printed result never shows them, and a copy
 * with `{...result}` does not have them.
 */

import { NotAnswered } from "./errors.js";
import type { Json } from "./json.js";
import { camelCased } from "./names.js";
import type { Reply } from "./transport.js";

/** A tenant, with an optional sub tenant and an optional namespace. */
export interface Scope {
  readonly tenantId: string;
  readonly subTenantId?: string;
  readonly namespace?: string;
}

/** The object that an interaction asks with, or that answers it, in the form of the HTTP API. */
export type JsonObject = { readonly [name: string]: Json | undefined };

/** The token and the link of one recipient; an answer with them is recorded as this person's. */
export interface RecipientLink {
  readonly recipient: string;
  readonly answerToken: string;
  readonly answerLink: string | null;
}

/**
 * A pause that was minted now, or by an earlier request that was the same.
 *
 * `pauseToken` is for the backend; it is empty for a pause whose waiter gets the answer. `recorded` says that the
 * question was certainly written, `resumable` that the turn was. `unanswerable` says why no person can answer in this
 * deployment; it is empty for every other pause. The reply has no links: otherwise the program that asks could answer.
 * `answerToken`, `answerLink` and `recipients` are empty, unless the deployment has the parameter `ReturnLinks` set.
 */
export interface IssuedPause {
  /** The JSON text of the whole reply, for a parser that keeps the digits of numbers. It has the secrets too. */
  readonly replyText: string;
  readonly jti: string;
  readonly name: string;
  readonly status: string;
  readonly toolCallId: string;
  readonly interruptId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly checkpointId: string;
  readonly payload: JsonObject;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly resumable: boolean;
  readonly recorded: boolean;
  readonly unanswerable: string;
  readonly pauseToken: string;
  readonly answerToken: string;
  readonly answerLink: string | null;
  readonly recipients: readonly RecipientLink[];
  /** The scope of the request; a reply does not have it. */
  readonly scope: Scope;
}

/** The links of an open pause, for a program that brings them to people. A deployment without a page has no links. */
export interface PauseLinks {
  readonly jti: string;
  readonly status: string;
  readonly expiresAt: Date;
  /** The token for any person; empty if the call named recipients. */
  readonly answerToken: string;
  readonly answerLink: string | null;
  readonly recipients: readonly RecipientLink[];
}

/** A pause that the program that asked has revoked; `replayed` says that it was revoked before. */
export interface RevokedQuestion {
  readonly jti: string;
  readonly status: string;
  readonly revokedAt: Date;
  readonly reason: string | null;
  readonly replayed: boolean;
}

/** A recorded question of a person to the program that asked. */
export interface QuestionBack {
  readonly jti: string;
  readonly number: number;
  readonly askedAt: Date;
  readonly replayed: boolean;
}

/** A question back with its number from 1, and its reply, or null. `by` is null for a link that names no person. */
export interface Clarification {
  readonly number: number;
  readonly by: string | null;
  readonly question: string | null;
  readonly askedAt: Date;
  readonly reply: string | null;
  readonly repliedAt: Date | null;
}

/**
 * A question for display. `status` is `issued` while it can be answered.
 *
 * After the end, a link without a recipient shows only `jti`, `status` and the times: `name`, `requestHash` and
 * `payload` are then empty. `nextAnswerToken` is the reader's token for the question that has replaced this one.
 */
export interface ShownQuestion {
  /** The JSON text of the whole reply, for a parser that keeps the digits of numbers. It has the secrets too. */
  readonly replyText: string;
  readonly jti: string;
  readonly name: string;
  readonly status: string;
  readonly requestHash: string;
  readonly payload: JsonObject;
  readonly expiresAt: Date;
  readonly answeredAt: Date | null;
  readonly endedAt: Date | null;
  readonly supersededBy: string;
  readonly nextAnswerToken: string;
  readonly clarifications: readonly Clarification[];
  readonly mayDelegate: boolean;
  readonly delegatedBy: string;
}

/** A pause that was passed on from the member `by` to the person `to`; `status` is that of the pause now. */
export interface Delegation {
  readonly jti: string;
  readonly by: string;
  readonly to: string;
  readonly status: string;
  readonly replayed: boolean;
}

/** How far the decision of several people is; `approved` and `rejected` are null while the votes are hidden. */
export interface QuorumState {
  readonly needed: number;
  readonly members: number;
  readonly veto: boolean;
  readonly round: number;
  readonly voted: number;
  readonly approved: number | null;
  readonly rejected: number | null;
}

/** One vote: `decision` is `approve` or `reject`. `counts` is false for a vote of an earlier round. */
export interface RecordedVote {
  readonly by: string;
  readonly decision: string;
  readonly assurance: string;
  readonly answeredVia: string;
  readonly at: Date;
  readonly comment: string | null;
  readonly round: number;
  readonly counts: boolean;
  readonly delegatedFor?: string;
}

/**
 * An answer that was accepted.
 *
 * `replayed` means that the same answer was accepted before, for example by an attempt whose reply was lost. `byPolicy`
 * is true for a default answer: no person decided. `stillOpen` means that this answer was a vote, and that more votes
 * are needed: nothing may run yet.
 */
export interface AnswerReceipt {
  /** The JSON text of the whole reply, for a parser that keeps the digits of numbers. It has the secrets too. */
  readonly replyText: string;
  readonly jti: string;
  readonly name: string;
  readonly answeredAt: Date;
  readonly answeredBy: string;
  /** How the answerer is known: `link`, `jwt`, `iam` or `direct`; null for a default answer. */
  readonly answeredVia: string | null;
  readonly assurance: string;
  readonly byPolicy: boolean;
  readonly replayed: boolean;
  /** `none`, `pending`, `delivered` or `undeliverable`. */
  readonly delivery: string;
  /** The answer as recorded, in the form of its interaction. */
  readonly response: any;
  readonly stillOpen: boolean;
  readonly quorum: QuorumState | null;
  readonly votes: readonly RecordedVote[];
  readonly delegatedFor: string | null;
}

/** The turn to continue from. `openToolCallIds` is null if askback does not know the format of the messages. */
export interface PausedTurn {
  readonly prompt: string;
  readonly messages: readonly any[];
  readonly openToolCallIds: readonly string[] | null;
}

/** Where a turn is that is too large for a reply. */
export interface TurnReference {
  readonly threadId: string;
  readonly checkpointId: string;
  readonly key: string;
  readonly scopeHash?: string;
}

/** An answered pause with its question and the turn that its run continues from. */
export interface ResumedPause extends AnswerReceipt {
  readonly toolCallId: string;
  readonly interruptId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly checkpointId: string;
  readonly payload: JsonObject;
  readonly crossScope: boolean;
  readonly timeToResolveSeconds: number;
  readonly turn: PausedTurn | null;
  readonly turnReference: TurnReference | null;
}

/** A reply, or an object in it. */
type Part = Pick<Reply, "document" | "text">;

/**
 * Returns the object of a reply as a result, over the fields in `absent`.
 *
 * `names` are those of fields that every such object has, with spaces between them: without one of them, TypeError is
 * thrown. It is no check of types: a reply is of a deployment that the caller trusts, or of a wrong address.
 */
function read<T>({ document, text }: Part, names: string, absent: Partial<T> = {}): T {
  const result = camelCased(document, { ...absent, replyText: text });
  for (const name of names.split(" ")) if (result[name] === undefined) throw new TypeError(name);
  return result as T;
}

export const issuedPause = (reply: Reply, scope: Scope): IssuedPause =>
  read<IssuedPause>(reply, "jti payload expiresAt", {
    unanswerable: "",
    pauseToken: "",
    answerToken: "",
    answerLink: null,
    recipients: [],
    scope,
  });

export const pauseLinks = (reply: Reply): PauseLinks => read<PauseLinks>(reply, "jti recipients", { answerToken: "" });

export const revokedQuestion = (reply: Reply): RevokedQuestion => read(reply, "jti revokedAt");

export const questionBack = (reply: Reply): QuestionBack => read(reply, "jti number");

export const clarificationsOf = (reply: Reply): readonly Clarification[] =>
  read<{ clarifications: readonly Clarification[] }>(reply, "clarifications").clarifications;

export const shownQuestion = (reply: Reply): ShownQuestion =>
  read<ShownQuestion>(reply, "jti expiresAt", {
    name: "",
    requestHash: "",
    payload: {},
    endedAt: null,
    supersededBy: "",
    nextAnswerToken: "",
    clarifications: [],
    mayDelegate: false,
    delegatedBy: "",
  });

export const delegation = (reply: Reply): Delegation => read(reply, "jti by to");

/** Reads a receipt; `names` are those of fields that a resumed pause has besides. */
export const answerReceipt = (part: Part, names = ""): AnswerReceipt =>
  read<ResumedPause>(part, `jti answeredAt response${names}`, {
    answeredVia: null,
    assurance: "unknown",
    byPolicy: false,
    stillOpen: part.document["status"] === "issued",
    quorum: null,
    votes: [],
    delegatedFor: null,
    ...(names && { turnReference: null }),
  });

/** Reads the reply to a resume or outcome; throws `NotAnswered` for a vote that leaves the pause open. */
export const resumedPause = (reply: Reply): ResumedPause => {
  const { stillOpen, quorum } = answerReceipt(reply);
  if (stillOpen) throw voted(quorum);
  return answerReceipt(reply, " payload turn") as ResumedPause;
};

function voted(quorum: QuorumState | null): NotAnswered {
  let detail = "the vote is recorded, and the pause is still open";
  if (quorum) {
    const { needed, voted, approved } = quorum;
    detail += `: ${needed} must approve, and ${approved === null ? `${voted} voted` : `${approved} approved`} so far`;
  }
  return new NotAnswered({ code: NotAnswered.code, status: 202, detail, retryable: true });
}
