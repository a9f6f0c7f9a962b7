"""A receiver of webhooks on this machine: it keeps what comes, and answers as it is told."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from ratings.arena.models import GameServer, Webhook
from ratings.arena.services.webhooks import begin, checked


def subscribe(server: GameServer, *, url: str, events: Sequence[str], at: datetime) -> Webhook:
    """A webhook of a server."""
    return begin(checked(server, url=url, events=events), at=at)


class Receiver:
    """What has come, as pairs of headers and body; ``answers`` are used up one by one, then it is 204.

    An answer is a status, or a function that is given the handler.
    """

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], str]] = []
        self.paths: list[str] = []
        self.answers: list[Any] = []
        self.url = ""

    @property
    def ids(self) -> list[str]:
        """The message ids in their order."""
        return [headers["webhook-id"] for headers, _body in self.received]


@contextmanager
def receiving(certificate: Path | None = None) -> Iterator[Receiver]:
    """A receiver that listens in here; by TLS, if it has a certificate (and the key in the same file)."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append((headers, body))
            receiver.paths.append(self.path)
            answer = receiver.answers.pop(0) if receiver.answers else 204
            if callable(answer):
                answer(self)
                return
            self.send_response(answer)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silence."""

    class Listener(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that goes away is no fault."""

    http = Listener(("127.0.0.1", 0), Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        http.socket = context.wrap_socket(http.socket, server_side=True)
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    receiver.url = f"http://127.0.0.1:{http.server_port}/hook?of=ratings"
    try:
        yield receiver
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def certificate_for(host: str, directory: Path) -> Path:
    """A file with a certificate of this host, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = directory / "certificate.pem"
    path.write_bytes(
        certificate.public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    return path
