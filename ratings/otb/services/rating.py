"""One tournament under B.02: from its report and the list in force to what it gives each player."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.formats.trf.time_controls import stages_of
from ratings.otb.models import AcceptedFinding, Tournament, TournamentReport, TournamentResult
from ratings.otb.services.identity import other_names
from ratings.otb.services.places import HALF_POINTS
from ratings.otb.services.pooling import OUTCOMES, Events, events_of, have_played
from ratings.otb.services.rows import reported, reported_with_opponents
from ratings.otb.services.stages import event_stages, first_list, next_list_for
from ratings.otb.services.standings import OnList, edition_on, on_list
from ratings.rules.b02.editions.b02_2009 import Edition, Past
from ratings.rules.b02.eligibility import penalties
from ratings.rules.b02.findings import Circumstances, Finding, Finds, Severity
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.lists import months_after
from ratings.rules.b02.time_controls import Chapter, Stage, seconds_for_60_moves
from ratings.rules.b02.tournament_rating import StageRating
from ratings.rules.b02.types import (
    Entrant,
    EntrantResult,
    Game,
    GameReason,
    GameResult,
    NewPlayer,
    Outcome,
    TournamentRating,
    TournamentToRate,
    TournamentType,
)
from ratings.rules.rounding import to_hundredths
from ratings.rules.units import OPPONENTS_SCORE, HalfPoints, Points

_OF_A_LEAGUE = (Finds.TOO_FAST, Finds.POINTS_OF_BYES, Finds.OTHER_NAME)
"""Findings that name a player but are about a league as a whole."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A player of a report. ``listed``: their line on the list in force on the first day, or None.

    ``player``: the input of the rules; ``result``: their output.
    """

    reported: trf.Player
    listed: OnList | None
    player: Entrant
    result: EntrantResult

    @property
    def is_seeded(self) -> bool:
        """True for a player who begins rapid or blitz with a standard rating (2024: 7.2.1)."""
        own = None if self.listed is None else self.listed.standing.rating
        return own is None and self.player.rating is not None


@dataclass(frozen=True, slots=True)
class RatedTournament:
    """A tournament with its report, rated; ``participants`` in the order of the report.

    ``findings``: of B.02; ``accepted``: the accepted ones, by number. ``whole``: by start number,
    the results of new players in all stages of the event, where they have several (6.2).
    """

    tournament: Tournament
    report: trf.Tournament
    participants: tuple[Participant, ...]
    rating: TournamentRating
    edition: Edition
    findings: tuple[Finding, ...]
    accepted: Mapping[int, AcceptedFinding]
    whole: Mapping[int, NewPlayer] = field(default_factory=dict)

    @property
    def names(self) -> dict[int, str]:
        """Return the names of the players by start number."""
        return {one.reported.start_rank: one.reported.name for one in self.participants}

    @property
    def is_refused(self) -> bool:
        """True if it has a finding that nobody may accept."""
        return any(not finding.acceptable for finding in self.refusals)

    @property
    def refusals(self) -> list[Finding]:
        """Return the findings that keep the tournament from being rated."""
        return [
            finding
            for finding in self.findings
            if finding.severity is Severity.REFUSAL and finding.finds not in self.accepted
        ]


def read(report: TournamentReport) -> trf.Tournament:
    """Read a received report again. Raises FileRefused if it can no longer be read."""
    reading = trf.read_trf(
        io.BytesIO(bytes(report.content)), skip_unknown_federations=report.skip_unknown_federations
    )
    if reading.tournament is None:
        raise FileRefused("; ".join(map(str, reading.problems)))
    return reading.tournament


def rate(tournament: Tournament, report: trf.Tournament) -> RatedTournament:
    """Rate a report by B.02. Nothing is stored; the tournament needn't be, either.

    The other stages of its event that have a report are rated with it (6.2).
    """
    stages = _with_other_stages(tournament, report)
    rated = rate_event(stages)
    return next(one for one in rated if one.tournament is tournament)


class Known(NamedTuple):
    """Stored facts about the players of an event.

    ``listed``: who is on the list in force on the first day; ``latest``: on the last list before the event is
    rated (2009: 8.4; 2024: 8.2.4); ``with_result``: who without a rating has an earlier result (2009: 6.1;
    2024: 8.2.1). ``standard``: in rapid and blitz, who is on the standard list of the first day (2024:
    7.2.1). ``for_list``: list date for which the event is rated; ``before``: of the list before that.
    ``edition``: of the first day of the event; ``of_list``: of the list for which it is rated.
    """

    listed: Mapping[int, OnList]
    latest: Mapping[int, OnList]
    with_result: Collection[int]
    standard: Mapping[int, OnList]
    for_list: date
    before: date
    edition: Edition
    of_list: Edition


def rate_event(
    stages: Sequence[tuple[Tournament, trf.Tournament]], known: Known | None = None
) -> list[RatedTournament]:
    """Rate the stages of an event together (2009: 6.2). Nothing is stored.

    ``known`` is looked up unless it is given.
    """
    if known is None:
        known = _known(stages)
    players = [[_player(reported, known) for reported in report.players] for _tournament, report in stages]
    return _rated(stages, players, known.listed, known.standard, known.for_list, known.edition)


def _known(stages: Sequence[tuple[Tournament, trf.Tournament]]) -> Known:
    ids = ids_of(report for _tournament, report in stages)
    tournaments = [tournament for tournament, _report in stages]
    chapter, first_day, list_day = tournaments[0].chapter, first_day_of(stages), first_list(tournaments)
    listed = on_list(first_day, chapter, ids)
    edition = edition_on(first_day, chapter)
    events, played = events_of(ids, list_day, chapter), have_played(ids, list_day, chapter)
    with_result = with_earlier_result(edition, events, listed, played, ids)
    standard = {} if chapter == Chapter.STANDARD else on_list(first_day, Chapter.STANDARD, ids)
    for_list = next_list_for(tournaments)
    of_list = edition_on(for_list, chapter)
    before = months_after(for_list, -of_list.choices.months_per_list)
    return Known(listed, listed, with_result, standard, for_list, before, edition, of_list)


def with_earlier_result(
    edition: Edition,
    events: Mapping[int, Events],
    latest: Mapping[int, OnList],
    played: Collection[int],
    fide_ids: Iterable[int],
) -> set[int]:
    """Return the players without a rating who have an earlier result (2009: 6.1; 2024: 8.2.1).

    ``events``: those that may enter a first rating now; ``played``: who has one at all.
    """
    return {
        one
        for one in fide_ids
        if edition.has_earlier_result(
            Past(
                events.get(one, {}).values(),
                latest[one].delisted_on if one in latest else None,
                one in played,
            )
        )
    }


def as_rated(tournament: Tournament) -> RatedTournament | None:
    """Return a tournament as it was rated, or as it would be now; None without a report.

    Raises NotInRows.
    """
    if tournament.report is None:
        return None
    if tournament.status != Tournament.Status.RATED:
        return rate(tournament, reported(tournament))
    return next(one for one in event_as_rated(tournament) if one.tournament is tournament)


def event_as_rated(tournament: Tournament) -> list[RatedTournament]:
    """Return a rated tournament and the other stages of its event, from the figures that were stored.

    Raises NotInRows.
    """
    stages = _with_other_stages(tournament, reported(tournament))
    players = []
    ids: set[int] = set()
    for stage, its_report in stages:
        stored = {result.number: result for result in TournamentResult.objects.filter(tournament=stage)}
        players.append([_as_stored(stored[player.start_rank]) for player in its_report.players])
        ids |= {one.fide_id for one in stored.values() if one.fide_id}
    first_day = first_day_of(stages)
    listed = on_list(first_day, tournament.chapter, ids)
    standard = {} if tournament.chapter == Chapter.STANDARD else on_list(first_day, Chapter.STANDARD, ids)
    list_day = tournament.rated_for or next_list_for([tournament])
    return _rated(stages, players, listed, standard, list_day, edition_on(first_day, tournament.chapter))


def player_as_rated(tournament: Tournament, number: int) -> tuple[RatedTournament, Participant] | None:
    """Return a player, with as much of the tournament as their page shows; None without this player.

    Of a player whose rating it changes these are their own games, as they were rated. A result towards a
    first rating, or of one of several stages, needs the games of all. Raises NotInRows.
    """
    of_player = TournamentResult.objects.filter(
        tournament=tournament, number=number, new_rating=None, change__isnull=False
    )
    stored = of_player.first() if tournament.status == Tournament.Status.RATED else None
    if stored is not None and tournament.stage_of_id is None and not tournament.stages.exists():
        rated: RatedTournament | None = _with_opponents(tournament, stored)
    else:
        rated = as_rated(tournament)
    if rated is None:
        return None
    found = next((one for one in rated.participants if one.reported.start_rank == number), None)
    return None if found is None else (rated, found)


_REASONS = {reason.value: reason for reason in GameReason}


def _with_opponents(tournament: Tournament, stored: TournamentResult) -> RatedTournament:
    """Return a rated player with their opponents, who have only reported values."""
    number, fide_id = stored.number, stored.fide_id or 0
    report, figures = reported_with_opponents(tournament, number)
    counted = {round_: how for round_, *how in figures}
    own, kind = _as_stored(stored), TournamentType(tournament.kind)
    rating = own.later_rating if own.rating is None else own.rating
    rules = TournamentToRate(kind, (own,), tuple(games_of(report)))
    games = []
    for round_, player, opponent, half_points, _played, theirs in sorted(
        rules.games, key=lambda game: game.round
    ):
        reason, against, expected = counted[round_]
        if player != number:
            opponent = player
            if half_points is not None:
                half_points = OPPONENTS_SCORE[half_points] if theirs is None else theirs
        difference = None if expected is None or rating is None else Points(rating - against)
        games.append(
            GameResult(round_, opponent, half_points, _REASONS[reason], against, difference, expected)
        )
    result = EntrantResult(
        number,
        OUTCOMES[stored.outcome],
        tuple(games),
        stored.rated_games,
        HalfPoints(stored.half_points),
        None if stored.average is None else Points(stored.average),
        rating,
        stored.k,
        None if stored.expected is None else to_hundredths(stored.expected),
        None if stored.change is None else to_hundredths(stored.change),
    )
    listed = on_list(tournament.first_day, tournament.chapter, [fide_id])
    others = EntrantResult(0, Outcome.NOTHING_RATED, ())
    return RatedTournament(
        tournament,
        report,
        tuple(
            Participant(one, listed.get(fide_id), own, result)
            if one.start_rank == number
            else Participant(one, None, Entrant(one.start_rank, None), others)
            for one in report.players
        ),
        TournamentRating(kind, (result,)),
        edition_on(tournament.first_day, tournament.chapter),
        tuple(penalties(rules)),
        {},
    )


def ids_of(reports: Iterable[trf.Tournament]) -> list[int]:
    """Return the FIDE IDs in these reports, each once."""
    found = {one.fide_id: None for report in reports for one in report.players if one.fide_id is not None}
    return list(found)


def first_day_of(stages: Iterable[tuple[Tournament, trf.Tournament]]) -> date:
    """B.02 4.13, 6.2: return the day whose list has the ratings of an event."""
    return min(tournament.first_day for tournament, _report in stages)


def last_day_played(participant: Participant, rated: RatedTournament) -> date:
    """B.02 7.23: return the day of the last round in which a player had a rated game.

    If the report doesn't say when that was, it is the last day of the tournament.
    """
    games = participant.result.games
    last = max((game.round for game in games if game.opponent_rating is not None), default=0)
    days = rated.report.round_dates
    day = days[last - 1] if 0 < last <= len(days) else None
    return day or rated.tournament.last_day


def _with_other_stages(
    tournament: Tournament, report: trf.Tournament
) -> list[tuple[Tournament, trf.Tournament]]:
    """Return the tournament, and the other stages of its event that have a report and the same status."""
    stages = [(tournament, report)]
    if tournament.pk is None:
        return stages
    for stage in event_stages(tournament):
        rated = stage.status == tournament.status == Tournament.Status.RATED
        waits = Tournament.Status.RATED not in (stage.status, tournament.status)
        if stage.pk != tournament.pk and stage.report is not None and (rated or waits):
            stages.append((stage, reported(stage)))
    return stages


def _player(reported: trf.Player, known: Known) -> Entrant:
    """Return a player as the lists have them (2009: 4.13, 8.4; 2024: 7.1.1, 8.2.4)."""
    fide_id, edition = reported.fide_id or 0, known.edition
    start, now, standard = (lists.get(fide_id) for lists in (known.listed, known.latest, known.standard))
    own = Standing() if start is None else start.standing
    begins = edition.seeded(own, Standing() if standard is None else standard.standing)
    later = None if now is None else now.standing.rating
    later_k = None if now is None or later is None else now.k
    if begins.rating is not None:
        listed = now or start or standard
        born = reported.birth_year if listed is None else listed.birth_year
        # One edition says which K counts for all tournaments of a list, also for those of an earlier edition.
        k_at_start, k_before = (_k(one, begins.rating, born, known) for one in (start, now))
        return Entrant(reported.start_rank, begins.rating, known.of_list.k_in_period(k_at_start, k_before))
    return Entrant(reported.start_rank, None, later_k, fide_id in known.with_result, later)


def _k(listed: OnList | None, rating: Points, born: int | None, known: Known) -> int | None:
    """Return K of the list, or the K that would go with this rating for a player who has none."""
    if listed is not None and listed.k is not None:
        return listed.k
    own = Standing() if listed is None else listed.standing
    return known.of_list.k(own._replace(rating=rating), born, known.before)


def circumstances(
    tournament: Tournament,
    report: trf.Tournament,
    for_list: date,
    edition: Edition,
    listed: Mapping[int, OnList],
) -> Circumstances:
    """Return the facts about a tournament that B.02 asks about, apart from players and games.

    ``listed``: who has a FIDE ID of the report, on a list in force on the first day.
    """
    stages = stages_of(tournament.time_control) or ()
    # A league is registered before its first round, not before that of each part (4.13).
    event = tournament.part_of or tournament
    league = tournament.part_of
    last = edition.last_list_to_report(event.last_day)
    if tournament.pk is not None and last is not None and for_list > last:
        # A report that was here in time isn't late because the office is, or because it was mended.
        first = tournament.reports.order_by("received_at").values_list("received_at", flat=True).first()
        if first is not None:
            for_list = min(for_list, edition.next_list(edition.list_in_force(first.date())))
    return Circumstances(
        first_day=event.first_day,
        last_day=event.last_day,
        registered=tournament.registered_on,
        stages=[Stage(*stage) for stage in stages],
        control=tournament.time_control,
        round_days={number: day for number, day in enumerate(report.round_dates, 1) if day is not None},
        official=tournament.official,
        league=tournament.league,
        national_championship=tournament.national_championship,
        women_only=tournament.women_only,
        announced_unrated=tournament.announced_unrated,
        other_laws=bool(tournament.other_laws),
        rounds=report.rounds_with_results,
        # A league that is rated period by period sends in the rounds that have been played, and the days of
        # its rounds decide (4.13).
        planned_rounds=None if tournament.by_period else report.planned_rounds,
        other_days={} if tournament.by_period else {one.round: one.day for one in report.other_days},
        # The report of a part has no points: those of its league are of all rounds.
        for_list=for_list,
        points_of_byes=trf.explained_by_byes(report if league is None else reported(league)),
        other_names=other_names(report.players, listed),
    )


def games_of(report: trf.Tournament) -> Iterator[Game]:
    """Yield every pairing of a report once, and the byes."""
    by_number = {player.start_rank: player for player in report.players}
    for player in report.players:
        for number, pairing in enumerate(player.rounds, 1):
            opponent = pairing.opponent
            if opponent is None:
                if pairing != trf.NO_PAIRING:
                    half_points = HALF_POINTS[pairing.result]
                    yield Game(number, player.start_rank, None, half_points, played=False)
            elif player.start_rank < opponent:
                other = by_number[opponent].rounds[number - 1]
                half_points, theirs = HALF_POINTS[pairing.result], HALF_POINTS[other.result]
                # A played game may have a penalty; of one that wasn't, the points count for nothing.
                ours = half_points if half_points + theirs == 2 or pairing.played else None
                penalty = theirs if ours is not None and half_points + theirs != 2 else None
                yield Game(number, player.start_rank, opponent, ours, pairing.played, penalty)


def _rated(
    stages: Sequence[tuple[Tournament, trf.Tournament]],
    players: Sequence[Sequence[Entrant]],
    listed: Mapping[int, OnList],
    standard: Mapping[int, OnList],
    for_list: date,
    edition: Edition,
) -> list[RatedTournament]:
    rules = [
        TournamentToRate(
            TournamentType(tournament.kind),
            some,
            tuple(games_of(report)),
            tournament.planned_games,
            _seconds(tournament),
            tournament.rated_to_the_end,
        )
        for (tournament, report), some in zip(stages, players, strict=True)
    ]
    who = [
        {one.start_rank: one.fide_id for one in report.players if one.fide_id is not None}
        for _tournament, report in stages
    ]
    found = edition.rate(rules, who)
    together = zip(stages, players, rules, found, strict=True)
    return [_rated_stage(*one, edition, listed, standard, for_list) for one in together]


def _seconds(tournament: Tournament) -> int | None:
    """Return the time of a player for 60 moves; None if the time control isn't known."""
    stages = stages_of(tournament.time_control)
    return seconds_for_60_moves([Stage(*stage) for stage in stages]) if stages else None


