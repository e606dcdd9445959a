"""What this suite runs on, once for all of it: an engine, the base image, emulated AWS, and the SAM CLI's servers.

All of it is gone afterwards, whether the tests pass, fail, or are interrupted.
"""

import json
import os
import platform
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from local.containers.engine import Engine, EngineUnavailableError, docker_engine
from local.containers.image.build import LABEL, ImageError, base_image
from local.demo.api_client import Client
from local.emulated.cloud import ROOT, Cloud
from tests.built.sam.sam import BUILT, PATIENCE_SECONDS, Sam
from tests.support.request_bodies import Pause, a_mint
from tests.support.template import OPTED_IN

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

SHORTEST_TTL_SECONDS = 30
_ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64"}


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Give an engine, and remove from it whatever container of ours the SAM CLI left."""
    if os.environ.get("SKIP_DOCKER") == "1":
        pytest.skip("SKIP_DOCKER=1: nothing is run in containers")
    if not BUILT.is_file():
        pytest.exit("Nothing is built to run: use make sam-local.", returncode=1)
    with _a_request_to_end_unwinds():
        try:
            with docker_engine(ROOT / ".local/engine") as answering:
                try:
                    yield answering
                finally:
                    for container in answering.client.containers.list(all=True, filters={"label": LABEL}):
                        container.remove(force=True)
        except EngineUnavailableError as error:
            pytest.exit(f"{error} SKIP_DOCKER=1 skips these tests.", returncode=1)


@contextmanager
def _a_request_to_end_unwinds() -> Iterator[None]:
    """Take SIGTERM for an interrupt: by itself it would end this process before anything is stopped."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def cloud(engine: Engine) -> Iterator[Cloud]:
    with Cloud(host=engine.host_address, parameters=OPTED_IN) as up:
        yield up


@pytest.fixture(scope="session")
def sam(engine: Engine, cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Sam:
    try:
        image = base_image(engine.client)
    except ImageError as error:
        pytest.exit(str(error), returncode=1)
    return Sam(
        image=image,
        architecture=_ARCHITECTURES[platform.machine()],
        docker_host=engine.url,
        # The stories take the tokens that the mint returns.
        variables={
            function.logical_id: dict(function.environment) | {"ASKBACK_RETURN_LINKS": "true"}
            for function in cloud.functions
        },
        home=tmp_path_factory.mktemp("sam"),
    )


@pytest.fixture(scope="session")
def functions(sam: Sam, cloud: Cloud) -> Iterator["LambdaClient"]:
    """Give boto3's client of the functions that `sam local start-lambda` serves, by their logical ids."""
    served = [function.logical_id for function in cloud.functions if not function.durable]
    with sam.serving("start-lambda", *served) as address:
        patient = Config(read_timeout=PATIENCE_SECONDS, retries={"total_max_attempts": 1})
        yield boto3.client("lambda", endpoint_url=address, config=patient)


@pytest.fixture(scope="session")
def api(sam: Sam) -> Iterator[Client]:
    """Give a client of the HTTP API that `sam local start-api` serves."""
    with sam.serving("start-api") as address:
        yield Client(address, patience_seconds=PATIENCE_SECONDS)


@pytest.fixture(scope="session", autouse=True)
def short_lived(functions: "LambdaClient") -> Pause:
    """Return a pause of the shortest life, minted before any other test so that none has to wait for its end."""
    request = a_mint(ttl_seconds=SHORTEST_TTL_SECONDS)
    reply = functions.invoke(FunctionName="MintFunction", Payload=json.dumps(request))
    return Pause(request=request, minted=json.load(reply["Payload"]))
