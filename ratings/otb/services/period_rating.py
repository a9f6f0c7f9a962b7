"""The events of a rating period, one after the other, and what they add up to for each player (B.02 8.55)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from ratings.formats import trf
from ratings.otb.models import OtbList, Tournament, TournamentResult
from ratings.otb.services.pooling import Events, add_stage, event_of, events_of, have_played
from ratings.otb.services.rating import (
    Known,
    Participant,
    RatedTournament,
    first_day_of,
    ids_of,
    last_day_played,
    rate_event,
    with_earlier_result,
)
from ratings.otb.services.rows import reported_by
from ratings.otb.services.standings import OnList, Standings, edition_on
from ratings.rules.b02.editions.b02_2009 import Edition, PeriodResults
from ratings.rules.b02.floors import raised
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Outcome
from ratings.rules.units import Hundredths, Points

RESULT_COLUMNS: Final = tuple(
    one.attname for one in TournamentResult._meta.concrete_fields if one.attname != "id"
)

_LONGEST_NAME: Final = 150


@dataclass(slots=True)
class Played:
    """A player's results in the tournaments of a period. ``change``, ``delta``: hundredths.

    ``reported``: who they are. ``last_game``: the day of the last rated game (7.23). ``seed``: the standard
    rating with which somebody without a rating in rapid or blitz began (2024: 7.2.1). ``k``: of the changes;
    in the edition of 2024 it is the same in all tournaments of the period (8.3.3).
    """

    reported: trf.Player
    last_game: date
    change: int = 0
    delta: int = 0
    games: int = 0
    seed: Points | None = None
    k: int | None = None


class Period:
    """The events of a period, one after the other, and what they add up to for each player.

    ``results``: of each player, those that may enter a first rating, by event (6.2). ``have_played``: who had
    a result without a rating before (2024: 8.2.1). ``games``: rated games by FIDE ID, where they are known
    before the tournaments are rated.
    """

    def __init__(self, list_day: date, previous: OtbList) -> None:
        self.list_day = list_day
        self.chapter = previous.chapter
        self.edition = edition_on(list_day, self.chapter)
        self.previous = previous
        self.standings = Standings(self.chapter)
        self.played: dict[int, Played] = {}
        self.standard = Standings(Chapter.STANDARD)
        self.results: dict[int, Events] = {}
        self.have_played: set[int] = set()
        self.games: dict[int, int] = {}
        self._books = {list_day: self.edition}
        self._seen: set[int] = set()

    def rate(
        self, events: Sequence[Sequence[Tournament]], stay: Collection[int]
    ) -> Iterator[tuple[RatedTournament, bool]]:
        """Rate the next events, each with its stages. Yield each stage with True if it counts.

        A stage that may not be rated is left out; one that somebody may still consent to keeps the others
        back with it (6.2). ``stay``: those that are rated in spite of findings. Stored facts about the
        players are looked up for all events at once.
        """
        reports = reported_by([stage for stages in events for stage in stages])
        self._look_up(ids_of(reports.values()))
        for stages in events:
            yield from self._rate_event([(stage, reports[stage.pk]) for stage in stages], stay)

    def _look_up(self, ids: Sequence[int]) -> None:
        """Load what is stored about these players, so that it isn't queried event by event."""
        self.standings.on(self.previous, ids)
        unseen = set(ids) - self._seen
        self._seen |= unseen
        # The audit brings results of its own.
        without = sorted(unseen.difference(self.results))
        found = events_of(without, self.list_day, self.chapter)
        self.results |= {one: found.get(one, {}) for one in without}
        self.have_played |= have_played(unseen, self.list_day, self.chapter)

    def _rate_event(
        self, reported: Sequence[tuple[Tournament, trf.Tournament]], stay: Collection[int]
    ) -> Iterator[tuple[RatedTournament, bool]]:
        while reported:
            rated = self._rate(reported)
            barred = [one for one in rated if one.tournament.pk not in stay and one.refusals]
            out = {one.tournament.pk for one in barred if one.is_refused}
            if barred and not out:
                out = {stage.pk for stage, _report in reported} - set(stay)
            if not out:
                self._count(rated)
                yield from ((one, True) for one in rated)
                return
            yield from ((one, False) for one in rated if one.tournament.pk in out)
            reported = [one for one in reported if one[0].pk not in out]

    def _rate(self, reported: Sequence[tuple[Tournament, trf.Tournament]]) -> list[RatedTournament]:
        ids = ids_of(report for _stage, report in reported)
        latest = self.standings.on(self.previous, ids)
        first_day = first_day_of(reported)
        edition = self._book(first_day)
        known = Known(
            self.standings.in_force(first_day, ids),
            latest,
            with_earlier_result(edition, self.results, latest, self.have_played, ids),
            {} if self.chapter == Chapter.STANDARD else self.standard.in_force(first_day, ids),
            self.list_day,
            self.previous.list_day,
            edition,
            self.edition,
        )
        return rate_event(reported, known)

    def _book(self, day: date) -> Edition:
        """Return the edition of a day; each is looked up once for all events."""
        if day not in self._books:
            self._books[day] = edition_on(day, self.chapter)
        return self._books[day]

    def _count(self, event: Sequence[RatedTournament]) -> None:
        for rated in event:
            for participant in rated.participants:
                self._count_result(participant, rated)

    def _count_result(self, participant: Participant, rated: RatedTournament) -> None:
        result, fide_id = participant.result, participant.reported.fide_id
        if fide_id is not None and result.outcome in (Outcome.ZERO_SCORE, Outcome.NEW_RESULT):
            self.have_played.add(fide_id)
        if fide_id is None or not result.counts:
            return
        tournament, last_game = rated.tournament, last_day_played(participant, rated)
        # Without their rounds: those of all reports would stay in memory.
        played = self.played.setdefault(fide_id, Played(participant.reported._replace(rounds=()), last_game))
        played.last_game = max(played.last_game, last_game)
        played.games += result.rated_games
        played.change += result.change or 0
        played.delta += result.delta or 0
        if result.change is not None and result.k is not None:
            played.k = result.k
        if participant.is_seeded and played.seed is None:
            played.seed = participant.player.rating
        if result.outcome is Outcome.NEW_RESULT and result.new is not None:
            stage = event_of(
                tournament.last_day,
                result.new.games,
                result.new.half_points,
                result.new.opponents_sum,
                result.new.why_not_first,
                result.new.final.opponents,
                tournament.team_championship,
            )
            add_stage(self.results[fide_id], tournament.event, self.list_day, stage)

    def change(self, played: Played) -> Hundredths:
        """Return the exact change of a player with a rating in the period (2009: 8.55(c); 2024: 8.3.2)."""
        results = PeriodResults(
            played.k or 0, played.games, Hundredths(played.change), Hundredths(played.delta)
        )
        return self.edition.period_change(results)

    def with_final_k(self, participant: Participant) -> Participant:
        """Return a participant with the K of all their games of the period (2024: 8.3.3)."""
        result, fide_id = participant.result, participant.reported.fide_id
        if fide_id is None or result.k is None or result.delta is None:
            return participant
        k = self.edition.k_of_period(result.k, self.games.get(fide_id, 0))
        if k == result.k:
            return participant
        changed = result._replace(k=k, change=Hundredths(k * result.delta))
        return replace(participant, player=participant.player._replace(k=k), result=changed)

    def after(self, was: OnList | None, fide_id: int, disabled: bool, is_raised: bool) -> Standing:
        """Return how a player stands on the list of the period (2009: 8.55(c), 8.3; 2024: 8.2, 8.3).

        ``is_raised``: the list has the one-off change of March 2024, which comes before the lowest rating.
        """
        standing = Standing() if was is None else was.standing
        played = self.played.get(fide_id)
        rating, games = standing.rating, 0 if played is None else played.games
        if played is not None:
            if rating is None and played.seed is not None:
                standing = standing._replace(rating=played.seed)
                rating = played.seed
            if rating is not None:
                rating = self.edition.new_rating(rating, [self.change(played)])
            else:
                rating, games = self._first_rating(was, fide_id, disabled)
        if rating is None:
            return standing
        return self.edition.listed(standing, raised(rating) if is_raised else rating, games)

    def _first_rating(self, was: OnList | None, fide_id: int, disabled: bool) -> tuple[Points | None, int]:
        since = None if was is None else was.delisted_on
        events = [event for day, event in self.results[fide_id].values() if since is None or day > since]
        first = self.edition.first_rating(events, self.list_day, disabled)
        return first.published, first.games


def result_row(tournament_id: int, participant: Participant) -> tuple[Any, ...]:
    """Return a player's result as a row, in the order of the columns."""
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
