"""Closing a rating period over the board: its tournaments are rated, and a list is published (B.02 7, 8).

One path: closing a period, and rating it and every later one again after a report was replaced, are the same
step for one list after the other. It starts from the list before, rates the tournaments of the period in the
order in which they ended, and writes how everybody stands afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import ExpressionWrapper, F, IntegerField, Max, Q, Value
from django.db.models.functions import Cast
from django.utils.translation import gettext

from foa.text import date_text
from ratings.fide.models import FideList
from ratings.fide.services.locks import lock_fide_lists
from ratings.formats.frl import FideControl
from ratings.office.bulk import batches, insert_rows
from ratings.office.names import folded
from ratings.office.publications import reissue
from ratings.otb.citations import cited, edition_of, is_of_2009
from ratings.otb.models import (
    AssociationMember,
    OtbList,
    OtbListEntry,
    RaisedList,
    Refusal,
    Tournament,
    TournamentResult,
)
from ratings.otb.services.judging import NotPossible, refusal_text
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.period_rating import RESULT_COLUMNS, Period, Played, result_row
from ratings.otb.services.rating import RatedTournament
from ratings.otb.services.stages import events as in_events
from ratings.otb.services.stages import first_list, open_list, unreported
from ratings.otb.services.standings import OnList, book, control_of, stands_as
from ratings.otb.services.writing import (
    Writer,
    as_known,
    as_reported,
    differ,
    identities,
    in_pieces,
    take_over,
)
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.types import Chapter
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Points

_PLAYERS_AT_ONCE: Final = 500

_AT_ONCE: Final = 20
"""Events for which the database is asked and told at once; the games of their reports are in memory."""

_ACCEPTED: Final = ("accepted", "part_of__accepted")

Progress = Callable[[int, int], None]
"""Is told how many tournaments are rated so far, and of how many."""


class NothingToClose(ValueError):
    """There is no period to close: a sentence says why."""


class PeriodLine(NamedTuple):
    """A player's change in a period. Ratings are those of the lists before and after, in points.

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
    with a finding that nobody may accept are refused, the others wait for the next list, together with the
    other stages of their event. ``incomplete``: received, but another stage of the event has no report yet
    (6.2).
    ``expected``: official events without a report that end before the list, and can still enter it (7.13).

    ``lines``: every player with a rated game, by name. ``revised``: rapid and blitz lists of later days that
    the standard list changes (2024: 7.2.1).
    """

    otb_list: OtbList
    rated: list[Tournament] = field(default_factory=list)
    refused: list[RatedTournament] = field(default_factory=list)
    incomplete: list[Tournament] = field(default_factory=list)
    expected: list[Tournament] = field(default_factory=list)
    lines: list[PeriodLine] = field(default_factory=list)
    revised: list[OtbList] = field(default_factory=list)


def list_day_of(until: date, chapter: int = Chapter.STANDARD, using: str = DEFAULT_DB_ALIAS) -> date:
    """Return the day of the latest list of a chapter that is closed on this day (2009: 7.13; 2024: 7.1.3)."""
    current = book(until, chapter, using).list_in_force(until)
    following = book(until, chapter, using).next_list(current)
    return following if book(following, chapter, using).closing_day(following) <= until else current


def close_period(
    *,
    until: date,
    chapter: int = Chapter.STANDARD,
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
    list_day = list_day_of(until, chapter, using)
    edition = book(list_day, chapter, using)
    closes = edition.closing_day(list_day)
    with transaction.atomic(using=using):
        lock_tournaments(connection)
        if closes > at.date():
            raise NothingToClose(
                f"the period of the list of {date_text(list_day)} runs until {date_text(closes)}"
                f"{cited(edition, '7.13', '7.1.3')}"
            )
        lists = OtbList.objects.using(using).in_chapter(chapter)
        last = lists.published().aggregate(day=Max("list_day"))["day"]
        if last is not None and last >= list_day:
            following = book(last, chapter, using).next_list(last)
            raise NothingToClose(
                f"the list of {date_text(last)} is published; the next, of {date_text(following)}, "
                f"can be closed from {date_text(edition.closing_day(following))} on"
                f"{cited(edition, '7.13', '7.1.3')}"
            )
        received = (
            Tournament.objects.using(using)
            .filter(status=Tournament.Status.RECEIVED, chapter=chapter)
            .to_be_rated()
        )
        waiting, incomplete, without_report = [], [], unreported(using)
        for stages in in_events(received.select_related("report", "part_of").prefetch_related(*_ACCEPTED)):
            if stages[0].event in without_report:
                incomplete += stages
            elif first_list(stages) <= list_day:
                waiting += stages
        if not waiting:
            raise NothingToClose(
                f"no report of a tournament that ended by {date_text(closes)} is waiting"
                f"{cited(edition, '7.13', '7.1.3')}"
            )
        lock_fide_lists(connection)
        before = months_after(list_day, -edition.edition.months_per_list)
        taken = _take_over_from_fide(chapter, before, at, using)
        if chapter != Chapter.STANDARD:
            _keep_standard(before, at, using)
        if not lists.exists():
            raise NothingToClose(
                f"no FIDE list of {control_of(chapter)} ratings was imported: nobody has a rating yet"
            )
        closing = _publish(list_day, chapter, waiting, at, by, progress, using)
        closing.incomplete = incomplete
        closing.expected = _expected(list_day, chapter, last, using)
        if chapter == Chapter.STANDARD:
            # Rapid and blitz lists may be ahead, with players who began with the standard list before this.
            following = edition.next_list(list_day if taken is None else taken)
            closing.revised = _rerate_seeded(following, at, by, using)
        return closing


def _take_over_from_fide(chapter: int, before: date, at: datetime, using: str) -> date | None:
    """Take over the FIDE list in force, as long as the office has published none of this chapter.

    ``before``: day of the latest list that it can be. Return its day; None where nothing is taken over.
    """
    lists = OtbList.objects.using(using).in_chapter(chapter)
    fide_list = FideList.objects.using(using).in_force(control_of(chapter))
    if fide_list is None or lists.published().exists():
        return None
    day = min(before, fide_list.period)
    if lists.filter(list_day=day).exists():
        return None
    take_over(fide_list, chapter, day, at, using)
    return day


def _keep_standard(before: date, at: datetime, using: str) -> None:
    """Keep FIDE's standard list in an office without standard lists of its own (2024: 7.2.1).

    Players without a rating in rapid or blitz begin with it, and FIDE's next list takes its place. None of a
    day that rated tournaments have used already.
    """
    lists = OtbList.objects.using(using)
    last = lists.published().aggregate(day=Max("list_day"))["day"]
    fide_list = FideList.objects.using(using).in_force(FideControl.STANDARD)
    day = None if fide_list is None else min(before, fide_list.period)
    if last is None or (day is not None and day >= last):
        _take_over_from_fide(Chapter.STANDARD, before, at, using)


def _expected(list_day: date, chapter: int, last: date | None, using: str) -> list[Tournament]:
    """B.02 7.13: official events that end in this period, and of which no report was received yet."""
    registered = (
        Tournament.objects.using(using)
        .filter(status=Tournament.Status.REGISTERED, chapter=chapter, official=True, last_day__lt=list_day)
        .to_be_rated()
    )
    if last is not None:
        registered = registered.filter(last_day__gte=last)
    return list(registered.order_by("last_day", "first_day", "pk"))


def enter_open_list(
    tournament: Tournament, *, at: datetime, by: Any = None, using: str = DEFAULT_DB_ALIAS
) -> list[OtbList]:
    """B.02 7.13: rate an event for the list that is closed but not yet in force, if it still enters it.

    The next revision of that list; none where the event waits for a later one, or may not be rated.
    """
    with transaction.atomic(using=using):
        lock_tournaments(connections[using])
        list_day, stages = open_list(tournament, at.date(), using)
        if list_day is None:
            return []
        return rerate_from(list_day, tournament.chapter, at=at, by=by, entering=stages, using=using)


def rerate_from(
    list_day: date,
    chapter: int = Chapter.STANDARD,
    *,
    at: datetime,
    by: Any = None,
    replaced: Iterable[Tournament] = (),
    entering: Iterable[Tournament] = (),
    using: str = DEFAULT_DB_ALIAS,
) -> list[OtbList]:
    """Rate the period of this list, and every later one, again; return the revisions of lists that differ.

    After standard lists, rapid and blitz ones too: newcomers there begin with standard ratings (2024: 7.2.1).

    Whether they may be rated at all is asked of the tournaments alone whose reports were ``replaced``, and of
    those ``entering`` the last list: others were judged under the ratings of their day, and stay rated.
    """
    new = [one.pk for one in entering]
    judged = {*new, *(one.pk for one in replaced)}
    with transaction.atomic(using=using):
        lock_tournaments(connections[using])
        revised = _rerate_chapter(list_day, chapter, at, by, new, judged, using)
        if chapter == Chapter.STANDARD and revised:
            revised += _rerate_seeded(list_day, at, by, using)
    return revised


def _rerate_seeded(list_day: date, at: datetime, by: Any, using: str) -> list[OtbList]:
    """Rate the rapid and blitz periods again, from this list on (2024: 7.2.1)."""
    return [
        one
        for chapter in (Chapter.RAPID, Chapter.BLITZ)
        for one in _rerate_chapter(list_day, chapter, at, by, [], set(), using)
    ]


def _rerate_chapter(
    list_day: date,
    chapter: int,
    at: datetime,
    by: Any,
    new: Collection[int],
    judged: Collection[int],
    using: str,
) -> list[OtbList]:
    """Rate the periods of a chapter again, from this list on."""
    revised = []
    lists = OtbList.objects.using(using).in_chapter(chapter)
    days = list(
        lists.published()
        .filter(list_day__gte=list_day)
        .order_by("list_day")
        .values_list("list_day", flat=True)
        .distinct()
    )
    for day in days:
        rated_for = Q(rated_for=day, chapter=chapter)
        if day == days[-1]:
            rated_for |= Q(pk__in=new)
        tournaments = list(
            Tournament.objects.using(using)
            .filter(rated_for)
            .select_related("report", "part_of")
            .prefetch_related(*_ACCEPTED)
            .order_by("pk")
        )
        stay = {one.pk for one in tournaments}.difference(judged)
        revision = reissue(
            lists.latest_of(day),
            partial(_list_again, day, chapter, tournaments, at, by, using, stay),
            partial(differ, using=using),
        )
        if revision is not None:
            revised.append(revision)
    return revised


def raise_ratings(
    otb_list: OtbList, *, at: datetime, by: Any = None, back: bool = False, using: str = DEFAULT_DB_ALIAS
) -> list[OtbList]:
    """Make the one-off change of 2024 on a list, or take it ``back``; return the revisions that this brings.

    Raises NothingToClose for a list that has the change already, or doesn't have it.
    """
    which = {"chapter": otb_list.chapter, "list_day": otb_list.list_day}
    with transaction.atomic(using=using):
        lock_tournaments(connections[using])
        found = RaisedList.objects.using(using).filter(**which)
        if found.exists() != back:
            had = "doesn't have the change" if back else "has the change already"
            raise NothingToClose(f"{otb_list} {had}")
        if back:
            found.delete()
        else:
            RaisedList.objects.using(using).create(**which)
        return rerate_from(otb_list.list_day, otb_list.chapter, at=at, by=by, using=using)


def _list_again(
    day: date,
    chapter: int,
    tournaments: list[Tournament],
    at: datetime,
    by: Any,
    using: str,
    stay: Collection[int],
) -> OtbList:
    return _publish(day, chapter, tournaments, at, by, None, using, stay).otb_list


def _publish(
    list_day: date,
    chapter: int,
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
    lists = OtbList.objects.using(using).in_chapter(chapter)
    previous = lists.before(list_day).first()
    if previous is None:
        raise ValueError(f"there is no list before {list_day}")
    latest = lists.latest_of(list_day)
    edition = book(list_day, chapter, using)
    if latest is not None and is_of_2009(edition_of(latest)) != is_of_2009(edition):
        told = gettext("%(list)s was published under %(cited)s, so it can’t be rated again under %(now)s.")
        words = {"list": latest, "cited": edition_of(latest).cited_as, "now": edition.cited_as}
        raise NotPossible(told % words)
    otb_list = OtbList.objects.using(using).create(
        chapter=chapter,
        edition=edition.since.year,
        list_day=list_day,
        revision=1 if latest is None else latest.revision + 1,
        published_at=at,
        published_by=by,
    )
    closing = Closing(otb_list)
    period = Period(list_day, previous, using)
    number = 0
    for some in batches(in_events(tournaments, by_name=not is_of_2009(edition)), _AT_ONCE):
        rows: list[tuple[Any, ...]] = []
        for rated, counts in period.rate(some, stay):
            number += 1
            tournament = rated.tournament
            if counts:
                tournament.status, tournament.rated_for = Tournament.Status.RATED, list_day
                closing.rated.append(tournament)
                rows += [result_row(tournament.pk, one) for one in rated.participants]
            else:
                _keep_back(rated, closing, at, using)
            if progress:
                progress(number, len(tournaments))
        _store([one for stages in some for one in stages], rows, list_day, using)
    _lower_k(period)
    otb_list.tournaments = len(closing.rated)
    closing.lines = _write(otb_list, period, using)
    return closing


def _store(
    stages: Sequence[Tournament], results: Iterable[tuple[Any, ...]], list_day: date, using: str
) -> None:
    """Keep what these tournaments gave everybody, and that those that count are rated."""
    TournamentResult.objects.using(using).filter(tournament__in=[one.pk for one in stages]).delete()
    insert_rows(connections[using], TournamentResult, RESULT_COLUMNS, results)
    rated = [one.pk for one in stages if one.status == Tournament.Status.RATED]
    Tournament.objects.using(using).filter(pk__in=rated).update(
        status=Tournament.Status.RATED, rated_for=list_day
    )


def _lower_k(period: Period) -> None:
    """Keep the K of players with so many games in the period that it is lower (2024: 8.3.3)."""
    lowered: dict[tuple[int, int], list[int]] = defaultdict(list)
    for fide_id, played in period.played.items():
        for k in played.with_k:
            if (lower := period.edition.k_of_period(k, played.games)) != k:
                lowered[k, lower].append(fide_id)
    results = TournamentResult.objects.using(period.using).filter(
        tournament__rated_for=period.list_day, tournament__chapter=period.chapter
    )
    for (k, lower), ids in lowered.items():
        # Both sides in hundredths, as the database has them.
        delta = Value(50) * F("half_points") - Cast("expected", IntegerField())
        change = ExpressionWrapper(lower * delta, IntegerField())
        for some in batches(ids, _PLAYERS_AT_ONCE):
            results.filter(k=k, fide_id__in=some).exclude(change=None).update(k=lower, change=change)


def _keep_back(rated: RatedTournament, closing: Closing, at: datetime, using: str) -> None:
    """Keep that a tournament isn't rated. What somebody may still consent to waits for that."""
    tournament = rated.tournament
    tournament.status, tournament.rated_for = Tournament.Status.RECEIVED, None
    if rated.is_refused:
        tournament.status = Tournament.Status.REFUSED
        Refusal.objects.using(using).create(
            tournament=tournament, text=refusal_text(rated), refused_on=at.date()
        )
    tournament.save(using=using, update_fields=["status", "rated_for"])
    closing.refused.append(rated)


