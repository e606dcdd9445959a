/** The calls to one deployment, with the names and the rules of the Python client. */

import {
  type CallFailed,
  type HumanInteractionError,
  invalid,
  NotAnswered,
  NotTried,
  StillOpen,
  StoreUnavailable,
  UnreadableReply,
} from "./errors.js";
import type { JsonText } from "./json.js";
import { wire } from "./names.js";
import {
  type AnswerReceipt,
  answerReceipt,
  type Clarification,
  clarificationsOf,
  type Delegation,
  delegation,
  type IssuedPause,
  issuedPause,
  type JsonObject,
  type PauseLinks,
  pauseLinks,
  type QuestionBack,
  questionBack,
  type RecipientLink,
  type ResumedPause,
  resumedPause,
  type RevokedQuestion,
  revokedQuestion,
  type Scope,
  type ShownQuestion,
  shownQuestion,
} from "./results.js";
import { type BackOff, errorIn, repeated, type Retries, sleep, waitAfter, type Way } from "./retries.js";
import type { Body, Reply, Route, Transport } from "./transport.js";

/** What every call takes besides: a signal that ends it. An attempt that is under way may have its effect. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The fields of a pause: those of `POST /pauses` in camel case. The values of a field keep the names of the HTTP API. */
export interface PauseOptions extends CallOptions {
  readonly runId: string;
  /** A `Scope`, or a text: `acme`, `acme/eu`, `acme/eu/tickets`, and `acme//tickets` without a sub tenant. */
  readonly scope: Scope | string;
  readonly ttlSeconds: number;
  readonly toolCallId?: string;
  /** The paused turn, in the format of any provider; a `JsonText` is recorded without a change. */
  readonly messages?: readonly unknown[] | JsonText;
  readonly prompt?: string;
  /** Names the question. With it, the client repeats the call after a failure, and nothing is asked twice. */
  readonly idempotencyKey?: string;
  readonly checkpointId?: string;
  readonly interruptId?: string;
  readonly sessionId?: string;
  readonly threadId?: string;
  readonly rootRunId?: string;
  readonly pin?: string;
  readonly waiter?: JsonObject;
  readonly onExpiry?: JsonObject;
  readonly maxTtlSeconds?: number;
  readonly remindAfterSeconds?: number;
  readonly approvers?: readonly (string | { readonly name: string; readonly least_assurance: string })[];
  readonly requester?: string;
  readonly requesterMayAnswer?: boolean;
  readonly recipients?: readonly string[];
  readonly leastAssurance?: string;
  readonly about?: JsonObject;
  readonly quorum?: JsonObject;
  readonly escalation?: readonly JsonObject[];
  /** The open pause of this program that the new one replaces: its `jti`, or what `pause` returned. */
  readonly supersedes?: string | { readonly jti: string };
  readonly delegates?: readonly string[];
}

/** What a person says with an answer: the hash of the question that was shown. */
export interface PersonOptions extends CallOptions {
  readonly requestHash?: string;
}

/** Where the pause is used; with a token as text, the scope is needed. */
export interface OutcomeOptions extends CallOptions {
  readonly scope?: Scope | string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly toolCallId?: string;
}

export interface ResumeOptions extends OutcomeOptions, PersonOptions {
  /** The person who has answered, as a backend knows them. */
  readonly answerer?: string;
}

/** `timeoutSeconds`: without one, the wait lasts as long as the pause is open. */
export interface WaitOptions extends CallOptions {
  readonly scope?: Scope | string;
  readonly timeoutSeconds?: number;
  readonly polling?: BackOff;
}

/** What a client can be made with. `sleep` takes seconds, `jitter` returns a number from 0 to 1, `clock` seconds. */
export interface ClientOptions extends Partial<Omit<Way, "retries">> {
  readonly retries?: Partial<Retries>;
}

/** A pause by its id, or what `pause` or `links` returned. */
export type Named = string | { readonly jti: string };
/** A pause token, or what `pause` returned. */
export type PauseToken = string | IssuedPause;
/** An answer token, or what has one. For a person who has signed in: an object with the `jti`. */
export type AnswerToken = string | IssuedPause | PauseLinks | RecipientLink | { readonly jti: string };
/** One answer of several: the token, the response, and optionally the hash of the question that was shown. */
export type Answer = readonly [token: AnswerToken, response: unknown, requestHash?: string];
/** What became of one answer; a refusal is returned and not thrown, because other answers were accepted. */
export type Answered = AnswerReceipt | HumanInteractionError | CallFailed;

const RETRIES: Retries = { attempts: 4, firstWait: 0.2, longestWait: 5 };
/** The waits of `wait` between two calls: 1 second, then twice as long each time, up to 30 seconds. */
const POLLING: BackOff = { firstWait: 1, longestWait: 30 };

