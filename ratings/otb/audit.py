"""Audit of tournaments against the rules over the board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ratings.formats.problems import FileRefused
from ratings.office.audit import Finding, audited
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.models import OtbList, Tournament, TournamentResult
from ratings.otb.services.files import checksum
from ratings.otb.services.leagues import parts_differ
from ratings.otb.services.period_rating import RESULT_COLUMNS, Period, result_row
from ratings.otb.services.pooling import Events
from ratings.otb.services.rating import rate, read
from ratings.otb.services.rows import NotInRows, reported, rows_are_of, wrong_figures
from ratings.otb.services.stages import events, expected_list, first_list, open_list, unreported
from ratings.otb.services.standings import edition_of, edition_on
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic
from ratings.rules.rounding import from_hundredths

_AT_ONCE = 100
"""Reports in memory at once."""

_NAMED = 20
"""Maximum number of start numbers that a finding names."""


@audited("tournament-results", "B.02 8", _("Tournament results that don’t match the report"))
def tournament_results() -> Iterator[Finding]:
    """B.02 8: yield tournaments whose stored results aren't those of their report and the lists."""
    for one in wrong_results():
        yield _results(one)


def _name(tournament: Tournament) -> str:
    """Return the name and first day, which read the same in every language."""
    return f"{tournament.name} ({tournament.first_day})"


def _once_more(tournament: Tournament) -> tuple[str, dict[str, list[str]]]:
    """Return the decision to receive the same report again; its period and all later ones are rated again."""
    asked = {"tournament": tournament.pk, "report": tournament.report_id, "kind": tournament.kind}
    return "replace-report", {name: [str(value)] for name, value in asked.items()}


@audited("tournament-rows", "B.02 8", _("Over-the-board players and games that don’t match the report"))
def tournament_rows() -> Iterator[Finding]:
    """Yield tournaments whose players, games and other lines aren't those of the report that counts."""
    reported = Tournament.objects.filter(report__isnull=False).select_related("report")
    for one in reported.order_by("pk").iterator(_AT_ONCE):
        words = {"tournament": _name(one), "number": str(one.pk)}
        try:
            if one.report is None or rows_are_of(one, read(one.report)):
                continue
            text = gettext_noop(
                "Tournament %(number)s, %(tournament)s: the stored players and games don’t match the "
                "report. Ask an operator to rebuild them."
            )
        except FileRefused as refused:
            text = gettext_noop(
                "Tournament %(number)s, %(tournament)s: the report can’t be read: %(reason)s."
            )
            words["reason"] = str(refused)
        yield Finding(f"tournament {one.pk}", text, words, one.get_absolute_url())


def _results(one: Differs) -> Finding:
    tournament = one.tournament
    words = {"tournament": _name(tournament), "number": str(tournament.pk)}
    if not one.numbers:
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: rated for %(day)s, but we have no list of that day."
        )
        words["day"] = str(tournament.rated_for)
    else:
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: %(many)s stored results don’t match the report "
            "and the lists. Start numbers: %(numbers)s."
        )
        more = ", …" if len(one.numbers) > _NAMED else ""
        words["many"] = str(len(one.numbers))
        words["numbers"] = ", ".join(map(str, one.numbers[:_NAMED])) + more
    mends = None
    if one.numbers and tournament.report_id is not None:
        mends = _once_more(tournament)
    return Finding(f"tournament {tournament.pk}", text, words, tournament.get_absolute_url(), mends)


@audited("over-the-board-lists", "B.02 7.1", _("Over-the-board lists that don’t match their checksum"))
def list_checksums() -> Iterator[Finding]:
    """Yield published lists that differ from how they were published."""
    for one in OtbList.objects.order_by("list_day", "chapter", "revision").iterator():
        found = checksum(one)
        if found != one.checksum:
            text = gettext_noop(
                "The over-the-board list of %(day)s, revision %(revision)s, was published with the "
                "checksum %(published)s. The checksum of its lines is now %(found)s."
            )
            words = {
                "day": str(one.list_day),
                "revision": str(one.revision),
                "published": one.checksum,
                "found": found,
            }
            yield Finding(f"list {one.key}", text, words, one.get_absolute_url())