def _write(otb_list: OtbList, period: Period, using: str) -> list[PeriodLine]:
    """Return how everybody stands after the period: who was on the list before, then new players."""
    writer = Writer(otb_list, using)
    lines: list[PeriodLine] = []
    waiting = dict(period.played)
    members = AssociationMember.objects.using(using).filter(since__lte=otb_list.list_day)
    disabled = set(members.values_list("fide_id", flat=True))
    known = identities(waiting, otb_list.chapter, using)
    which = {"chapter": otb_list.chapter, "list_day": otb_list.list_day}
    is_raised = RaisedList.objects.using(using).filter(**which).exists()

    def add(was: OnList | None, one: OnList, played: Played | None) -> None:
        standing = period.after(was, one.fide_id, one.fide_id in disabled, is_raised)
        before = None if was is None else was.standing.rating
        if was is None and standing.rating is None:
            return
        k = period.edition.k(standing, one.birth_year, otb_list.list_day)
        if played is None:
            writer.add(one, standing, k, before)
            return
        writer.add(one, standing, k, before, played.last_game, played.games)
        if before is not None or standing.rating is not None:
            own_k = None if was is None else was.k
            if before is None and played.seed is not None:
                own_k = played.k
            change = None if own_k is None else from_hundredths(period.change(was, played))
            k = None if own_k is None else period.edition.k_of_period(own_k, played.games)
            lines.append(PeriodLine(one.fide_id, one.name, before, standing.rating, k, change, played.games))

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
