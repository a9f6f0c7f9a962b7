"""Closing a rating cycle, reopening it, and rating it and all later ones again after a correction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext, ngettext

from foa.list_rows import ListRows, exact, moment, text, whole
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
from ratings.office.locks import lock_alone
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_event
from ratings.office.publications import reissue
from ratings.rules.bal import cycles as rules
from ratings.rules.bal.cycles import rate_cycle
from ratings.rules.rounding import divide_half_up, from_hundredths, points_or_none, to_hundredths
from ratings.rules.units import Hundredths

_LOCK: Final = -3


def lock_league() -> None:
    """Wait until nobody else stores rounds of a league or closes its cycles."""
    lock_alone(_LOCK)


def _with_last_list(cycles: QuerySet[Any]) -> QuerySet[Any]:
    lists = CycleList.objects.in_force().filter(cycle=OuterRef("pk")).order_by("-revision")
    names = ("revision", "published_at", "checksum")
    last = {f"last_{name}": Subquery(lists.values(name)[:1]) for name in names}
    found: QuerySet[Any] = cycles.annotate(**last)
    return found


CYCLES: Final = ListRows(
    "A cycle of a season, with the last revision of its list.",
    _with_last_list,
    league=text("season__league__name"),
    season=text("season__name"),
    cycle=whole("number"),
    last_round=whole(),
    closed_at=moment(null=True),
    revision=whole("last_revision", null=True),
    published_at=moment("last_published_at", null=True),
    sha256=text("last_checksum", null=True, help="SHA-256 of the list as CSV."),
)

LINES: Final = ListRows(
    "A player on the list of a cycle.",
    cycle=whole("cycle_list__cycle__number"),
    name=text(),
    team=text("team__name"),
    old=exact(),
    gain=exact(),
    adjusted=exact(),
    new=exact(null=True),
    games_after=whole(help="All of the player’s rated games in the league, after the cycle."),
)

FIGURES: Final = tuple(
    field.attname
    for field in CycleResult._meta.concrete_fields
    if field.name not in ("id", "cycle_list", "name")
)
"""Fields that are alike in equal lines. A renamed player has the same figures."""

_COUNTED: Final = FIGURES.index("counted")


class NotClosed(ValueError):
    """The cycle can't be closed; a sentence says why."""


class NotReopened(ValueError):
    """The cycle can't be reopened; a sentence says why."""


class Start(NamedTuple):
    """A player's figures at the start of a cycle: rating in hundredths (None for a new player) and games."""

    rating: Hundredths | None
    games: int
    captains_estimate: bool


@dataclass(frozen=True, slots=True)
class CycleRating:
    """A rated cycle: the squad players by name, and the result of each."""

    cycle: Cycle
    squad: Sequence[SquadPlayer]
    results: Mapping[int, rules.CycleOutcome]


def next_cycle(season: Season) -> Cycle | None:
    """Return the cycle to be closed next, or None after the last."""
    return Cycle.objects.filter(season=season, closed_at=None).order_by("number").first()


def rate(cycle: Cycle) -> CycleRating:
    """Calculate what the boards of a cycle give everybody in the season's squads. Nothing is stored.

    Raises NotClosed if somebody's starting figures aren't known.
    """
    squads = SquadPlayer.objects.filter(season=cycle.season_id).select_related("player", "team", "season")
    squad = list(squads.order_by("player__name", "player"))
    starts = _starts(cycle, squad)
    players = [rules.CyclePlayer(one.player_id, *starts[one.player_id]) for one in squad]
    boards = Board.objects.filter(match__season=cycle.season_id, match__round__range=rounds_of(cycle))
    games = [
        rules.Game(*row)
        for row in boards.order_by("match__round", "match", "number").values_list(
            "match__round", "home_player", "away_player", "result"
        )
    ]
    limit = cycle.season.league.provisional_limit
    results = rate_cycle(players, games, provisional_limit=limit)
    return CycleRating(cycle, squad, {result.number: result for result in results})


def close_cycle(season: Season, *, at: datetime, by: Any = None) -> CycleList:
    """Rate the next cycle of a season and publish its list, in one transaction. Raises NotClosed."""
    with transaction.atomic():
        lock_league()
        cycle = next_cycle(season)
        if cycle is None:
            raise NotClosed(f"every cycle of {season} is closed")
        check_closable(cycle)
        published = _publish(cycle, at, by)
        cycle.closed_at = at
        cycle.save(update_fields=["closed_at"])
    return published


