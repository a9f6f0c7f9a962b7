"""A receiver of webhooks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError


@contextmanager
def listener() -> Iterator[tuple[str, set[int], list[str]]]:
    """An address that takes webhooks, the positions that came with a good signature, and the secrets."""
    received: set[int] = set()
    secrets: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                message = Webhook(secrets[0]).verify(body, dict(self.headers))
            except (WebhookVerificationError, IndexError):
                self.send_error(400)
                return
            received.add(message["data"]["position"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silence."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/", received, secrets
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
