"""Over-the-board tournaments for the demo arena: two periods that are closed, and the current one.

The dates below are those of a demo that is loaded in January 2027.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from ratings.fide.models import FidePlayer
from ratings.formats import trf
from ratings.otb.models import Tournament
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.receiving import Upload, receive
from ratings.rbb.demo import DemoArena
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import TournamentType
from ratings.rules.units import FideId, Points

_FIRST_NEW_ID: Final = 91_000_000
_CONTROL: Final = "5400+30"
_FIRST_LIST: Final = date(2026, 12, 1)
_WRITTEN_FOR: Final = date(2027, 1, 1)
"""The latest list when the dates here are right as they stand."""

_DAYS_OF_AN_OPEN: Final = 9

_THEIRS: Final = {
    trf.Result.WIN: trf.Result.LOSS,
    trf.Result.DRAW: trf.Result.DRAW,
    trf.Result.LOSS: trf.Result.WIN,
}
_TENTHS: Final = {trf.Result.WIN: 10, trf.Result.DRAW: 5, trf.Result.LOSS: 0}
_NEW: Final = (
    ("Ahlberg, Nils", "SWE"),
    ("Bellini, Marco", "ITA"),
    ("Cerny, Petr", "CZE"),
    ("Dahl, Erik", "NOR"),
    ("Eder, Max", "AUT"),
    ("Fabre, Luc", "FRA"),
)
"""Players who are on no list."""


class _Planned(NamedTuple):
    """A tournament of the demo. ``new``: how many of the players are on no list."""

    name: str
    city: str
    federation: str
    kind: TournamentType
    first_day: date
    rounds: int
    rated: int
    new: int
    control: str = _CONTROL
    registered: date = date(2026, 9, 1)

    def moved(self, months: int) -> _Planned:
        """Return it so many months later."""
        first_day, registered = (months_after(day, months) for day in (self.first_day, self.registered))
        return self._replace(first_day=first_day, registered=registered)


_BEFORE: Final = (
    _Planned("Fjord Open", "Bergen", "NOR", TournamentType.SWISS, date(2026, 11, 2), 9, 42, 6),
    _Planned("Danube Masters", "Budapest", "HUN", TournamentType.ROUND_ROBIN, date(2026, 11, 9), 9, 8, 2),
    _Planned("Two Lakes Match", "Lugano", "SUI", TournamentType.MATCH, date(2026, 11, 14), 8, 2, 0),
    _Planned("Harbour Open", "Gdansk", "POL", TournamentType.SWISS, date(2026, 11, 16), 9, 34, 6),
    _Planned("Lunch Break Cup", "Vienna", "AUT", TournamentType.SWISS, date(2026, 11, 4), 5, 12, 0, "180"),
    _Planned(
        "Lighthouse Open", "Porto", "POR", TournamentType.SWISS, date(2026, 11, 3), 7, 20, 2, "classical"
    ),
    _Planned(
        "Market Square Rapid", "Brno", "CZE", TournamentType.SWISS, date(2026, 11, 7), 7, 24, 4, "900+10"
    ),
    _Planned(
        "Night Train Blitz", "Malmo", "SWE", TournamentType.SWISS, date(2026, 11, 14), 9, 20, 2, "180+2"
    ),
)
"""Tournaments of November: four standard, a rapid and a blitz one are rated. One is too fast for any chapter,
and the time control of one isn't known (1.1).
"""

_BETWEEN: Final = (
    _Planned("Autumn Open", "Prague", "CZE", TournamentType.SWISS, date(2026, 12, 5), 9, 28, 4),
    _Planned("Castle Rapid", "Krakow", "POL", TournamentType.SWISS, date(2026, 12, 12), 7, 22, 4, "900+10"),
    _Planned("Canal Blitz", "Ghent", "BEL", TournamentType.SWISS, date(2026, 12, 6), 9, 18, 2, "180+2"),
)

_CURRENT: Final = _Planned(
    "River Open", "Basel", "SUI", TournamentType.SWISS, date(2026, 12, 1), _DAYS_OF_AN_OPEN, 24, 4
)


def load_tournament_demo(arena: DemoArena) -> None:
    """Load reports of two closed periods, one of the current period, and a tournament to come.

    The later of the two lists is that of this month.
    """
    at, latest = arena.at, arena.month()
    months = 12 * (latest.year - _WRITTEN_FOR.year) + latest.month - _WRITTEN_FOR.month
    dice = random.Random(2009)  # noqa: S311  a fixed arena, no secret
    listed = list(FidePlayer.objects.exclude(standard_rating=None).order_by("pk"))
    for planned in _BEFORE:
        _receive(planned.moved(months), listed, dice, at)
    for chapter in Chapter:
        close_period(until=months_after(_FIRST_LIST, months), chapter=chapter, at=at)
    for planned in _BETWEEN:
        _receive(planned.moved(months), listed, dice, at)
    for chapter in Chapter:
        close_period(until=months_after(_WRITTEN_FOR, months), chapter=chapter, at=at)
    if at.day > _DAYS_OF_AN_OPEN:
        # It has been over since yesterday, and began in this month.
        begun = at.date() - timedelta(days=_DAYS_OF_AN_OPEN)
        _receive(_CURRENT._replace(first_day=begun, registered=begun - timedelta(days=40)), listed, dice, at)
    Tournament.objects.create(
        name="New Year Open",
        city="Oslo",
        federation="NOR",
        first_day=arena.at.date() + timedelta(days=30),
        last_day=arena.at.date() + timedelta(days=38),
        time_control=_CONTROL,
        registered_on=arena.at.date() - timedelta(days=50),
    )


def _receive(planned: _Planned, listed: Sequence[FidePlayer], dice: random.Random, at: datetime) -> None:
    # Titled players are few and play a lot.
    titled = [one for one in listed if one.title]
    known = dice.sample(titled, min(len(titled), planned.rated // 3))
    others = [one for one in listed if one not in known]
    players = sorted(
        known + dice.sample(others, planned.rated - len(known)),
        key=lambda one: (-(one.standard_rating or 0), one.pk),
    )
    strengths = [one.standard_rating or 0 for one in players]
    strengths += [dice.randrange(1500, 2000) for _ in range(planned.new)]
    content = b"".join(trf.trf_lines(_report(planned, players, _rounds(planned, strengths, dice))))
    receive(
        Upload(
            content=content,
            source=f"{planned.name.lower().replace(' ', '-')}.trf",
            kind=planned.kind,
            registered_on=planned.registered,
        ),
        at=at,
    )


def _report(
    planned: _Planned, players: Sequence[FidePlayer], rounds: Sequence[Sequence[trf.Pairing]]
) -> trf.Tournament:
    last = planned.first_day + timedelta(days=planned.rounds - 1)
    days = "  ".join(f"{planned.first_day + timedelta(days=n):%y/%m/%d}" for n in range(planned.rounds))
    headers = (
        ("012", planned.name),
        ("022", planned.city),
        ("032", planned.federation),
        ("042", f"{planned.first_day:%Y/%m/%d}"),
        ("052", f"{last:%Y/%m/%d}"),
        ("122", planned.control),
        ("132", f"{' ' * 87}{days}"),
    )
    points = [sum(_TENTHS[pairing.result] for pairing in pairings) for pairings in rounds]
    order = sorted(range(len(points)), key=lambda place: -points[place])
    ranks = {place: rank for rank, place in enumerate(order, 1)}
    who = [
        ("w" if one.sex == "F" else "m", one.title, one.name, one.standard_rating, one.federation, one.pk)
        for one in players
    ]
    who += [
        ("m", "", name, None, federation, _FIRST_NEW_ID + number)
        for number, (name, federation) in enumerate(_NEW[: planned.new])
    ]
    return trf.Tournament(
        tuple(trf.Record(0, tag, text) for tag, text in headers),
        tuple(
            trf.Player(
                line=0,
                start_rank=place + 1,
                sex=sex,
                title=title,
                name=name,
                rating=None if rating is None else Points(rating),
                federation=federation,
                fide_id=FideId(fide_id),
                other_id="",
                birth="",
                points=points[place],
                rank=ranks[place],
                rounds=tuple(rounds[place]),
            )
            for place, (sex, title, name, rating, federation, fide_id) in enumerate(who)
        ),
    )


def _rounds(planned: _Planned, strengths: Sequence[int], dice: random.Random) -> list[list[trf.Pairing]]:
    """Return random results, round by round; better players are likelier to win."""
    rounds: list[list[trf.Pairing]] = [[] for _ in strengths]
    points = [0] * len(strengths)
    whites = [0] * len(strengths)
    met: set[frozenset[int]] = set()
    for number in range(planned.rounds):
        for pair in _pairs(planned.kind, number, points, met):
            # Places in a circle alternate by themselves; elsewhere White goes to whoever had it less often.
            swiss = planned.kind is TournamentType.SWISS
            white, black = sorted(pair, key=whites.__getitem__) if swiss else pair
            whites[white] += 1
            whites[black] -= 1
            met.add(frozenset((white, black)))
            luck = dice.gauss(strengths[white] - strengths[black] + 30, 280)
            result = trf.Result.WIN if luck > 110 else trf.Result.LOSS if luck < -110 else trf.Result.DRAW
            points[white] += _TENTHS[result]
            points[black] += _TENTHS[_THEIRS[result]]
            rounds[white].append(trf.Pairing(black + 1, "w", result))
            rounds[black].append(trf.Pairing(white + 1, "b", _THEIRS[result]))
    return rounds


def _pairs(
    kind: TournamentType, number: int, points: Sequence[int], met: set[frozenset[int]]
) -> list[tuple[int, int]]:
    """Return pairings: a round robin, or the halves of each score group, avoiding second meetings."""
    n = len(points)
    if kind is TournamentType.MATCH:
        return [(0, 1) if number % 2 == 0 else (1, 0)]
    if kind is TournamentType.ROUND_ROBIN:
        circle = [0, *((place + number) % (n - 1) + 1 for place in range(n - 1))]
        pairs = [(circle[place], circle[n - 1 - place]) for place in range(n // 2)]
        return [pair[::-1] if (place or number) % 2 else pair for place, pair in enumerate(pairs)]
    waiting = sorted(range(n), key=lambda place: (-points[place], place))
    found = []
    while waiting:
        one = waiting.pop(0)
        equal = [two for two in waiting if points[two] == points[one]]
        middle = len(equal) // 2
        order = [*equal[middle:], *equal[:middle], *waiting[len(equal) :]]
        other = next((two for two in order if frozenset((one, two)) not in met), order[0])
        waiting.remove(other)
        found.append((one, other) if (one + number) % 2 else (other, one))
    return found
