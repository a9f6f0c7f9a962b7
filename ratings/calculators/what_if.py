"""Hypothetical games: by RBB, explained like lines of the ledger, or a tournament by FIDE's regulations.

Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _

from members.models import Member
from ratings.calculators.games import TypedGame
from ratings.rbb.explanation import LedgerExplanation, explain, first_results
from ratings.rbb.explanation.steps import score_text
from ratings.rbb.models import Rating, RatingChange
from ratings.rbb.models.editions import DecidedEditions
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.serializers import StepSerializer
from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.editions.b02_2009 import Edition, PeriodResults
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Entrant, EntrantResult, Game, TournamentToRate, TournamentType
from ratings.rules.rbb import what_if
from ratings.rules.rbb.editions import Edition as RbbEdition
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, LedgerLine, Reason, k_factor
from ratings.rules.rbb.what_if import games_to_go
from ratings.rules.rounding import displayed, from_hundredths, points_or_none, to_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import HalfPoints, Hundredths, Points

_COUNTED = (Reason.RESULT_COUNTED, Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)


@dataclass(frozen=True, slots=True)
class ExplainedGame:
    """A hypothetical game: the line it would have in the ledger, and what else happens with it.

    ``titles``: titles whose rating it reaches or falls below. ``ends_new_k``: it is the 30th game (RBB
    3.10.3).
    """

    number: int
    line: LedgerLine
    row: RatingChange
    explanation: LedgerExplanation
    titles: what_if.TitlesCrossed
    ends_new_k: bool


def steps(
    category: Category,
    standing: LedgerLine,
    member: Member | None,
    games: Sequence[TypedGame],
    editions: DecidedEditions,
    *,
    at: datetime,
) -> list[ExplainedGame]:
    """RBB 3.6 to 3.11: play these games in order from this standing, under the edition in force at a moment.

    Takes three or four queries in all.
    """
    ratings = ratings_of(category, games)
    played = [
        what_if.NextGame(ratings[game.line], game.result) for game in games if isinstance(game.result, int)
    ]
    edition = editions.at(at)
    lines = what_if.play(category, standing, played, edition)
    who = member or Member(username=_("Player"))
    earlier = _counted_already(category, standing, member)
    found = []
    for number, (game, line) in enumerate(zip(games, lines, strict=True), 1):
        opponent = game.opponent
        if not isinstance(opponent, Member):
            opponent = Member(username=_("Opponent %(number)d") % {"number": number})
        row = _row(number, category, who, opponent, line, at)
        found.append(
            ExplainedGame(
                number,
                line,
                row,
                explain(row, earlier, editions),
                what_if.titles_crossed(line),
                line.reason == Reason.RATED and line.previously_unrated and line.games == edition.new_games,
            )
        )
        if line.reason in _COUNTED:
            earlier.append(row)
    return found


def ratings_of(category: Category, games: Sequence[TypedGame]) -> dict[int, Hundredths | None]:
    """Return the opponent's rating by line, in hundredths. Members have their current rating."""
    members = {game.opponent.pk for game in games if isinstance(game.opponent, Member)}
    stand = {
        rating.member_id: rating.standing.rating
        for rating in Rating.objects.filter(member__in=members, category=category)
    }
    return {
        game.line: stand.get(game.opponent.pk)
        if isinstance(game.opponent, Member)
        else None
        if game.opponent is None
        else to_hundredths(Decimal(game.opponent))
        for game in games
    }


def _counted_already(category: Category, standing: LedgerLine, member: Member | None) -> list[RatingChange]:
    """RBB 3.6: return the results towards a first rating that a member has in the ledger."""
    counted = 0 if standing.rating is not None else standing.games % FIRST_RATING_GAMES
    if member is None or not counted:
        return []
    return list(first_results(RatingChange.objects.filter(member=member, category=category), counted))


def _row(
    number: int, category: Category, who: Member, opponent: Member, line: LedgerLine, at: datetime
) -> RatingChange:
    """Return the row that the ledger would have for a hypothetical game."""
    values: dict[str, Any] = line._asdict()
    values["after"] = values.pop("rating")
    for name in ("after", "first_opponents", "peak", "before", "change", "opponent_rating"):
        values[name] = None if values[name] is None else from_hundredths(values[name])
    return RatingChange(
        id=change_id(EventType.GAME, number),
        member=who,
        opponent=opponent,
        category=category,
        occurred_at=at,
        **values,
    )