def reopen_cycle(cycle: Cycle, *, at: datetime) -> CycleList:
    """Reopen a cycle and withdraw its lists. Return the last of them. Raises NotReopened.

    No later cycle may have been rated from it: those are reopened first.
    """
    with transaction.atomic():
        lock_league()
        cycle.refresh_from_db(fields=["closed_at"])
        if cycle.closed_at is None:
            raise NotReopened(gettext("%(cycle)s is already open.") % {"cycle": cycle})
        if based := [str(one) for one in _closed_from(cycle) if one != cycle]:
            told = gettext("Reopen these first, because their ratings depend on %(cycle)s: %(later)s.")
            raise NotReopened(told % {"cycle": cycle, "later": ", ".join(based)})
        withdrawn = CycleList.objects.of(cycle).in_force()
        last = withdrawn.latest()
        withdrawn.update(reopened_at=at)
        cycle.closed_at = None
        cycle.save(update_fields=["closed_at"])
    return last


def cycle_of(season: Season, round_: int) -> Cycle | None:
    """Return the cycle that rates this round, or None for a round after the last cycle."""
    cycles = Cycle.objects.filter(season=season, last_round__gte=round_)
    return cycles.order_by("last_round").first()


def check_closable(cycle: Cycle) -> None:
    """Raise NotClosed if another cycle comes first, or if this one isn't complete."""
    season = cycle.season
    cycles = Cycle.objects.filter(season__league=season.league_id).select_related("season")
    open_before = cycles.filter(
        Q(season__ordinal__lt=season.ordinal) | Q(season=season, number__lt=cycle.number), closed_at=None
    )
    if first := open_before.order_by("season__ordinal", "number").first():
        raise NotClosed(f"{first} has to be closed first, because ratings are carried over from it")
    closed_after = cycles.filter(season__ordinal__gt=season.ordinal, closed_at__isnull=False)
    if last := closed_after.first():
        raise NotClosed(f"{last} is closed already, and its ratings came from the cycles before it")
    _check_complete(cycle)


def rerate_from(cycle: Cycle, *, at: datetime, by: Any = None) -> list[CycleList]:
    """Rate a cycle and all later closed ones again, in later seasons too. Return the new revisions."""
    revised = []
    with transaction.atomic():
        lock_league()
        for one in _closed_from(cycle):
            latest = CycleList.objects.latest_of(one)
            again = partial(_publish, one, at, by)
            revision = reissue(latest, again, _differ)
            if revision is not None:
                revised.append(revision)
    return revised


def first_closed_of_league(league: League) -> Cycle | None:
    """Return the first closed cycle, from which all ratings of a league are calculated again."""
    cycles = Cycle.objects.filter(season__league=league, closed_at__isnull=False)
    return cycles.order_by("season__ordinal", "number").first()


def _closed_from(cycle: Cycle) -> QuerySet[Cycle]:
    """Return a cycle and all later ones of its league that are closed, in order."""
    season = cycle.season
    later = Q(season__ordinal__gt=season.ordinal) | Q(season=season, number__gte=cycle.number)
    return (
        Cycle.objects.filter(later, season__league=season.league_id, closed_at__isnull=False)
        .select_related("season__league")
        .order_by("season__ordinal", "number")
    )


def in_season_order(cycles: QuerySet[Cycle]) -> QuerySet[Cycle]:
    """Order cycles by league, its latest season first."""
    return cycles.order_by("season__league_id", "-season__ordinal", "season_id", "number", "pk")


def by_rating(published: CycleList) -> QuerySet[CycleResult]:
    """Return the lines of a list, highest rating first; unrated players come last."""
    results = CycleResult.objects.filter(cycle_list=published)
    return results.order_by(F("new").desc(nulls_last=True), "name", "player")


def csv_rows(published: CycleList) -> Iterator[Sequence[Any]]:
    """Return the rows of a list's CSV file by name: points with two decimals, empty for unrated players."""
    results = CycleResult.objects.filter(cycle_list=published).order_by("name", "player")
    return LINES.of(results)


def checksum(published: CycleList) -> str:
    """Return the SHA-256 of a list's CSV file."""
    digest = hashlib.sha256()
    for piece in csv_pieces(LINES.names, csv_rows(published)):
        digest.update(piece.encode())
    return digest.hexdigest()


def wrong_cycles(league: League, *, at: datetime) -> list[tuple[CycleList, list[str]]]:
    """Return the latest lists of closed cycles that differ from what the rounds give, with players' names.

    Every cycle is rated again from the first on, and rolled back. Raises NotClosed if somebody's starting
    figures aren't known.
    """
    first = first_closed_of_league(league)
    found: list[tuple[CycleList, list[str]]] = []
    if first is None:
        return found
    with transaction.atomic():
        for revision in rerate_from(first, at=at):
            before = CycleList.objects.of(revision.cycle_id).exclude(pk=revision.pk)
            published = before.select_related("cycle__season__league").first()
            if published is not None:
                found.append((published, _differing(published, revision)))
        transaction.set_rollback(True)
    return found


