"""``simulate_arena``: play the part of a game server."""

import json
import random
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import urllib3
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand
from members.models import Member
from ratings.arena.models import GameServer
from ratings.arena.scopes import Scope
from ratings.arena.services.registering import new_secret, register_server
from ratings.arena.simulation import Call, calls
from ratings.office.clients import Credentials
from ratings.rbb.demo import demo_members

_NAME: Final = "simulation"
_CLIENTS: Final = 4
_TRIES: Final = 8
_AGAIN: Final = (429, 500, 502, 503, 504)


class Command(OfficeCommand):
    help = """Simulate a game server that sends games to a running site through the API (docs/api.md).

The players are the current full members. In some games a player disconnects: anybody who is away for more
than 60 seconds loses (RBB 2.4), and the worker ends the game. Some requests arrive twice or out of order, as
in real life. It runs until you stop it, or until it has sent the number of games you asked for.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--url", default="http://127.0.0.1:8000", help="address of the site; default: %(default)s"
        )
        parser.add_argument(
            "--rate", type=float, default=0.1, help="games started per second; default: %(default)s"
        )
        parser.add_argument(
            "--length",
            type=float,
            default=60.0,
            help="average length of a game in seconds; default: %(default)s",
        )
        parser.add_argument("--games", type=int, help="number of games to send; default: no limit")
        parser.add_argument(
            "--seed", type=int, help="seed of an earlier run, to play its games again; default: random"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rate"] <= 0 or options["length"] <= 0:
            raise CommandError("--rate and --length must be greater than 0.")
        server = GameServer.objects.select_related("application").filter(name=_NAME).first()
        credentials = new_secret(server) if server else register_server(_NAME, scopes=[Scope.GAMES])[1]
        seed = random.randrange(2**31) if options["seed"] is None else options["seed"]  # noqa: S311
        begin = timezone.now()
        plan = calls(
            _strengths(),
            begin=begin,
            rate=options["rate"],
            length=options["length"],
            games=options["games"],
            seed=seed,
            prefix=f"{begin:%y%m%d%H%M%S}-",
        )
        site = _Site(options["url"], credentials)
        self.say(f"Playing on {options['url']} as the server {_NAME}, seed {seed}.")
        answers: Counter[int] = Counter()
        try:
            for call, status, problem in _answers(plan, site):
                answers[status] += 1
                if status >= 400 and status != 422:
                    self.stderr.write(f"{status} {call.method} {call.path}: {problem}")
        except urllib3.exceptions.HTTPError as error:
            raise CommandError(f"{options['url']} doesn’t answer: {error}") from error
        told = ", ".join(f"{number} × {status}" for status, number in sorted(answers.items()))
        self.say(f"Answers: {told or 'none'}.")


def _strengths() -> dict[str, int]:
    """Return the members who can play a rated game now, with their strength in points."""
    invented = {member.username: member.strength for member in demo_members(timezone.now())}
    names = Member.objects.full(at=timezone.now()).values_list("username", flat=True)
    if len(names) < 2:
        raise CommandError("Nobody can play: at least two full members are needed.")
    return {name: invented.get(name, 1500) for name in names}


def _answers(plan: Iterator[Call], site: "_Site") -> Iterator[tuple[Call, int, str]]:
    """Send each call when it is due, in order within a game, and yield the answers as they arrive."""
    started = time.monotonic()
    lanes = [ThreadPoolExecutor(1) for _ in range(_CLIENTS)]
    under_way: list[tuple[Call, Future[tuple[int, str]]]] = []
    try:
        for call in plan:
            time.sleep(max(0.0, started + call.due - time.monotonic()))
            lane = lanes[hash(call.game) % _CLIENTS]
            under_way.append((call, lane.submit(site.send, call)))
            while under_way and under_way[0][1].done():
                done, answer = under_way.pop(0)
                yield done, *answer.result()
        for call, answer in under_way:
            yield call, *answer.result()
    finally:
        for lane in lanes:
            lane.shutdown(cancel_futures=True)


class _Site:
    """The API of a site, used with a token. Failed requests are retried where possible."""

    def __init__(self, url: str, credentials: Credentials) -> None:
        self.url = url.rstrip("/")
        self.pool = urllib3.PoolManager(maxsize=_CLIENTS, timeout=urllib3.Timeout(30), retries=False)
        pair = f"{credentials.client_id}:{credentials.secret}".encode()
        self.login = {"Authorization": f"Basic {b64encode(pair).decode()}"}
        self.token = ""

    def send(self, call: Call) -> tuple[int, str]:
        """Return the status and the problem's text; raises HTTPError if no attempt gets an answer."""
        for tried in range(_TRIES):
            try:
                answer = self._once(call)
            except urllib3.exceptions.HTTPError:
                if tried == _TRIES - 1:
                    raise
            else:
                if answer.status == 401:
                    self.token = ""
                elif answer.status not in _AGAIN:
                    break
            # Repeating the request is safe: it changes nothing if the first one arrived.
            time.sleep(min(10.0, 0.25 * 2**tried))
        problem = "" if answer.status < 400 else str(answer.json().get("detail", ""))
        return answer.status, problem

    def _once(self, call: Call) -> urllib3.BaseHTTPResponse:
        if not self.token:
            form = {"grant_type": "client_credentials"}
            answer = self.pool.request_encode_body(
                "POST", f"{self.url}/oauth/token/", form, headers=self.login, encode_multipart=False
            )
            if answer.status != 200:
                return answer
            self.token = answer.json()["access_token"]
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return self.pool.request(
            call.method,
            f"{self.url}/api/v1/{call.path}",
            body=json.dumps(call.body).encode(),
            headers=headers,
        )
