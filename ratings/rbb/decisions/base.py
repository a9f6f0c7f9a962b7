"""What decisions share that move ratings of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from django.utils.translation import gettext, override

from foa.text import date_text
from members.models import Member
from ratings.office.decision_types import DecisionType, Parameters
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.ledger.effects import effect_of as effect_of
from ratings.rbb.models import Game, RatingList
from ratings.rules.time_controls import Category

_NAMED: Final = 3
"""Maximum number of games or inputs that the name of a decision has."""


def listed(labels: Iterable[str]) -> str:
    """Return the first few of these, and how many more there are."""
    labels = list(labels)
    more = len(labels) - _NAMED
    return "; ".join(labels[:_NAMED]) + (f" (+{more})" if more > 0 else "")


def member_subject(member: Member) -> str:
    """Name a member, with their username."""
    return f"{member.name} ({member.username})" if member.name else member.username


def game_subject(game: Game) -> str:
    """Name a game by players, day and number."""
    with override("en"):
        day = date_text(game.ended_at or game.started_at)
    return f"{game.white} – {game.black}, {day}" + (f", game {game.pk}" if game.pk else "")


class LedgerKind(DecisionType):
    """A decision after which the ledger is replayed: whose ratings move are members, the scale a category."""

    words = {**DecisionType.words, **{category.slug: CATEGORY_NAMES[category] for category in Category}}

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        """Members, with their pages."""
        members = Member.everybody.in_bulk(subjects)
        return {pk: (str(member), member.get_absolute_url()) for pk, member in members.items()}

    def next_steps(self, shown: Mapping[str, Any]) -> list[tuple[str, str, Parameters]]:
        """Revise the published lists that it changed and that have no revision since."""
        keys = [
            key.removeprefix("list ") for section, key, *_fact in shown.get("facts", []) if section == "lists"
        ]
        found = RatingList.objects.monthly().filter(pk__in=[key for key in keys if key.isdecimal()])
        lists = [one for one in found if not one.superseded]
        if not lists:
            return []
        told = gettext("These published lists now need a revision: %(lists)s.")
        parameters = {"list": [str(one.pk) for one in lists]}
        return [(told % {"lists": "; ".join(map(str, lists))}, "revise-lists", parameters)]

    def name_scale(self, scale: str) -> str:
        """The category."""
        return str(CATEGORY_NAMES[Category.from_slug(scale)])
