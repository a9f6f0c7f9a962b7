"""A line of the ledger as a headline, a sentence and a picture; and why another game moved nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, NamedTuple

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.text import month_text, points, signed, spoken_points, utc
from members.models import Member
from ratings.office.explanations import Picture, Term, hundredths_text, of_scores, summand
from ratings.rbb.labels import CATEGORY_WORDS, dates_text, half_points_text
from ratings.rbb.models import Game, RatingChange
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rbb.models.fields import EventType
from ratings.rules.rbb.conditions import NOT_FULL, Closure, Condition, Unmet
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, FLOOR, FirstRating, Reason, first_rating
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints, Hundredths

_OF_FIVE: Final = (Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)

_ROSE: Final[dict[int, Promise]] = {
    WIN: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, after beating "
        "%(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
    DRAW: _(
        "%(player)s’s %(category)s rating rose by %(amount)s, from %(before)s to %(after)s, after a draw "
        "with %(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
}
_FELL: Final[dict[int, Promise]] = {
    DRAW: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, after a draw "
        "with %(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
    LOSS: _(
        "%(player)s’s %(category)s rating fell by %(amount)s, from %(before)s to %(after)s, after a loss to "
        "%(opponent)s (%(opponent_rating)s), who was expected to score %(share)s."
    ),
}
_STAYED: Final = _(
    "%(player)s’s %(category)s rating stayed at %(before)s: %(opponent)s (%(opponent_rating)s) was expected "
    "to score %(share)s, and did."
)
_LOST_BY_GAME: Final = _(
    "%(player)s lost their %(category)s rating of %(before)s: the game against %(opponent)s "
    "(%(opponent_rating)s) took it to %(computed)s, below the floor of %(floor)s."
)
_LOST_BY_ADJUSTMENT: Final = _(
    "%(player)s lost their %(category)s rating of %(before)s: the over-the-board change of %(signed)s "
    "took it to %(computed)s, below the floor of %(floor)s."
)
_OUTRANKED: Final = _(
    "%(player)s has another %(category)s first rating from the same time, which counts instead, so this "
    "one was not applied. Source: %(source)s."
)
_SENTENCES: Final[dict[Reason, Promise]] = {
    Reason.OPENING: _("%(player)s started with a %(category)s rating of %(after)s. Source: %(source)s."),
    Reason.OPENING_NOT_APPLIED: _(
        "%(player)s already had a %(category)s rating, so another first rating was not applied. Source: "
        "%(source)s."
    ),
    Reason.ADJUSTED: _(
        "%(player)s’s %(category)s rating changed by %(signed)s, from %(before)s to %(after)s, when the "
        "over-the-board changes from the %(period)s FIDE list were added."
    ),
    Reason.ADJUSTMENT_UNRATED: _(
        "%(player)s was unrated in %(category)s, so the over-the-board changes from the %(period)s FIDE "
        "list were not added."
    ),
    Reason.OPPONENT_UNRATED: _(
        "%(player)s’s %(category)s rating stayed at %(before)s, because %(opponent)s was unrated."
    ),
    Reason.BOTH_UNRATED: _(
        "The game does not count, because %(player)s and %(opponent)s were both unrated in %(category)s."
    ),
    Reason.LOSS_FORGOTTEN: _(
        "%(player)s is still unrated in %(category)s: a loss before the first draw or win against a rated "
        "opponent does not count."
    ),
    Reason.RESULT_COUNTED: _(
        "%(player)s is still unrated in %(category)s: the game against %(opponent)s (%(opponent_rating)s) is "
        "result %(results)s of the %(needed)s needed for a first rating."
    ),
    Reason.FIRST_RATING: _(
        "%(player)s reached a first %(category)s rating of %(after)s by scoring %(score)s out of %(needed)s "
        "against opponents averaging %(average)s."
    ),
    Reason.FIRST_RATING_BELOW_FLOOR: _(
        "%(player)s is still unrated in %(category)s: the five results would give %(first)s, below the "
        "floor of %(floor)s, so five new results are needed."
    ),
}
_WOULD: Final[dict[Reason, Promise]] = {
    Reason.LOST_UNDER_FLOOR: _(
        "%(player)s would lose their %(category)s rating of %(before)s: the game against %(opponent)s "
        "(%(opponent_rating)s) would take it to %(computed)s, below the floor of %(floor)s."
    ),
    Reason.OPPONENT_UNRATED: _(
        "%(player)s’s %(category)s rating would stay at %(before)s, because %(opponent)s is unrated."
    ),
    Reason.BOTH_UNRATED: _(
        "The game would not count, because %(player)s and %(opponent)s are both unrated in %(category)s."
    ),
    Reason.LOSS_FORGOTTEN: _(
        "%(player)s would still be unrated in %(category)s: a loss before the first draw or win against a "
        "rated opponent does not count."
    ),
    Reason.RESULT_COUNTED: _(
        "%(player)s would still be unrated in %(category)s: the game against %(opponent)s "
        "(%(opponent_rating)s) would be result %(results)s of the %(needed)s needed for a first rating."
    ),
    Reason.FIRST_RATING: _(
        "%(player)s would reach a first %(category)s rating of %(after)s by scoring %(score)s out of "
        "%(needed)s against opponents averaging %(average)s."
    ),
    Reason.FIRST_RATING_BELOW_FLOOR: _(
        "%(player)s would still be unrated in %(category)s: the five results would give %(first)s, below "
        "the floor of %(floor)s, so five new results would be needed."
    ),
}
"""Sentences for a future game."""


def spoken_name(member: Member | str) -> str:
    """Return a name with the first name first: “Novak, Anna” becomes Anna Novak in a sentence."""
    last, comma, first = str(member).partition(", ")
    return f"{first} {last}" if comma else last


def first_rating_of(row: RatingChange) -> FirstRating:
    """Return Ra, what was added to it, and Rf of a row with the last of five results (RBB 3.7).

    What was added follows from Rf, since editions differ in the bonus. Below the floor there is none.
    """
    first = first_rating(HalfPoints(row.first_half_points), to_hundredths(row.first_opponents))
    if row.after is None:
        return first
    rating = to_hundredths(row.after)
    return FirstRating(first.average, Hundredths(rating - first.average), rating)


def words_of(row: RatingChange) -> dict[str, str]:
    """Return the player, opponent and category for a sentence about this row."""
    return {
        "player": spoken_name(row.member),
        "opponent": spoken_name(row.opponent) if row.opponent else "",
        "category": str(CATEGORY_WORDS[row.category]),
    }


def sentence(row: RatingChange) -> str:
    """Return what happened and why, with exact numbers. Expects the row with its event loaded."""
    return str(_text(row)) % _values(row)


def sentence_to_come(row: RatingChange) -> str:
    """Return the sentence for a future game to which the formulas of RBB 3.9 don't apply."""
    return str(_WOULD[row.why]) % _values(row)


