"""The demo: an agent pauses, you answer, and the agent continues with its whole turn; then a workflow does the same.

    python -m local.run [--flow agent | workflow | durable]

`agent` shows the agent and then the Step Functions execution: it asks you twice. `workflow` shows only the execution,
`durable` only a durable function: they ask once. Exit status 0: every check passed. 1: a check failed (the error says
which), there was no answer, or the stack could not start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from local.demo import agent_act, workflow_act
from local.demo.checks import DemoError
from local.demo.mailbox import Mailbox
from local.demo.options import read_options
from local.demo.terminal import NoAnswerError, Terminal
from local.emulated.front import PortUnavailableError
from local.emulated.stack import Stack
from local.emulated.template import TemplateError

_QUESTIONS: Final = {
    "agent": "It asks you two questions: one from an agent, one from a Step Functions execution.",
    "workflow": "It asks you one question, from a Step Functions execution.",
    "durable": "It asks you one question, from a durable function.",
}
FLOWS: Final = tuple(_QUESTIONS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo on this process's terminal and return the exit status."""
    options = read_options(
        arguments,
        program="local.run",
        description="Run the whole deployment on this machine and answer its questions.",
        default_port=0,
        flows=FLOWS,
    )
    # Before the stack starts: after that, standard output is redirected to the handlers' log.
    terminal = Terminal(sys.stdin, sys.stdout)
    try:
        parameters = options.parameters | {"DeployExample": "true"}
        mailbox = Mailbox()
        with Stack(
            port=options.port,
            parameters=parameters,
            layer=options.layer,
            load=mailbox.load,
            logs=options.logs,
        ) as stack:
            show(stack, terminal, options.flow, mailbox)
    except (PortUnavailableError, TemplateError) as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    except DemoError as error:
        terminal.line()
        print(f"askback: a check failed: {error}", file=sys.stderr)
        return 1
    except (NoAnswerError, KeyboardInterrupt):
        terminal.line()
        print("askback: stopped, because there was no answer", file=sys.stderr)
        return 1
    return 0


def show(stack: Stack, terminal: Terminal, flow: str, mailbox: Mailbox) -> None:
    """Show one flow; raises DemoError when a check fails."""
    terminal.line(f"askback runs on this machine at {stack.url}, with emulated AWS and the real functions.")
    terminal.line(_QUESTIONS[flow])
    if flow == "durable":
        # Imported here: the SDK's runner takes a second to import, and only this flow needs it.
        from local.demo import durable_act

        durable_act.show(stack, terminal, mailbox)
    else:
        chosen = agent_act.show(stack.url, terminal, mailbox) if flow == "agent" else None
        workflow_act.show(stack, terminal, chosen, mailbox)
    terminal.line()
    terminal.line("Done. All checks passed.")


if __name__ == "__main__":
    raise SystemExit(main())
