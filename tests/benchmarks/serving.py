"""Pages as gunicorn serves them: made anew, kept, and for a hundred visitors while games are saved.

Usage: ``python -m tests.benchmarks.serving NAME 0`` with DATABASE_URL naming a database in which the member
p1 has 20,000 games. The server is started as ``make run`` starts it. A page is made anew for each address, so
the number of a request is added to it.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from socket import AF_INET, create_connection, socket
from statistics import median, quantiles
from typing import Final

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.models import RatingChange  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402
from tests.benchmarks.saving import games  # noqa: E402

TURNS: Final = 5
REQUESTS: Final = 60
WARM_UP: Final = 20
CLIENTS: Final = 100
SAVES_A_SECOND: Final = 20
SECONDS: Final = 30
ROOT = Path(__file__).resolve().parents[2]

urlpatterns = [
    path("hello/", lambda request: HttpResponse("hello, world")),
    path("", include("foa.urls")),
]
settings.ROOT_URLCONF = __name__
application = WSGIHandler()

_numbers = count(1)


def pages() -> dict[str, tuple[str, int]]:
    """Address and target, in multiples of “hello”, of each page."""
    busy = Member.objects.get(username="p1")
    line = RatingChange.objects.filter(member=busy, k__isnull=False).order_by("pk")[0]
    assert line.game is not None
    return {
        "explanation": (line.get_absolute_url(), 8),
        "game": (line.game.get_absolute_url(), 8),
        "home": ("/", 12),
        "live list": ("/ratings/blitz/", 20),
        "members": ("/members/", 20),
        "games": ("/games/", 20),
        "changes": ("/changes/", 20),
        "profile with 20,000 lines": (busy.get_absolute_url(), 25),
    }


@contextmanager
def server(workers: int) -> Iterator[tuple[int, int]]:
    """The port and the process of a gunicorn that serves the office and “hello”."""
    with socket(AF_INET) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (
        f"-m gunicorn --config python:foa.serving tests.benchmarks.serving --bind 127.0.0.1:{port}"
        " --log-level error"
    )
    process = subprocess.Popen([sys.executable, *command.split(), "--workers", str(workers)], cwd=ROOT)
    try:
        for _ in range(200):
            try:
                create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def get(connection: HTTPConnection, address: str) -> None:
    """Ask for a page as a browser does, and read it."""
    connection.request("GET", address, headers={"Accept": "text/html"})
    response = connection.getresponse()
    response.read()
    assert response.status == 200, (address, response.status)


def cpu(process: int) -> float:
    """Seconds of processor time that the threads of a server's workers have used."""
    workers = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    threads = (thread for worker in workers for thread in Path("/proc").glob(f"{worker}/task/*/schedstat"))
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def took(served: tuple[int, int], address: str, *, anew: bool) -> float:
    """Seconds of processor time that a request takes."""
    port, process = served
    connection = HTTPConnection("127.0.0.1", port)
    addresses = [f"{address}?n={next(_numbers)}" if anew else address for _ in range(REQUESTS)]
    begun = cpu(process)
    for each in addresses:
        get(connection, each)
    connection.close()
    return (cpu(process) - begun) / REQUESTS


def beside_hello(served: tuple[int, int], address: str, *, anew: bool) -> tuple[float, float]:
    """Seconds that a page and “hello” take, asked for in turn; the first turn warms up."""
    turns = [(took(served, address, anew=anew), took(served, "/hello/", anew=anew)) for _ in range(TURNS + 1)]
    own, hello = zip(*turns[1:], strict=True)
    return median(own), median(hello)


def alone(name: str) -> Iterator[Row]:
    """What each page takes, made anew and kept."""
    with server(workers=1) as served:
        for page, (address, target) in pages().items():
            own, hello = beside_hello(served, address, anew=True)
            yield Row(
                f"page made anew: {page}, {name}",
                f"{1000 * own:.1f} ms of processor",
                f"{1000 * hello:.2f} ms, “hello”",
                (at_most(own / hello, target),),
            )
            own, hello = beside_hello(served, address, anew=False)
            yield Row(
                f"page kept for visitors: {page}, {name}",
                f"{1 / own:,.0f} requests in a second of processor",
                f"{1 / hello:,.0f}, “hello”",
                (at_least(hello / own, 0.5),),
            )


def opened(port: int, address: str) -> None:
    """Ask for a page like a proxy, with a connection for it."""
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        get(connection, address)


def visited(port: int, addresses: dict[str, str], until: float, waits: dict[str, list[float]]) -> None:
    """A visitor who opens one page after another."""
    dice = random.Random()
    while time.perf_counter() < until:
        page = dice.choice(list(addresses))
        begun = time.perf_counter()
        opened(port, addresses[page])
        waits[page].append(time.perf_counter() - begun)


def save() -> None:
    """Save games at an even pace; one that is late is saved at once."""
    begun = time.perf_counter()
    for number, game in enumerate(games(0, SAVES_A_SECOND * SECONDS)):
        time.sleep(max(0, begun + number / SAVES_A_SECOND - time.perf_counter()))
        game.save()
    print(f"{SAVES_A_SECOND * SECONDS / (time.perf_counter() - begun):.1f}")


def under_load(name: str) -> Iterator[Row]:
    """How long a hundred visitors wait while games are saved."""
    addresses = {page: address for page, (address, _target) in pages().items()}
    waits: dict[str, list[float]] = defaultdict(list)
    with server(workers=2) as (port, _process):
        # The port is open before the processes have read the program. That would be the longest wait.
        for address in [*addresses.values()] * WARM_UP:
            opened(port, address)
        saver = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.serving", "save"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        until = time.perf_counter() + SECONDS
        visitors = [
            threading.Thread(target=visited, args=(port, addresses, until, waits)) for _ in range(CLIENTS)
        ]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
        saves = float(saver.communicate()[0])
    for page, of_page in waits.items():
        longest = quantiles(of_page, n=100)[98]
        yield Row(
            f"{page}, {CLIENTS} visitors, {name}",
            f"{len(of_page) / SECONDS:,.1f} pages/s, p99 {longest:.1f} s",
            f"{saves:.0f} games saved a second",
            (at_most(longest, 2, "s for 99 of 100"),),
        )


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save()
    else:
        for measure in (alone, under_load):
            for row in measure(sys.argv[1]):
                row.send()