def _text(row: RatingChange) -> Promise:
    if row.why is Reason.LOST_UNDER_FLOOR:
        return _LOST_BY_GAME if row.kind is EventType.GAME else _LOST_BY_ADJUSTMENT
    if row.why is Reason.OPENING_NOT_APPLIED and row.peak is None:
        return _OUTRANKED
    if row.why is not Reason.RATED:
        return _SENTENCES[row.why]
    if not row.change:
        return _STAYED
    return (_ROSE if row.change > 0 else _FELL)[row.half_points or 0]


def _values(row: RatingChange) -> dict[str, Any]:
    values: dict[str, Any] = {
        **words_of(row),
        "before": points(row.before),
        "after": points(row.after),
        "opponent_rating": points(row.opponent_rating),
        "floor": hundredths_text(FLOOR),
        "results": row.games,
        "needed": FIRST_RATING_GAMES,
    }
    if row.change is not None:
        values |= {"amount": points(abs(row.change)), "signed": signed(row.change)}
        if row.before is not None:
            values["computed"] = points(row.before + row.change)
    if row.expected is not None:
        values["share"] = hundredths_text(Hundredths(100 - row.expected))
    if row.opening is not None:
        values["source"] = row.opening.source
    if row.adjustment is not None:
        values["period"] = month_text(row.adjustment.period)
    if row.why in _OF_FIVE:
        first = first_rating_of(row)
        values |= {
            "score": half_points_text(row.first_half_points),
            "average": hundredths_text(first.average),
            "first": hundredths_text(first.rating),
        }
    return values


