// Loaded into Playwright's driver before it starts. Playwright sends every new profile's colour scheme to Firefox with a
// command that Firefox ESR does not know yet, and gives the profile up when it is refused. A command that does nothing
// goes instead; tests choose the colour scheme when they start Firefox.
const UNKNOWN = "emulation.setMediaFeaturesOverride";
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) =>
  stringify(value?.method === UNKNOWN ? { ...value, method: "session.status", params: {} } : value, ...rest);
