"""The demo: an agent pauses, you answer, the agent goes on with its whole turn; then a workflow does the same.

    python -m local.run [--flow agent | workflow | durable]

`agent` shows both; `workflow` shows the Step Functions execution alone, `durable` a durable function instead. Exit
status 0 means that everything was as it should be; 1 that something was not, and says what.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from local.demo import agent_act, workflow_act
from local.demo.checks import DemoError
from local.demo.options import read_options
from local.demo.terminal import NoAnswerError, Terminal
from local.emulated.front import PortUnavailableError
from local.emulated.stack import Stack
from local.emulated.template import TemplateError

FLOWS: Final = ("agent", "workflow", "durable")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo on this process's terminal and return its exit status."""
    options = read_options(
        arguments,
        program="local.run",
        description="Run the whole deployment on this machine and answer one question.",
        default_port=0,
        flows=FLOWS,
    )
    # Taken before the stack starts: from then on standard output is where handlers log to.
    terminal = Terminal(sys.stdin, sys.stdout)
    try:
        parameters = options.parameters | {"DeployExample": "true"}
        with Stack(port=options.port, parameters=parameters, layer=options.layer) as stack:
            tell(stack, terminal, options.flow)
    except (PortUnavailableError, TemplateError) as error:
        print(f"askback: {error}", file=sys.stderr)
        return 1
    except DemoError as error:
        terminal.line()
        print(f"askback: not as it should be: {error}", file=sys.stderr)
        return 1
    except (NoAnswerError, KeyboardInterrupt):
        terminal.line()
        print("askback: no answer given", file=sys.stderr)
        return 1
    return 0


def tell(stack: Stack, terminal: Terminal, flow: str) -> None:
    """Go through one flow; raises DemoError where it departs from what it should be."""
    terminal.line(f"askback on this machine at {stack.url}: emulated AWS, the real functions.")
    if flow == "durable":
        # The SDK's runner takes a second to import, and only this flow needs it.
        from local.demo import durable_act

        durable_act.tell(stack, terminal)
    else:
        taken = agent_act.tell(stack.url, terminal) if flow == "agent" else None
        workflow_act.tell(stack, terminal, taken)
    terminal.line()
    terminal.line("Everything was as it should be.")


if __name__ == "__main__":
    raise SystemExit(main())
