"""A game server and visitors, who go on asking while something is done to the sites.

``python -m tests.deployment.traffic ADDRESS …`` goes on until its standard input ends. Then it prints
as JSON what they were answered.
"""

from __future__ import annotations

import json
import sys
import threading
from argparse import ArgumentParser
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count

import urllib3

MEMBERS = 50
PAGES = (
    "/", "/members/", "/games/", "/changes/", "/lists/", "/register/", "/how-ratings-work/",
    "/ratings/blitz/", "/members/1/", "/members/2/games/", "/records/", "/calendar/",
    "/api/v1/members", "/api/v1/all-games",
)  # fmt: skip


class Traffic:
    """Asks every address in turn. ``addresses`` may be exchanged at any time.

    ``answers`` counts the statuses by what was asked, 0 where there was no answer; ``games`` are those whose
    end was acknowledged.
    """

    def __init__(self, addresses, login, headers=None, **tls):
        self.addresses = tuple(addresses)
        self.answers = {"token": Counter(), "games": Counter(), "pages": Counter()}
        self.faults = []
        self.games = []
        self.headers = headers or {}
        self.tls = tls
        self.turn = count()
        self.lock = threading.Lock()
        self.enough = threading.Event()
        self.pool = self.connections()
        form = {"grant_type": "client_credentials", "client_id": login[0], "client_secret": login[1]}
        token = self.ask("token", "POST", "/oauth/token/", fields=form, encode_multipart=False)
        self.token = {"Authorization": f"Bearer {token.json()['access_token']}"}

    def connections(self):
        """Of one thread. A connection is used once, as those of most visitors are."""
        headers = {**self.headers, "Connection": "close"}
        return urllib3.PoolManager(retries=False, timeout=30, headers=headers, **self.tls)

    def ask(self, what, method, path, pool=None, headers=None, **how):
        """An answer, or None; counted."""
        addresses = self.addresses
        address = addresses[next(self.turn) % len(addresses)]
        pool = pool or self.pool
        try:
            answer = pool.request(
                method, address + path, headers={**pool.headers, **(headers or {})}, redirect=False, **how
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            answer, said = None, repr(error)
        else:
            said = answer.data[:300].decode(errors="replace")
        with self.lock:
            status = answer.status if answer else 0
            self.answers[what][status] += 1
            if not 200 <= status < 400:
                self.faults.append(f"{datetime.now(UTC):%H:%M:%S} {method} {address}{path}: {status} {said}")
        return answer

    def send_games(self, prefix):
        """Each game twice: when it begins, and when it has ended; to another address, if there is one.

        One game after another: the audit reports players who play two at once, which fails a restore drill.
        """
        pool = self.connections()
        for number in count():
            if self.enough.wait(0.05):
                return
            white = number % MEMBERS
            game = {
                "white": f"p{white}",
                "black": f"p{(white + 1 + number // MEMBERS % (MEMBERS - 1)) % MEMBERS}",
                "time_control": "180+2",
                "started_at": datetime.now(UTC).isoformat(),
                "plies": 2,
            }
            name = f"{prefix}-{number}"
            self.put(name, game, pool)
            game |= {
                "result": "1-0",
                "termination": "resignation",
                "plies": 40,
                "ended_at": datetime.now(UTC).isoformat(),
            }
            answer = self.put(name, game, pool)
            if answer and answer.status in (200, 201):
                self.games.append(name)

    def put(self, name, game, pool):
        headers = {**self.token, "Content-Type": "application/json"}
        body = json.dumps(game).encode()
        return self.ask("games", "PUT", f"/api/v1/games/{name}", pool, headers, body=body)

    def read_pages(self):
        """One page after another."""
        pool = self.connections()
        for number in count():
            if self.enough.wait(0.05):
                return
            self.ask("pages", "GET", PAGES[number % len(PAGES)], pool)

    @contextmanager
    def flowing(self, prefix):
        """One game server and two visitors, in here."""
        threads = [
            threading.Thread(target=self.send_games, args=(prefix,)),
            *(threading.Thread(target=self.read_pages) for _ in range(2)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.enough.set()
            for thread in threads:
                thread.join()


def main():
    """Until somebody ends the standard input."""
    parser = ArgumentParser(prog="python -m tests.deployment.traffic")
    parser.add_argument("addresses", nargs="+")
    parser.add_argument("--client-id", required=True)
    parser.add_argument("--secret", required=True)
    parser.add_argument("--certificate")
    asked = parser.parse_args()
    tls, headers = {}, {}
    if asked.certificate:
        named = "ratings.example"
        tls = {"ca_certs": asked.certificate, "assert_hostname": named, "server_hostname": named}
        headers = {"Host": named}
    traffic = Traffic(asked.addresses, (asked.client_id, asked.secret), headers, **tls)
    with traffic.flowing("t"):
        sys.stdin.read()
    print(json.dumps({"answers": traffic.answers, "games": traffic.games, "faults": traffic.faults}))


if __name__ == "__main__":
    main()
