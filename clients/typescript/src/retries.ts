/** The repetition of a call after a temporary failure: how often, after how long, and when not. */

import {
  CallFailed,
  type HumanInteractionError,
  KINDS,
  NoReply,
  RequestTooLarge,
  StoreUnavailable,
  UnknownProblem,
} from "./errors.js";
import type { Reply } from "./transport.js";

/**
 * The waits between attempts, in seconds. The wait doubles from `firstWait` up to `longestWait`. A random part of up to
 * half of it is subtracted, so that many callers do not repeat their calls at the same time.
 */
export interface BackOff {
  readonly firstWait: number;
  readonly longestWait: number;
}

/**
 * The number of attempts of a call. A deployment that asks for a longer wait than `longestWait` gets no other attempt.
 */
export interface Retries extends BackOff {
  readonly attempts: number;
}

/**
 * What a client repeats and waits with; the sleep takes seconds and ends early, with the signal's reason, on an abort.
 */
export interface Way {
  readonly retries: Retries;
  readonly sleep: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to 1. */
  readonly jitter: () => number;
  /** Returns seconds, and never goes back. */
  readonly clock: () => number;
}

/** Returns the wait after an attempt, in seconds; the first attempt is 1. */
export function waitAfter(attempt: number, { firstWait, longestWait }: BackOff, jitter: number): number {
  return Math.min(longestWait, firstWait * 2 ** (attempt - 1)) * (1 - jitter / 2);
}

/**
 * Returns the first reply that is a success; throws the error of the last attempt.
 *
 * A call that can have its effect twice is tried `once`.
 */
export async function repeated(
  send: () => Promise<Reply>,
  { way: { retries, jitter, sleep }, once, signal }: { way: Way; once: boolean; signal: AbortSignal | undefined },
): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    let error: HumanInteractionError | CallFailed | null;
    let asked = 0;
    try {
      const reply = await send();
      error = errorIn(reply);
      asked = reply.retryAfterSeconds;
      if (!error) return reply;
    } catch (silence) {
      if (!(silence instanceof NoReply)) throw silence;
      error = silence;
    }
    if (once || !(mayPass(error) && attempt < retries.attempts && asked <= retries.longestWait)) throw error;
    await sleep(Math.max(waitAfter(attempt, retries, jitter()), asked), signal);
  }
}

function mayPass(error: HumanInteractionError | CallFailed): boolean {
  // `NotAnswered` and `TooManyOpen` are retryable too, but a person must act first, and only the caller knows how long
  // to wait for that.
  return error instanceof CallFailed ? error.retryable : error instanceof StoreUnavailable;
}

/** Returns the error in a reply, or null for a success. */
export function errorIn({
  status,
  document,
}: Pick<Reply, "status" | "document">): HumanInteractionError | CallFailed | null {
  if (status < 400) return null;
  const { code, detail } = document;
  if (typeof code !== "string" || typeof detail !== "string") {
    return new UnknownProblem({
      status,
      // Not from askback: its text may contain parts of the request.
      detail: `refused with status ${status}; the refusal is not from askback`,
      // A gateway or Lambda is busy, or the function ended during the request.
      retryable: [429, 500, 502, 503, 504].includes(status),
    });
  }
  const kind = code === RequestTooLarge.code && status === 413 ? RequestTooLarge : (KINDS.get(code) ?? UnknownProblem);
  return new kind({ ...document, code, detail, status });
}

/** Waits; ends early, and throws the signal's reason, when the signal is aborted. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