/**
 * The calls to one deployment.
 *
 * A refusal is thrown as the class of its code. Every other failure is a `CallFailed`. The client repeats a call only if
 * the repetition cannot have its effect twice. Instead of a token, a call takes the result of `pause` or `links` too.
 */
export class AskbackClient {
  readonly #transport: Transport;
  readonly #way: Way;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.#transport = transport;
    const clock = () => performance.now() / 1000;
    this.#way = { sleep, jitter: Math.random, clock, ...options, retries: { ...RETRIES, ...options.retries } };
  }

  /**
   * Records a question and the paused turn, and returns the pause; `links` gives what answers it.
   *
   * It is repeated after a failure only if the request names its pause: with an `idempotencyKey`, or with a
   * `checkpointId` and the call or the interrupt. Otherwise it could make a second pause.
   */
  pause(name: string, payload: JsonObject | JsonText, options: PauseOptions): Promise<IssuedPause> {
    const { idempotencyKey, checkpointId, toolCallId, interruptId, scope } = options;
    const isNamed = idempotencyKey || (checkpointId && (toolCallId || interruptId));
    return this.#call("/pauses", { name, payload, ...options }, (reply) => issuedPause(reply, scopeOf(scope)), !isNamed);
  }

  /**
   * Returns the links of an open pause, for a program that brings them to people; changes nothing.
   *
   * The call has its own permission. Do not give it to the program that asks: it could answer its own questions.
   */
  links(pause: Named, options?: { readonly recipients?: readonly string[] } & CallOptions): Promise<PauseLinks> {
    return this.#call("/pauses/{jti}/links", { jti: pause, ...options }, pauseLinks);
  }

  /** Returns the question for display; consumes nothing. It takes a pause token or an answer token. */
  question(token: AnswerToken, options?: CallOptions): Promise<ShownQuestion> {
    const { answerToken, pauseToken } = token as Partial<IssuedPause>;
    return this.#call("/questions", { answerToken: answerToken || pauseToken || token, ...options }, shownQuestion);
  }

  /** Answers as a person does, and returns the receipt without the turn. */
  answer(token: AnswerToken, response: unknown, options?: PersonOptions): Promise<AnswerReceipt> {
    return this.#call("/answers", { answerToken: token, ...options, response }, answerReceipt);
  }

  /**
   * Answers up to 25 pauses as a person does, and returns the receipt or the refusal of each, in their order.
   *
   * There is no all or nothing. Answers that were not tried, or met a store that is unavailable, are sent again, as often
   * as a call is repeated.
   */
  async answerMany(answers: readonly Answer[], options?: CallOptions): Promise<readonly Answered[]> {
    const { retries, jitter, sleep } = this.#way;
    const items = answers.map(([answerToken, response, requestHash]) => this.#body({ answerToken, requestHash, response }));
    const results: Answered[] = [];
    let left = [...items.keys()];
    for (let attempt = 1; ; attempt++) {
      const asked = { items: left.map((place) => items[place]), ...options };
      const answered = await this.#call("/answers/batch", asked, batch(left.length));
      left = left.filter((place, at) => {
        const each = (results[place] = answered[at]!);
        return each instanceof NotTried || each instanceof StoreUnavailable;
      });
      if (!left.length || attempt === retries.attempts) return results;
      await sleep(waitAfter(attempt, retries, jitter()), options?.signal);
    }
  }

  /** Answers, and returns the turn to continue from; refused if no turn was recorded. For a backend that knows the person. */
  resume(pauseToken: PauseToken, response: unknown, options?: ResumeOptions): Promise<ResumedPause> {
    return this.#call("/resume", { pauseToken, ...options, response }, resumedPause);
  }

  /**
   * Returns the accepted answer, and the turn to continue from; consumes nothing.
   *
   * It throws `NotAnswered` while the pause is open, and is not repeated then; `wait` repeats it.
   */
  outcome(pauseToken: PauseToken, options?: OutcomeOptions): Promise<ResumedPause> {
    return this.#call("/outcomes", { pauseToken, ...options }, resumedPause);
  }

  /**
   * Waits until the pause has an outcome, and returns it; consumes nothing.
   *
   * It calls `outcome` at once, then after each wait of `polling`, and once more at the end of `timeoutSeconds`. It
   * throws `PauseExpired` or `PauseRevoked` if the pause ended without an answer, and `StillOpen` if the time is over.
   */
  async wait(pauseToken: PauseToken, options: WaitOptions = {}): Promise<ResumedPause> {
    const { timeoutSeconds = Infinity, polling = POLLING, ...asked } = options;
    const { clock, jitter, sleep } = this.#way;
    const end = clock() + timeoutSeconds;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.outcome(pauseToken, asked);
      } catch (error) {
        if (!(error instanceof NotAnswered)) throw error;
      }
      const left = end - clock();
      if (left <= 0) throw new StillOpen({ detail: "the pause is still open" });
      await sleep(Math.min(waitAfter(attempt, polling, jitter()), left), options.signal);
    }
  }

  /** Asks the program that asked, instead of answering, as a person does; the pause stays open. */
  askBack(token: AnswerToken, question: string, options?: PersonOptions): Promise<QuestionBack> {
    return this.#call("/clarifications", { answerToken: token, ...options, question }, questionBack);
  }

  /** Lets the person `to` decide instead of the holder of a link, which is void then. A repetition changes nothing. */
  delegate(token: AnswerToken, options: { readonly to: string } & PersonOptions): Promise<Delegation> {
    return this.#call("/delegations", { answerToken: token, ...options }, delegation);
  }

  /** Returns what people ask back about a pause that this program has minted, with its replies. */
  clarifications(pause: Named, options?: CallOptions): Promise<readonly Clarification[]> {
    return this.#call("/pauses/{jti}/clarifications", { jti: pause, ...options }, clarificationsOf);
  }

  /** Replies to the question with this number; people then answer the question with this reply. Votes of before are void. */
  clarify(
    pause: Named,
    options: { readonly number: number; readonly reply: string } & CallOptions,
  ): Promise<readonly Clarification[]> {
    return this.#call("/pauses/{jti}/clarifications", { jti: pause, ...options }, clarificationsOf);
  }

  /** Revokes an open pause that this program has minted; people see the `reason`. A repetition changes nothing. */
  revoke(pause: Named, options?: { readonly reason?: string } & CallOptions): Promise<RevokedQuestion> {
    return this.#call("/pauses/{jti}/revoke", { jti: pause, ...options }, revokedQuestion);
  }

  async #call<T>(route: Route, { signal, ...fields }: Fields, read: (reply: Reply) => T, once = false): Promise<T> {
    const body = this.#body(fields);
    const reply = await repeated(() => this.#transport.send(route, body, signal), { way: this.#way, once, signal });
    try {
      return read(reply);
    } catch (error) {
      if (error instanceof NotAnswered) throw error;
      throw new UnreadableReply({ status: reply.status, detail: `the reply to ${route} has another form` });
    }
  }

  /** Returns the body of a request: what was given in place of an id, a token or a scope becomes one. */
  #body({ jti, supersedes, answerToken, pauseToken, scope, ...rest }: Fields): Body {
    const body: Record<string, unknown> = { jti: idOf(jti), supersedes: idOf(supersedes), ...rest };
    if (answerToken) {
      const given = answerToken as string | Partial<IssuedPause>;
      if (typeof given === "string") body["answerToken"] = given;
      else if (this.#transport.signedIn && given.jti) body["jti"] = given.jti;
      else body["answerToken"] = present("answer_token", given.answerToken);
    }
    if (pauseToken) {
      const given = pauseToken as string | IssuedPause;
      body["pauseToken"] = typeof given === "string" ? given : present("pause_token", given.pauseToken);
      scope ??= (given as IssuedPause).scope;
    }
    return wire({ ...body, scope: scope === undefined ? scope : wire(scopeOf(scope)) });
  }
}

