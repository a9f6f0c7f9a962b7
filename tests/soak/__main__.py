"""``make soak``: everybody uses the office at once while its parts are killed, again and again.

Game servers, officers, followers, readers, visitors and fuzzers ask two sites with two workers on a
PostgreSQL that waits for its disk and has a replica. Sites, workers, database and replica get SIGKILL at
random moments and are started again. After each kill, and in the end, nothing that was acknowledged may be
lost or there twice, ledger and inputs must agree, and nobody may have had an answer of 5xx but 503 with
Retry-After while something was down. Ctrl-C ends it early, with the last proofs.
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
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Final

from tests.benchmarks import arena
from tests.soak.actors import (
    DOUBLERS,
    PLAYERS,
    TWINS,
    Actor,
    Books,
    ClockJumper,
    Follower,
    Impatient,
    Importer,
    Officer,
    Reader,
    Registrar,
    Restarter,
    Saver,
    Smuggler,
    Visitor,
)
from tests.soak.asking import Campaign, ServerDoor
from tests.soak.doubling import Doubler
from tests.soak.listening import listener
from tests.soak.proofs import Proofs
from tests.soak.servers import ROOT, Office

_EARLIER: Final = 2_000
"""Games of the years before, so that there are lists."""

_SERVERS: Final = {
    **dict.fromkeys(("saver1", "saver2", "jumper", "restarter", *DOUBLERS), ("games",)),
    **dict.fromkeys(("follower", "impatient1", "impatient2"), ("read",)),
    **{"subscriber": ("webhooks",), "fuzzer": ("games", "members", "read")},
}
"""Game servers, and what they may do. The fuzzer would send webhooks anywhere."""

_LOGIN: Final = ("officer", "correct horse battery staple")


def main() -> None:
    """Use, kill, and look what is there; exit code 1 if anything is lost, doubled or wrong."""
    parser = ArgumentParser(prog="python -m tests.soak", description="Nothing acknowledged is lost.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    # Told to stop, leave nothing behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="foa-soak-") as directory:
        office = Office(Path(directory))
        try:
            campaign = Campaign(office, asked.seed)
            signal.signal(signal.SIGINT, lambda *_: campaign.enough.set())
            furnish(office)
            office.start()
            use(campaign, asked.minutes)
        finally:
            office.stop()
    for what, number in sorted(campaign.counts.items()):
        print(f"{number:>10,}  {what}")
    if campaign.faults:
        raise SystemExit(f"{len(campaign.faults)} faults:\n" + "\n".join(campaign.faults[:50]))
    print("Nothing lost, nothing doubled, nothing wrong.")


def furnish(office: Office) -> None:
    """Members, starting ratings, games of the years before, and an officer."""
    files = office.files
    arena.write_members(files / "members.csv", PLAYERS)
    arena.write_ratings(files / "ratings.csv", PLAYERS)
    with (files / "members.csv").open("a") as stream:
        stream.writelines(f"m{number},Twin{number},,NOR,F,1991,,2019-01-01,\r\n" for number in range(TWINS))
    arena.write_games(
        files / "games.csv", _EARLIER, PLAYERS, apart=(datetime.now(UTC) - arena.START) / (_EARLIER + 1)
    )
    imports = [[f"import_{name}", str(files / f"{name}.csv")] for name in ("members", "ratings", "games")]
    username, password = _LOGIN
    office.environment["DJANGO_SUPERUSER_PASSWORD"] = password
    office.furnish(
        [
            ["migrate", "--verbosity", "0"],
            *imports,
            ["createsuperuser", "--no-input", "--username", username, "--email", "officer@example.com"],
            ["publish_due"],
        ],
        _SERVERS,
    )


def use(campaign: Campaign, minutes: float) -> None:
    """Everybody acts and parts are killed, for so long; then the last proofs."""
    books = Books()
    proofs = Proofs(campaign, books)
    for fault in proofs.rules():
        raise RuntimeError(f"before anything was killed: {fault}")
    officer = Officer(campaign, books, "officer", _LOGIN)
    follower = Follower(campaign, books, "follower")
    actors: list[Actor] = [
        *(Saver(campaign, books, f"saver{number}") for number in (1, 2)),
        ClockJumper(campaign, books, "jumper"),
        Restarter(campaign, books, "restarter"),
        officer,
        Importer(campaign, books, "importer", _LOGIN),
        Doubler(campaign, books, "doubler", _LOGIN),
        follower,
        Registrar(campaign, books, "registrar", _LOGIN),
        *(Impatient(campaign, books, f"impatient{number}") for number in (1, 2)),
        Reader(campaign, books, "reader"),
        *(Visitor(campaign, books, f"visitor{number}") for number in (1, 2)),
        Visitor(campaign, books, "staff", _LOGIN),
        Smuggler(campaign, books, "smuggler", _LOGIN),
    ]
    with listener() as (address, received, secrets):
        subscriber = ServerDoor(campaign, "subscriber")
        answer = subscriber.until_answered(
            "POST", "/api/v1/webhooks", json={"url": address, "events": ["rating.changed"]}
        )
        assert answer is not None
        assert answer.status_code == 201, answer.text
        secrets.append(answer.json()["secret"])
        ((subscribed,),) = campaign.office.primary.ask("SELECT position FROM arena_webhook")
        schema = subscriber.until_answered("GET", "/api/v1/schema")
        assert schema is not None
        document = campaign.office.files / "schema.json"
        document.write_text(schema.text)
        login = campaign.office.credentials["fuzzer"]
        fuzzers = [
            Fuzzer(campaign, "readers"),
            Fuzzer(campaign, "api", str(document), *login, *(site.address for site in campaign.office.sites)),
        ]
        for actor in actors:
            actor.start()
        try:
            kill(campaign, proofs, fuzzers, minutes)
        finally:
            campaign.over.set()
            for fuzzer in fuzzers:
                fuzzer.stop()
        for actor in actors:
            actor.join()
        campaign.counts["games acknowledged"] = len(books.games)
        proofs.in_the_end(follower, officer, received, subscribed)


def kill(campaign: Campaign, proofs: Proofs, fuzzers: list[Fuzzer], minutes: float) -> None:
    """SIGKILL one part or two now and then, start them again, and look.

    After a third of the time the second site and the second worker live on, so that their memory can be seen.
    """
    dice = random.Random(f"{campaign.seed} killer")
    office = campaign.office
    begun = time.monotonic()
    names = sorted(office.parts)
    while time.monotonic() - begun < 60 * minutes and not campaign.enough.is_set():
        for second in range(dice.randrange(3, 20)):
            time.sleep(1)
            if second % 5 == 2:
                for process in (*office.sites, *office.workers):
                    process.weigh()
        if time.monotonic() - begun > 20 * minutes:
            names = [name for name in names if name not in ("site 2", "worker 2")]
        killed = dice.sample(names, dice.choice((1, 1, 1, 2)))
        office.kill(killed)
        time.sleep(dice.uniform(0, 5))
        office.revive(killed)
        for name in killed:
            campaign.count(f"kills of {name}")
        campaign.gate.close()
        for fuzzer in fuzzers:
            fuzzer.rest()
        what = f"{time.monotonic() - begun:.0f} s, after a kill of {' and '.join(killed)}"
        proofs.after_a_kill(what)
        print(what, f"{len(proofs.books.games)} games acknowledged", flush=True)
        for fuzzer in fuzzers:
            fuzzer.go_on()
        campaign.gate.open()


class Fuzzer(threading.Thread):
    """A fuzzer in a process of its own, and the ear that listens to it."""

    def __init__(self, campaign: Campaign, *arguments: str) -> None:
        super().__init__(daemon=True)
        self.campaign = campaign
        name, *others = arguments
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.fuzz", name, str(campaign.seed), *others],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "foa.settings"},
            start_new_session=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.start()

    def run(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if "counts" in told:
                self.campaign.count(told["counts"], told["number"])
            elif "fault" in told:
                self.campaign.fault(json.dumps(told))
            else:
                self._judge(told)
        if not self.campaign.over.is_set():
            self.campaign.fault(f"the fuzzer {self.process.args} has ended")

    def _judge(self, told: dict[str, object]) -> None:
        response = told["status"] and SimpleNamespace(
            status_code=told["status"],
            headers={"Retry-After": ""} if told.get("waits") else {},
            text=f"{told.get('text')} {told.get('curl')}",
        )
        what, since = f"fuzzer {told['what']}", told["since"]
        assert isinstance(since, float)
        assert isinstance(told["site"], int)
        self.campaign.judge(what, since, response or None, f"site {told['site'] + 1}")

    def rest(self) -> None:
        """Stop where it is."""
        os.killpg(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Go on."""
        os.killpg(self.process.pid, signal.SIGCONT)

    def stop(self) -> None:
        """For good."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


if __name__ == "__main__":
    main()
