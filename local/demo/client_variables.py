"""The environment variables with which a client in another process reaches the stack on this machine."""

from __future__ import annotations

import shlex

from askback.client.http_transport import URL_VARIABLE
from askback.client.lambda_transport import LINKS_VARIABLE, MINT_VARIABLE, RESUME_VARIABLE
from local.emulated.template import REGION, STACK


def client_variables(url: str) -> dict[str, str]:
    """Return the variables; `url` is the address of the API, which is an endpoint of the emulated AWS too."""
    return {
        URL_VARIABLE: url,
        MINT_VARIABLE: f"{STACK}-mint",
        RESUME_VARIABLE: f"{STACK}-resumefunction",
        LINKS_VARIABLE: f"{STACK}-links",
        "AWS_ENDPOINT_URL": url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        # The emulator accepts any credentials; these are none of a real account.
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }


def export_lines(url: str) -> str:
    """Return the variables as lines for a shell."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in client_variables(url).items())