@audited(
    "editions-of-lists", "B.02 0.1", _("Over-the-board lists that would now be rated under another edition")
)
def editions() -> Iterator[Finding]:
    """Yield lists that the settings put under other regulations than those that they were made by."""
    for one in OtbList.objects.published().order_by("list_day", "chapter", "revision"):
        was, now = edition_of_list(one), edition_on(one.list_day, one.chapter)
        if not now.rates_again(was):
            text = gettext_noop(
                "The over-the-board list of %(day)s was published under %(was)s, but "
                "OTB_REGULATIONS_2024_SINCE puts it under %(now)s. Set another day."
            )
            words = {"day": str(one.list_day), "was": was.name, "now": now.name}
            yield Finding(f"list {one.key}", text, words, one.get_absolute_url())


@audited("overdue-reports", "B.02 7.13", _("Reports that should be on a published list but aren’t"))
def overdue_reports() -> Iterator[Finding]:
    """B.02 7.13: yield reports that nothing keeps from being rated."""
    today = timezone.now().date()
    for tournament, due in overdue(today):
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: received but not rated, though it belongs on the "
            "list of %(day)s."
        )
        words = {"number": str(tournament.pk), "tournament": _name(tournament), "day": str(due)}
        parameters = {"until": [str(due)]}
        if tournament.chapter != Chapter.STANDARD:
            parameters["chapter"] = [Chapter(tournament.chapter).slug]
        mends = ("close-period", parameters) if due <= today else None
        yield Finding(f"tournament {tournament.pk}", text, words, tournament.get_absolute_url(), mends)


@audited("announced-unrated", "B.02 9.2", _("Rated tournaments that had been announced as unrated"))
def announced_unrated() -> Iterator[Finding]:
    """Yield rated tournaments and parts of leagues that were announced as unrated."""
    wrong = Tournament.objects.filter(
        Q(announced_unrated=True) | Q(part_of__announced_unrated=True), status=Tournament.Status.RATED
    )
    for one in wrong.order_by("pk").iterator():
        yield Finding(
            f"tournament {one.pk}",
            gettext_noop(
                "%(tournament)s was announced as unrated, but is rated for the list of %(day)s (B.02 9.2)."
            ),
            {"tournament": _name(one), "day": str(one.rated_for)},
            one.get_absolute_url(),
            ("announce-unrated", {"tournament": [str(one.part_of_id or one.pk)]}),
        )


@audited(
    "league-parts", "B.02 4.13", _("Leagues rated period by period whose parts don’t match their reports")
)
def league_parts() -> Iterator[Finding]:
    """Yield leagues with a missing or surplus part, or one whose report isn't an extract of theirs."""
    leagues = Tournament.objects.filter(by_period=True).exclude(report=None)
    for one in leagues.order_by("pk").iterator():
        try:
            wrong = parts_differ(one)
        except FileRefused:
            wrong = True
        if wrong:
            yield Finding(
                f"tournament {one.pk}",
                gettext_noop("The parts of %(league)s don’t match its report%(article)s."),
                {"league": str(one), "article": cited(edition_of(one), Topic.LIST_IN_FORCE)},
                one.get_absolute_url(),
                _once_more(one),
            )


_IN_HUNDREDTHS = [RESULT_COLUMNS.index(name) for name in ("expected", "change")]
_NUMBER = RESULT_COLUMNS.index("number")


class Differs(NamedTuple):
    """A rated tournament whose stored results aren't those of its report.

    ``numbers``: start numbers of the players whose results, or whose games' figures, differ, or who are
    missing or too many.
    """

    tournament: Tournament
    numbers: tuple[int, ...] = ()


