"""``make lab-bench``: our rules beside Elo, Glicko-1, openskill and WHR, on elote's published benchmark.

elote's documentation (“Rating-system comparison benchmark”, scenario “balanced”) has figures of 600 games
between 30 players, made with the seed 20260809. Everybody starts with 1500; the first 420 games are learned
from, the others are predicted and nobody learns from them. The library makes the games; the rest is ours.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache, partial
from typing import Any, Final, NamedTuple

import django
import numpy as np
from elote.datasets import SyntheticDataset

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
django.setup()

from ratings.lab.arrays import Array, Data  # noqa: E402
from ratings.lab.comparing import expected_of  # noqa: E402
from ratings.lab.replaying import Replay, rules_of  # noqa: E402
from ratings.lab.yardsticks import SYSTEMS, expected_scores  # noqa: E402
from ratings.rbb.models.fields import EventType  # noqa: E402
from ratings.rules.rbb.editions import PRINTED  # noqa: E402

SEED: Final = 20260809
PLAYERS, GAMES, LEARNED = 30, 600, 420
MANY_PLAYERS, MANY_GAMES = 1_000, 20_000
"""Speed is measured on more games of the same generator."""

ROUNDS: Final = 3

Learner = Callable[[Data, int], Array]
"""Learn from the first games, and return White’s expected scores of the others."""


class System(NamedTuple):
    """A rating system. ``published``: accuracy, Brier score and log loss that elote has for it."""

    name: str
    learner: Learner
    cannot: str
    published: tuple[str, str, str] | None = None


@cache
def games_of_elote(players: int, games: int) -> Data:
    """Return elote's games, all in rapid; everybody has a starting rating of 1500 (RBB 3.4)."""
    rows = SyntheticDataset(num_competitors=players, num_matchups=games, seed=SEED).load()
    # They end now, and a day of WHR's shouldn't begin at another game each time.
    first = rows[0][3]
    number = {f"competitor_{n}": n for n in range(players)}
    everybody = np.arange(players)
    extras = np.zeros((players, 7), np.int64)
    extras[:, 1], extras[:, 2], extras[:, 3] = everybody, EventType.OPENING, 1500_00
    return Data(
        members=everybody,
        born=np.zeros(players, np.int32),
        moment=np.array([(row[3] - first) // timedelta(microseconds=1) for row in rows], np.int64),
        ids=np.arange(games),
        tie_rank=np.zeros(games, np.uint16),
        white=np.array([number[row[0]] for row in rows], np.uint32),
        black=np.array([number[row[1]] for row in rows], np.uint32),
        points=np.array([2 * row[2] for row in rows], np.uint8),
        extras=extras,
        extra_ids=everybody,
        extra_moments=np.zeros(players, np.int64),
        read_at="",
        mark="",
        program="",
    )


def by_our_rules(data: Data, learned: int, *, previously_unrated: bool) -> Array:
    """Learn by the RBB; ``previously_unrated``: everybody has the K of RBB 3.10.3 at first."""
    data.extras[:, 5] = previously_unrated
    replay = Replay(data)
    replay.advance(learned)
    ratings = replay.state[:, 0]
    pairs = np.stack([ratings[data.white[learned:]], ratings[data.black[learned:]]], axis=1)
    return expected_of(pairs, rules_of(PRINTED)).astype(np.float64)


def by_library(name: str, data: Data, learned: int) -> Array:
    """Learn by a library, game by game."""
    make, expected, update = SYSTEMS[name]()
    players: dict[int, Any] = {}
    columns = [one.tolist() for one in (data.white, data.black, data.points, data.moment)]
    games = list(zip(*columns, strict=True))
    for white, black, points, moment in games[:learned]:
        one, other = players.get(white) or make(), players.get(black) or make()
        players[white], players[black] = update(one, other, points, moment)
    return np.array([expected(players[white], players[black]) for white, black, *_ in games[learned:]])


SYSTEMS_BESIDE: Final = (
    System(
        "RBB, ratings of 1500 brought along (K 20)",
        partial(by_our_rules, previously_unrated=False),
        "Ratings have no uncertainty: a newcomer’s moves as slowly as anybody’s.",
    ),
    System(
        "RBB, everybody unrated before (K 40 for 30 games)",
        partial(by_our_rules, previously_unrated=True),
        "The same; K 40 until a fixed game takes its place. A first rating needs rated opponents.",
    ),
    System(
        "Elo (elote)",
        partial(by_library, "elo"),
        "One K for everybody, the library’s 32.",
        ("0.8778", "0.0900", "0.3310"),
    ),
    System(
        "Glicko-1 (elote)",
        partial(by_library, "glicko"),
        "A game counts at once, not a period at a time as Glickman has it; a day is a period.",
        ("0.9167", "0.0567", "0.2036"),
    ),
    System(
        "Plackett–Luce (openskill)",
        partial(by_library, "openskill"),
        "Doesn’t know when games were played. Draws are equal ranks.",
    ),
    System(
        "Whole-History Rating (whr)",
        partial(expected_scores, "whr"),
        "Looks at all games at once, so a new game means beginning anew. In the lab, it learns from 30,000"
        " games at most.",
    ),
)


def figures(expected: Array, scored: Array) -> tuple[str, str, str]:
    """Return accuracy, Brier score and log loss as elote defines them.

    A prediction between 0.45 and 0.55 says “draw”. Logarithms are of at least 10⁻¹².
    """
    said = np.select([expected > 0.55, expected < 0.45], [1, 0], 0.5)
    sure = np.clip(expected, 1e-12, 1 - 1e-12)
    loss = -(scored * np.log(sure) + (1 - scored) * np.log(1 - sure))
    means = (said == scored).mean(), ((expected - scored) ** 2).mean(), loss.mean()
    return tuple(f"{one:.4f}" for one in means)  # type: ignore[return-value]


def figures_of(system: System) -> tuple[str, str, str]:
    """Return the figures of a system on the benchmark."""
    data = games_of_elote(PLAYERS, GAMES)
    return figures(system.learner(data, LEARNED), data.points[LEARNED:] / 2)


def games_a_second(system: System) -> float:
    """Return how fast a system learns: the best of three rounds. Our rules are compiled before."""
    data = games_of_elote(MANY_PLAYERS, MANY_GAMES)
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        system.learner(data, MANY_GAMES)
        best = min(best, time.perf_counter() - begun)
    return MANY_GAMES / best


def table() -> Iterator[str]:
    """Yield the lines of the table in docs/lab.md."""
    yield "| | accuracy | Brier score | log loss | games a second | what it can’t do |"
    yield "|---|---|---|---|---|---|"
    for system in SYSTEMS_BESIDE:
        speed = float(f"{games_a_second(system):.2g}")
        yield f"{line(system, figures_of(system))} {speed:,.0f} | {system.cannot} |"


def line(system: System, found: tuple[str, str, str]) -> str:
    """Return the beginning of a system's line, without its speed."""
    return f"| {system.name} | {' | '.join(found)} |"


def main() -> None:
    """Print the table; fail if a figure isn’t the one that elote publishes."""
    for text in table():
        print(text, flush=True)
    wrong = [one.name for one in SYSTEMS_BESIDE if one.published not in (None, figures_of(one))]
    if wrong:
        sys.exit(f"Not the figures that elote publishes: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
