"""The lab: ten million games beside a bare loop of the same rules, its reading beside COPY, and the radar."""

from __future__ import annotations

import resource
import sys
import time

import django
import numpy as np
from numba import njit

django.setup()

from django.db import connection  # noqa: E402

from ratings.lab.arrays import Data, read  # noqa: E402
from ratings.lab.radar import search  # noqa: E402
from ratings.lab.replaying import Replay  # noqa: E402
from ratings.rules.tables import DP, EXPECTED_HIGHER  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402
from tests.lab.arenas import LIMITS, arena  # noqa: E402

GAMES = 10_000_000
MEMBERS = 100_000
ROUNDS = 5


@njit
def bare(white, black, points, rating, games, new, half, opponents, table, dp):
    """Table 4.2, K, floor and first ratings in one category, and nothing else."""
    last = table.shape[0] - 1
    for game in range(white.shape[0]):
        w, b = white[game], black[game]
        ours, theirs, scored = rating[w], rating[b], np.int64(points[game])
        if ours >= 0 and theirs >= 0:
            expected = table[min((abs(ours - theirs) + 50) // 100, last)]
            if ours < theirs:
                expected = 100 - expected
            our_k = 40 if new[w] and games[w] < 30 else 20
            their_k = 40 if new[b] and games[b] < 30 else 20
            rating[w] = ours + our_k * (50 * scored - expected)
            rating[b] = theirs + their_k * (expected - 50 * scored)
            for player in (w, b):
                games[player] += 1
                if rating[player] < 10_000:
                    rating[player] = -1
                    games[player] = new[player] = half[player] = opponents[player] = 0
        elif ours >= 0 or theirs >= 0:
            player, score, opponent = (w, scored, theirs) if ours < 0 else (b, 2 - scored, ours)
            if games[player] == 5:
                games[player] = half[player] = opponents[player] = 0
            if games[player] == 0 and score == 0:
                continue
            games[player] += 1
            half[player] += score
            opponents[player] += opponent
            if games[player] == 5:
                over = half[player] - 5
                first = (2 * opponents[player] + 5) // 10
                first += over * 2000 if over >= 0 else 100 * dp[10 * half[player]]
                if first >= 10_000:
                    rating[player] = first
                    new[player] = 1


def measure() -> Row:
    """The best of five rounds in which the two take turns."""
    dice = np.random.default_rng(1)
    white = dice.integers(0, MEMBERS, GAMES).astype(np.uint32)
    black = ((white + dice.integers(1, MEMBERS, GAMES)) % MEMBERS).astype(np.uint32)
    points = dice.choice(np.array([0, 1, 2], np.uint8), GAMES)
    opened = np.arange(MEMBERS // 2)
    ratings = (1500_00 + dice.integers(-500, 500, MEMBERS // 2) * 100).astype(np.int64)
    extras = np.zeros((MEMBERS // 2, 7), np.int64)
    extras[:, 1], extras[:, 3] = opened + MEMBERS, ratings
    data = Data(
        members=np.arange(MEMBERS),
        born=np.zeros(MEMBERS, np.int32),
        moment=np.arange(GAMES),
        ids=np.arange(GAMES),
        tie_rank=np.zeros(GAMES, np.uint16),
        white=white + np.uint32(MEMBERS),
        black=black + np.uint32(MEMBERS),
        points=points,
        extras=extras,
        extra_ids=opened,
        extra_moments=np.zeros(MEMBERS // 2, np.int64),
        read_at="",
        mark="",
        program="",
    )
    table, dp = np.array(EXPECTED_HIGHER, np.int32), np.array(DP, np.int32)
    own = limit = float("inf")
    for _ in range(ROUNDS + 1):  # the first round compiles
        columns = [np.zeros(MEMBERS, np.int32) for _ in range(4)]
        rating = np.full(MEMBERS, -1, np.int32)
        rating[opened] = ratings
        begun = time.perf_counter()
        bare(white, black, points, rating, *columns, table, dp)
        limit = min(limit, time.perf_counter() - begun)
        replay = Replay(data)
        begun = time.perf_counter()
        replay.advance(GAMES)
        own = min(own, time.perf_counter() - begun)
    assert (replay.state[MEMBERS : 2 * MEMBERS, 0] == rating).all()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Row(
        f"replay of {GAMES:,} games in the lab",
        f"{own:.2f} s, {memory} MB",
        f"{limit:.2f} s, a bare loop of the rules, compiled",
        (at_most(own / limit, 2), at_most(memory, 2000, "MB")),
    )


def reading() -> Row:
    """Read what the database has, beside a COPY of the same columns."""
    begun = time.perf_counter()
    data = read()
    own = time.perf_counter() - begun
    columns = "ended_at, id, tie_rank, white_id, black_id, time_control_id, result"
    with connection.cursor() as cursor:
        begun = time.perf_counter()
        with cursor.copy(
            f"COPY (SELECT {columns} FROM ratings_game WHERE rated) TO STDOUT (FORMAT BINARY)"
        ) as copy:
            for _row in copy:
                pass
        limit = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Row(
        f"{data.games:,} games into the lab, {sys.argv[1]}",
        f"{own:.2f} s, {memory} MB",
        f"{limit:.2f} s for COPY of the same columns",
        (at_most(own / limit, 3), at_most(memory, 2000, "MB")),
    )


def searching() -> Row:
    """The radar over a million games, and over as many of honest dice."""
    simulated = arena(1, honest=True, members=2_000, games=10_000)
    search(simulated.data, LIMITS, simulated.gone)  # compiles
    simulated = arena(1, honest=True, members=20_000, games=1_000_000)
    begun = time.process_time()
    found = search(simulated.data, LIMITS, simulated.gone)
    own = time.process_time() - begun
    return Row(
        f"radar over {simulated.data.games:,} games, {found.tests:,} tests",
        f"{own:.2f} s of processor",
        "",
        (at_most(own, 10, "s"),),
    )


if __name__ == "__main__":
    reading().send()
    measure().send()
    searching().send()
