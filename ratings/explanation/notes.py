"""Why a game that has no line in the ledger moved no rating."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from foa.text import utc
from members.models import FullMembership
from ratings.explanation.sentences import spoken_name
from ratings.models import Game
from ratings.rules.rbb.conditions import why_not_played, why_not_rated


class Note(NamedTuple):
    """Why a game moves no rating, and the article that says so (none where the office decided it)."""

    articles: tuple[str, ...]
    text: str


def why_nothing(game: Game) -> list[Note]:
    """RBB section 2: why a game that has no line in the ledger moved no rating; in words, with articles."""
    if game.voided_at is not None:
        words = {"moment": utc(game.voided_at), "reason": game.why_void}
        return [Note((), _("Void since %(moment)s: %(reason)s. It counts for no rating.") % words)]
    if game.rated:
        return [Note(("3.11",), _("The game is in progress: it is rated when it ends."))]
    full = set(
        FullMembership.objects.at(game.started_at)
        .filter(member__in=(game.white_id, game.black_id))
        .values_list("member", flat=True)
    )
    notes = _conditions(game, full) or [Note(("2.2",), _("It was played as an unrated game."))]
    if game.unrated_reason and game.unrated_reason not in _said_by_the_rules(game, full):
        notes.append(Note((), _("Noted with the game: %s") % game.unrated_reason))
    return notes


def _conditions(game: Game, full: set[int]) -> list[Note]:
    """The conditions of section 2 that the game does not meet."""
    notes = []
    if game.category is None:
        text = _("Its time control, %s, is not one of the seventeen rated controls.")
        notes.append(Note(("2.3",), text % game.time_control))
    notes.extend(
        Note(("2.1",), _("%s was no full member when the game started.") % spoken_name(player))
        for player in (game.white, game.black)
        if player.pk not in full
    )
    if why_not_played(game.plies, game.termination):
        text = _("It was not played: a game counts once each side has made a move (FIDE B.02 5.1).")
        notes.append(Note(("2.4",), text))
    return notes


def _said_by_the_rules(game: Game, full: set[int]) -> list[str]:
    """The same conditions in the words of the rules, which importers store with a game."""
    unmet = why_not_rated(
        game.time_control.control,
        white_is_full_member=game.white_id in full,
        black_is_full_member=game.black_id in full,
        plies=game.plies,
        termination=game.termination,
    )
    return [str(one) for one in unmet]
