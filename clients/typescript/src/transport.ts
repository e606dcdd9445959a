/**
 * The transport over the HTTP API of a deployment, with `fetch`.
 *
 * Requests to the routes for people are not signed, so their callers need no credentials. A token is in a body or in
 * the `authorization` header, and never in an address or in the text of an error.
 */

import { invalid, NoReply } from "./errors.js";
import { encode } from "./json.js";

/** The routes of a deployment that the client calls, each with `POST`. */
export type Route =
  | "/pauses"
  | "/pauses/{jti}/links"
  | "/pauses/{jti}/revoke"
  | "/pauses/{jti}/clarifications"
  | "/resume"
  | "/outcomes"
  | "/answers"
  | "/answers/batch"
  | "/questions"
  | "/clarifications"
  | "/delegations";

/** The routes of people. Each has a second one, below `/user`, for a person who has signed in; so has `/resume`. */
const OF_PEOPLE = /^.(answers|questions|clarifications|delegations)/;

/** The fields of a request; each is a JSON value or a `JsonText`. */
export type Body = Readonly<Record<string, unknown>>;

/** One reply: its status, its text, the object in it (empty if there is none), and the wait before another attempt. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number;
}

/** The connection to one deployment. It makes one attempt for each call; the client decides about repetitions. */
export interface Transport {
  /** Whether the caller is a person who has signed in: then a pause is named by its `jti`, without a token. */
  readonly signedIn?: boolean;
  /** Sends the body and returns the reply, with any status; throws `NoReply` if there was none in time. */
  send(route: Route, body: Body, signal?: AbortSignal): Promise<Reply>;
}

/** The request that a signer gets. `body` is what is sent, byte for byte, as UTF-8. */
export interface RequestToSign {
  readonly method: "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All headers of the signed request; a `Request` of `fetch` has them in this form too. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>> | Headers;
}

/** Signs a request with SigV4 for the service `execute-api`. It is called anew for each attempt. */
export type Signer = (request: RequestToSign) => SignedRequest | Promise<SignedRequest>;

/** What a transport can be made with; `sign` is for programs, `bearer` for a person who has signed in. */
export interface HttpOptions {
  readonly sign?: Signer;
  /** The JWT of a person, or what returns it. The routes below `/user` are used then, and `sign` is not. */
  readonly bearer?: string | (() => string | Promise<string>);
  /** How long one attempt may take. The default, 35, is longer than the gateway's limit for a function. */
  readonly timeoutSeconds?: number;
  readonly fetch?: typeof fetch;
}

/** Calls the API at `url`. */
export class HttpTransport implements Transport {
  readonly signedIn: boolean;
  readonly #url: string;
  readonly #options: HttpOptions;

  constructor(url: string, options: HttpOptions = {}) {
    this.#url = new URL(url).href.replace(/\/+$/, "");
    this.#options = options;
    this.signedIn = !!options.bearer;
  }

  async send(route: Route, body: Body, signal?: AbortSignal): Promise<Reply> {
    const { sign, bearer, timeoutSeconds = 35, fetch: send = fetch } = this.#options;
    const ofPeople = OF_PEOPLE.test(route);
    const { jti, ...rest } = body;
    const inPath = route.includes("{");
    const user = bearer && (ofPeople || route === "/resume") ? "/user" : "";
    const url = this.#url + user + route.replace("{jti}", () => placed(jti));
    const text = encode(inPath ? rest : body);
    const unsigned: Record<string, string> = { "content-type": "application/json" };
    let headers: SignedRequest["headers"] = unsigned;
    if (bearer) {
      const token = typeof bearer === "string" ? bearer : await bearer();
      // `fetch` refuses such a text too, in an error that has the text.
      if (!/^[!-~]+$/.test(token)) throw invalid("bearer", "is not a token");
      unsigned["authorization"] = `Bearer ${token}`;
    } else if (!ofPeople) {
      if (!sign) throw invalid("sign", "is needed for this call");
      headers = (await sign({ method: "POST", url, headers: unsigned, body: text })).headers;
    }
    signal?.throwIfAborted();
    // One controller for both ends, and not `AbortSignal.any`: the timer must not outlive the attempt.
    const ended = new AbortController();
    const abort = () => ended.abort();
    const timer = setTimeout(abort, timeoutSeconds * 1000);
    signal?.addEventListener("abort", abort);
    try {
      // A redirect is not followed: it would send the token to an address that the caller does not know.
      const response = await send(url, {
        method: "POST",
        headers,
        body: text,
        redirect: "manual",
        signal: ended.signal,
      });
      const read = await response.text();
      const after = response.headers.get("retry-after") ?? "";
      // The other form of the header, a date, would need the same clock on both sides.
      const retryAfterSeconds = /^\d+$/.test(after) ? +after : 0;
      return { status: response.status, text: read, document: parsed(read), retryAfterSeconds };
    } catch (error) {
      signal?.throwIfAborted();
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      // Only a name: the text of some errors contains the request.
      throw noReply(ended.signal.aborted ? "TimeoutError" : (cause?.code ?? name));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

/** Returns the error of an attempt without a reply; the reason must be a name. */
export function noReply(reason: string): NoReply {
  return new NoReply({ code: NoReply.code, detail: `the deployment did not reply: ${reason}`, retryable: true });
}

/** Returns the id for a path. A token there would be in the logs of every machine on the way. */
function placed(jti: unknown): string {
  if (typeof jti !== "string" || /^\.{0,2}$|^eyJ.*\..*\./.test(jti)) throw invalid("jti", "must be the id of a pause");
  return encodeURIComponent(jti);
}

function parsed(text: string): Reply["document"] {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
