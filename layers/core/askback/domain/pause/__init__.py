"""A pause: its scope, claims and ids, who may answer it, which run waits for it, and its ledger row."""