/** The fields of a request with the names of this package, and what may stand in place of an id, a token or a scope. */
interface Fields {
  readonly [name: string]: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly jti?: Named;
  readonly supersedes?: Named;
  readonly answerToken?: AnswerToken;
  readonly pauseToken?: PauseToken;
  readonly scope?: Scope | string;
}

/** Returns the reader of the reply to a batch of `asked` answers. */
function batch(asked: number): (reply: Reply) => Answered[] {
  return ({ document, text }) => {
    const items = document["items"] as readonly { status: number; receipt: Body; problem: Body }[];
    if (items.length !== asked) throw new TypeError();
    return items.map(
      ({ status, receipt, problem }) => errorIn({ status, document: problem }) ?? answerReceipt({ document: receipt, text }),
    );
  };
}

function idOf(pause: Named | undefined): string | undefined {
  return (pause as { readonly jti?: string } | undefined)?.jti ?? (pause as string | undefined);
}

/** Returns the token of a result; it has none if the deployment has given none to this caller. */
function present(field: string, token: string | undefined): string {
  if (!token) throw invalid(field, "is not in the reply of the deployment");
  return token;
}

function scopeOf(stated: Scope | string): Scope {
  if (typeof stated !== "string") return stated;
  const [tenantId, subTenantId, namespace, more] = stated.split("/");
  // White space around a part is refused: a text for people has it, and would be read as another scope.
  if (!tenantId || more || /\/$|(^|\/)\s|\s(\/|$)/.test(stated)) {
    throw invalid("scope", "must be tenant, tenant/sub or tenant/sub/namespace");
  }
  return { tenantId, ...(subTenantId && { subTenantId }), ...(namespace && { namespace }) };
}
