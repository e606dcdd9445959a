"""A receiver of webhooks on this machine, over real TLS with a certificate of its own."""

import base64
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Self
from unittest import mock

import standardwebhooks
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


def standard_secret(key: str) -> str:
    """Return the key of the webhook's secret as a receiver writes it."""
    return "whsec_" + base64.b64encode(key.encode()).decode()


@contextmanager
def receiving_at(seconds: int) -> Iterator[None]:
    """Let the package that receivers verify with see this time, in epoch seconds, as now."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(seconds, tz)

    with mock.patch.object(standardwebhooks.webhooks, "datetime", Then):
        yield


@dataclass(kw_only=True)
class Receiver:
    """What was received, and what is answered: `status`, with a `location` when it redirects."""

    url: str
    certificate: Path
    status: int = 200
    location: str = ""
    received: list[Received] = field(default_factory=list)

    def trust(self) -> ssl.SSLContext:
        """Return a context that trusts this receiver alone."""
        return ssl.create_default_context(cafile=str(self.certificate))


@contextmanager
def a_receiver(folder: Path) -> Iterator[Receiver]:
    """Serve on a free port until leaving; the certificate is written into `folder`."""
    certificate = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(path=self.path, headers=headers, body=body))
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("location", receiver.location)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(url=f"https://127.0.0.1:{server.server_port}/hooks/a?b=c", certificate=certificate)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "receiver.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
