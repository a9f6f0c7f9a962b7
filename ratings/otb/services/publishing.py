"""Publishing the list of a rating period over the board (B.02 7, 8), and rating closed periods again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import ExpressionWrapper, F, IntegerField, Q, Value
from django.db.models.functions import Cast
from django.utils.translation import gettext

from ratings.office.bulk import batches, insert_rows
from ratings.office.models import OutboxEntry
from ratings.office.names import folded
from ratings.office.outbox import record_event, record_events
from ratings.office.publications import reissue
from ratings.otb.citations import edition_of_list
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
from ratings.otb.services.list_entries import Writer, as_known, as_reported, differ, identities, in_pieces
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.period_rating import RESULT_COLUMNS, Period, Played, result_row
from ratings.otb.services.rating import RatedTournament
from ratings.otb.services.remaking_rows import make_missing
from ratings.otb.services.rows import forget_results, store_figures
from ratings.otb.services.stages import events as in_events
from ratings.otb.services.stages import open_list
from ratings.otb.services.standings import OnList, edition_on, stands_as
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Points

_PLAYERS_AT_ONCE: Final = 500

_AT_ONCE: Final = 20
"""Number of events read and written together; the games of their reports are in memory."""

ACCEPTED: Final = ("accepted", "part_of__accepted")
"""Relations of tournaments that rating reads."""

Progress = Callable[[int, int], None]
"""Function called with the number of tournaments rated so far, and of all."""


class NothingToClose(ValueError):
    """Reason, for people, why no period can be closed."""


class PeriodLine(NamedTuple):
    """A player's change in a period. Ratings are whole points of the lists before and after.

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


def publish(
    tournaments: Sequence[Tournament],
    *,
    list_day: date,
    chapter: int,
    at: datetime,
    by: Any,
    progress: Progress | None = None,
    stay: Collection[int] = (),
) -> Closing:
    """Rate tournaments for the list of this day, and write its next revision.

    ``stay``: those that are rated in spite of findings.
    """
    lists = OtbList.objects.in_chapter(chapter)
    previous = lists.before(list_day).first()
    if previous is None:
        raise ValueError(f"there is no list before {list_day}")
    latest = lists.latest_of(list_day)
    edition = edition_on(list_day, chapter)
    if latest is not None and not edition.rates_again(edition_of_list(latest)):
        told = gettext("%(list)s was published under %(cited)s, so it can’t be recalculated under %(now)s.")
        words = {"list": latest, "cited": edition_of_list(latest).cited_as, "now": edition.cited_as}
        raise NotPossible(told % words)
    otb_list = OtbList.objects.create(
        chapter=chapter,
        edition=edition.since.year,
        list_day=list_day,
        revision=1 if latest is None else latest.revision + 1,
        published_at=at,
        published_by=by,
    )
    closing = Closing(otb_list)
    make_missing(tournaments)
    period = Period(list_day, previous)
    number = 0
    for some in batches(in_events(tournaments, edition), _AT_ONCE):
        results: list[RatedTournament] = []
        for rated, counts in period.rate(some, stay):
            number += 1
            tournament = rated.tournament
            if counts:
                tournament.status, tournament.rated_for = Tournament.Status.RATED, list_day
                closing.rated.append(tournament)
                results.append(rated)
            else:
                _keep_back(rated, closing, at)
            if progress:
                progress(number, len(tournaments))
        _store([one for stages in some for one in stages], results, list_day)
    _lower_k(period)
    otb_list.tournaments = len(closing.rated)
    closing.lines = _write(otb_list, period)
    _announce(closing)
    return closing


def _announce(closing: Closing) -> None:
    """Tell followers of the office of the list, and of each tournament that was rated for it."""
    otb_list = closing.otb_list
    told = {
        "chapter": Chapter(otb_list.chapter).slug,
        "list_day": f"{otb_list.list_day}",
        "revision": otb_list.revision,
    }
    url = otb_list.get_absolute_url()
    of_list = {**told, "rule_book": "fide", "tournaments": otb_list.tournaments, "url": url}
    record_event(OutboxEntry.Event.PERIOD_CLOSED, otb_list.pk, **of_list)
    of_each = {
        one.pk: {**told, "tournament": one.pk, "name": one.name, "url": one.get_absolute_url()}
        for one in closing.rated
    }
    record_events(OutboxEntry.Event.TOURNAMENT_RATED, of_each, of_each)


def _store(stages: Sequence[Tournament], rated: Sequence[RatedTournament], list_day: date) -> None:
    """Store the results and figures of the stages that count, and mark these as rated."""
    forget_results(stages)
    rows = (result_row(one.tournament.pk, player) for one in rated for player in one.participants)
    insert_rows(TournamentResult, RESULT_COLUMNS, rows)
    store_figures((one.tournament.pk, one.rating.results) for one in rated)
    keys = [one.tournament.pk for one in rated]
    Tournament.objects.filter(pk__in=keys).update(status=Tournament.Status.RATED, rated_for=list_day)


