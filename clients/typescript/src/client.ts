/** The calls of programs to one deployment, with the names and the rules of the Python client. */

import { NotAnswered, StillOpen } from "./errors.js";
import type { JsonText } from "./json.js";
import { type CallOptions, type Named, type PauseToken, PersonClient, type PersonOptions, scopeOf } from "./person.js";
import {
  type Clarification,
  clarificationsOf,
  type IssuedPause,
  issuedPause,
  type JsonObject,
  type PauseLinks,
  pauseLinks,
  type ResumedPause,
  resumedPause,
  type RevokedQuestion,
  revokedQuestion,
  type Scope,
} from "./results.js";
import { type BackOff, waitAfter } from "./retries.js";

/**
 * The fields of a pause: those of `POST /pauses` in camel case. The values of a field keep the names of the HTTP API.
 */
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

/** The waits of `wait` between two calls: 1 second, then twice as long each time, up to 30 seconds. */
const POLLING: BackOff = { firstWait: 1, longestWait: 30 };

/** All calls to one deployment: those of people, and those of agents, messengers and backends. */
export class AskbackClient extends PersonClient {
  /**
   * Records a question and the paused turn, and returns the pause; `links` gives what answers it.
   *
   * It is repeated after a failure only if the request names its pause: with an `idempotencyKey`, or with a
   * `checkpointId` and the call or the interrupt. Otherwise it could make a second pause.
   */
  pause(name: string, payload: JsonObject | JsonText, options: PauseOptions): Promise<IssuedPause> {
    const { idempotencyKey, checkpointId, toolCallId, interruptId, scope } = options;
    const isNamed = idempotencyKey || (checkpointId && (toolCallId || interruptId));
    return this.call("/pauses", { name, payload, ...options }, (reply) => issuedPause(reply, scopeOf(scope)), !isNamed);
  }

  /**
   * Returns the links of an open pause, for a program that brings them to people; changes nothing.
   *
   * The call has its own permission. Do not give it to the program that asks: it could answer its own questions.
   */
  links(pause: Named, options?: { readonly recipients?: readonly string[] } & CallOptions): Promise<PauseLinks> {
    return this.call("/pauses/{jti}/links", { jti: pause, ...options }, pauseLinks);
  }

  /**
   * Answers, and returns the turn to continue from; refused if no turn was recorded. For a backend that knows the
   * person.
   */
  resume(pauseToken: PauseToken, response: unknown, options?: ResumeOptions): Promise<ResumedPause> {
    return this.call("/resume", { pauseToken, ...options, response }, resumedPause);
  }

  /**
   * Returns the accepted answer, and the turn to continue from; consumes nothing.
   *
   * It throws `NotAnswered` while the pause is open, and is not repeated then; `wait` repeats it.
   */
  outcome(pauseToken: PauseToken, options?: OutcomeOptions): Promise<ResumedPause> {
    return this.call("/outcomes", { pauseToken, ...options }, resumedPause);
  }

  /**
   * Waits until the pause has an outcome, and returns it; consumes nothing.
   *
   * It calls `outcome` at once, then after each wait of `polling`, and once more at the end of `timeoutSeconds`. It
   * throws `PauseExpired` or `PauseRevoked` if the pause ended without an answer, and `StillOpen` if the time is over.
   */
  async wait(pauseToken: PauseToken, options: WaitOptions = {}): Promise<ResumedPause> {
    const { timeoutSeconds = Infinity, polling = POLLING, ...asked } = options;
    const { clock, jitter, sleep } = this.way;
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

  /** Returns what people ask back about a pause that this program has minted, with its replies. */
  clarifications(pause: Named, options?: CallOptions): Promise<readonly Clarification[]> {
    return this.call("/pauses/{jti}/clarifications", { jti: pause, ...options }, clarificationsOf);
  }

  /**
   * Replies to the question with this number; people then answer the question with this reply. Votes of before are
   * void.
   */
  clarify(
    pause: Named,
    options: { readonly number: number; readonly reply: string } & CallOptions,
  ): Promise<readonly Clarification[]> {
    return this.call("/pauses/{jti}/clarifications", { jti: pause, ...options }, clarificationsOf);
  }

  /** Revokes an open pause that this program has minted; people see the `reason`. A repetition changes nothing. */
  revoke(pause: Named, options?: { readonly reason?: string } & CallOptions): Promise<RevokedQuestion> {
    return this.call("/pauses/{jti}/revoke", { jti: pause, ...options }, revokedQuestion);
  }
}
