"""Closing a rating period over the board: its tournaments are rated, and a list is published (B.02 7, 8).

One path: closing a period, and rating it and every later one again after a report was replaced, are the same
step for one list after the other. It starts from the list before, rates the tournaments of the period in the
order in which they ended, and writes how everybody stands afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Max

from ratings.fide.services.lists import in_force
from ratings.fide.services.locks import lock_fide_lists
from ratings.formats import trf
from ratings.formats.frl import FideControl
from ratings.office.bulk import insert_rows
from ratings.office.names import folded
from ratings.office.publications import reissue
from ratings.otb.models import AssociationMember, OtbList, OtbListEntry, Tournament, TournamentResult
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.pooling import can_stand_alone, event_of, events_of
from ratings.otb.services.rating import Participant, RatedTournament, rate, read
from ratings.otb.services.standings import OnList, edition, on_list, stands_as
from ratings.otb.services.writing import (
    Writer,
    as_known,
    as_reported,
    differ,
    identities,
    in_pieces,
    take_over,
)
from ratings.rules.b02.first_ratings import CountedEvent, first_rating
from ratings.rules.b02.lists import (
    Standing,
    closing_day,
    list_in_force,
    months_after,
    new_rating,
    next_list,
    rated_on,
)
from ratings.rules.b02.parts import Outcome
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths, Points

_LONGEST_NAME: Final = 150
_RESULT: Final = tuple(one.attname for one in TournamentResult._meta.concrete_fields if one.attname != "id")

Progress = Callable[[int, int], None]
"""Is told how many tournaments are rated so far, and of how many."""


class NothingToClose(ValueError):
    """There is no period to close: a sentence says why."""


class Line(NamedTuple):
    """What a period did to a player. Ratings are those of the lists before and after, in points.

    ``before``: None for a new player; ``after``: None for one who is delisted (7.21). ``k``: of the list
    before. ``change``: the exact sum of the period, None for a new player.
    """

    fide_id: int
    name: str
    before: Points | None
    after: Points | None
    k: int | None
    change: Decimal | None
    games: int


@dataclass(slots=True)
class Closing:
    """A period that was closed. ``refused``: tournaments that were not rated, with what was found: those
    with a finding that nobody may accept are refused, the others wait for the next list.

    ``lines``: every player with a rated game, by name.
    """

    otb_list: OtbList
    rated: list[Tournament] = field(default_factory=list)
    refused: list[RatedTournament] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Played:
    """What a player did in the tournaments of a period. ``change``: hundredths; ``reported``: who he is."""

    reported: trf.Player
    last_day: date
    change: int = 0
    games: int = 0


def list_day_of(until: date) -> date:
    """B.02 7.13: the latest list that is closed on this day, seven days before it is published."""
    return list_in_force(until + timedelta(days=7), edition())


def close_period(
    *,
    until: date,
    at: datetime,
    by: Any = None,
    progress: Progress | None = None,
    using: str = DEFAULT_DB_ALIAS,
) -> Closing:
    """B.02 7.13: rate all tournaments that were received and ended in time, and publish their list.

    ``until``: a day; the list is the latest whose closing day is not after it. Reports that came in late for
    an earlier list are rated for this one. One transaction. Raises NothingToClose.
    """
    connection = connections[using]
    list_day = list_day_of(until)
    with transaction.atomic(using=using):
        lock_tournaments(connection)
        if closing_day(list_day) > at.date():
            raise NothingToClose(
                f"the period of the list of {list_day} runs until {closing_day(list_day)} (B.02 7.13)"
            )
        lists = OtbList.objects.using(using)
        last = lists.published().aggregate(day=Max("list_day"))["day"]
        if last is not None and last >= list_day:
            raise NothingToClose(
                f"the list of {last} is published; the next, of {next_list(last, edition())}, can be closed "
                f"from {closing_day(next_list(last, edition()))} on (B.02 7.13)"
            )
        waiting = [
            tournament
            for tournament in Tournament.objects.using(using)
            .filter(status=Tournament.Status.RECEIVED)
            .to_be_rated()
            .select_related("report", "part_of")
            .order_by("last_day", "first_day", "pk")
            if rated_on(tournament.last_day, tournament.official, edition()) <= list_day
        ]
        if not waiting:
            raise NothingToClose(
                f"no report of a tournament that ended by {closing_day(list_day)} is waiting (B.02 7.13)"
            )
        if not lists.exists():
            lock_fide_lists(connection)
            fide_list = in_force(using)[FideControl.STANDARD]
            if fide_list is None:
                raise NothingToClose("no FIDE list of standard ratings was imported: nobody has a rating yet")
            before = months_after(list_day, -edition().months_per_list)
            take_over(fide_list, min(before, fide_list.period), at, using)
        return _publish(list_day, waiting, at, by, progress, using)


def rerate_from(
    list_day: date,
    *,
    at: datetime,
    by: Any = None,
    replaced: Iterable[Tournament] = (),
    using: str = DEFAULT_DB_ALIAS,
) -> list[OtbList]:
    """Rate the period of this list, and every later one, again; the revisions of lists that differ now.

    Whether they may be rated at all is asked of the tournaments alone whose reports were ``replaced``: others
    were judged under the ratings of their day, and stay rated.
    """
    revised, judged = [], {one.pk for one in replaced}
    with transaction.atomic(using=using):
        lock_tournaments(connections[using])
        days = (
            OtbList.objects.using(using)
            .published()
            .filter(list_day__gte=list_day)
            .order_by("list_day")
            .values_list("list_day", flat=True)
            .distinct()
        )
        for day in list(days):
            tournaments = (
                Tournament.objects.using(using)
                .filter(rated_for=day)
                .select_related("report")
                .order_by("last_day", "first_day", "pk")
            )
            published = OtbList.objects.using(using).latest_of(day)
            stay = {one.pk for one in tournaments} - judged
            revision = reissue(
                published,
                partial(_list_again, day, list(tournaments), at, by, using, stay),
                partial(differ, using=using),
            )
            if revision is not None:
                revised.append(revision)
    return revised


def _list_again(
    day: date, tournaments: list[Tournament], at: datetime, by: Any, using: str, stay: Collection[int]
) -> OtbList:
    return _publish(day, tournaments, at, by, None, using, stay).otb_list


class _Period:
    """The tournaments of a period, one after the other, and what they add up to for each player."""

    def __init__(self, list_day: date, previous: OtbList, using: str) -> None:
        self.list_day = list_day
        self.previous = previous
        self.using = using
        self.played: dict[int, _Played] = {}
        self.events: dict[int, list[tuple[date, CountedEvent]]] = {}

    def rate(self, tournament: Tournament, *, stays: bool) -> RatedTournament:
        """Rate the next tournament; what it gives counts unless it may not be rated, or ``stays`` so."""
        if tournament.report is None:
            raise ValueError(f"{tournament} has no report")
        report = read(tournament.report)
        ids = [player.fide_id for player in report.players if player.fide_id is not None]
        listed = on_list(tournament.first_day, ids, self.using)
        latest = self._standing(ids)
        unseen = [one for one in ids if one not in self.events]
        found = events_of(unseen, self.list_day, self.using)
        self.events |= {one: found.get(one, []) for one in unseen}
        with_result = {
            one
            for one in ids
            if can_stand_alone(self.events[one], latest[one].delisted_on if one in latest else None)
        }
        rated = rate(
            tournament, report, listed=listed, latest=latest, with_result=with_result, using=self.using
        )
        if stays or not rated.refusals:
            for participant in rated.participants:
                self._count(participant, rated)
        return rated

    def _standing(self, ids: Iterable[int]) -> Mapping[int, OnList]:
        entries = OtbListEntry.objects.using(self.using).filter(otb_list=self.previous, fide_id__in=list(ids))
        return {entry.fide_id: stands_as(entry) for entry in entries}

    def _count(self, participant: Participant, rated: RatedTournament) -> None:
        result, fide_id = participant.result, participant.reported.fide_id
        if fide_id is None or not result.counts:
            return
        tournament = rated.tournament
        played = self.played.setdefault(fide_id, _Played(participant.reported, tournament.last_day))
        played.last_day = max(played.last_day, tournament.last_day)
        played.games += result.rated_games
        played.change += result.change or 0
        if result.outcome is Outcome.NEW_RESULT and result.new is not None:
            event = event_of(
                tournament.last_day,
                result.new.games,
                result.new.half_points,
                result.new.opponents_sum,
                result.new.why_not_first,
                result.new.final.opponents,
                tournament.team_championship,
            )
            self.events[fide_id].append((self.list_day, event))

    def after(self, was: OnList | None, fide_id: int, disabled: bool) -> Standing:
        """B.02 8.55(c), 8.3: how a player stands on the list of the period."""
        standing = Standing() if was is None else was.standing
        played = self.played.get(fide_id)
        if played is None:
            return standing
        if standing.rating is not None:
            return standing.listed(new_rating(standing.rating, [Hundredths(played.change)]), played.games)
        since = None if was is None else was.delisted_on
        events = [event for day, event in self.events[fide_id] if since is None or day > since]
        first = first_rating(events, self.list_day, edition(), disabled)
        return standing if first.published is None else standing.listed(first.published, first.games)


def _publish(
    list_day: date,
    tournaments: Sequence[Tournament],
    at: datetime,
    by: Any,
    progress: Progress | None,
    using: str,
    stay: Collection[int] = (),
) -> Closing:
    """Rate these tournaments for the list of this day, and write its next revision.

    ``stay``: those that are rated whatever is found.
    """
    lists = OtbList.objects.using(using)
    previous = lists.before(list_day).first()
    if previous is None:
        raise ValueError(f"there is no list before {list_day}")
    latest = lists.latest_of(list_day)
    otb_list = lists.create(
        list_day=list_day,
        revision=1 if latest is None else latest.revision + 1,
        published_at=at,
        published_by=by,
    )
    closing = Closing(otb_list)
    period = _Period(list_day, previous, using)
    for number, tournament in enumerate(tournaments, 1):
        rated = period.rate(tournament, stays=tournament.pk in stay)
        tournament.results.using(using).all().delete()
        if rated.refusals and tournament.pk not in stay:
            # What somebody may still consent to waits for him.
            final = any(not finding.acceptable for finding in rated.refusals)
            tournament.status = Tournament.Status.REFUSED if final else Tournament.Status.RECEIVED
            tournament.refused_on = at.date() if final else None
            tournament.rated_for = None
            closing.refused.append(rated)
        else:
            tournament.status, tournament.rated_for = Tournament.Status.RATED, list_day
            insert_rows(
                connections[using],
                TournamentResult,
                _RESULT,
                [_result_row(tournament.pk, one) for one in rated.participants],
            )
            closing.rated.append(tournament)
        tournament.save(using=using, update_fields=["status", "rated_for", "refused_on"])
        if progress:
            progress(number, len(tournaments))
    otb_list.tournaments = len(closing.rated)
    closing.lines = _write(otb_list, period, using)
    return closing


def _write(otb_list: OtbList, period: _Period, using: str) -> list[Line]:
    """How everybody stands after the period: who was on the list before, then new players."""
    writer = Writer(otb_list, using)
    lines: list[Line] = []
    waiting = dict(period.played)
    members = AssociationMember.objects.using(using).filter(since__lte=otb_list.list_day)
    disabled = set(members.values_list("fide_id", flat=True))
    known = identities(waiting, using)

    def add(was: OnList | None, one: OnList, played: _Played | None) -> None:
        standing = period.after(was, one.fide_id, one.fide_id in disabled)
        before = None if was is None else was.standing.rating
        if was is None and standing.rating is None:
            return
        if played is None:
            writer.add(one, standing, standing.k, before)
            return
        writer.add(one, standing, standing.k, before, played.last_day, played.games)
        if before is not None or standing.rating is not None:
            change = None if before is None else from_hundredths(Hundredths(played.change))
            k = None if was is None else was.k
            lines.append(Line(one.fide_id, one.name, before, standing.rating, k, change, played.games))

    entries = OtbListEntry.objects.using(using).filter(otb_list=period.previous)
    for some in in_pieces(entries, "fide_id"):
        for entry in some:
            was = stands_as(entry)
            played = waiting.pop(entry.fide_id, None)
            add(was, was if played is None else as_known(was, known.get(was.fide_id)), played)
        writer.flush()
    for fide_id, played in sorted(waiting.items()):
        add(None, known.get(fide_id) or as_reported(played.reported), played)
    writer.flush()
    writer.finish()
    return sorted(lines, key=lambda line: (folded(line.name), line.fide_id))


def _result_row(tournament_id: int, participant: Participant) -> tuple[Any, ...]:
    """What is kept of a player's result, in the order of the columns."""
    reported, player, result = participant.reported, participant.player, participant.result
    new = result.new
    kept: tuple[int | None, ...] = (None,) * 6
    if new is not None:
        kept = (
            new.final.rating,
            new.games,
            new.half_points,
            new.opponents_sum,
            new.final.opponents,
            new.why_not_first,
        )
    return (
        tournament_id,
        player.number,
        reported.fide_id,
        reported.name[:_LONGEST_NAME],
        player.rating,
        player.k,
        player.later_rating,
        player.earlier_result,
        result.outcome.value,
        result.rated_games,
        result.half_points,
        result.average,
        result.expected,
        result.change,
        *kept,
    )
