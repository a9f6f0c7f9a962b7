"""Closing a rating cycle of a league, opening it again, and rating it and every later one after a correction.

One path: both are the same step for one cycle after the other. It starts from how the cycle before left
everybody, rates the boards of its rounds as one batch, and writes a list. Where a cycle that was rated again
gives anybody other figures, the next revision of its list is kept, else it is dropped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext

from foa.spreadsheet import csv_pieces
from ratings.league.models import (
    Board,
    Cycle,
    CycleList,
    CycleResult,
    League,
    Match,
    Season,
    SquadPlayer,
    Team,
)
from ratings.league.services.locks import lock_league
from ratings.office.publications import reissue
from ratings.rules.bal import types as bal_types
from ratings.rules.bal.cycles import rate_cycle
from ratings.rules.rounding import divide_half_up, from_hundredths, points_or_none, to_hundredths
from ratings.rules.units import Hundredths

COLUMNS: Final = ("cycle", "name", "team", "old", "gain", "adjusted", "new", "games_after")
"""Columns of a list's CSV file."""

_COMPARED: Final = (
    "player_id",
    "team_id",
    "captains_estimate",
    "old",
    "games_before",
    "counted",
    "half_points",
    "opponents",
    "k",
    "expected",
    "gain",
    "adjusted",
    "new",
    "games_after",
)
_COUNTED: Final = _COMPARED.index("counted")


class NotClosed(ValueError):
    """A cycle cannot be closed: a sentence says why."""


class NotReopened(ValueError):
    """A cycle cannot be opened again: a sentence says why."""


class Start(NamedTuple):
    """Figures with which a player begins a cycle: rating in hundredths, None for a new player, and games."""

    rating: Hundredths | None
    games: int
    captains_estimate: bool


@dataclass(frozen=True, slots=True)
class CycleRating:
    """A cycle, rated: the squad players by name, and what it gives each."""

    cycle: Cycle
    squad: Sequence[SquadPlayer]
    results: Mapping[int, bal_types.Result]


def next_cycle(season: Season, using: str = DEFAULT_DB_ALIAS) -> Cycle | None:
    """The cycle that is to be closed next, None after the last."""
    return Cycle.objects.using(using).filter(season=season, closed_at=None).order_by("number").first()


def rate(cycle: Cycle, using: str = DEFAULT_DB_ALIAS) -> CycleRating:
    """Return what the boards of a cycle give everybody in the season's squads. Nothing is stored.

    Raises NotClosed where it is not known with what somebody begins.
    """
    squad = list(
        SquadPlayer.objects.using(using)
        .filter(season=cycle.season_id)
        .select_related("player", "team", "season")
        .order_by("player__name", "player")
    )
    starts = _starts(cycle, squad, using)
    players = [bal_types.Player(one.player_id, *starts[one.player_id]) for one in squad]
    games = [
        bal_types.Game(round_, home, away, result)
        for round_, home, away, result in Board.objects.using(using)
        .filter(match__season=cycle.season_id, match__round__range=rounds_of(cycle, using))
        .order_by("match__round", "match", "number")
        .values_list("match__round", "home_player", "away_player", "result")
    ]
    limit = cycle.season.league.provisional_limit
    results = rate_cycle(players, games, provisional_limit=limit)
    return CycleRating(cycle, squad, {result.number: result for result in results})


def close_cycle(season: Season, *, at: datetime, by: Any = None, using: str = DEFAULT_DB_ALIAS) -> CycleList:
    """Rate the next cycle of a season and publish its list. One transaction. Raises NotClosed."""
    with transaction.atomic(using=using):
        lock_league(connections[using])
        cycle = next_cycle(season, using)
        if cycle is None:
            raise NotClosed(f"every cycle of {season} is closed")
        check_closable(cycle, using)
        published = _publish(cycle, at, by, using)
        cycle.closed_at = at
        cycle.save(using=using, update_fields=["closed_at"])
    return published


def reopen_cycle(cycle: Cycle, *, at: datetime, using: str = DEFAULT_DB_ALIAS) -> CycleList:
    """Take back the closing of a cycle and withdraw its lists; the last of them. Raises NotReopened.

    Nothing may have been rated from it: later cycles are opened again first.
    """
    with transaction.atomic(using=using):
        lock_league(connections[using])
        cycle.refresh_from_db(using=using, fields=["closed_at"])
        if cycle.closed_at is None:
            raise NotReopened(gettext("%(cycle)s is open already.") % {"cycle": cycle})
        if based := [str(one) for one in _closed_from(cycle, using) if one != cycle]:
            told = gettext("Open these first, because their ratings came from %(cycle)s: %(later)s.")
            raise NotReopened(told % {"cycle": cycle, "later": ", ".join(based)})
        withdrawn = CycleList.objects.using(using).of(cycle).in_force()
        last = withdrawn.latest()
        withdrawn.update(reopened_at=at)
        cycle.closed_at = None
        cycle.save(using=using, update_fields=["closed_at"])
    return last


