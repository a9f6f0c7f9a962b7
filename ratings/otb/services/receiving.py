"""Receiving the report of a tournament: read, judged, and stored as a whole or not at all."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Final

from django.db import transaction
from django.db.models import IntegerChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from ratings.formats import trf
from ratings.formats.frl import YEARS_OF_LISTS
from ratings.formats.problems import AtLine, FileRefused, Remark, file_name, shown
from ratings.formats.trf.time_controls import stages_of
from ratings.office.names import folded
from ratings.otb.citations import cited
from ratings.otb.findings import Shown, cut_short, finding_rows
from ratings.otb.models import KIND_NAMES, OtbList, Tournament, TournamentReport
from ratings.otb.services import publishing
from ratings.otb.services.judging import NotPossible, accept_all, as_stored, end_refusal
from ratings.otb.services.leagues import PartReceived, check_days, receive_parts
from ratings.otb.services.locks import lock_tournaments
from ratings.otb.services.rating import RatedTournament, rate
from ratings.otb.services.remarks import on_end, on_namesakes, on_players, on_ranks
from ratings.otb.services.rows import forget_results, store
from ratings.otb.services.stages import (
    event_stages,
    expected_list,
    first_list,
    open_list,
    with_stored_stages,
)
from ratings.otb.services.standings import edition_on
from ratings.rules.b02.time_controls import Chapter, Stage
from ratings.rules.b02.types import Topic, TournamentType
from ratings.rules.federations import FEDERATIONS

_Remarking = Callable[..., None]
"""Function that makes a remark on the line of a record: ``remark(tag, text, **values)``."""

_GAMES: Final = range(1, 1000)
"""Numbers of games that a match can have."""

_A_DAY: Final = timedelta(days=1)

_PARTICIPANTS: Final = 1_000
"""Maximum number of players in the cross-table of a preview."""


class ReportRefused(FileRefused):
    """A file that is no report, or contradicts itself. ``reasons``: all of them, with their lines."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """An uploaded report with its options.

    ``source``: name of the file. ``kind``: how the tournament was played, None for what the report tells.
    ``registered_on``: None for the day that is known, and with a new tournament the day of receipt (0.4).
    ``accept``: reason for accepting every finding that may be accepted.
    """

    content: bytes
    source: str
    kind: TournamentType | None = None
    registered_on: date | None = None
    skip_unknown_federations: bool = False
    accept: str = ""

    @property
    def says_more(self) -> bool:
        """True if it has options."""
        return bool(self.kind or self.registered_on or self.accept)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ReadReport:
    """A report, and its tournament as the report describes it. Nothing is rated or stored.

    ``remarks``: apart from the findings of B.02, in the order of the lines. ``before``: the tournament as it
    was, None for a new one. ``is_new``: False for a file that is the report of this tournament already.
    """

    report: trf.Tournament
    tournament: Tournament
    known_by: KnownBy
    remarks: tuple[Remark, ...]
    before: Tournament | None = None
    is_new: bool = True

    @property
    def federation(self) -> str:
        """Where the tournament is played, as it is registered, or else by its report."""
        return (self.before or self.tournament).federation


@dataclass(frozen=True, kw_only=True)
class Received(ReadReport):
    """The outcome of receiving a report, for decisions, commands and pages; in a preview nothing is stored.

    ``revised``: lists that it has changed; ``consented``: findings that were accepted with it. ``expected``:
    the list for which it waits, None if it is rated; ``missed``: the list that was closed before it came
    (7.13). ``parts``: of a league that is rated period by period (4.13), those that differ now.
    """

    rated: RatedTournament
    revised: tuple[OtbList, ...] = ()
    expected: date | None = None
    missed: date | None = None
    consented: tuple[int, ...] = ()
    parts: tuple[PartReceived, ...] = ()

    @cached_property
    def findings(self) -> Shown:
        """Findings in words; those that keep the tournament from being rated come first."""
        return cut_short(finding_rows(self.rated))

    @cached_property
    def shown_remarks(self) -> Shown:
        """Remarks, as many as a page shows."""
        return cut_short(self.remarks)

    @cached_property
    def participants(self) -> Shown:
        """Players with what the tournament gives them, as many as a page shows."""
        return cut_short(self.rated.participants, _PARTICIPANTS)


def read_report(upload: Upload, *, at: datetime, tournament: Tournament | None = None) -> ReadReport:
    """Read a report and find its tournament.

    ``tournament``: whose report it is, in place of the one it may have. Without one it is that of the
    tournament registered with its name and first day, or of a new one. Raises ReportRefused for what cannot
    be read, NotPossible if the tournament is there already.
    """
    report, remarks = _read(upload)
    target = None if tournament is None else as_stored(tournament)
    if target is not None and target.part_of is not None:
        raise NotPossible(
            gettext("This is part of %(league)s. Replace the league’s report.") % {"league": target.part_of}
        )
    with_this_file = Tournament.objects.filter(report__sha256=upload.sha256)
    same = with_this_file.first() if target is None else with_this_file.filter(pk=target.pk).first()
    if same is not None and (target is None or not upload.says_more):
        return ReadReport(
            report=report,
            tournament=same,
            known_by=KnownBy.REGISTERED,
            remarks=tuple(remarks),
            before=same,
            is_new=False,
        )
    others, in_other_chapters = _namesakes(report)
    if target is not None:
        others = [one for one in others if one.pk != target.pk and one.chapter == target.chapter]
    elif all(one.status == Tournament.Status.REGISTERED for one in others):
        target = others.pop() if len(others) == 1 else Tournament(registered_on=at.date())
    if others or target is None:
        raise NotPossible(
            gettext(
                "%(tournament)s already exists as number %(number)d (%(status)s). Replace its report instead."
            )
            % {"tournament": others[0], "status": others[0].get_status_display(), "number": others[0].pk}
        )
    before = None if target.pk is None else copy(target)
    known_by = _fill(target, report, upload, remarks)
    _check_results(target, report, at.date())
    if target.by_period:
        check_days(report, edition_on(target.first_day, target.chapter))
    remarks += [
        *(on_namesakes(in_other_chapters) if before is None else ()),
        *on_end(target, report, at.date()),
        *on_ranks(target, report),
    ]
    return ReadReport(
        report=report, tournament=target, known_by=known_by, remarks=_by_line(remarks), before=before
    )


def preview(upload: Upload, *, at: datetime, tournament: Tournament | None = None) -> Received:
    """Return what receiving a report would bring; nothing is stored. See :func:`read_report`."""
    found = read_report(upload, at=at, tournament=tournament)
    rated = rate(found.tournament, found.report)
    of_players = on_players(rated.participants, rated.edition) if found.is_new else ()
    return Received(
        report=found.report,
        tournament=found.tournament,
        known_by=found.known_by,
        remarks=_by_line([*found.remarks, *of_players]),
        before=found.before,
        is_new=found.is_new,
        rated=rated,
    )


def receive(
    upload: Upload,
    *,
    at: datetime,
    by: Any = None,
    tournament: Tournament | None = None,
) -> Received:
    """Store a report with its tournament, in one transaction; see :func:`preview`.

    A tournament that was refused waits again to be rated. One that is rated stays so: its period and every
    later one are rated again. An official event that comes after its list was closed, and before its day, is
    rated for it (7.13).
    """
    with transaction.atomic():
        lock_tournaments()
        found = preview(upload, at=at, tournament=tournament)
        if not found.is_new:
            return found
        target = found.tournament
        if target.pk is None:
            target.save()
        target.report = TournamentReport.objects.create(
            tournament=target,
            source=file_name(upload.source),
            content=upload.content,
            sha256=upload.sha256,
            players=len(found.rated.participants),
            skip_unknown_federations=upload.skip_unknown_federations,
            received_at=at,
            received_by=by,
        )
        store(target, found.report)
        rated_for = target.rated_for
        end_refusal(target, at.date())
        if rated_for is None or first_list(with_stored_stages(target)) > rated_for:
            # By its new days it belongs to a later list (7.13).
            _leave_list(target, rated_for)
        target.save()
        rated = found.rated
        if upload.accept:
            rated = accept_all(rated, upload.accept, by, at)
        open_day, entering = open_list(target, at.date())
        revised: list[OtbList] = []
        if days := [day for day in (rated_for, open_day) if day is not None]:
            replaced = [] if rated_for is None else [target]
            revised = publishing.rerate_from(
                min(days), target.chapter, at=at, by=by, replaced=replaced, entering=entering
            )
            # It may have entered a list, or a report that may not be rated has taken it out of one.
            target.refresh_from_db()
        parts: list[PartReceived] = []
        if target.by_period:
            parts, revised = receive_parts(target, found.report, target.report.source, at=at, by=by)
        expected, missed = expected_list(target)
    return replace(
        found,
        rated=rated,
        revised=tuple(revised),
        expected=expected,
        missed=missed,
        parts=tuple(parts),
        consented=tuple(sorted({*rated.accepted} - {*found.rated.accepted})),
    )


def _leave_list(tournament: Tournament, rated_for: date | None) -> None:
    """Let a tournament wait to be rated again, with the stages rated together with it (6.2)."""
    tournament.status, tournament.rated_for = Tournament.Status.RECEIVED, None
    stages = []
    if rated_for is not None:
        stages = list(event_stages(tournament).filter(rated_for=rated_for).exclude(pk=tournament.pk))
    forget_results([tournament, *stages])
    for stage in stages:
        stage.status, stage.rated_for = Tournament.Status.RECEIVED, None
        stage.save(update_fields=["status", "rated_for"])


def _read(upload: Upload) -> tuple[trf.Tournament, list[Remark]]:
    try:
        reading = trf.read_trf(
            io.BytesIO(upload.content), skip_unknown_federations=upload.skip_unknown_federations
        )
    except FileRefused as refused:
        raise ReportRefused(str(refused)) from None
    if reading.tournament is None:
        raise ReportRefused(*(one.at_line for one in reading.problems))
    return reading.tournament, list(reading.remarks)


def _by_line(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(sorted(remarks, key=lambda remark: remark.line))


def _namesakes(report: trf.Tournament) -> tuple[list[Tournament], list[Tournament]]:
    """Return tournaments of this name and first day, and those of other chapters.

    One that is registered and has no report yet may be the same whatever its chapter, unless there is one of
    the report's own. Names are compared here: SQLite folds only ASCII.
    """
    tournaments = Tournament.objects.all()
    name = _without_case(_fitting("name", report.name))
    of_the_day = tournaments.filter(first_day=_start(report)).values_list("pk", "name")
    found = list(tournaments.filter(pk__in=[pk for pk, other in of_the_day if _without_case(other) == name]))
    control, _tag = _time_control(report, "")
    if trf.stages_of(control) is None:
        return found, []
    chapter = _chapter(Tournament(first_day=_start(report), time_control=control))
    same = [one for one in found if one.chapter == chapter]
    same = same or [one for one in found if one.status == Tournament.Status.REGISTERED]
    return same, [one for one in found if one not in same]


def _without_case(name: str) -> str:
    return " ".join(name.split()).casefold()


def _start(report: trf.Tournament) -> date:
    """Return the first day. Raises ReportRefused without one, which the reader refuses already."""
    if report.start is None:
        raise ReportRefused(gettext("the first day is missing"))
    return report.start


def _fitting(name: str, text: str) -> str:
    """Cut a text to the length of the tournament's field."""
    most: int = getattr(Tournament._meta.get_field(name), "max_length", 0)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _fill(tournament: Tournament, report: trf.Tournament, upload: Upload, remarks: list[Remark]) -> KnownBy:
    """Copy the report's header and the options to the tournament. Raises ReportRefused."""
    lines = {record.tag: record.line for record in reversed(report.headers)}
    registered = None if tournament.pk is None else _called(tournament)

    def remark(tag: str, said: str, /, **values: Any) -> None:
        remarks.append(Remark(lines.get(tag, 1), said % values))

    _fill_texts(tournament, report, remark)
    kind, known_by = _kind(tournament, report, upload, "192" if "192" in lines else "092", remark)
    tournament.kind = kind.value
    planned = report.planned_rounds
    if kind is TournamentType.MATCH and planned is not None and planned in _GAMES:
        tournament.planned_games = planned
    _fill_days(tournament, report, upload, lines.get("042", 1), remark)
    if tournament.pk is None:
        tournament.chapter = _chapter(tournament)
    _split_if_long(tournament, kind, remark)
    _check_lists(tournament, report, lines.get("132", 1))
    if registered and registered != _called(tournament):
        remark("012", gettext("until now the tournament was called %(called)s"), called=registered)
    return known_by


