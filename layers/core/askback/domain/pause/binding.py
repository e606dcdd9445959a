"""Where a run is when it pauses."""

from dataclasses import dataclass

from askback.domain.pause.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseBinding:
    """The place one pause is bound to, resolved anew for every run.

    A binding fixed once, when an agent is put together, would bind every turn to the first turn's tenant.

    `pin` names the build of the agent that paused, for operators; it decides nothing. `root_run_id` is the outermost
    run of a nested one: it is checked like `run_id`, may be empty, and is not recorded. `thread_id` of None means the
    thread that follows from scope and session. `checkpoint_id` of None is resolved through the checkpoint port.
    """

    pin: str = ""
    scope: Scope | None
    run_id: str
    root_run_id: str = ""
    session_id: str = ""
    thread_id: str | None = None
    checkpoint_id: str | None = None
