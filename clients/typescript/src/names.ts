/** The names and the times of the HTTP API, and those of this package: `run_id` is `runId`, and a time is a `Date`. */

/** Returns the fields with their names on the wire, without those of undefined. */
export function wire(fields: object): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`), value]),
  );
}

/** What a field is called here if its name on the wire says too little. */
const RENAMED: Readonly<Record<string, string>> = { for: "delegatedFor", from: "by" };
/** The objects of a reply whose names are changed too. What people and agents have written is kept. */
const NESTED = /^(quorum|votes|clarifications|recipients|turn|turn_reference)$/;
/** What `console.log`, `JSON.stringify` and loggers must not show. */
const SECRET = /(token|link|response|proposal|prompt|messages|comment|question|reply|replyText)$/i;

/**
 * Returns the fields with the names of this package, frozen, over those in `absent`. Throws for a text that is no time.
 *
 * A field whose name ends in `at` is a time. Secrets are not enumerable: a printed result does not show them.
 */
export function camelCased(fields: object, absent: object = {}): Readonly<Record<string, any>> {
  const result: Record<string, unknown> = {};
  const set = (name: string, value: unknown) =>
    Object.defineProperty(result, name, { value, enumerable: !SECRET.test(name), configurable: true });
  for (const [name, value] of Object.entries(absent)) set(name, value);
  for (const [name, value] of Object.entries(fields)) {
    const own = RENAMED[name] ?? name.replace(/_(.)/g, (_, small) => small.toUpperCase());
    if (value !== null || !(own in result)) set(own, valueOf(name, value));
  }
  return Object.freeze(result);
}

function valueOf(name: string, value: unknown): unknown {
  if (!value) return value;
  if (NESTED.test(name)) return Array.isArray(value) ? value.map((each) => camelCased(each)) : camelCased(value);
  if (!/(^|_)at$/.test(name)) return value;
  const time = new Date(value as string);
  time.toISOString();
  return time;
}
