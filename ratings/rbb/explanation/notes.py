"""Reasons why a game without a line in the ledger moved no rating."""

from __future__ import annotations

from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from foa.text import utc
from ratings.rbb.explanation.sentences import spoken_name
from ratings.rbb.labels import dates_text
from ratings.rbb.models import Game
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rules.rbb.conditions import NOT_FULL, Closure, Condition, Unmet


class Note(NamedTuple):
    """The reason why a game moves no rating, and its article (none if the office decided it)."""

    articles: tuple[str, ...]
    text: str


def why_nothing(game: Game) -> list[Note]:
    """Return why a game without a ledger line moved no rating, in words with articles (RBB section 2)."""
    if game.voided_at is not None:
        words = {"moment": utc(game.voided_at), "reason": game.why_void}
        if game.voided_at < game.started_at:  # an earlier closure
            return [Note((), _("Void: %(reason)s. The game does not count for ratings.") % words)]
        return [
            Note((), _("Void since %(moment)s: %(reason)s. The game does not count for ratings.") % words)
        ]
    if game.rated:
        if game.is_forgotten(timezone.now()):
            text = _(
                "No result was received, and the game can't still be going on. It isn't rated without one."
            )
            return [Note(("3.11",), text)]
        return [Note(("3.11",), _("The game is in progress. It is rated when it ends."))]
    accounts = eligibility_of((game.white_id, game.black_id))
    unmet = game.unmet_conditions(accounts)
    closed = [one for one in game.closures(accounts) if one[1].closed_from <= game.started_at]
    notes = [*(_closed(game, *one) for one in closed), *(_note(game, one) for one in unmet)]
    if not unmet and game.unrated_reason in NOT_FULL:
        text = _(
            "Both players were full members when it started, but the office learnt this later. The game is "
            "not rated."
        )
        return [Note(("2.1",), text)]
    notes = notes or [Note(("2.2",), _("It was played as an unrated game."))]
    # The conditions are stored in the words of the rules.
    if game.unrated_reason and not set(game.unrated_reason.split("; ")) <= set(map(str, unmet)):
        notes.append(Note((), _("Noted with the game: %s") % game.unrated_reason))
    return notes


def _closed(game: Game, member: int, closure: Closure) -> Note:
    """Return a note on a closure that would make the game void if it were rated."""
    text = _("%(player)s's account was closed for rated play %(dates)s.")
    words = {"player": spoken_name(game.player(member)), "dates": dates_text(closure.span)}
    return Note((), text % words)


def _note(game: Game, unmet: Unmet) -> Note:
    """Return a note on a condition of section 2 that the game doesn't meet."""
    condition, words = unmet.condition, unmet.words
    if condition is Condition.STANDARD:
        return Note(("1.1",), _("It was %(variant)s. Only standard chess is rated.") % words)
    if condition is Condition.LISTED:
        text = _("Its time control, %s, is not one of the seventeen rated controls.")
        return Note(("2.3",), text % game.time_control)
    if condition in (Condition.WHITE, Condition.BLACK):
        player = game.white if condition is Condition.WHITE else game.black
        return Note(("2.1",), _("%s was not a full member when the game started.") % spoken_name(player))
    if condition is Condition.KNOWN:
        text = _("“%(termination)s” doesn't say whether the game was played, so it isn't rated.")
        return Note(("2.4",), text % words)
    if condition in (Condition.WHITE_LOST, Condition.BLACK_LOST):
        player = game.white if condition is Condition.WHITE_LOST else game.black
        text = _("%s was gone for more than 60 seconds, which loses the game, but the result says otherwise.")
        return Note(("2.4",), text % spoken_name(player))
    if condition is Condition.BOTH_GONE:
        return Note(("2.4",), _("Both players were gone for more than 60 seconds at the same instant."))
    text = _("It was not played. A game counts once each side has made a move (FIDE B.02 5.1).")
    return Note(("2.4",), text)
