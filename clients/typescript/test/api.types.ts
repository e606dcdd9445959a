/**
 * Holds the types of this package to the document of the HTTP API, when they are checked: this file runs nothing.
 *
 * Each name in camel case stands for the one on the wire, and a time for a text.
 */

import type * as askback from "askback";
import type { components, paths } from "askback/api";

type Schemas = components["schemas"];

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type Renamed<Name> = Name extends "for" ? "delegatedFor" : Name extends "from" ? "by" : Camel<Name>;
type IsTime<Name> = Name extends "at" | `${string}_at` ? true : false;
/** The object of the wire with the names and times of this package; what is nested is compared on its own. */
type Read<Wire> = {
  [Name in keyof Wire as Renamed<Name> & string]: IsTime<Name> extends true
    ? Exclude<Wire[Name], string> | Date
    : Wire[Name];
};

/** Fields of a result that are not on the wire under their own name. */
type Own = "replyText" | "scope" | "stillOpen";
type Nested = "quorum" | "votes" | "clarifications" | "recipients" | "turn" | "turnReference" | "payload" | "response";
/** The fields that a result has and the wire has not; must be `never`. */
type Invented<Result, Wire> = Exclude<keyof Result, keyof Read<Wire> | Own>;
/** The fields whose type on the wire is not the one of the result; must be `never`. */
type Wrong<Result, Wire> = {
  [Name in Exclude<keyof Result, Own | Nested>]: Name extends keyof Read<Wire>
    ? Exclude<Read<Wire>[Name], undefined> extends Result[Name]
      ? never
      : Name
    : never;
}[Exclude<keyof Result, Own | Nested>];
type Faults<Result, Wire> = Invented<Result, Wire> | Wrong<Result, Wire>;

function none<_ extends never>(): void {}

none<Faults<askback.IssuedPause, Schemas["Pause"]>>();
// The client has an empty text in place of null.
none<Faults<Omit<askback.PauseLinks, "answerToken">, Schemas["PauseLinks"]>>();
none<Faults<askback.RecipientLink, Schemas["RecipientLink"]>>();
none<Faults<askback.RevokedQuestion, Schemas["RevokedQuestion"]>>();
none<Faults<askback.QuestionBack, Schemas["QuestionBack"]>>();
none<Faults<askback.Clarification, Schemas["Clarification"]>>();
none<Faults<askback.ShownQuestion, Schemas["Question"]>>();
none<Faults<askback.Delegation, Schemas["Delegation"]>>();
none<Faults<askback.QuorumState, Schemas["QuorumState"]>>();
none<Faults<askback.RecordedVote, Schemas["RecordedVote"]>>();
none<Faults<askback.AnswerReceipt, Schemas["AnswerReceipt"]>>();
none<Faults<askback.ResumedPause, Schemas["Outcome"]>>();
none<Faults<askback.PausedTurn, Schemas["PausedTurn"]>>();
none<Faults<askback.TurnReference, Schemas["TurnReference"]>>();

// Every field of a mint can be given, and no other one; a route that the client calls is in the document.
type Given = keyof askback.PauseOptions | "name" | "payload";
none<Exclude<Given, Camel<keyof Schemas["CreatePause"]> | "signal">>();
none<Exclude<Camel<keyof Schemas["CreatePause"]>, Given>>();
none<Exclude<askback.Route, keyof paths>>();