_HIGHER, _EQUAL, _LOWER = -1, 0, 1

_HAPPENED: Final[dict[tuple[int, int], Promise]] = {
    (WIN, _HIGHER): _("%(player)s gained %(amount)s points for beating a higher-rated player."),
    (WIN, _EQUAL): _("%(player)s gained %(amount)s points for beating a player rated about the same."),
    (WIN, _LOWER): _("%(player)s gained %(amount)s points for beating a lower-rated player."),
    (DRAW, _HIGHER): _("%(player)s gained %(amount)s points for a draw with a higher-rated player."),
    (DRAW, _LOWER): _("%(player)s lost %(amount)s points for a draw with a lower-rated player."),
    (LOSS, _HIGHER): _("%(player)s lost %(amount)s points to a higher-rated player."),
    (LOSS, _EQUAL): _("%(player)s lost %(amount)s points to a player rated about the same."),
    (LOSS, _LOWER): _("%(player)s lost %(amount)s points to a lower-rated player."),
}
_WOULD_HAPPEN: Final[dict[tuple[int, int], Promise]] = {
    (WIN, _HIGHER): _("%(player)s would gain %(amount)s points for beating a higher-rated player."),
    (WIN, _EQUAL): _("%(player)s would gain %(amount)s points for beating a player rated about the same."),
    (WIN, _LOWER): _("%(player)s would gain %(amount)s points for beating a lower-rated player."),
    (DRAW, _HIGHER): _("%(player)s would gain %(amount)s points for a draw with a higher-rated player."),
    (DRAW, _LOWER): _("%(player)s would lose %(amount)s points for a draw with a lower-rated player."),
    (LOSS, _HIGHER): _("%(player)s would lose %(amount)s points to a higher-rated player."),
    (LOSS, _EQUAL): _("%(player)s would lose %(amount)s points to a player rated about the same."),
    (LOSS, _LOWER): _("%(player)s would lose %(amount)s points to a lower-rated player."),
}
_UNMOVED: Final = _("%(player)s’s rating stayed the same: the result was exactly what was expected.")
_WOULD_STAY: Final = _("%(player)s’s rating would stay the same: the result is exactly what is expected.")
_ADDED: Final[dict[bool, Promise]] = {
    True: _("%(player)s gained %(amount)s points from games over the board."),
    False: _("%(player)s lost %(amount)s points from games over the board."),
}


def headline(row: RatingChange, *, to_come: bool = False) -> str:
    """Return a line's headline without an article or a rating; ``to_come``: for a game not yet played.

    Two ratings count as equal if each player is expected to score half a point (RBB 4.2). A line without an
    expected score gets its sentence.
    """
    words = {**words_of(row), "amount": spoken_points(abs(row.change or 0))}
    if row.why is Reason.ADJUSTED and row.change:
        return str(_ADDED[row.change > 0]) % words
    if row.why is not Reason.RATED:
        return sentence_to_come(row) if to_come else sentence(row)
    if not row.change:
        return str(_WOULD_STAY if to_come else _UNMOVED) % words
    expected = row.expected or 0
    key = (row.half_points or 0, (expected > 50) - (expected < 50))
    return str((_WOULD_HAPPEN if to_come else _HAPPENED)[key]) % words


def picture(row: RatingChange) -> Picture | None:
    """Return the few figures that determine a rating; None without any (RBB 3.7, 3.9, 3.15)."""
    if row.k is not None:
        return _of_game(row, row.k)
    if row.why is Reason.FIRST_RATING:
        return _of_first_rating(row)
    if row.adjustment is not None and row.before is not None:
        return Picture(
            (
                Term("", points(row.before), gettext("before")),
                Term(*summand(row.change), gettext("over the board")),
                Term("=", points(row.before + row.change), gettext("after")),
            )
        )
    return None


def _of_game(row: RatingChange, k: int) -> Picture:
    """Return (score − expected score) × K (RBB 3.9)."""
    half_points, expected = row.half_points or 0, Hundredths(row.expected or 0)
    return of_scores(
        half_points_text(half_points),
        hundredths_text(expected),
        k,
        signed(row.change),
        shares=(Fraction(expected, 100), Fraction(half_points, 2)),
    )


