"""The place of a run at the moment when it pauses."""

from dataclasses import dataclass

from askback.domain.pause.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseBinding:
    """The place that one pause is bound to. The agent computes it again for every run.

    If it was set once, when the agent is built, every turn would be bound to the tenant of the first turn.

    `pin` is the build of the agent that paused; operators read it, and no rule uses it. `root_run_id` is the outermost
    run of a nested run: it is checked like `run_id`, may be empty, and is not recorded. A `thread_id` of None means the
    thread of the scope and the session. For a `checkpoint_id` of None, the checkpoint port returns the checkpoint.
    """

    pin: str = ""
    scope: Scope | None
    run_id: str
    root_run_id: str = ""
    session_id: str = ""
    thread_id: str | None = None
    checkpoint_id: str | None = None
