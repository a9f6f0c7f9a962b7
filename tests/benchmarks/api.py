"""The API as a game server and a follower see it, on a database that waits for its disk.

Usage: ``python -m tests.benchmarks.api NAME 0`` with DATABASE_URL naming a database with members and games.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from statistics import quantiles
from typing import Any, Final

import django

django.setup()

from django.utils import timezone  # noqa: E402
from oauth2_provider.models import get_access_token_model, set_token_value  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.arena.services.registering import register_server  # noqa: E402
from ratings.rbb.models import RatingChange  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402
from tests.benchmarks.saving import games, raw, statements  # noqa: E402
from tests.benchmarks.serving import server  # noqa: E402

CLIENTS: Final = 4
WARM_UP: Final = 50
PUTS: Final = 500
BATCHES: Final = 5
BATCH: Final = 10_000
PAGE: Final = 50_000


def token(name: str) -> dict[str, str]:
    """The headers of a new server of this name that may do everything."""
    stored = get_access_token_model()(
        application=register_server(name)[0].application,
        scope="games members read webhooks",
        expires=timezone.now() + timedelta(hours=1),
    )
    set_token_value(stored, name)
    stored.save()
    return {"Authorization": f"Bearer {name}"}


def game(names: list[str], number: int, ended: datetime) -> dict[str, Any]:
    """A game that has just ended."""
    white, black = names[number % len(names)], names[(number + 7) % len(names)]
    return {
        "white": white,
        "black": black,
        "time_control": "180+2",
        "result": ("1-0", "0-1", "1/2-1/2")[number % 3],
        "termination": ("resignation", "resignation", "agreement")[number % 3],
        "plies": 60,
        "started_at": (ended - timedelta(minutes=4)).isoformat(),
        "ended_at": ended.isoformat(),
    }


def ask(
    connection: HTTPConnection, method: str, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, bytes]:
    """Status and content of an answer."""
    connection.request(method, f"/api/v1/{path}", body, headers)
    response = connection.getresponse()
    return response.status, response.read()


def single(port: int, headers: dict[str, str], names: list[str]) -> tuple[float, float]:
    """Games a second that four clients send one by one, and what 99 of 100 wait for at most, in seconds.

    Each comes like through a proxy, with a connection for it. Connections that stay are spread over the
    server's processes by chance, and sometimes one of them has all.
    """
    waits: list[float] = []

    def client(numbers: Iterable[int]) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for number in numbers:
            body = json.dumps(game(names, number, datetime.now(UTC))).encode()
            begun = time.perf_counter()
            status, content = ask(
                connection,
                "PUT",
                f"games/one-{number}",
                body,
                {**headers, "Content-Type": "application/json"},
            )
            waits.append(time.perf_counter() - begun)
            assert status == 201, content
            connection.close()

    # The port is open before the processes have read the program.
    client(range(WARM_UP))
    waits.clear()
    whole = range(WARM_UP, WARM_UP + CLIENTS * PUTS)
    threads = [threading.Thread(target=client, args=(whole[own::CLIENTS],)) for own in range(CLIENTS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(waits) / (time.perf_counter() - begun), quantiles(waits, n=100)[98]


def bulk(connection: HTTPConnection, headers: dict[str, str], names: list[str]) -> float:
    """Games a second that come in batches of the newest."""
    took = 0.0
    for batch in range(BATCHES):
        began = datetime.now(UTC) - timedelta(seconds=1)
        lines = "".join(
            json.dumps(
                {
                    "id": f"many-{batch}-{number}",
                    **game(names, number, began + timedelta(microseconds=50 * number)),
                }
            )
            + "\n"
            for number in range(BATCH)
        ).encode()
        begun = time.perf_counter()
        status, content = ask(
            connection, "POST", "games", lines, {**headers, "Content-Type": "application/x-ndjson"}
        )
        took += time.perf_counter() - begun
        verdicts = [json.loads(line)["verdict"] for line in content.splitlines()]
        assert (status, set(verdicts), len(verdicts)) == (200, {"stored"}, BATCH), content[:500]
    return BATCHES * BATCH / took


def feed(connection: HTTPConnection, headers: dict[str, str]) -> float:
    """Lines a second that a follower reads from the beginning."""
    lines, cursor = 0, ""
    begun = time.perf_counter()
    while True:
        address = f"changes?format=ndjson&limit={PAGE}{cursor and f'&after={cursor}'}"
        status, content = ask(connection, "GET", address, b"", headers)
        assert status == 200, content[:500]
        *page, end = content.splitlines()
        lines += len(page)
        following = json.loads(end)
        cursor = following["next"]
        if not following["more"]:
            break
    rate = lines / (time.perf_counter() - begun)
    there = RatingChange.objects.count()
    assert lines == there, (lines, there)
    return rate


def measured(name: str) -> Iterator[Row]:
    """The rows of the API."""
    headers = token("benchmark")
    names = list(Member.objects.order_by("pk").values_list("username", flat=True)[:2_000])
    driver = raw(statements(games(0, 1_000)))
    with server(workers=2) as (port, _process):
        connection = HTTPConnection("127.0.0.1", port)
        rate, slowest = single(port, headers, names)
        yield Row(
            f"PUT of one game, {CLIENTS} clients, {name}",
            f"{rate:,.0f} games/s, p99 {1000 * slowest:.0f} ms",
            f"{driver:,.0f} games/s, the driver alone, one after another",
            (at_least(rate, 150, "games/s"), at_most(1000 * slowest, 60, "ms")),
        )
        rate = bulk(connection, headers, names)
        yield Row(
            f"NDJSON, {BATCH:,} newest games at once, {name}",
            f"{rate:,.0f} games/s",
            f"{driver:,.0f} games/s, the driver alone, one by one",
            (at_least(rate, 5_000, "games/s"),),
        )
        rate = feed(connection, headers)
        yield Row(
            f"change feed, {PAGE:,} lines a page, {name}",
            f"{rate:,.0f} lines/s",
            "",
            (at_least(rate, 50_000, "lines/s"),),
        )


if __name__ == "__main__":
    for row in measured(sys.argv[1]):
        row.send()
