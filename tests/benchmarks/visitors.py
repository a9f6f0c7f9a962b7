"""A hundred visitors on eight kinds of page while games are saved, without and with followers and downloads.

Usage: ``python -m tests.benchmarks.visitors NAME 0`` with DATABASE_URL naming the database of ``serving``.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from typing import Final

import django

django.setup()

from ratings.office.outbox import number_entries  # noqa: E402
from tests.benchmarks.api import token  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402
from tests.benchmarks.saving import games  # noqa: E402
from tests.benchmarks.serving import ROOT, get, pages, server  # noqa: E402

CLIENTS: Final = 100
FOLLOWERS: Final = 200
DOWNLOADS: Final = 64
FILES: Final = ("/changes/?format=json", "/games/?format=csv", "/members/?format=json")
SAVES_A_SECOND: Final = 20
SECONDS: Final = int(os.environ.get("BENCH_SECONDS", "30"))
WARM_UP: Final = 20
PROBE_EVERY: Final = 0.25


def opened(port: int, address: str) -> None:
    """Ask for a page like a proxy, with a connection for it."""
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        get(connection, address)


def visit(port: int, until: float, addresses: dict[str, str], waits: dict[str, list[float]]) -> None:
    """Open one page after another."""
    dice = random.Random()
    while time.perf_counter() < until:
        page = dice.choice(list(addresses))
        begun = time.perf_counter()
        opened(port, addresses[page])
        waits[page].append(time.perf_counter() - begun)


def asked(port: int, path: str, headers: dict[str, str], until: float) -> bytes:
    """What an answer says, as far as it came in time; the next may be asked for as soon as it allows."""
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        said = b""
        while time.perf_counter() < until and (piece := response.read(1 << 16)):
            said = piece if len(said) > 1 << 20 else said + piece
        wait = float(response.headers.get("Retry-After", 0))
        assert response.status == 200 or wait, (path, response.status)
    time.sleep(max(0.0, min(wait, until - time.perf_counter())))
    return said


def follow(port: int, until: float, cursor: str, headers: dict[str, str]) -> None:
    """Wait for news, again and again, as docs/api.md has it."""
    while time.perf_counter() < until:
        said = asked(port, f"/api/v1/changes?after={cursor}&wait=20", headers, until)
        if time.perf_counter() < until:
            cursor = json.loads(said)["next"]


def take(port: int, until: float, number: int) -> None:
    """Download one list after another."""
    while time.perf_counter() < until:
        asked(port, FILES[number % len(FILES)], {}, until)


def probe(port: int, until: float, waits: list[float]) -> None:
    """Ask whether the site is alive, like a load balancer."""
    while time.perf_counter() < until:
        begun = time.perf_counter()
        opened(port, "/healthz/live")
        waits.append(time.perf_counter() - begun)
        time.sleep(PROBE_EVERY)


def save() -> None:
    """Save games at an even pace; one that is late is saved at once."""
    begun = time.perf_counter()
    for number, game in enumerate(games(0, SAVES_A_SECOND * SECONDS)):
        time.sleep(max(0, begun + number / SAVES_A_SECOND - time.perf_counter()))
        game.save()
    print(f"{SAVES_A_SECOND * SECONDS / (time.perf_counter() - begun):.1f}")


def memory(process: int) -> int:
    """Bytes of memory that a server's workers have."""
    workers = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    pages_of_memory = (int(Path(f"/proc/{worker}/statm").read_text().split()[1]) for worker in workers)
    return sum(pages_of_memory) * os.sysconf("SC_PAGE_SIZE")


def visited(port: int, *others: Callable[[int, float], None]) -> tuple[dict[str, list[float]], float]:
    """How long visitors waited for each kind of page beside these others; games saved a second."""
    addresses = {page: address for page, (address, _target) in pages().items()}
    waits: dict[str, list[float]] = defaultdict(list)
    saver = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.visitors", "save"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    until = time.perf_counter() + SECONDS
    visitor = partial(visit, addresses=addresses, waits=waits)
    threads = [threading.Thread(target=one, args=(port, until)) for one in (*others, *[visitor] * CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits, float(saver.communicate()[0])


def measure(name: str) -> Iterator[Row]:
    """A row for each kind of page, and one for what followers and downloads cost."""
    with server(workers=2) as (port, process):
        # The port is open before the processes have read the program. That would be the longest wait.
        for address, _target in [*pages().values()] * WARM_UP:
            opened(port, address)
        alone, saves = visited(port)
        for page, of_page in alone.items():
            longest = quantiles(of_page, n=100)[98]
            yield Row(
                f"{page}, {CLIENTS} visitors, {name}",
                f"{len(of_page) / SECONDS:,.1f} pages/s, p99 {longest:.1f} s",
                f"{saves:.0f} games saved a second",
                (at_least(len(of_page) / SECONDS, 35, "pages/s"),),
            )
        before, probes = memory(process), [0.0]
        follower = partial(follow, cursor=str(number_entries()), headers=token("followers"))
        downloads = [partial(take, number=number) for number in range(DOWNLOADS)]
        beside, saves = visited(port, partial(probe, waits=probes), *[follower] * FOLLOWERS, *downloads)
        kept, undisturbed = (sum(map(len, one.values())) / SECONDS for one in (beside, alone))
        yield Row(
            f"{CLIENTS} visitors beside {FOLLOWERS} followers and {DOWNLOADS} downloads, {name}",
            f"{kept:,.0f} pages/s, {saves:.0f} games saved a second",
            f"{undisturbed:,.0f} pages/s without them",
            (
                at_least(kept / undisturbed, 0.9),
                at_most(max(probes), 1, "s for every probe"),
                at_most(memory(process) / before, 1.3, "× the memory from before"),
            ),
        )


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save()
    else:
        for row in measure(sys.argv[1]):
            row.send()
