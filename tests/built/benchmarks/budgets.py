"""The budgets, and the figures of the saver that they are set against.

The saver's figures were recorded once, with langgraph-checkpoint-aws's DynamoDBSaver and its compression on, for one
pause and resume of a transcript of the same size. It is not installed here, so they are not measured again.
"""

KB = 1024

SAVER_CALLS = 33
SAVER_WRITE_UNITS = {4: 37, 30: 83, 120: 233, 600: 1033}
"""By size of the transcript in KB."""

CALLS_AGAINST_SAVER = 1 / 5
WRITE_UNITS_AGAINST_SAVER = {4: 1 / 3, 30: 1 / 6, 120: 1 / 6, 600: 1 / 6}
MINT_CALLS, MINT_ROUND_TRIPS = 3, 2
RESUME_CALLS, RESUME_ROUND_TRIPS = 2, 2
WAITER_CALLS = 2
"""More in an answer with a Step Functions waiter, and each of them in sequence."""
VOTE_CALLS = 2
"""One read of everything that is recorded, and one conditional write."""
DOLLARS_PER_MILLION_PAUSES = 12.0
SWEEP_GROWTH = 1.0
"""Reads of a sweep among ten times as many stored rows, against those among few."""
COLD_START = 1.5
LAYER_MB = 15.0
RESUME_CPU = 1.0
MEMORY_PER_TURN = 4.0
REFUSAL_BYTES = 32 * KB
PAGE_REQUESTS, PAGE_BYTES = 4, 40_000
PAGE_MAIN_THREAD = 100.0
"""Milliseconds at four times CPU slowdown."""

WORKFLOW_KB = (4, 30, 120)
"""Sizes that a workflow can ask with: what a state is given ends at 256 KiB."""
SMALL_KB = 4
"""The small turn of the call counts and the money."""