def check_closable(cycle: Cycle, using: str = DEFAULT_DB_ALIAS) -> None:
    """Raise NotClosed where another cycle comes first, or this one is not complete."""
    season = cycle.season
    cycles = Cycle.objects.using(using).filter(season__league=season.league_id).select_related("season")
    open_before = cycles.filter(
        Q(season__ordinal__lt=season.ordinal) | Q(season=season, number__lt=cycle.number), closed_at=None
    )
    if first := open_before.order_by("season__ordinal", "number").first():
        raise NotClosed(f"{first} is to be closed first: ratings are carried over from it")
    closed_after = cycles.filter(season__ordinal__gt=season.ordinal, closed_at__isnull=False)
    if last := closed_after.first():
        raise NotClosed(f"{last} is closed already, and its ratings came from the cycles before it")
    _check_complete(cycle, using)


def rerate_from(
    cycle: Cycle, *, at: datetime, by: Any = None, using: str = DEFAULT_DB_ALIAS
) -> list[CycleList]:
    """Rate a cycle and every later one that is closed again, in later seasons too; the new revisions."""
    revised = []
    with transaction.atomic(using=using):
        lock_league(connections[using])
        for one in _closed_from(cycle, using):
            latest = CycleList.objects.using(using).latest_of(one)
            again = partial(_publish, one, at, by, using)
            revision = reissue(latest, again, partial(_differ, using=using))
            if revision is not None:
                revised.append(revision)
    return revised


def _closed_from(cycle: Cycle, using: str) -> QuerySet[Cycle]:
    """Return a cycle and every later one of its league, as far as they are closed, in their order."""
    season = cycle.season
    later = Q(season__ordinal__gt=season.ordinal) | Q(season=season, number__gte=cycle.number)
    return (
        Cycle.objects.using(using)
        .filter(later, season__league=season.league_id, closed_at__isnull=False)
        .select_related("season__league")
        .order_by("season__ordinal", "number")
    )


def csv_rows(published: CycleList, using: str = DEFAULT_DB_ALIAS) -> Iterator[Sequence[Any]]:
    """A list as CSV has it, by name: points with two decimals, empty for who stays unrated."""
    results = CycleResult.objects.using(using).filter(cycle_list=published).order_by("name", "player")
    return result_rows(published.cycle.number, results)


def checksum(published: CycleList, using: str = DEFAULT_DB_ALIAS) -> str:
    """SHA-256 of a list as CSV."""
    digest = hashlib.sha256()
    for piece in csv_pieces(COLUMNS, csv_rows(published, using)):
        digest.update(piece.encode())
    return digest.hexdigest()


def wrong_cycles(
    league: League, *, at: datetime, using: str = DEFAULT_DB_ALIAS
) -> list[tuple[CycleList, list[str]]]:
    """The latest lists of closed cycles that aren't what the rounds give, with the names of who differs.

    Every cycle is rated again from the first on, and taken back. Raises NotClosed where it isn't known with
    what somebody begins.
    """
    cycles = Cycle.objects.using(using).filter(season__league=league, closed_at__isnull=False)
    first = cycles.select_related("season").order_by("season__ordinal", "number").first()
    found: list[tuple[CycleList, list[str]]] = []
    if first is None:
        return found
    with transaction.atomic(using=using):
        for revision in rerate_from(first, at=at, using=using):
            before = CycleList.objects.using(using).of(revision.cycle_id).exclude(pk=revision.pk)
            published = before.select_related("cycle__season__league").first()
            if published is not None:
                found.append((published, _differing(published, revision, using)))
        transaction.set_rollback(True, using=using)
    return found


def _differing(one: CycleList, other: CycleList, using: str) -> list[str]:
    """The names of everybody who has other figures on two lists, or is on one of them only."""
    results = CycleResult.objects.using(using)
    lines, others = (
        {row[0]: row for row in results.filter(cycle_list=it).values_list("name", *_COMPARED)}
        for it in (one, other)
    )
    return sorted(name for name in {*lines, *others} if lines.get(name) != others.get(name))


def result_rows(number: int, results: QuerySet[CycleResult]) -> Iterator[Sequence[Any]]:
    """These lines of the list of a cycle with this number, as CSV has them."""
    for one in results.select_related("team"):
        yield (
            number,
            one.name,
            one.team.name,
            one.old,
            one.gain,
            one.adjusted,
            "" if one.new is None else one.new,
            one.games_after,
        )


def rounds_of(cycle: Cycle, using: str = DEFAULT_DB_ALIAS) -> tuple[int, int]:
    """The first and the last round of a cycle."""
    before = Cycle.objects.using(using).filter(season=cycle.season_id, number__lt=cycle.number)
    return (before.aggregate(last=Max("last_round"))["last"] or 0) + 1, cycle.last_round