def _fill_texts(tournament: Tournament, report: trf.Tournament, remark: _Remarking) -> None:
    """Copy name, city, time control and federation to the tournament, cut to their fields."""
    control, of = _time_control(report, tournament.time_control)
    for name, tag, text in (
        ("name", "012", report.name),
        ("city", "022", report.city),
        ("time_control", of, control),
    ):
        if text:
            setattr(tournament, name, fitting := _fitting(name, text))
            if fitting != text:
                remark(tag, gettext("%(text)s is too long and was cut"), text=shown(text))
    federation = report.federation.upper()
    if federation in FEDERATIONS:
        tournament.federation = federation
    elif federation:
        remark("032", gettext("%(text)s isn’t a FIDE federation, so it was left out"), text=shown(federation))


def _kind(
    tournament: Tournament, report: trf.Tournament, upload: Upload, tag: str, remark: _Remarking
) -> tuple[TournamentType, KnownBy]:
    """Return the kind that a tournament is rated as, and where that is known from."""
    told, told_by = kind_of(report)
    kind, known_by = told, told_by
    if upload.kind is not None:
        kind, known_by = upload.kind, KnownBy.ASKED
    elif tournament.pk is not None:
        kind, known_by = TournamentType(tournament.kind), KnownBy.REGISTERED
    # Pairings that are those of a Swiss say nothing of teams, and of a round robin 6.43 is found.
    if told is not kind and (told is not TournamentType.SWISS or told_by is not KnownBy.PAIRINGS):
        said = gettext("type in the report: %(told)s; rated as: %(kind)s")
        remark(tag, said, told=KIND_NAMES[told], kind=KIND_NAMES[kind])
    return kind, known_by


