"""A large arena for the benchmarks: members, starting ratings and games, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

CONTROLS = ("900+0", "600+10", "180+2", "300+0", "300+3", "60+0", "120+0")
START = datetime(2020, 1, 1, tzinfo=UTC)


def pairings(games: int, members: int, seed: int = 1) -> Iterator[tuple[int, int, int, int]]:
    """White, Black, White’s half points and the control, by number; strangers meet."""
    dice = random.Random(seed)
    for _ in range(games):
        white = dice.randrange(members)
        black = dice.randrange(members - 1)
        yield (
            white,
            black + (black >= white),
            dice.choices((2, 1, 0), (45, 10, 45))[0],
            dice.randrange(len(CONTROLS)),
        )


def write_games(
    path: Path,
    games: int,
    members: int,
    *,
    first: int = 0,
    seed: int = 1,
    busy: int | None = None,
    apart: timedelta = timedelta(seconds=7),
) -> None:
    """A CSV file for import_games, games that end so far apart; the busy member plays in all of them."""
    results = ("0-1", "1/2-1/2", "1-0")
    with path.open("w", encoding="ascii", newline="") as stream:
        stream.write("external_id,white,black,time_control,rated,result,termination,started_at,ended_at\r\n")
        for number, (white, black, half_points, control) in enumerate(pairings(games, members, seed), first):
            if busy not in (None, white, black):
                white, black = (busy, black) if number % 2 else (white, busy)
            ended = START + number * apart
            stream.write(
                f"g{number},p{white},p{black},{CONTROLS[control]},1,{results[half_points]},normal,"
                f"{ended - timedelta(minutes=5):%Y-%m-%dT%H:%M:%SZ},{ended:%Y-%m-%dT%H:%M:%SZ}\r\n"
            )


def write_members(path: Path, members: int) -> None:
    """A CSV file for import_members: full members since before the first game."""
    with path.open("w", encoding="ascii", newline="") as stream:
        stream.write("username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\r\n")
        for number in range(members):
            stream.write(f'p{number},"Name{number}, First",,NOR,M,1990,,2019-01-01,\r\n')


def write_ratings(path: Path, members: int) -> None:
    """A CSV file for import_ratings: nine of ten members are rated in every category from the start."""
    dice = random.Random(2)
    with path.open("w", encoding="ascii", newline="") as stream:
        stream.write("username,category,rating,effective_at\r\n")
        for number in range(members):
            if number % 10:
                for category in ("rapid", "blitz", "bullet"):
                    stream.write(
                        f"p{number},{category},{dice.randrange(1000, 2400)}.00,2019-06-01T00:00:00Z\r\n"
                    )
