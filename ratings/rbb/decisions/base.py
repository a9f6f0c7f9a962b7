"""The common parts of decisions that move ratings of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date
from typing import Any, Final

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, plain
from members.models import Member
from ratings.office.decision_types import DecisionType, Parameters
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.ledger.summaries import effect_of as effect_of
from ratings.rbb.models import Game, RatingList
from ratings.rules.time_controls import Category

_NAMED: Final = 3
"""Maximum number of games or inputs in the name of a decision."""


def listed(labels: Iterable[str]) -> str:
    """Return the first few of these, and the number of the others."""
    labels = list(labels)
    named, more = labels[:_NAMED], len(labels) - _NAMED
    return plain("; ".join(["%s"] * len(named)) + (f" (+{more})" if more > 0 else "")) % tuple(named)


def member_subject(member: Member) -> str:
    """Name a member, with their username."""
    return f"{member.name} ({member.username})" if member.name else member.username


def game_subject(game: Game) -> str:
    """Name a game by players, day and number."""
    day = (game.ended_at or game.started_at).astimezone(UTC).date()
    words = {"white": game.white, "black": game.black, "day": day, "number": game.pk}
    text = "%(white)s – %(black)s, %(day)s"
    return (gettext("%(white)s – %(black)s, %(day)s, game %(number)d") if game.pk else plain(text)) % words


def categories_field() -> forms.TypedMultipleChoiceField:
    """Return a field for categories, all of them ticked."""
    return forms.TypedMultipleChoiceField(
        label=_("Categories"),
        coerce=Category.from_slug,
        widget=forms.CheckboxSelectMultiple,
        choices=[(category.slug, CATEGORY_NAMES[category]) for category in Category],
        initial=[category.slug for category in Category],
    )


class LedgerKind(DecisionType):
    """A decision followed by a replay of the ledger. Ratings move by member and category."""

    moves = Member
    words = {
        **DecisionType.words,
        **{category.slug: CATEGORY_NAMES[category] for category in Category},
        "void": _("void"),
        "counts": _("counts"),
        "rated": _("rated"),
        "unrated": _("unrated"),
    }

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        members = Member.everybody.in_bulk(subjects)
        # An import that was taken back changed ratings of members who went with it.
        nobody = gettext("deleted member"), ""
        return {
            pk: (str(members[pk]), members[pk].get_absolute_url()) if pk in members else nobody
            for pk in subjects
        }

    def list_addresses(self, keys: Collection[str]) -> Mapping[str, str]:
        by_number = {key.removeprefix("list "): key for key in keys}
        lists = RatingList.objects.in_bulk([number for number in by_number if number.isdecimal()])
        found = {by_number[str(pk)]: one.get_absolute_url() for pk, one in lists.items()}
        for key in keys:
            category, month, revision = (*key.split(), "", "")[:3]
            if revision:
                place = (category, date.fromisoformat(month), int(revision))
                found[key] = reverse("ratings:list", args=place)
        return found

    def next_steps(self, shown: Mapping[str, Any]) -> list[tuple[str, str, Parameters]]:
        """Offer to revise the published lists that it changed, unless they have since been revised."""
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
        return str(CATEGORY_NAMES[Category.from_slug(scale)])
