"""The ratings of a member and where they come from, on the office's page of them."""

from __future__ import annotations

from typing import Any

from members.models import Member
from ratings.office.rooms import Part
from ratings.rbb.models import Game, OpeningRating, Rating
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.time_controls import Category

_LATEST = 5


def closures_part(member: Member, user: Any) -> Part:
    """Return when the member may play rated games: full memberships and closures."""
    may_see = user.has_perm("members.view_accountclosure")
    may_decide = user.has_perm("members.decide_accountclosure")
    context = {
        "member": member,
        "spans": list(member.full_memberships.order_by("full_from")),
        "closures": list(member.closures.all()) if may_see or may_decide else [],
        "may_see": may_see,
        "may_decide": may_decide,
    }
    return Part("admin/members/_closures_part.html", context)


def ratings_part(member: Member, user: Any) -> Part:
    """Return each category with its latest line and how the rating began, and the latest games."""
    ratings = {
        one.category: one for one in Rating.objects.filter(member=member).select_related("last_change")
    }
    openings = {one.category: one for one in OpeningRating.objects.filter(member=member)}
    context = {
        "member": member,
        "ratings": [(one, ratings.get(one), openings.get(one)) for one in Category],
        "games": _latest_games(member),
        "number": RatingChange.objects.filter(member=member).count(),
        "may_see_games": user.has_perm("ratings.view_game"),
        "may_enter": user.has_perm("ratings.add_openingrating"),
    }
    return Part("admin/ratings/_member_part.html", context)


def _latest_games(member: Member) -> list[Game]:
    """Return the games that ended last, then those without an end: by index, a few of each colour."""
    some = [
        game
        for colour in ("white", "black")
        for game in Game.objects.with_names().filter(**{colour: member})[:_LATEST]
    ]
    return sorted(some, key=lambda game: (game.ended_at is not None, game.ended_at, game.pk), reverse=True)[
        :_LATEST
    ]