def _of_first_rating(row: RatingChange) -> Picture:
    """Return the opponents' average and what the score adds (RBB 3.7)."""
    half_points = HalfPoints(row.first_half_points)
    average, added, rating = map(from_hundredths, first_rating_of(row))
    words = {"score": half_points_text(half_points), "needed": FIRST_RATING_GAMES}
    return Picture(
        (
            Term("", points(average), gettext("opponents’ average")),
            Term(*summand(added), gettext("for %(score)s out of %(needed)s") % words),
            Term("=", points(rating), gettext("first rating")),
        )
    )


class Note(NamedTuple):
    """The reason why a game moves no rating, and its article (none if the office decided it)."""

    articles: tuple[str, ...]
    text: str


def why_nothing(game: Game) -> list[Note]:
    """Return why a game without a ledger line moved no rating, in words with articles (RBB section 2)."""
    if game.voided_at is not None:
        words = {"moment": utc(game.voided_at), "reason": game.why_void}
        if game.voided_at < game.started_at:  # an earlier closure
            return [Note((), gettext("Void: %(reason)s. The game does not count for ratings.") % words)]
        return [
            Note(
                (), gettext("Void since %(moment)s: %(reason)s. The game does not count for ratings.") % words
            )
        ]
    if game.rated:
        if game.is_forgotten(timezone.now()):
            text = gettext(
                "We have no result for this game, although it must have ended. It can’t be rated without one."
            )
            return [Note(("3.11",), text)]
        return [Note(("3.11",), gettext("The game is in progress. It will be rated when it ends."))]
    accounts = eligibility_of((game.white_id, game.black_id))
    unmet = game.unmet_conditions(accounts)
    closed = [one for one in game.closures(accounts) if one[1].closed_from <= game.started_at]
    notes = [*(_closed(game, *one) for one in closed), *(_note(game, one) for one in unmet)]
    if not unmet and game.unrated_reason in NOT_FULL:
        text = gettext(
            "Both players were full members when it started, but we only learnt this later. The game is "
            "not rated."
        )
        return [Note(("2.1",), text)]
    notes = notes or [Note(("2.2",), gettext("It was played as an unrated game."))]
    # The conditions are stored in the words of the rules.
    if game.unrated_reason and not set(game.unrated_reason.split("; ")) <= set(map(str, unmet)):
        notes.append(Note((), gettext("Note on the game: %s") % game.unrated_reason))
    return notes


def _closed(game: Game, member: int, closure: Closure) -> Note:
    """Return a note on a closure that would make the game void if it were rated."""
    text = gettext("%(player)s’s account was closed for rated play %(dates)s.")
    words = {"player": spoken_name(game.player(member)), "dates": dates_text(closure.span)}
    return Note((), text % words)


def _note(game: Game, unmet: Unmet) -> Note:
    """Return a note on a condition of section 2 that the game doesn't meet."""
    condition, words = unmet.condition, unmet.words
    if condition is Condition.STANDARD:
        return Note(("1.1",), gettext("It was %(variant)s. Only standard chess is rated.") % words)
    if condition is Condition.LISTED:
        text = gettext("Its time control, %s, is not one of the seventeen that are rated.")
        return Note(("2.3",), text % game.time_control)
    if condition in (Condition.WHITE, Condition.BLACK):
        player = game.white if condition is Condition.WHITE else game.black
        return Note(
            ("2.1",), gettext("%s was not a full member when the game started.") % spoken_name(player)
        )
    if condition is Condition.KNOWN:
        text = gettext("“%(termination)s” leaves open whether the game was played, so it isn’t rated.")
        return Note(("2.4",), text % words)
    if condition in (Condition.WHITE_LOST, Condition.BLACK_LOST):
        player = game.white if condition is Condition.WHITE_LOST else game.black
        text = gettext(
            "%s was disconnected for more than 60 seconds and so should have lost, but the game has a "
            "different result."
        )
        return Note(("2.4",), text % spoken_name(player))
    if condition is Condition.BOTH_GONE:
        return Note(
            ("2.4",),
            gettext(
                "Both players were disconnected for more than 60 seconds, and both passed "
                "the limit at the same instant."
            ),
        )
    text = gettext("It was not played. A game counts once each side has made a move (FIDE B.02 5.1).")
    return Note(("2.4",), text)
