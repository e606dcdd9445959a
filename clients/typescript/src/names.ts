/** The names and the times of the HTTP API, and those of this package: `run_id` is `runId`, and a time is a `Date`. */

/** Returns the fields with their names on the wire, without those of undefined. */
export function wire(fields: object): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`), value]));
}

/** What a field is called here if its name on the wire says too little. */
const RENAMED: Readonly<Record<string, string>> = { for: "delegatedFor", from: "by" };

/** Returns the fields with the names of this package; a field whose name ends in `at` is a time. Throws for no time. */
export function camelCased(fields: object): Record<string, any> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (value && /(^|_)at$/.test(name)) {
        value = new Date(value);
        value.toISOString();
      }
      return [RENAMED[name] ?? name.replace(/_(.)/g, (_, small) => small.toUpperCase()), value];
    }),
  );
}