def _rated_stage(
    stage: tuple[Tournament, trf.Tournament],
    players: Sequence[Entrant],
    rules: TournamentToRate,
    found: StageRating,
    edition: Edition,
    listed: Mapping[int, OnList],
    standard: Mapping[int, OnList],
    for_list: date,
) -> RatedTournament:
    tournament, report = stage
    accepted = {}
    if tournament.pk is not None:
        # What is accepted of a league is accepted of its parts.
        of_event = [tournament] if tournament.part_of is None else [tournament.part_of, tournament]
        accepted = {one.finds: one for event in of_event for one in event.accepted.all()}
    without_id = [one.start_rank for one in report.players if one.fide_id is None]
    told = circumstances(tournament, report, for_list, edition, {**standard, **listed})
    return RatedTournament(
        tournament,
        report,
        tuple(
            Participant(reported, listed.get(reported.fide_id or 0), player, result)
            for reported, player, result in zip(report.players, players, found.rating.results, strict=True)
        ),
        found.rating,
        edition,
        tuple(
            finding
            for finding in edition.findings(rules, told, found, without_id)
            # What players have is found in each part.
            if not tournament.by_period or finding.player is None or finding.finds in _OF_A_LEAGUE
        ),
        accepted,
        found.whole,
    )


def _as_stored(result: TournamentResult) -> Entrant:
    rating, later = result.rating, result.later_rating
    return Entrant(
        result.number,
        None if rating is None else Points(rating),
        result.k,
        result.earlier_result,
        None if later is None else Points(later),
    )
