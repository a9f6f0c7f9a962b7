"""How strong both players of a game were, and what the game changed: for every game of a page at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.db.models import OuterRef, Subquery
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from foa.text import signed
from foa.web.columns import moved
from ratings.rbb.models import Game, Rating, RatingChange
from ratings.rbb.models.fields import rating_id
from ratings.rules.rounding import displayed, to_hundredths
from ratings.rules.time_controls import Category

UNRATED: Final = _("unrated")


class Strength(NamedTuple):
    """A player's exact rating before a game, or now while it goes on, and the change by the game.

    ``rating``: None for an unrated player. ``change``: None for a game that changed nothing, or not yet.
    """

    rating: Decimal | None
    change: Decimal | None = None

    def __str__(self) -> str:
        return strength(self.rating, self.change)

    def __html__(self) -> str:
        return str(self)


Both = tuple[Strength, Strength]
"""White's and Black's."""


def strength(rating: Decimal | int | None, change: Decimal | None = None) -> SafeString:
    """Return a displayed rating (RBB 3.12) as it appears beside a name, with the exact change of a game.

    A game changes no rating of an unrated player: it can only bring the first one. A change of 0 would read
    like a second number of the rating, so it is left out.
    """
    return _strength(rating, change, get_language() or "")


# Everybody looks at the same latest games.
@lru_cache(2_000)
def _strength(rating: Decimal | int | None, change: Decimal | None, _language: str) -> SafeString:
    shown: int | Promise = UNRATED if rating is None else displayed(to_hundredths(Decimal(rating)))
    if rating is None or not change:
        return format_html('<span class="strength">{}</span>', shown)
    return format_html('<span class="strength">{} {}</span>', shown, moved(change, signed(change)))


def strengths_of(games: Sequence[Game]) -> dict[int, Both]:
    """Return both players' strengths by the keys of games; nothing for games that are in no category.

    Takes one query for games in the ledger, one for those in progress, and one for all others.
    """
    in_category = [game for game in games if game.category is not None]
    found = _in_ledger([game for game in in_category if game.counts])
    others = [game for game in in_category if game.pk not in found]
    return found | without_lines(others)


def without_lines(games: Sequence[Game]) -> dict[int, Both]:
    """Return both players' strengths for games without lines in the ledger.

    Those of a game in progress are their ratings now, those of others their ratings when it ended.
    """
    going_on = [game for game in games if game.ended_at is None and game.category is not None]
    ended = [game.pk for game in games if game.ended_at is not None and game.category is not None]
    return _now(going_on) | _at_the_end(ended)


def ratings_now(members: Iterable[int], category: Category) -> dict[int, Decimal | None]:
    """Return the exact ratings of members in a category by their keys; nothing for those never rated."""
    rows: Any = Rating.objects.filter(pk__in=[rating_id(member, category) for member in members])
    return dict(rows.order_by().values_list("member", "rating"))


def _in_ledger(games: Sequence[Game]) -> dict[int, Both]:
    if not games:
        return {}
    keys = [key for game in games for key in game.ledger_keys]
    rows: Any = RatingChange.objects.filter(pk__in=keys).order_by().values_list("pk", "before", "change")
    lines = {key: Strength(before, change) for key, before, change in rows}
    of_games = {game.pk: [lines[key] for key in game.ledger_keys if key in lines] for game in games}
    return {key: (both[0], both[1]) for key, both in of_games.items() if len(both) == 2}


def _now(games: Sequence[Game]) -> dict[int, Both]:
    if not games:
        return {}
    keys = {game.pk: _keys_of_ratings(game) for game in games}
    rows: Any = Rating.objects.filter(pk__in={key for both in keys.values() for key in both})
    ratings = dict(rows.order_by().values_list("pk", "rating"))
    return {
        pk: (Strength(ratings.get(white)), Strength(ratings.get(black)))
        for pk, (white, black) in keys.items()
    }


def _keys_of_ratings(game: Game) -> tuple[int, int]:
    category: Any = game.category
    return rating_id(game.white_id, Category(category)), rating_id(game.black_id, Category(category))


def _at_the_end(keys: Sequence[int]) -> dict[int, Both]:
    if not keys:
        return {}
    rows = Game.objects.filter(pk__in=keys).order_by().values_list("pk", _last("white"), _last("black"))
    return {key: (Strength(white), Strength(black)) for key, white, black in rows}


def _last(player: str) -> Subquery:
    lines = RatingChange.objects.filter(
        member=OuterRef(player),
        category=OuterRef("time_control__category"),
        occurred_at__lt=OuterRef("ended_at"),
    )
    return Subquery(lines.order_by("-occurred_at", "-id").values("after")[:1])