def wrong_results() -> Iterator[Differs]:
    """B.02 8: yield rated tournaments whose stored results aren't what report and lists give.

    The periods are rated again from the lists as they are stored, one tournament at a time. A wrong result
    doesn't make others wrong: new players' earlier results are those found here.
    """
    rated = Tournament.objects.filter(status=Tournament.Status.RATED).with_report()
    for chapter in Chapter:
        of_chapter, lists = rated.filter(chapter=chapter), OtbList.objects.in_chapter(chapter)
        known: dict[int, Events] = {}
        days = lists.published().order_by("list_day").values_list("list_day", flat=True).distinct()
        for day in list(days):
            previous = lists.before(day).first()
            if previous is None:
                continue
            period = Period(day, previous)
            period.results = _young(known, day, period.edition.pool_months)
            period.games = _games(of_chapter, day)
            for stages in events(of_chapter.filter(rated_for=day).iterator(), period.edition):
                yield from _differing(period, stages)
            known = {fide_id: found for fide_id, found in period.results.items() if found} | {
                fide_id: found for fide_id, found in known.items() if fide_id not in period.results
            }
        for one in of_chapter.exclude(rated_for__in=lists.published().values("list_day")):
            yield Differs(one)


def _differing(period: Period, stages: Sequence[Tournament]) -> Iterator[Differs]:
    try:
        found = list(period.rate([stages], {one.pk for one in stages}))
    except NotInRows:
        # This is found with the rows.
        return
    for rated, _counts in found:
        pk = rated.tournament.pk
        stored = {
            row[_NUMBER]: row
            for row in TournamentResult.objects.filter(tournament=pk).values_list(*RESULT_COLUMNS)
        }
        rows = (_as_stored(result_row(pk, period.with_final_k(one))) for one in rated.participants)
        given = {row[_NUMBER]: row for row in rows}
        numbers = {number for number in {*stored, *given} if stored.get(number) != given.get(number)}
        numbers |= wrong_figures(pk, rated.rating.results)
        if numbers:
            yield Differs(rated.tournament, tuple(sorted(numbers)))


def _as_stored(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row as the database has it, with hundredths as points."""
    values = list(row)
    for place in _IN_HUNDREDTHS:
        if values[place] is not None:
            values[place] = from_hundredths(values[place])
    return tuple(values)


def _games(rated: QuerySet[Tournament], day: date) -> dict[int, int]:
    """Return the stored number of rated games of a period by FIDE ID: with them goes K (2024: 8.3.3)."""
    results = TournamentResult.objects.filter(tournament__in=rated.filter(rated_for=day))
    games = results.exclude(fide_id=None).order_by().values("fide_id").annotate(games=Sum("rated_games"))
    return {fide_id: many for fide_id, many in games.values_list("fide_id", "games") if fide_id is not None}


def _young(known: dict[int, Events], day: date, months: int) -> dict[int, Events]:
    """Return the results that may still enter a first rating on this list (2009: 7.14(c); 2024: 7.1.4)."""
    since = months_after(day, -months)
    young = {
        fide_id: {key: one for key, one in found.items() if one[1].last_day >= since}
        for fide_id, found in known.items()
    }
    return {fide_id: found for fide_id, found in young.items() if found}


def overdue(today: date) -> Iterator[tuple[Tournament, date]]:
    """B.02 7.13: yield reports that wait although they may be rated, with the list that they belong on.

    The list for which they wait is over and was never closed, or they still belong on one that is closed
    and not yet in force.
    """
    received = Tournament.objects.filter(status=Tournament.Status.RECEIVED).to_be_rated()
    without_report = unreported()
    for stages in events(received.with_report()):
        if stages[0].event in without_report:
            continue
        expected, _missed = expected_list(stages[0])
        open_day, _stages = open_list(stages[0], today)
        due = open_day or (expected if expected is not None and expected <= today else None)
        if due is not None and first_list(stages) <= due and not any(_waits(one) for one in stages):
            yield from ((one, due) for one in stages)


def _waits(tournament: Tournament) -> bool:
    """Return whether something keeps it from being rated, or its report can't be read."""
    if tournament.report is None:
        return True
    try:
        return bool(rate(tournament, reported(tournament)).refusals)
    except NotInRows:
        return True