def _differing(one: CycleList, other: CycleList) -> list[str]:
    """Return the names of players with different figures on two lists, or on only one of them."""
    results = CycleResult.objects
    lines, others = (
        {row[0]: row for row in results.filter(cycle_list=it).values_list("name", *FIGURES)}
        for it in (one, other)
    )
    return sorted(name for name in {*lines, *others} if lines.get(name) != others.get(name))


def rounds_of(cycle: Cycle) -> tuple[int, int]:
    """Return the first and the last round of a cycle."""
    before = Cycle.objects.filter(season=cycle.season_id, number__lt=cycle.number)
    return (before.aggregate(last=Max("last_round"))["last"] or 0) + 1, cycle.last_round


def _starts(cycle: Cycle, squad: Sequence[SquadPlayer]) -> dict[int, Start]:
    """Return each player's starting figures, from the previous cycle or else the squad entry."""
    # The last line of each player, in its latest revision.
    left = {line.player_id: line for line in _lines_before(cycle, squad)}
    starts = {}
    for one in squad:
        start = _start(cycle, one, left.get(one.player_id))
        if start is None:
            raise NotClosed(
                f"{one.player} has neither a rating nor a captain’s estimate, and no cycle before has one"
            )
        starts[one.player_id] = start
    return starts


def _start(cycle: Cycle, one: SquadPlayer, found: CycleResult | None) -> Start | None:
    """Return starting figures; ``found``: the last line before the cycle. None if they are unknown."""
    # At the start of a season, the squads' figures count. Only missing ones are carried over.
    own = one.captains_estimate or one.rating is not None
    if found is not None and (found.cycle_list.cycle.season_id == cycle.season_id or not own):
        rating = None if found.new is None else to_hundredths(found.new)
        return Start(rating, found.games_after, found.new is None)
    if one.captains_estimate:
        return Start(None, 0, captains_estimate=True)
    if one.rating is not None:
        return Start(to_hundredths(one.rating), one.games or 0, captains_estimate=False)
    return None


def ratings_at_start(cycles: Sequence[Cycle], squad: Sequence[SquadPlayer]) -> list[dict[int, Decimal]]:
    """Return the ratings with which games of these cycles of a season count, by player; two queries at most.

    ``cycles``: in their order. Players whose rating isn't known are left out.
    """
    if not cycles:
        return []
    lines = list(_lines_before(cycles[-1], squad))
    found = []
    for cycle in cycles:
        left = {line.player_id: line for line in lines if _is_before(line.cycle_list.cycle, cycle)}
        starts = [(one.player_id, _start(cycle, one, left.get(one.player_id))) for one in squad]
        players = [rules.CyclePlayer(player, *start) for player, start in starts if start is not None]
        found.append({one.number: from_hundredths(rules.old_rating(one)) for one in players})
    return found


def _is_before(one: Cycle, cycle: Cycle) -> bool:
    """Return whether a cycle of the same season, or of one before it, comes first."""
    return one.season_id != cycle.season_id or one.number < cycle.number


def _lines_before(cycle: Cycle, squad: Sequence[SquadPlayer]) -> QuerySet[CycleResult]:
    """Return the lines of these players on the lists of earlier cycles, in the order of these lists."""
    season = cycle.season
    earlier = Q(cycle_list__cycle__season__ordinal__lt=season.ordinal) | Q(
        cycle_list__cycle__season=season, cycle_list__cycle__number__lt=cycle.number
    )
    players = [one.player_id for one in squad]
    return (
        CycleResult.objects.in_force()
        .filter(earlier, player__in=players, cycle_list__cycle__season__league=season.league_id)
        .select_related("cycle_list__cycle")
    )


