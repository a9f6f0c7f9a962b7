"""Results of the calculators, for pages and JSON: exact numbers, without intermediate rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from ratings.calculators.forms import NeededForm
from ratings.calculators.games import TypedGame
from ratings.calculators.what_if import EDITIONS, FORMULA, rate, standing_json
from ratings.rbb.explanation.steps import score_text
from ratings.rbb.models import RuleEdition
from ratings.rules import needed
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.types import NewPlayer
from ratings.rules.fide_page import estimates
from ratings.rules.rbb import what_if
from ratings.rules.rbb.editions import Edition as RbbEdition
from ratings.rules.rbb.rating import UNRATED, LedgerLine, Reason, first_rating, first_rating_article
from ratings.rules.rounding import displayed, divide_half_up, from_hundredths, points_or_none, to_hundredths
from ratings.rules.time_controls import Category, Control
from ratings.rules.units import HalfPoints, Hundredths, Points

Json = dict[str, Any]

_ANY: Final = Category.RAPID
"""Any category, because RBB 3.6 and 3.7 are the same in all of them."""


def edition_json(edition: RbbEdition) -> Json:
    """Return the first day of an edition of RBB that the office has decided; nothing for the printed one."""
    return {} if edition.since is None else {"edition": edition.since.date()}


def fide_result(data: Json) -> Json:
    """Return what games bring under the FIDE formula."""
    rating, played = data["rating"], data["played"]
    found = estimates.estimate(
        rating, played or 0, _formula_games(data["games"]), k=data["k"], floor=data["floor"]
    )
    time_class = None
    if data["minutes"] is not None:
        time_class = estimates.time_class(Control(60 * data["minutes"], data["increment"] or 0))
    return {
        "rating_before": rating,
        **_estimate_json(found),
        "k_reason": found.k_reason.value,
        "provisional": None if played is None else found.provisional,
        "floor_held": found.floor_held,
        "time_class": None if time_class is None else time_class.slug,
    }


def _formula_games(games: Sequence[TypedGame]) -> list[estimates.Game]:
    return [estimates.Game(None if game.opponent is None else _whole(game), game.result) for game in games]


def _whole(game: TypedGame) -> Points:
    """Return the typed rating in whole points, as the field requires."""
    return Points(int(Decimal(str(game.opponent))))


def _estimate_json(found: estimates.Estimate) -> Json:
    seen = [
        {
            "number": number,
            "opponent": game.game.opponent,
            "result": _result_text(game.game.result),
            "difference": game.difference,
            "expected": points_or_none(game.expected),
            "change": points_or_none(game.change),
        }
        for number, game in enumerate(found.games, 1)
    ]
    return {
        "games": seen,
        "k": found.k,
        "counted": found.counted,
        "score": score_text(found.half_points),
        "expected": points_or_none(found.expected),
        "change": points_or_none(found.change),
        "sum_of_games": from_hundredths(Hundredths(sum(game.change or 0 for game in found.games))),
        "rating": points_or_none(found.rating),
        "displayed": displayed(found.rating),
        "performance": None if found.performance is None else _performance_json(found.performance),
    }


def _performance_json(performance: estimates.Performance) -> Json:
    return {
        "average": from_hundredths(performance.average),
        "p": from_hundredths(performance.p),
        "dp": performance.dp,
        "rating": from_hundredths(performance.rating),
    }


def needed_result(data: Json) -> Json:
    """Return the lowest score that reaches the target, and the one that keeps the rating.

    In the arena by the edition of today, ``edition``.
    """
    book = data["rule_book"]
    opponents, target, number = data["opponents"], data["target"], data["number"]
    result: Json = {"rule_book": book, "opponents": opponents, "target": target, "start": None}
    if book == NeededForm.RBB:
        category, standing, edition = data["category"], data["standing"], data["edition"]
        result |= {"category": category.slug, "start": standing_json(standing, data["member"])}
        result |= edition_json(edition)
        if standing.rating is None:
            found = needed.needed_first_rating(
                standing, to_hundredths(opponents), to_hundredths(target), edition
            )
            return {**result, "first_rating": True, "needed": _needed_json(found), "break_even": None}

        def reach(goal: Decimal) -> needed.Needed:
            return needed.needed_in_rbb(
                category, standing, to_hundredths(opponents), number, to_hundredths(goal), edition
            )

        own = from_hundredths(standing.rating)
    else:
        own, k = data["rating"], data["k"]
        by: Callable[..., needed.Needed] = needed.needed_by_formula
        if book in EDITIONS:
            by = partial(needed.needed_in_b02, edition=EDITIONS[book])

        def reach(goal: Decimal) -> needed.Needed:
            return by(Points(int(own)), k, Points(int(opponents)), number, Points(int(goal)))

    return {
        **result,
        "rating": own,
        "first_rating": False,
        "needed": None if target is None else _needed_json(reach(target)),
        "break_even": _needed_json(reach(own)),
    }


def _needed_json(found: needed.Needed) -> Json:
    return {
        "games": found.games,
        "score": _score(found.half_points),
        "in_best_order": _score(found.in_best_order),
        "rating_after_wins": points_or_none(found.most),
    }


def first_rating_result(data: Json) -> Json:
    """Return the performance (table 4.1) and the first rating for an unrated member (RBB 3.6, 3.7)."""
    games: Sequence[TypedGame] = data["games"]
    counted = [
        (to_hundredths(game.opponent), game.result)
        for game in games
        if isinstance(game.opponent, Decimal) and isinstance(game.result, int)
    ]
    half_points = HalfPoints(sum(result for _, result in counted))
    performance = None
    if counted:
        average = Hundredths(divide_half_up(sum(opponent for opponent, _ in counted), len(counted)))
        performance = estimates.performance_against(average, len(counted), half_points)
    edition = RuleEdition.objects.in_force()
    lines = _towards_first_rating(games, edition)
    return {
        "games": [
            {
                "number": number,
                "opponent_rating": game.opponent,
                "score": _result_text(game.result),
                **_reason_json(line),
            }
            for number, (game, line) in enumerate(zip(games, lines, strict=True), 1)
        ],
        "counted": len(counted),
        "score": score_text(half_points),
        "performance": None if performance is None else _performance_json(performance),
        "first_rating": _first_rating_json([line for line in lines if line is not None], edition),
        **edition_json(edition),
    }


def _reason_json(line: LedgerLine | None) -> Json:
    if line is None or line.reason is None:
        return {"reason": None, "articles": []}
    reason = Reason(line.reason)  # type: ignore[call-arg]  # by value
    return {"reason": reason.slug, "articles": reason.articles}


def _towards_first_rating(games: Sequence[TypedGame], edition: RbbEdition) -> list[LedgerLine | None]:
    """Return the ledger lines up to and including a first rating, and None for the games after it."""
    played = [
        what_if.NextGame(
            to_hundredths(game.opponent) if isinstance(game.opponent, Decimal) else None, game.result
        )
        for game in games
        if isinstance(game.result, int)
    ]
    lines: list[LedgerLine | None] = []
    for line in what_if.play(_ANY, UNRATED, played, edition):
        done = bool(lines) and (lines[-1] is None or lines[-1].rating is not None)
        lines.append(None if done else line)
    return lines


def _first_rating_json(lines: Sequence[LedgerLine], edition: RbbEdition) -> Json | None:
    """RBB 3.7: return Ra, what is added, and Rf, or None while results are missing."""
    last = lines[-1]
    if last.rating is None:
        return None
    found = first_rating(last.first_half_points, last.first_opponents, edition)
    return {
        "average": from_hundredths(found.average),
        "score": score_text(last.first_half_points),
        "added": from_hundredths(found.added),
        "rating": from_hundredths(found.rating),
        "displayed": displayed(found.rating),
        "article": first_rating_article(last.first_half_points),
    }


def tournament_result(data: Json) -> Json:
    """Return the result of an over-the-board tournament under the chosen rule book."""
    book, rating, k, games = data["rule_book"], data["rating"], data["k"], data["games"]
    if book == FORMULA:
        found = _by_formula(rating, k, games)
    else:
        found = _over_the_board(EDITIONS[book], rating, k, games)
    # Results count for a first rating by the FIDE ID. Rule 4 of the formula asks all players for one.
    needs_fide_id = rating is None or book == FORMULA
    return {"rule_book": book, "rating_before": rating, "needs_fide_id": needs_fide_id, **found}


def _by_formula(rating: Points | None, k: int | None, games: Sequence[TypedGame]) -> Json:
    if rating is not None:
        found = estimates.estimate(rating, 0, _formula_games(games), k=k)
        return {**_estimate_json(found), "outcome": None, "new_player": None}
    # Without a rating, only the performance is shown, which doesn't depend on the player's rating.
    seen = _estimate_json(estimates.estimate(Points(0), 0, _formula_games(games)))
    return {
        **seen,
        "games": [
            {"number": game["number"], "opponent": game["opponent"], "result": game["result"]}
            for game in seen["games"]
        ],
        **dict.fromkeys(("k", "expected", "change", "sum_of_games", "rating", "displayed")),
        "outcome": None,
        "new_player": None,
    }


def _over_the_board(
    edition: Edition, rating: Points | None, k: int | None, games: Sequence[TypedGame]
) -> Json:
    """Return a player's tournament under an edition of FIDE's regulations."""
    rated = rate(
        edition,
        rating,
        k,
        [
            (
                None if game.opponent is None else _whole(game),
                game.result if isinstance(game.result, int) else None,
            )
            for game in games
        ],
    )
    found = rated.result
    return {
        "games": [
            {
                "number": seen.round,
                "opponent": None if game.opponent is None else _whole(game),
                "result": _result_text(game.result),
                "reason": seen.reason.name.lower(),
                "article": edition.article(seen.reason),
                "difference": seen.difference,
                "expected": points_or_none(seen.expected),
            }
            for game, seen in zip(games, found.games, strict=True)
        ],
        "k": rated.k,
        "counted": found.rated_games,
        "score": score_text(found.half_points),
        "average": found.average,
        "expected": points_or_none(found.expected),
        "change": points_or_none(rated.change),
        "rating": rated.rating,
        "outcome": found.outcome.name.lower(),
        "new_player": None if found.new is None else _new_player_json(found.new),
    }


def _new_player_json(new: NewPlayer) -> Json:
    ru = new.final
    return {
        "games": new.games,
        "score": score_text(new.half_points),
        "average": ru.average,
        "article": ru.article,
        "p": from_hundredths(ru.p),
        "dp": ru.dp,
        "rating": ru.rating,
    }


def _score(half_points: HalfPoints | None) -> str | None:
    return None if half_points is None else score_text(half_points)


def _result_text(result: HalfPoints | estimates.Unplayed) -> str:
    return result.value if isinstance(result, estimates.Unplayed) else score_text(result)
