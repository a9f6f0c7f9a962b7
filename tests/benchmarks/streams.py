"""A thousand followers of the change feed by server-sent events, while games are saved.

Usage: ``python -m tests.benchmarks.streams NAME 0`` with DATABASE_URL naming the database of ``serving``.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Final

import django

django.setup()

from ratings.office.outbox import number_entries  # noqa: E402
from tests.benchmarks.api import token  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402
from tests.benchmarks.serving import ROOT  # noqa: E402
from tests.benchmarks.visitors import SAVES_A_SECOND, SECONDS  # noqa: E402
from tests.services import answers, free_port, wait_until  # noqa: E402

FOLLOWERS: Final = 1_000
OF_ADDRESS: Final = 20
TIMED: Final = 50
_AT: Final = re.compile(rb'"at":"([^"]+)"')


async def follow(port: int, number: int, cursor: str, headers: dict[str, str], late: list[float]) -> int:
    """Follow until the stream ends; the number of rows. One follower of TIMED notes how late each row is."""
    source = f"127.0.1.{1 + number // OF_ADDRESS}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    sent = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "localhost", **headers}.items())
    writer.write(f"GET /api/v1/stream/changes?after={cursor} HTTP/1.1\r\n{sent}\r\n".encode())
    assert b" 200 " in await reader.readline()
    rows = 0
    with suppress(asyncio.CancelledError):
        while piece := await reader.read(1 << 16):
            rows += piece.count(b"data: ")
            if number % (FOLLOWERS // TIMED) == 0:
                now = datetime.now(UTC)
                written = (datetime.fromisoformat(at.decode()) for at in _AT.findall(piece))
                late.extend((now - at).total_seconds() for at in written)
    writer.close()
    return rows


def used(process: int) -> tuple[float, int]:
    """Seconds of processor time, and bytes of memory, of a process."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9, pages * os.sysconf("SC_PAGE_SIZE")


async def followed(port: int, process: int) -> tuple[list[float], int, float, int]:
    """How late rows were, the number of them, and processor time and memory while games are saved."""
    late: list[float] = []
    headers, cursor = await asyncio.to_thread(lambda: (token("streams"), str(number_entries())))
    begun = time.perf_counter()
    followers = [
        asyncio.create_task(follow(port, number, cursor, headers, late)) for number in range(FOLLOWERS)
    ]
    await asyncio.sleep(5)
    saver = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.benchmarks.visitors", "save", cwd=ROOT, stdout=subprocess.DEVNULL
    )
    before, begun = used(process)[0], time.perf_counter()
    await saver.wait()
    took, (after, memory) = time.perf_counter() - begun, used(process)
    await asyncio.sleep(2)
    for one in followers:
        one.cancel()
    return late, sum(await asyncio.gather(*followers)), (after - before) / took, memory


def measure(name: str) -> Iterator[Row]:
    """The row of the followers."""
    port = free_port()
    command = f"-m uvicorn foa.asgi:application --port {port} --no-access-log --log-level warning"
    process = subprocess.Popen([sys.executable, *command.split()], cwd=ROOT)
    try:
        wait_until(lambda: answers(("127.0.0.1", port)))
        late, rows, share, memory = asyncio.run(followed(port, process.pid))
    finally:
        process.terminate()
        process.wait()
    assert rows == 2 * SAVES_A_SECOND * SECONDS * FOLLOWERS, rows
    cuts = quantiles(late, n=100)
    yield Row(
        f"{FOLLOWERS:,} followers by server-sent events, {name}",
        f"after {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s; {share:.2f} of a core, {memory / 1e6:.0f} MB",
        f"{SAVES_A_SECOND} games saved a second",
        (at_most(cuts[94], 2, "s"), at_most(share, 1, "of a core")),
    )


if __name__ == "__main__":
    for row in measure(sys.argv[1]):
        row.send()