def _fill_days(
    tournament: Tournament, report: trf.Tournament, upload: Upload, line: int, remark: _Remarking
) -> None:
    """Copy the days to the tournament; ``line``: of the first day. Raises ReportRefused."""
    tournament.first_day, tournament.last_day = _start(report), report.end or _start(report)
    if upload.registered_on is not None:
        tournament.registered_on = upload.registered_on
    if report.end is None:
        remark("052", gettext("assumed to have ended on its first day, %(day)s"), day=tournament.last_day)
    _check_days(tournament, line)


def _split_if_long(tournament: Tournament, kind: TournamentType, remark: _Remarking) -> None:
    """Mark a long tournament to be rated period by period, if the edition of its first day says so."""
    edition = edition_on(tournament.first_day, tournament.chapter)
    if (
        tournament.rated_for is None
        and not tournament.by_period
        # Of a match its decision is asked of all games (6.2).
        and kind is not TournamentType.MATCH
        and edition.is_split(tournament.first_day, tournament.last_day)
    ):
        tournament.league = tournament.by_period = True
        lasts = gettext(
            "lasts more than 30 days, so each game is rated with the list in force on its day (%(article)s)"
        )
        remark("052", lasts, article=edition.cite(Topic.LIST_IN_FORCE))


def _chapter(tournament: Tournament) -> Chapter:
    """Return the chapter of a tournament that wasn't registered, by its time control (2024: 1.1)."""
    stages = [Stage(*stage) for stage in stages_of(tournament.time_control) or ()]
    found = edition_on(tournament.first_day).chapter_of(stages, None) if stages else None
    return found or Chapter.STANDARD


