"""Corrections of old games, beside a check of all that came since; and games that are saved meanwhile."""

import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import django

django.setup()

from django.db import connection  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.rbb.ledger.corrections import reinstate_games, void_games  # noqa: E402
from ratings.rbb.ledger.replay import deferred, replay  # noqa: E402
from ratings.rbb.models import Game, TimeControl  # noqa: E402
from ratings.rbb.models.pending_replay import Pending  # noqa: E402
from ratings.rules.time_controls import Category  # noqa: E402
from tests.benchmarks.rows import Row, at_least, at_most  # noqa: E402

_BLITZ = Game.objects.counting().filter(time_control__category=Category.BLITZ).order_by("ended_at", "pk")
_TURNS = 5
_WRITERS = 4
_SECONDS = 8.0


def seconds(job: Callable[[], Any]) -> float:
    """How long a job takes."""
    begun = time.perf_counter()
    job()
    return time.perf_counter() - begun


def corrected(game: Game) -> Callable[[], None]:
    """White wins, or loses where White had won; saved as the admin saves it."""

    def job() -> None:
        game.result = "0-1" if game.result == "1-0" else "1-0"
        game.save()

    return job


def one_game(name: str, where: str, part: float, target: float) -> None:
    """Correct a game at some part of all, and back."""
    first = int(part * _BLITZ.count())
    games = list(_BLITZ[first : first + 7 * _TURNS : 7])
    replayed = seconds(lambda: replay(categories=[Category.BLITZ], since=games[0].ended_at, check=True))
    took = sorted(seconds(corrected(game)) for game in [*games, *games])
    median = took[_TURNS]
    Row(
        f"correct a game {where}, {name}",
        f"{median:.2f} s (at most {took[-1]:.2f} s)",
        f"{replayed:.1f} s to check all that came since",
        (at_most(median / replayed, target),),
    ).send()


def an_account(name: str) -> None:
    """Void the thousand games that one account has played in a year."""
    begin = _BLITZ.first().ended_at + timedelta(days=365)
    year = _BLITZ.filter(ended_at__range=(begin, begin + timedelta(days=365)))
    cheat = year.first().white
    # In this arena everybody plays as much: games of others become the account's first.
    others = list(year.exclude(black=cheat).values_list("pk", flat=True))
    chosen = random.Random(1).sample(others, min(1_000, len(others)))
    with deferred():
        Game.objects.filter(pk__in=chosen).update(white=cheat)
    games = list(Game.objects.filter(pk__in=chosen))

    took = seconds(lambda: void_games(games=games, by=None, reason="engine", at=datetime.now(UTC)))
    # The same lines on their way back, where nobody knows what has changed.
    with patch.object(Pending, "add", _without_key):
        in_order = seconds(lambda: reinstate_games(games=games, by=None, reason="benchmark"))
    Row(
        f"void {len(games):,} games of an account in a year, {name}",
        f"{took:.1f} s",
        f"{in_order:.1f} s by a replay in order",
        (at_most(took / in_order, 1.2), at_most(took, 15, "s")),
    ).send()


_add = Pending.add


def _without_key(self: Pending, category: Category, moment: datetime, key: int | None = None) -> None:
    _add(self, category, moment)


def save_games(writer: int, saved: Any, over: Any) -> None:
    """Save games of members of one's own, one after another, in a process of one's own."""
    control = TimeControl.objects.get(initial=180, increment=0)
    mine = list(Member.objects.order_by("pk")[: 500 * _WRITERS])[writer::_WRITERS]
    dice = random.Random(writer)
    while not over.is_set():
        white, black = dice.sample(mine, 2)
        ended = datetime.now(UTC)
        Game.objects.create(
            white=white, black=black, time_control=control, result="1-0", started_at=ended, ended_at=ended
        )
        with saved.get_lock():
            saved.value += 1


def saved_meanwhile(name: str) -> None:
    """Four writers who save games, undisturbed and while corrections run without pause."""
    processes = multiprocessing.get_context("spawn")
    saved, over = processes.Value("i", 0), processes.Event()
    writers = [processes.Process(target=save_games, args=(number, saved, over)) for number in range(_WRITERS)]
    for writer in writers:
        writer.start()
    while saved.value < 100 * _WRITERS:
        time.sleep(0.1)
    count = _BLITZ.count()
    before, begun = saved.value, time.perf_counter()
    time.sleep(_SECONDS)
    undisturbed = (saved.value - before) / (time.perf_counter() - begun)
    dice = random.Random(7)
    corrections = 0
    before, begun = saved.value, time.perf_counter()
    while (took := time.perf_counter() - begun) < 2 * _SECONDS:
        corrected(_BLITZ[dice.randrange(count)])()
        corrections += 1
    disturbed = (saved.value - before) / took
    over.set()
    for writer in writers:
        writer.join()
    Row(
        f"save games with four writers while corrections run without pause, {name}",
        f"{disturbed:,.0f} games/s, {corrections / took:.1f} corrections/s",
        f"{undisturbed:,.0f} games/s, undisturbed",
        (at_least(disturbed / undisturbed, 0.4),),
    ).send()


if __name__ == "__main__":
    name = sys.argv[1]
    connection.ensure_connection()
    one_game(name, "half way", 0.5, 0.1)
    one_game(name, "at the very beginning", 0.0, 0.5)
    an_account(name)
    if connection.vendor == "postgresql":
        saved_meanwhile(name)
