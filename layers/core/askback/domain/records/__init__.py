"""What a pause leaves in the stores: the request that a person sees, and the turn that a run goes on from."""