def _check_days(tournament: Tournament, line: int) -> None:
    first, last = tournament.first_day, tournament.last_day
    if first.year not in YEARS_OF_LISTS or last.year not in YEARS_OF_LISTS or last < first:
        told = gettext("line %(line)d: a tournament can’t last from %(first)s to %(last)s")
        raise ReportRefused(AtLine(told % {"line": line, "first": first, "last": last}, line))


def _check_results(tournament: Tournament, report: trf.Tournament, today: date) -> None:
    """Refuse results of a round that is still to come. Raises ReportRefused.

    East of UTC the next day has begun. Games of a league may be played before the day of their round.
    """
    last = report.rounds_with_results
    if not last:
        return
    days = () if tournament.league else report.round_dates
    in_132 = days[last - 1] if last <= len(days) else None
    day = in_132 or tournament.first_day
    if day > today + _A_DAY:
        tag = "132" if in_132 else "042"
        line = next((record.line for record in report.headers if record.tag == tag), 1)
        told = gettext("line %(line)d: round %(round)d has results, but its day, %(day)s, is in the future")
        words = {"line": line, "round": last if in_132 else 1, "day": date_text(day)}
        raise ReportRefused(AtLine(told % words, line))


def _check_lists(tournament: Tournament, report: trf.Tournament, line: int) -> None:
    """B.02 4.13, 7.13: refuse a report whose contradictory dates would change the lists that count.

    Raises ReportRefused.
    """
    edition, reasons = edition_on(tournament.first_day, tournament.chapter), []
    for other in report.other_days:
        days = other.day, other.said
        words = {"line": line, "day": other.day, "said": other.said}
        if other.is_first and len({*map(edition.list_in_force, days)}) > 1:
            told = gettext(
                "line %(line)d: the first round, %(day)s, is not on the first day, %(said)s. "
                "Different lists are in force on those two days%(article)s."
            )
            reasons.append(AtLine(told % (words | {"article": cited(edition, Topic.LIST_IN_FORCE)}), line))
        if not other.is_first and len({edition.rated_on(day, tournament.official) for day in days}) > 1:
            told = gettext(
                "line %(line)d: the last round, %(day)s, is not on the last day, %(said)s. Those two "
                "days belong to different lists%(article)s."
            )
            reasons.append(AtLine(told % (words | {"article": cited(edition, Topic.CLOSING_DAY)}), line))
    if reasons:
        raise ReportRefused(*reasons)