def standing_json(standing: LedgerLine, member: Member | None) -> dict[str, Any]:
    """Return the standing before the games."""
    return {
        "member": None if member is None else member.username,
        "rating": points_or_none(standing.rating),
        "displayed": _displayed(standing.rating),
        "games": standing.games,
        "previously_unrated": standing.previously_unrated,
    }


def step_json(step: ExplainedGame) -> dict[str, Any]:
    """Return a game with the fields of its ledger line and its explanation."""
    row, line = step.row, step.line
    return {
        "number": step.number,
        "opponent": row.opponent.username if row.opponent and row.opponent.pk else None,
        "opponent_rating": row.opponent_rating,
        "score": score_text(line.half_points or 0),
        "reason": row.why.slug,
        "articles": row.why.articles,
        "before": row.before,
        "after": row.after,
        "change": row.change,
        "displayed_before": step.explanation.displayed_before,
        "displayed_after": step.explanation.displayed_after,
        "difference": line.difference,
        "expected": None if line.expected is None else from_hundredths(line.expected),
        "k": line.k,
        "games": line.games,
        "titles_reached": step.titles.reached,
        "titles_left": step.titles.left,
        "k_40_ends": step.ends_new_k,
        "sentence": step.explanation.sentence,
        "steps": StepSerializer(step.explanation.steps, many=True).data,
    }


def final_json(category: Category, start: LedgerLine, end: LedgerLine, edition: RbbEdition) -> dict[str, Any]:
    """Return the standing after the games: the next K, or how many results a first rating still needs."""
    rated = end.rating is not None
    return {
        "rating": points_or_none(end.rating),
        "displayed": _displayed(end.rating),
        "change": from_hundredths(Hundredths(end.rating - start.rating))
        if end.rating is not None and start.rating is not None
        else None,
        "games": end.games,
        "next_k": k_factor(category, end, edition) if rated else None,
        "first_rating_games_to_go": None if rated else games_to_go(end),
    }


def _displayed(hundredths: Hundredths | None) -> int | None:
    return None if hundredths is None else displayed(hundredths)


STANDARD, RAPID_AND_BLITZ, OF_2009 = "b02-2024", "b02-rapid-blitz-2024", "b02"
FORMULA: Final = "formula"
"""Name of the estimate by the FIDE formula, which belongs to no edition."""

EDITIONS: Final[dict[str, Edition]] = {
    STANDARD: edition_in_force(date(2025, 10, 1)),
    # The two chapters have the same rules.
    RAPID_AND_BLITZ: edition_in_force(date(2024, 12, 1), chapter=Chapter.RAPID),
    OF_2009: B02_2009,
}
"""Editions by their names in addresses. A name keeps its edition, so that a shared result stays the same."""


class Rated(NamedTuple):
    """A player's tournament, rated as if it were the only one of its period.

    ``k``, ``change`` (hundredths), ``rating`` (of the next list, in points): of a player with a rating.
    """

    result: EntrantResult
    k: int | None = None
    change: Hundredths | None = None
    rating: Points | None = None


def rate(
    edition: Edition,
    rating: Points | None,
    k: int | None,
    games: Sequence[tuple[Points | None, HalfPoints | None]],
) -> Rated:
    """Return what games bring a player of a Swiss, whose opponents' other games are of no concern.

    ``games``: the opponent's rating and the half points, None for an unrated opponent and for a game that was
    not played.
    """
    players, rounds = [Entrant(1, rating, k)], []
    for number, (opponent, half_points) in enumerate(games, 1):
        is_played = half_points is not None
        is_paired = is_played or opponent is not None
        if is_paired:
            # K of the opponents moves nobody but them.
            players.append(Entrant(number + 1, opponent, 10))
        rounds.append(Game(number, 1, number + 1 if is_paired else None, half_points, is_played))
    (stage,) = edition.rate([TournamentToRate(TournamentType.SWISS, players, rounds)])
    found = stage.rating.results[0]
    if rating is None or k is None:
        return Rated(found)
    total = PeriodResults(k, found.rated_games, found.change or Hundredths(0), found.delta or Hundredths(0))
    change = edition.period_change(total)
    return Rated(
        found,
        edition.k_of_period(k, found.rated_games),
        None if found.change is None else change,
        edition.new_rating(rating, [change]),
    )
