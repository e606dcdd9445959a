/** The calls of people: they read a question and answer it. They need no signature. */

import {
  type CallFailed,
  type HumanInteractionError,
  invalid,
  NotAnswered,
  NotTried,
  StoreUnavailable,
  UnreadableReply,
} from "./errors.js";
import { wire } from "./names.js";
import {
  type AnswerReceipt,
  answerReceipt,
  type Delegation,
  delegation,
  type IssuedPause,
  type PauseLinks,
  type QuestionBack,
  questionBack,
  type RecipientLink,
  type Scope,
  type ShownQuestion,
  shownQuestion,
} from "./results.js";
import { errorIn, repeated, type Retries, sleep, waitAfter, type Way } from "./retries.js";
import type { Body, Reply, Route, Transport } from "./transport.js";

/** What every call takes besides: a signal that ends it. An attempt that is under way may have its effect. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What a person says with an answer: the hash of the question that was shown. */
export interface PersonOptions extends CallOptions {
  readonly requestHash?: string;
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

/**
 * The calls of people to one deployment, for a page of your own.
 *
 * A refusal is thrown as the class of its code. Every other failure is a `CallFailed`. The client repeats a call only
 * if the repetition cannot have its effect twice. Instead of a token, a call takes the result of `links` too.
 */
export class PersonClient {
  readonly #transport: Transport;
  protected readonly way: Way;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.#transport = transport;
    const clock = () => performance.now() / 1000;
    this.way = { sleep, jitter: Math.random, clock, ...options, retries: { ...RETRIES, ...options.retries } };
  }

  /** Returns the question for display; consumes nothing. It takes a pause token or an answer token. */
  question(token: AnswerToken, options?: CallOptions): Promise<ShownQuestion> {
    const { answerToken, pauseToken } = token as Partial<IssuedPause>;
    return this.call("/questions", { answerToken: answerToken || pauseToken || token, ...options }, shownQuestion);
  }

  /** Answers as a person does, and returns the receipt without the turn. */
  answer(token: AnswerToken, response: unknown, options?: PersonOptions): Promise<AnswerReceipt> {
    return this.call("/answers", { answerToken: token, ...options, response }, answerReceipt);
  }

  /**
   * Answers up to 25 pauses as a person does, and returns the receipt or the refusal of each, in their order.
   *
   * There is no all or nothing. Answers that were not tried, or met a store that is unavailable, are sent again, as
   * often as a call is repeated.
   */
  async answerMany(answers: readonly Answer[], options?: CallOptions): Promise<readonly Answered[]> {
    const { retries, jitter, sleep } = this.way;
    const items = answers.map(([answerToken, response, requestHash]) =>
      this.body({ answerToken, requestHash, response }),
    );
    const results: Answered[] = [];
    let left = [...items.keys()];
    for (let attempt = 1; ; attempt++) {
      const asked = { items: left.map((place) => items[place]), ...options };
      const answered = await this.call("/answers/batch", asked, batch(left.length));
      left = left.filter((place, at) => {
        const each = (results[place] = answered[at]!);
        return each instanceof NotTried || each instanceof StoreUnavailable;
      });
      if (!left.length || attempt === retries.attempts) return results;
      await sleep(waitAfter(attempt, retries, jitter()), options?.signal);
    }
  }

  /** Asks the program that asked, instead of answering, as a person does; the pause stays open. */
  askBack(token: AnswerToken, question: string, options?: PersonOptions): Promise<QuestionBack> {
    return this.call("/clarifications", { answerToken: token, ...options, question }, questionBack);
  }

  /** Lets the person `to` decide instead of the holder of a link, which is void then. A repetition changes nothing. */
  delegate(token: AnswerToken, options: { readonly to: string } & PersonOptions): Promise<Delegation> {
    return this.call("/delegations", { answerToken: token, ...options }, delegation);
  }

  /** Makes a call, and reads its reply; a call that can have its effect twice is tried `once`. */
  protected async call<T>(
    route: Route,
    { signal, ...fields }: Fields,
    read: (reply: Reply) => T,
    once = false,
  ): Promise<T> {
    const body = this.body(fields);
    const reply = await repeated(() => this.#transport.send(route, body, signal), { way: this.way, once, signal });
    try {
      return read(reply);
    } catch (error) {
      if (error instanceof NotAnswered) throw error;
      throw new UnreadableReply({ status: reply.status, detail: `the reply to ${route} has another form` });
    }
  }

  /** Returns the body of a request: what was given in place of an id, a token or a scope becomes one. */
  protected body({ jti, supersedes, answerToken, pauseToken, scope, ...rest }: Fields): Body {
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
      ({ status, receipt, problem }) =>
        errorIn({ status, document: problem }) ?? answerReceipt({ document: receipt, text }),
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

/** Returns the scope of a text `tenant`, `tenant/sub` or `tenant/sub/namespace`; a sub that is empty is none. */
export function scopeOf(stated: Scope | string): Scope {
  if (typeof stated !== "string") return stated;
  const [tenantId, subTenantId, namespace, more] = stated.split("/");
  // White space around a part is refused: a text for people has it, and would be read as another scope.
  if (!tenantId || more || /\/$|(^|\/)\s|\s(\/|$)/.test(stated)) {
    throw invalid("scope", "must be tenant, tenant/sub or tenant/sub/namespace");
  }
  return { tenantId, ...(subTenantId && { subTenantId }), ...(namespace && { namespace }) };
}
