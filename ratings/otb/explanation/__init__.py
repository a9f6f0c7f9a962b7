"""Explanation of a player's tournament: a headline, the games, then steps with the articles of B.02.

Every number comes from what the rules returned; there is no second formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import NOTHING, signed
from ratings.office.explanations import (
    Explanation,
    Picture,
    Step,
    headline_of_scores,
    hundredths_text,
    of_scores,
    signed_hundredths,
    whole,
)
from ratings.otb.explanation.new_players import write_new
from ratings.otb.explanation.rated import write_rated, write_standing
from ratings.otb.services.crosstable import counts_for
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.explanation import spoken_name
from ratings.rbb.labels import SCORE_KINDS, half_points_text
from ratings.rules.b02.expected_score import CAP
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import EntrantResult, GameResult, Outcome
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game as a player sees it. ``difference`` has its sign; ``capped``: D as it counts (8.54).

    ``kind``: won, drawn or lost; empty without a score.
    ``expected`` and ``delta``: P(D) and score − P(D); empty where there are none.
    """

    round: int
    colour: str
    opponent: Participant | None
    score: str
    kind: str
    counts: bool
    opponent_rating: int | None
    difference: str
    capped: str
    expected: str
    delta: str
    why: Promise
    article: str


@dataclass(frozen=True, slots=True)
class ParticipantExplanation(Explanation):
    """Everything about one player of a tournament."""

    games: tuple[GameLine, ...]


_SENTENCES: Final[Mapping[Outcome, Promise]] = {
    Outcome.CHANGED: _("Rating %(rating)d, change %(change)s."),
    Outcome.NEW_RESULT: _("A performance of %(rating)d counts towards a first rating."),
    Outcome.NOTHING_RATED: _("No games count, so nothing changes."),
    Outcome.ZERO_SCORE: _("No rating yet and no points scored, so the result does not count."),
    Outcome.FEW_GAMES: _(
        "A first result needs three games against rated players, so this one doesn’t count."
    ),
    Outcome.FEW_POINTS: _("A first result needs a point, so this one doesn’t count."),
    Outcome.BELOW_FLOOR: _("A first result below the lowest published rating does not count."),
}


def explain(rated: RatedTournament, participant: Participant) -> ParticipantExplanation:
    """Return how a participant's line of the cross-table was calculated."""
    result = participant.result
    rating = result.rating if result.new is None or result.change is not None else result.new.final.rating
    change = None if result.change is None else signed(from_hundredths(result.change))
    sentence = str(_SENTENCES[result.outcome] % {"rating": rating or 0, "change": change})
    if result.change is not None:
        steps = tuple(write_rated(rated, participant))
    elif result.rating is not None:
        steps = tuple(write_standing(rated, participant))
    else:
        steps = (*write_standing(rated, participant), *write_new(rated, participant))
    return ParticipantExplanation(
        sentence,
        (*steps, *_penalties(rated, participant)),
        tuple(_games(rated, participant)),
        headline=sentence
        if result.change is None
        else headline_of_scores(spoken_name(participant.reported.name), from_hundredths(result.change)),
        picture=_picture(result),
    )


def _picture(result: EntrantResult) -> Picture | None:
    """B.02 8.55: return the numbers of (score − We) × K."""
    if result.change is None or result.expected is None or result.k is None:
        return None
    return of_scores(
        half_points_text(result.half_points),
        hundredths_text(result.expected),
        result.k,
        signed_hundredths(result.change),
        shares=(
            Fraction(result.expected, 100 * result.rated_games),
            Fraction(result.half_points, 2 * result.rated_games),
        ),
        most=result.rated_games,
    )


def _games(rated: RatedTournament, participant: Participant) -> Iterator[GameLine]:
    by_number = {one.reported.start_rank: one for one in rated.participants}
    for game in participant.result.games:
        pairing = participant.reported.rounds[game.round - 1]
        opponent = None if game.opponent is None else by_number[game.opponent]
        yield GameLine(
            game.round,
            pairing.colour,
            opponent,
            NOTHING if game.half_points is None else half_points_text(game.half_points),
            "" if game.half_points is None else SCORE_KINDS[game.half_points],
            counts_for(participant.result, game),
            game.opponent_rating,
            *_difference(game, rated.edition.cap(participant.result.rating)),
            _(game.reason.text),
            rated.edition.article(game.reason),
        )


def _penalties(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """Say which games have a penalty: their two results aren't one point."""
    text = _(
        "Round %(round)d: %(player)s has %(score)s and %(opponent)s %(theirs)s, because of a "
        "penalty. Each is rated on their own score."
    )
    names = rated.names
    own = participant.reported.start_rank
    for finding in rated.findings:
        if finding.finds is not Finds.PENALTY or own not in (finding.player, finding.opponent):
            continue
        sides = [(finding.player or 0, finding.found or 0), (finding.opponent or 0, finding.needed or 0)]
        (_own, score), (opponent, theirs) = sides if finding.player == own else reversed(sides)
        words = {
            "round": finding.round,
            "player": participant.reported.name,
            "score": half_points_text(score),
            "opponent": names[opponent],
            "theirs": half_points_text(theirs),
        }
        yield Step(text % words, rated.edition.article(finding.finds))


def _difference(game: GameResult, cap: int) -> tuple[str, str, str, str]:
    if game.difference is None or game.expected is None or game.half_points is None:
        return "", "", "", ""
    capped = max(-CAP, min(CAP, game.difference)) if cap == CAP else game.difference
    return (
        whole(game.difference),
        whole(capped),
        hundredths_text(game.expected),
        signed(from_hundredths(Hundredths(50 * game.half_points - game.expected))),
    )
