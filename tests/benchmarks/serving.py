"""Pages as gunicorn serves them, made anew.

Usage: ``python -m tests.benchmarks.serving NAME 0`` with DATABASE_URL naming a database in which the member
p1 has 20,000 games. The server is started as ``make run`` starts it. A page is made anew for each address, so
the number of a request is added to it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from socket import AF_INET, create_connection, socket
from statistics import median
from typing import Final

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.rbb.models import RatingChange  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402

TURNS: Final = 5
REQUESTS: Final = 60
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
        "explanation": (line.get_absolute_url(), 12),
        "game": (line.game.get_absolute_url(), 12),
        "home": ("/", 15),
        "live list": ("/ratings/blitz/", 20),
        "members": ("/members/", 20),
        "games": ("/games/", 20),
        "changes": ("/changes/", 20),
        "profile with 20,000 lines": (busy.get_absolute_url(), 30),
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


def took(served: tuple[int, int], address: str) -> float:
    """Seconds of processor time that a request takes."""
    port, process = served
    connection = HTTPConnection("127.0.0.1", port)
    addresses = [f"{address}?n={next(_numbers)}" for _ in range(REQUESTS)]
    begun = cpu(process)
    for each in addresses:
        get(connection, each)
    connection.close()
    return (cpu(process) - begun) / REQUESTS


def beside_hello(served: tuple[int, int], address: str) -> tuple[float, float]:
    """Seconds that a page and “hello” take, asked for in turn; the first turn warms up."""
    turns = [(took(served, address), took(served, "/hello/")) for _ in range(TURNS + 1)]
    own, hello = zip(*turns[1:], strict=True)
    return median(own), median(hello)


def alone(name: str) -> Iterator[Row]:
    """What each page takes, made anew."""
    with server(workers=1) as served:
        for page, (address, target) in pages().items():
            own, hello = beside_hello(served, address)
            yield Row(
                f"page made anew: {page}, {name}",
                f"{1000 * own:.1f} ms of processor",
                f"{1000 * hello:.2f} ms, “hello”",
                (at_most(own / hello, target),),
            )


if __name__ == "__main__":
    for row in alone(sys.argv[1]):
        row.send()
