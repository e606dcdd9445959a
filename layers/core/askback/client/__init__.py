"""The client for programs outside the deployment. Import its names from here or from `askback`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askback.client.async_client import AsyncAskbackClient as AsyncAskbackClient
    from askback.client.client import AskbackClient as AskbackClient
    from askback.client.http_transport import HttpTransport as HttpTransport
    from askback.client.lambda_transport import LambdaTransport as LambdaTransport
    from askback.client.retries import Retries as Retries
else:
    from askback import __getattr__ as _public_name

    __all__ = ["AskbackClient", "AsyncAskbackClient", "HttpTransport", "LambdaTransport", "Retries"]

    def __getattr__(name: str) -> object:
        """Load the module of a name: `import askback.client.retries` alone must not load the AWS SDK."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _public_name(name)
