"""The arena's sections on other pages: the office's page of a member, “My account”, pages about a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.account.sections import Section, section
from members.models import Member, member_of
from ratings.office.page_sections import Page, PageSection, adds_to, page_about_person
from ratings.rbb.models import Game, OpeningRating, Rating
from ratings.rbb.models.ledger import RatingChange
from ratings.rules.time_controls import Category

_LATEST = 5


@adds_to(Page.MEMBER_IN_ADMIN)
def ratings_part(member: Member, user: Any) -> PageSection:
    """Return each category's latest line and how the rating began, and the latest games."""
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
    return PageSection("admin/ratings/_member_part.html", context)


@adds_to(Page.MEMBER_IN_ADMIN)
def closures_part(member: Member, user: Any) -> PageSection:
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
    return PageSection("admin/members/_closures_part.html", context)


def _latest_games(member: Member) -> list[Game]:
    """Return the games that ended last, then those without an end: a few for each colour, by index."""
    some = [
        game
        for colour in ("white", "black")
        for game in Game.objects.with_names().filter(**{colour: member})[:_LATEST]
    ]
    return sorted(some, key=lambda game: (game.ended_at is not None, game.ended_at, game.pk), reverse=True)[
        :_LATEST
    ]


@page_about_person
def arena_page(member: Member) -> Iterator[tuple[str, str | Promise]]:
    """Yield the link to the arena profile, which every member has."""
    yield member.get_absolute_url(), _("Arena profile")


@section
def ratings_section(request: HttpRequest) -> Section | None:
    """Return the section for members; full members may request a list (RBB 1.4)."""
    member = member_of(request.user)
    if member is None:
        return None
    is_full = Member.objects.full(at=timezone.now()).filter(pk=member.pk).exists()
    context = {"member": member, "is_full": is_full}
    return Section(10, "ratings", gettext("My ratings"), "ratings/_account.html", context)