def _called(tournament: Tournament) -> str:
    return f"{tournament.name}, {tournament.first_day} – {tournament.last_day}"


def _time_control(report: trf.Tournament, registered: str) -> tuple[str, str]:
    """Return what is understood of record 222, or 122, or what was registered, or else any words; and its
    record.
    """
    reported = [(report.header(tag), tag) for tag in ("222", "122")]
    found = [*reported, (registered, "")]
    most: int = getattr(Tournament._meta.get_field("time_control"), "max_length", 0)
    # Words that are too long for the field are kept as what was read.
    understood = [
        (text if len(text) <= most else trf.encoded(stages), tag)
        for text, tag in found
        if (stages := trf.stages_of(text))
    ]
    return next(iter(understood or [one for one in reversed(found) if one[0]]), ("", ""))


_WORDS: Final = (
    (TournamentType.TEAM, "TEAMS?|OLYMPIAD|SCHEVENINGEN|MANNSCHAFTS?[A-Z]*|EQUIPES?|EQUIPOS?|DRUZYN[A-Z]*"),
    (
        TournamentType.ROUND_ROBIN,
        "ROUND ?ROBIN|BERGER|ALL ?PLAY ?ALL|RUNDENTURNIER|KOLOW[A-Z]*|KAZDY Z KAZDYM",
    ),
    (TournamentType.SWISS, "SWISS|DUTCH|DUBOV|BURSTEIN|LIM|MONRAD|SCHWEIZER|SUISSE|SUIZO|SZWAJCAR[A-Z]*"),
    (TournamentType.MATCH, "MATCH|MECZ"),
)
"""Words for each kind. The first kind found decides: a Swiss of teams is a team tournament."""


class KnownBy(IntegerChoices):
    """Source of a tournament's kind."""

    ASKED = 1, _("as requested")
    REGISTERED = 2, _("as registered")
    CODE = 3, _("by record 192")
    WORDS = 4, _("by record 092")
    TEAMS = 5, _("by the teams in the report")
    PAIRINGS = 6, _("by the pairings")


def kind_of(report: trf.Tournament) -> tuple[TournamentType, KnownBy]:
    """Return a tournament's kind by its report, and where that is known from.

    The words of records 192 and 092 count first: in many an individual tournament the report names teams too.
    Without any that are known, teams make a team tournament; two players have played a match; players of whom
    each met each equally often, a round robin; others a Swiss.
    """
    for tag, known_by in (("192", KnownBy.CODE), ("092", KnownBy.WORDS)):
        text = " ".join(re.findall("[A-Z]+", folded(report.header(tag))))
        for kind, words in _WORDS:
            if re.search(rf"\b(?:{words})\b", text):
                return kind, known_by
    if report.teams:
        return TournamentType.TEAM, KnownBy.TEAMS
    return _by_pairings(report), KnownBy.PAIRINGS


def _by_pairings(report: trf.Tournament) -> TournamentType:
    n = len(report.players)
    if n == 2:
        return TournamentType.MATCH
    met = Counter(
        (player.start_rank, pairing.opponent)
        for player in report.players
        for pairing in player.rounds
        if pairing.opponent is not None and player.start_rank < pairing.opponent
    )
    everybody = len(met) == n * (n - 1) // 2
    return TournamentType.ROUND_ROBIN if everybody and len(set(met.values())) == 1 else TournamentType.SWISS
