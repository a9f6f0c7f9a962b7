"""The events of a rating period, one after the other, and what they add up to for each player (B.02 8.55)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ratings.formats import trf
from ratings.otb.models import OtbList, Tournament, TournamentResult
from ratings.otb.services.pooling import Events, add_stage, can_stand_alone, event_of, events_of
from ratings.otb.services.rating import (
    Participant,
    RatedTournament,
    first_day_of,
    ids_of,
    last_day_played,
    rate_event,
    read,
)
from ratings.otb.services.standings import OnList, Standings, book
from ratings.rules.b02.lists import Standing
from ratings.rules.b02.types import Outcome
from ratings.rules.units import Hundredths

RESULT_COLUMNS: Final = tuple(
    one.attname for one in TournamentResult._meta.concrete_fields if one.attname != "id"
)

_LONGEST_NAME: Final = 150


@dataclass(slots=True)
class Played:
    """A player's results in the tournaments of a period. ``change``: hundredths; ``reported``: who they are.

    ``last_game``: the day of the last rated game (7.23).
    """

    reported: trf.Player
    last_game: date
    change: int = 0
    games: int = 0


class Period:
    """The events of a period, one after the other, and what they add up to for each player.

    ``results``: of each player, those that may enter a first rating, by event (6.2).
    """

    def __init__(self, list_day: date, previous: OtbList, using: str) -> None:
        self.list_day = list_day
        self.chapter = previous.chapter
        self.edition = book(list_day, self.chapter, using)
        self.previous = previous
        self.using = using
        self.standings = Standings(self.chapter, using)
        self.played: dict[int, Played] = {}
        self.results: dict[int, Events] = {}

    def rate(
        self, events: Sequence[Sequence[Tournament]], stay: Collection[int]
    ) -> Iterator[tuple[RatedTournament, bool]]:
        """Rate the next events, each of one or more stages; each stage with whether it counts.

        A stage that may not be rated is left out; one that somebody may still consent to keeps the others
        back with it (6.2). ``stay``: those that are rated whatever is found. What is stored of the players is
        looked up for all events at once.
        """
        reported = [[(stage, report_of(stage)) for stage in stages] for stages in events]
        self._look_up(ids_of(report for event in reported for _stage, report in event))
        for event in reported:
            yield from self._rate_event(event, stay)

    def _look_up(self, ids: Sequence[int]) -> None:
        """Have ready what is stored of these players, so that it isn't asked for event by event."""
        self.standings.on(self.previous, ids)
        unseen = [one for one in ids if one not in self.results]
        found = events_of(unseen, self.list_day, self.chapter, self.using)
        self.results |= {one: found.get(one, {}) for one in unseen}

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
        with_result = {
            one
            for one in ids
            if can_stand_alone(self.results[one].values(), latest[one].delisted_on if one in latest else None)
        }
        return rate_event(
            reported,
            listed=self.standings.in_force(first_day_of(reported), ids),
            latest=latest,
            with_result=with_result,
            using=self.using,
        )

    def _count(self, event: Sequence[RatedTournament]) -> None:
        for rated in event:
            for participant in rated.participants:
                self._count_result(participant, rated)

    def _count_result(self, participant: Participant, rated: RatedTournament) -> None:
        result, fide_id = participant.result, participant.reported.fide_id
        if fide_id is None or not result.counts:
            return
        tournament, last_game = rated.tournament, last_day_played(participant, rated)
        # Without their rounds: those of all reports would stay in memory.
        played = self.played.setdefault(fide_id, Played(participant.reported._replace(rounds=()), last_game))
        played.last_game = max(played.last_game, last_game)
        played.games += result.rated_games
        played.change += result.change or 0
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

    def after(self, was: OnList | None, fide_id: int, disabled: bool) -> Standing:
        """B.02 8.55(c), 8.3: how a player stands on the list of the period."""
        standing = Standing() if was is None else was.standing
        played = self.played.get(fide_id)
        if played is None:
            return standing
        if standing.rating is not None:
            rating = self.edition.new_rating(standing.rating, [Hundredths(played.change)])
            return standing.listed(rating, played.games)
        since = None if was is None else was.delisted_on
        events = [event for day, event in self.results[fide_id].values() if since is None or day > since]
        first = self.edition.first_rating(events, self.list_day, disabled)
        return standing if first.published is None else standing.listed(first.published, first.games)


def report_of(tournament: Tournament) -> trf.Tournament:
    if tournament.report is None:
        raise ValueError(f"{tournament} has no report")
    return read(tournament.report)


def result_row(tournament_id: int, participant: Participant) -> tuple[Any, ...]:
    """Return what is kept of a player's result, in the order of the columns."""
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