def _starts(cycle: Cycle, squad: Sequence[SquadPlayer], using: str) -> dict[int, Start]:
    """Return each player's starting figures, from the previous cycle or else the squad entry."""
    left = _left(cycle, using)
    starts = {}
    for one in squad:
        found = left.get(one.player_id)
        # What a season begins with is said by its squads; only where they say nothing it is carried over.
        own = one.captains_estimate or one.rating is not None
        if found is not None and (found.cycle_list.cycle.season_id == cycle.season_id or not own):
            rating = None if found.new is None else to_hundredths(found.new)
            starts[one.player_id] = Start(rating, found.games_after, found.new is None)
        elif one.captains_estimate:
            starts[one.player_id] = Start(None, 0, captains_estimate=True)
        elif one.rating is not None:
            starts[one.player_id] = Start(to_hundredths(one.rating), one.games or 0, captains_estimate=False)
        else:
            raise NotClosed(
                f"{one.player} has neither a rating nor a captain's estimate, and no cycle before has one"
            )
    return starts


def _left(cycle: Cycle, using: str) -> dict[int, CycleResult]:
    """The last line of every player on the lists of earlier cycles, each in its latest revision."""
    season = cycle.season
    earlier = Q(cycle_list__cycle__season__ordinal__lt=season.ordinal) | Q(
        cycle_list__cycle__season=season, cycle_list__cycle__number__lt=cycle.number
    )
    results = (
        CycleResult.objects.using(using)
        .in_force()
        .filter(earlier, cycle_list__cycle__season__league=season.league_id)
        .select_related("cycle_list__cycle")
        .order_by("cycle_list__cycle__season__ordinal", "cycle_list__cycle__number", "cycle_list__revision")
    )
    return {result.player_id: result for result in results}


def _check_complete(cycle: Cycle, using: str) -> None:
    """Raise NotClosed for a round without matches, or with teams that have none, or a match without boards.

    In the last cycle teams may be without a match: it has the playoffs.
    """
    first, last = rounds_of(cycle, using)
    matches = Match.objects.using(using).filter(season=cycle.season_id, round__range=(first, last))
    played = set(matches.values_list("round", flat=True))
    if missing := [number for number in range(first, last + 1) if number not in played]:
        rounds = ", ".join(map(str, missing))
        raise NotClosed(f"{cycle} is not complete: nothing is known of round {rounds}")
    later = Cycle.objects.using(using).filter(season=cycle.season_id, number__gt=cycle.number)
    teams = Team.objects.using(using).filter(season=cycle.season_id)
    # Of an odd number one team has a bye.
    fewest = teams.count() // 2 if later.exists() else 0
    for number in range(first, last + 1):
        if matches.filter(round=number).count() < fewest:
            idle = teams.exclude(home_matches__round=number).exclude(away_matches__round=number)
            names = ", ".join(idle.order_by("name").values_list("name", flat=True))
            raise NotClosed(f"{cycle} is not complete: no match in round {number} for {names}")
    empty = matches.filter(boards=None).select_related("home_team", "away_team").order_by("round", "pk")
    if empty:
        raise NotClosed(f"{cycle} is not complete: no board of round {'; '.join(map(str, empty))}")


def _publish(cycle: Cycle, at: datetime, by: Any, using: str) -> CycleList:
    """Rate a cycle, and write the next revision of its list."""
    rating = rate(cycle, using)
    latest = CycleList.objects.using(using).latest_of(cycle)
    published = CycleList.objects.using(using).create(
        cycle=cycle, revision=1 if latest is None else latest.revision + 1, published_at=at, published_by=by
    )
    CycleResult.objects.using(using).bulk_create(
        [_line(published, one, rating.results[one.player_id]) for one in rating.squad]
    )
    published.checksum = checksum(published, using)
    published.save(using=using, update_fields=["checksum"])
    return published


def _line(published: CycleList, one: SquadPlayer, result: bal_types.Result) -> CycleResult:
    return CycleResult(
        cycle_list=published,
        player_id=one.player_id,
        name=one.player.name,
        team_id=one.team_id,
        captains_estimate=result.formula in (bal_types.Formula.PERFORMANCE, bal_types.Formula.STILL_NEW),
        old=from_hundredths(result.old),
        games_before=result.games_before,
        counted=result.counted,
        half_points=result.half_points,
        opponents=_rounded(result.opponents),
        k=result.k,
        expected=None if result.expected is None else _rounded(result.expected),
        gain=_rounded(result.gain),
        adjusted=_rounded(result.adjusted_gain),
        new=points_or_none(result.new),
        games_after=result.games_after,
    )


def _rounded(points: Fraction) -> Decimal:
    """Half up to two decimals, as a list shows an exact amount."""
    return from_hundredths(Hundredths(divide_half_up(100 * points.numerator, points.denominator)))


def _differ(one: CycleList, other: CycleList, using: str) -> bool:
    """Return whether two revisions differ in more than who joined or left without a game that counts."""
    results = CycleResult.objects.using(using)
    lines, others = (set(results.filter(cycle_list=it).values_list(*_COMPARED)) for it in (one, other))
    differing = lines ^ others
    on_both = len({line[0] for line in differing}) < len(differing)
    return on_both or any(line[_COUNTED] for line in differing)
