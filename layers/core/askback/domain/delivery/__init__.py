"""How an accepted answer reaches the run that waits for it, and how the sweep repeats and ends that."""
