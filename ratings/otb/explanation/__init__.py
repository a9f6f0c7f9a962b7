"""Why a tournament gives a player what it gives him: his games, then steps with the articles of B.02.

Every number comes from what the rules returned; there is no second formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.text import NOTHING, signed
from ratings.labels import expected_text, half_points_text
from ratings.office.steps import Explanation, Step, whole
from ratings.otb.explanation.new_players import write_new
from ratings.otb.explanation.rated import write_rated, write_standing
from ratings.otb.labels import GAME_REASON_TEXTS
from ratings.otb.services.crosstable import counts_for
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rules.b02.parts import CAP, GameResult, Outcome
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths

__all__ = ["GameLine", "ParticipantExplanation", "Step", "explain"]


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game as a player sees it. ``difference`` has its sign; ``capped``: D as it counts (8.54).

    ``expected`` and ``delta``: P(D) and score − P(D); empty where there are none.
    """

    round: int
    colour: str
    opponent: Participant | None
    score: str
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
    Outcome.NEW_RESULT: _("A result worth %(rating)d, towards a first rating."),
    Outcome.NOTHING_RATED: _("No game counts, so nothing is rated."),
    Outcome.ZERO_SCORE: _("No rating and no point: the result is left out."),
    Outcome.FEW_GAMES: _("A first result with fewer than three games against rated players is left out."),
    Outcome.FEW_POINTS: _("A first result of less than one point is left out."),
    Outcome.BELOW_FLOOR: _("A first result under the lowest published rating is left out."),
}


def explain(rated: RatedTournament, participant: Participant) -> ParticipantExplanation:
    """How a participant's line of the cross-table came about."""
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
    return ParticipantExplanation(sentence, steps, tuple(_games(rated, participant)))


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
            counts_for(participant.result, game),
            game.opponent_rating,
            *_difference(game),
            GAME_REASON_TEXTS[game.reason],
            game.reason.article,
        )


def _difference(game: GameResult) -> tuple[str, str, str, str]:
    if game.difference is None or game.expected is None or game.half_points is None:
        return "", "", "", ""
    capped = max(-CAP, min(CAP, game.difference))
    return (
        whole(game.difference),
        whole(capped),
        expected_text(game.expected),
        signed(from_hundredths(Hundredths(50 * game.half_points - game.expected))),
    )