def _lower_k(period: Period) -> None:
    """Store the K of players whose many games in the period lower it (2024: 8.3.3)."""
    lowered: dict[tuple[int, int], list[int]] = defaultdict(list)
    for fide_id, played in period.played.items():
        if played.k is not None and (lower := period.edition.k_of_period(played.k, played.games)) != played.k:
            lowered[played.k, lower].append(fide_id)
    results = TournamentResult.objects.filter(
        tournament__rated_for=period.list_day, tournament__chapter=period.chapter
    )
    for (k, lower), ids in lowered.items():
        # Both sides in hundredths, as the database has them.
        delta = Value(50) * F("half_points") - Cast("expected", IntegerField())
        change = ExpressionWrapper(lower * delta, IntegerField())
        for some in batches(ids, _PLAYERS_AT_ONCE):
            results.filter(k=k, fide_id__in=some).exclude(change=None).update(k=lower, change=change)


def _keep_back(rated: RatedTournament, closing: Closing, at: datetime) -> None:
    """Refuse a tournament that isn't rated, or let it wait if its findings may be accepted."""
    tournament = rated.tournament
    tournament.status, tournament.rated_for = Tournament.Status.RECEIVED, None
    if rated.is_refused:
        tournament.status = Tournament.Status.REFUSED
        Refusal.objects.create(tournament=tournament, text=refusal_text(rated), refused_on=at.date())
    tournament.save(update_fields=["status", "rated_for"])
    closing.refused.append(rated)


def _write(otb_list: OtbList, period: Period) -> list[PeriodLine]:
    """Write everybody's standing after the period. Return the lines of those who played."""
    writer = Writer(otb_list)
    lines: list[PeriodLine] = []
    waiting = dict(period.played)
    members = AssociationMember.objects.filter(since__lte=otb_list.list_day)
    disabled = set(members.values_list("fide_id", flat=True))
    known = identities(waiting, otb_list.chapter)
    which = {"chapter": otb_list.chapter, "list_day": otb_list.list_day}
    is_raised = RaisedList.objects.filter(**which).exists()

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
            change = None if own_k is None else from_hundredths(period.change(played))
            k = None if own_k is None else period.edition.k_of_period(own_k, played.games)
            lines.append(PeriodLine(one.fide_id, one.name, before, standing.rating, k, change, played.games))

    entries = OtbListEntry.objects.filter(otb_list=period.previous)
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


def enter_open_list(tournament: Tournament, *, at: datetime, by: Any = None) -> list[OtbList]:
    """B.02 7.13: rate an event for the list that is closed but not yet in force, if it still enters it.

    The next revision of that list; none where the event waits for a later one, or may not be rated.
    """
    with transaction.atomic():
        lock_tournaments()
        list_day, stages = open_list(tournament, at.date())
        if list_day is None:
            return []
        return rerate_from(list_day, tournament.chapter, at=at, by=by, entering=stages)


def rerate_from(
    list_day: date,
    chapter: int = Chapter.STANDARD,
    *,
    at: datetime,
    by: Any = None,
    replaced: Iterable[Tournament] = (),
    entering: Iterable[Tournament] = (),
) -> list[OtbList]:
    """Rate the period of this list, and every later one, again; return the revisions of lists that differ.

    After standard lists, rapid and blitz ones too: newcomers there begin with standard ratings (2024: 7.2.1).

    Whether they may be rated at all is asked of the tournaments alone whose reports were ``replaced``, and of
    those ``entering`` the last list: others were judged under the ratings of their day, and stay rated.
    """
    new = [one.pk for one in entering]
    judged = {*new, *(one.pk for one in replaced)}
    with transaction.atomic():
        lock_tournaments()
        revised = _rerate_chapter(list_day, chapter, at, by, new, judged)
        if chapter == Chapter.STANDARD and revised:
            revised += rerate_seeded(list_day, at, by)
    return revised


def rerate_seeded(list_day: date, at: datetime, by: Any) -> list[OtbList]:
    """Rate the rapid and blitz periods again, from this list on (2024: 7.2.1)."""
    return [
        one
        for chapter in (Chapter.RAPID, Chapter.BLITZ)
        for one in _rerate_chapter(list_day, chapter, at, by, [], set())
    ]


def _rerate_chapter(
    list_day: date,
    chapter: int,
    at: datetime,
    by: Any,
    new: Collection[int],
    judged: Collection[int],
) -> list[OtbList]:
    """Rate the periods of a chapter again, from this list on."""
    revised = []
    lists = OtbList.objects.in_chapter(chapter)
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
            Tournament.objects.filter(rated_for).with_report().prefetch_related(*ACCEPTED).order_by("pk")
        )
        stay = {one.pk for one in tournaments}.difference(judged)
        revision = reissue(
            lists.latest_of(day),
            partial(_list_again, day, chapter, tournaments, at, by, stay),
            differ,
        )
        if revision is not None:
            revised.append(revision)
    return revised


def _list_again(
    day: date,
    chapter: int,
    tournaments: list[Tournament],
    at: datetime,
    by: Any,
    stay: Collection[int],
) -> OtbList:
    return publish(tournaments, list_day=day, chapter=chapter, at=at, by=by, stay=stay).otb_list
