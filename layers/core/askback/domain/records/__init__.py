"""The records of a pause in the stores: the request that a person sees, and the turn that a run continues from."""