def _check_complete(cycle: Cycle) -> None:
    """Raise NotClosed for a round without matches, a team without a match, or a match without boards.

    In the last cycle, teams may be without a match, because it has the playoffs.
    """
    first, last = rounds_of(cycle)
    matches = Match.objects.filter(season=cycle.season_id, round__range=(first, last))
    played = set(matches.values_list("round", flat=True))
    if missing := [number for number in range(first, last + 1) if number not in played]:
        rounds = ", ".join(map(str, missing))
        raise NotClosed(f"{cycle} isn’t complete: there are no results for round {rounds}")
    later = Cycle.objects.filter(season=cycle.season_id, number__gt=cycle.number)
    teams = Team.objects.filter(season=cycle.season_id)
    # With an odd number of teams, one has a bye.
    fewest = teams.count() // 2 if later.exists() else 0
    for number in range(first, last + 1):
        if matches.filter(round=number).count() < fewest:
            idle = teams.exclude(home_matches__round=number).exclude(away_matches__round=number)
            names = ", ".join(idle.order_by("name").values_list("name", flat=True))
            raise NotClosed(f"{cycle} is not complete: no match in round {number} for {names}")
    empty = matches.filter(boards=None).select_related("home_team", "away_team").order_by("round", "pk")
    if empty:
        raise NotClosed(f"{cycle} is not complete: no board of round {'; '.join(map(str, empty))}")


def _publish(cycle: Cycle, at: datetime, by: Any) -> CycleList:
    """Rate a cycle and write the next revision of its list."""
    rating = rate(cycle)
    latest = CycleList.objects.latest_of(cycle)
    published = CycleList.objects.create(
        cycle=cycle, revision=1 if latest is None else latest.revision + 1, published_at=at, published_by=by
    )
    CycleResult.objects.bulk_create(
        [_line(published, one, rating.results[one.player_id]) for one in rating.squad]
    )
    published.checksum = checksum(published)
    published.save(update_fields=["checksum"])
    record_event(
        OutboxEntry.Event.PERIOD_CLOSED,
        published.pk,
        rule_book="league",
        league=str(cycle.season.league),
        season=str(cycle.season),
        cycle=cycle.number,
        revision=published.revision,
        url=published.get_absolute_url(),
    )
    return published


def _line(published: CycleList, one: SquadPlayer, result: rules.CycleOutcome) -> CycleResult:
    return CycleResult(
        cycle_list=published,
        player_id=one.player_id,
        name=one.player.name,
        team_id=one.team_id,
        captains_estimate=result.formula in (rules.Formula.PERFORMANCE, rules.Formula.STILL_NEW),
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
    """Round half up to two decimals, as a list shows an exact amount."""
    return from_hundredths(Hundredths(divide_half_up(100 * points.numerator, points.denominator)))


def _differ(one: CycleList, other: CycleList) -> bool:
    """Return True if two revisions differ in more than players without a game that counts."""
    results = CycleResult.objects
    lines, others = (set(results.filter(cycle_list=it).values_list(*FIGURES)) for it in (one, other))
    differing = lines ^ others
    on_both = len({line[0] for line in differing}) < len(differing)
    return on_both or any(line[_COUNTED] for line in differing)


def missing(cycle: Cycle) -> list[tuple[str, str]]:
    """Return a sentence for each round or match that may be incomplete, with its key.

    One team of an odd number has a bye, and others may be out of the playoffs; the office knows.
    """
    found = []
    first, last = rounds_of(cycle)
    teams = list(Team.objects.filter(season=cycle.season_id).order_by("name"))
    matches = Match.objects.filter(season=cycle.season_id)
    lacking = missing_boards(cycle.season)
    for number in range(first, last + 1):
        entered = list(matches.filter(round=number).order_by("pk"))
        playing = {team for one in entered for team in (one.home_team_id, one.away_team_id)}
        idle = [str(team) for team in teams if team.pk not in playing]
        if len(idle) > 1:
            words = {"round": number, "teams": ", ".join(idle)}
            found.append(
                (
                    f"round {number}",
                    gettext("Round %(round)d: no match has been entered for %(teams)s.") % words,
                )
            )
        found += [(f"match {one.pk}", lacking[one.pk]) for one in entered if one.pk in lacking]
    return found


def missing_boards(season: Season) -> dict[int, str]:
    """Return a sentence for each match of a season, by its key, with fewer boards than the longest one.

    A board for which a team had nobody is entered as well: it counts for the match.
    """
    matches = Match.objects.filter(season=season).select_related("home_team", "away_team")
    boards: dict[int, set[int]] = {}
    for match, number in Board.objects.filter(match__in=matches).values_list("match", "number"):
        boards.setdefault(match, set()).add(number)
    usual = range(1, max(map(len, boards.values()), default=0) + 1)
    found = {}
    for one in matches.order_by("round", "pk"):
        if lacking := [str(each) for each in usual if each not in boards.get(one.pk, ())]:
            told = ngettext(
                "Round %(match)s: board %(boards)s hasn’t been entered.",
                "Round %(match)s: boards %(boards)s haven’t been entered.",
                len(lacking),
            )
            found[one.pk] = told % {"match": one, "boards": ", ".join(lacking)}
    return found
