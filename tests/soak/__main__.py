"""``make soak``: game servers keep sending while the site and the worker are killed, again and again.

Each game is sent many times in random order, alone and in batches, to a site on a PostgreSQL that waits for
its disk. Site and worker get SIGKILL at random moments and are started anew. In the end nothing that was
answered may be lost, nothing may be there twice, ledger and inputs must agree, and each webhook must have
come with a good signature.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import AF_INET, socket
from typing import Any

import urllib3
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from tests.benchmarks import arena
from tests.postgresql import Server

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = 200
BATCH = 50
PATIENCE = 300
"""Seconds in which the last webhooks must have come once nothing is killed any more."""


def main() -> None:
    """Send, kill, and look what is there; exit code 1 if anything is lost, doubled or wrong."""
    parser = ArgumentParser(prog="python -m tests.soak", description="Nothing answered is lost.")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=20, help="how often each game is sent")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    server = Server((ROOT / "docs" / "postgresql.conf").read_text())
    try:
        with tempfile.TemporaryDirectory(prefix="foa-soak-") as directory:
            faults = soak(server.url, Path(directory), asked.games, asked.times, asked.kills, asked.seed)
    finally:
        server.stop()
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{asked.games} games sent {asked.times} times with {asked.kills} kills: nothing lost or doubled.")


def soak(url: str, files: Path, games: int, times: int, kills: int, seed: int) -> list[str]:
    """What went wrong, a line each."""
    dice = random.Random(seed)
    office = Office(url, files)
    office.manage("migrate", "--verbosity", "0")
    arena.write_members(files / "members.csv", MEMBERS)
    arena.write_ratings(files / "ratings.csv", MEMBERS)
    office.manage("import_members", str(files / "members.csv"))
    office.manage("import_ratings", str(files / "ratings.csv"))
    client_id, secret = office.register()
    sent = list(played(games))
    loads = [sent[number] for number in range(games) for _ in range(times)]
    dice.shuffle(loads)
    begun = time.monotonic()
    with listener() as (address, received, secrets), office.running():
        client = Client(office.address, client_id, secret)
        office.before = set(office.looked()["positions"])
        secrets.append(client.subscribe(address))
        killer = threading.Thread(target=office.kill, args=(kills, dice.randrange(2**31)))
        killer.start()
        while loads or killer.is_alive():
            # Until the last kill, what was sent is sent once more.
            loads = loads or dice.sample(sent, games)
            batch = [loads.pop() for _ in range(min(BATCH, len(loads)))]
            if dice.random() < 0.2:
                for one in batch[: BATCH // 10]:
                    client.put(one)
                batch = batch[BATCH // 10 :]
            client.post(batch)
        killer.join()
        print(f"sent in {time.monotonic() - begun:.0f} s, {office.killed} kills, {client.again} sent again")
        return list(office.faults(sent, received))


def played(games: int) -> Iterator[dict[str, Any]]:
    """Finished games, the last of which has ended by now."""
    begin = datetime.now(UTC) - timedelta(seconds=games + 60)
    results = ("0-1", "1/2-1/2", "1-0")
    for number, (white, black, half_points, control) in enumerate(arena.pairings(games, MEMBERS)):
        ended = begin + timedelta(seconds=number)
        yield {
            "id": f"soak-{number}",
            "white": f"p{white}",
            "black": f"p{black}",
            "time_control": arena.CONTROLS[control],
            "result": results[half_points],
            "termination": "resignation" if half_points != 1 else "agreement",
            "plies": 40,
            "started_at": (ended - timedelta(minutes=2)).isoformat(),
            "ended_at": ended.isoformat(),
        }


class Office:
    """The site and its worker, each a process group that can be killed."""

    def __init__(self, url: str, files: Path) -> None:
        with socket(AF_INET) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "foa.settings",
            "SECRET_KEY": "soak" * 16,
            "WEBHOOKS_PRIVATE": "true",
            "PROGRESS_DIR": str(files / "progress"),
        }
        serving = f"--bind 127.0.0.1:{self.port} --workers 2 --threads 8 --log-level critical"
        self.commands = {
            "site": f"-m gunicorn foa.wsgi {serving}",
            "worker": "manage.py run_jobs",
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.before: set[int] = set()
        self.enough = threading.Event()
        self.killed = 0

    def manage(self, *arguments: str) -> str:
        """Run a command; its output."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def register(self) -> tuple[str, str]:
        """Client id and secret of a new server."""
        lines = dict(
            line.split(": ", 1) for line in self.manage("add_server", "soak").splitlines() if ": " in line
        )
        return lines["client id"], lines["client secret"]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Both processes, until the end."""
        try:
            for name in self.commands:
                self.start(name)
            yield
        finally:
            self.enough.set()
            for process in self.processes.values():
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def start(self, name: str) -> None:
        """Start one of them in a group of its own."""
        self.processes[name] = subprocess.Popen(
            [sys.executable, *self.commands[name].split()],
            cwd=ROOT,
            env=self.environment,
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, kills: int, seed: int) -> None:
        """SIGKILL now and then, with all children, and start anew."""
        dice = random.Random(seed)
        while self.killed < kills and not self.enough.wait(dice.uniform(1.0, 8.0)):
            name = dice.choice(sorted(self.commands))
            os.killpg(self.processes[name].pid, signal.SIGKILL)
            self.processes[name].wait()
            self.start(name)
            self.killed += 1

    def looked(self) -> Any:
        """What the database has: games, how many are unrated, lines of games, positions of entries."""
        looked = (
            "from ratings.models import *; from ratings.office.outbox import number_entries;"
            "import json; from django.db.models import Count; from ratings.office.models import OutboxEntry;"
            "number_entries();"
            "print(json.dumps({'games': list(Game.objects.values_list('external_id', flat=True)),"
            "'unrated': Game.objects.filter(rated=False).count(),"
            "'lines': RatingChange.objects.filter(game__isnull=False).count(),"
            "'positions': list(OutboxEntry.objects.filter(event='rating.changed')"
            ".values_list('position', flat=True))}))"
        )
        return json.loads(self.manage("shell", "--no-imports", "-c", looked).splitlines()[-1])

    def faults(self, sent: list[dict[str, Any]], received: set[int]) -> Iterator[str]:
        """What is lost, doubled or wrong, once the worker has told everything."""
        there = self.looked()
        expected = {f"soak/{one['id']}" for one in sent}
        if lost := expected - set(there["games"]):
            yield f"{len(lost)} games are lost"
        if len(there["games"]) != len(set(there["games"])):
            yield "games are there twice"
        if there["lines"] != 2 * (len(expected) - there["unrated"]):
            yield f"{there['lines']} lines for {len(expected)} games, {there['unrated']} of them unrated"
        try:
            self.manage("replay", "--check")
        except subprocess.CalledProcessError as error:
            yield f"replay --check: {error.stdout[-500:]}"
        subscribed = set(there["positions"]) - self.before
        deadline = time.monotonic() + PATIENCE
        while subscribed - received and time.monotonic() < deadline:
            time.sleep(1)
        if missing := subscribed - received:
            yield f"{len(missing)} of {len(subscribed)} webhooks have not come"
        print(f"{len(received)} webhooks verified")


class Client:
    """A game server that sends again until it is answered."""

    def __init__(self, address: str, client_id: str, secret: str) -> None:
        self.address = address
        self.pool = urllib3.PoolManager(retries=False, timeout=60)
        self.again = 0
        form = {"grant_type": "client_credentials"}
        login = urllib3.make_headers(basic_auth=f"{client_id}:{secret}")
        answer = self.until_answered(
            lambda: self.pool.request_encode_body(
                "POST", f"{address}/oauth/token/", form, headers=login, encode_multipart=False
            )
        )
        self.headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def until_answered(self, ask: Callable[[], urllib3.BaseHTTPResponse]) -> urllib3.BaseHTTPResponse:
        """Ask until there is an answer that is no fault of the site."""
        while True:
            with suppress(urllib3.exceptions.HTTPError, HTTPException, OSError):
                answer = ask()
                if answer.status < 500 and answer.status != 429:
                    return answer
            self.again += 1
            time.sleep(0.1)

    def send(self, method: str, path: str, body: bytes, kind: str) -> urllib3.BaseHTTPResponse:
        headers = {**self.headers, "Content-Type": kind}
        return self.until_answered(
            lambda: self.pool.request(method, f"{self.address}/api/v1/{path}", body=body, headers=headers)
        )

    def put(self, game: dict[str, Any]) -> None:
        """One game."""
        body = {name: value for name, value in game.items() if name != "id"}
        answer = self.send("PUT", f"games/{game['id']}", json.dumps(body).encode(), "application/json")
        assert answer.status in (200, 201), answer.data

    def post(self, games: list[dict[str, Any]]) -> None:
        """A batch, each game of which must be stored or there already."""
        lines = "".join(json.dumps(game) + "\n" for game in games).encode()
        answer = self.send("POST", "games", lines, "application/x-ndjson")
        assert answer.status == 200, answer.data
        for line in answer.data.splitlines():
            assert json.loads(line)["verdict"] in ("stored", "already there"), line

    def subscribe(self, address: str) -> str:
        """Ask to be told of ratings; the secret of the signatures."""
        body = json.dumps({"url": address, "events": ["rating.changed"]}).encode()
        answer = self.send("POST", "webhooks", body, "application/json")
        assert answer.status == 201, answer.data
        return str(answer.json()["secret"])


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


if __name__ == "__main__":
    main()
