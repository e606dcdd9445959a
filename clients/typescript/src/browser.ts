/** What a page needs: the calls of people, and every error. */

export * from "./public_errors.js";
export { PersonClient } from "./person.js";
export { approve, type Choice, choose, reject } from "./questions.js";
export { type HttpOptions, HttpTransport } from "./transport.js";
