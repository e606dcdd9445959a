/** askback for TypeScript: pause an agent on a question, take a person's answer once, give the turn back. */

export * from "./client.js";
export * from "./public_errors.js";
export { type Json, JsonText } from "./json.js";
export {
  type Answer,
  type Answered,
  type AnswerToken,
  type CallOptions,
  type ClientOptions,
  type Named,
  type PauseToken,
  PersonClient,
  type PersonOptions,
} from "./person.js";
export * from "./questions.js";
export type {
  AnswerReceipt,
  Clarification,
  Delegation,
  IssuedPause,
  JsonObject,
  PausedTurn,
  PauseLinks,
  QuestionBack,
  QuorumState,
  RecipientLink,
  RecordedVote,
  ResumedPause,
  RevokedQuestion,
  Scope,
  ShownQuestion,
  TurnReference,
} from "./results.js";
export type { BackOff, Retries } from "./retries.js";
export {
  type Body,
  type HttpOptions,
  HttpTransport,
  noReply,
  type Reply,
  type RequestToSign,
  type Route,
  type SignedRequest,
  type Signer,
  type Transport,
} from "./transport.js";
