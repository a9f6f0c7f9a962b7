"""The common parts of a member's pages: name, tabs, figures and moment."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.moments import asked_moment
from foa.text import utc_text
from foa.web.negotiated import NegotiatedView
from members.models import Member
from ratings.rbb.lists.looking_back import look_back
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.profile import Month, Results
from ratings.rbb.serializers import PLAYER
from ratings.rbb.summaries import figures
from ratings.rules.time_controls import Category


class Review(NamedTuple):
    """A month with the members named in it."""

    month: Month
    beaten: Member | None
    often: Member | None


TABS = (
    ("profile", _("Overview")),
    ("profile_games", _("Games")),
    ("profile_statistics", _("Statistics")),
    ("profile_titles", _("Titles")),
    ("profile_otb", _("Over the board")),
)


class Tab(NamedTuple):
    """A link to one of the pages."""

    address: str
    label: Promise
    current: bool


def reviews(months: Iterable[Month]) -> list[Review]:
    """Return the reviews of these months, with all names from one query."""
    named = [
        (month, month.best_win and month.best_win.opponent_id, month.often and month.often[0])
        for month in months
    ]
    members = Member.everybody.in_bulk({pk for _month, *keys in named for pk in keys if pk})
    return [
        Review(month, members.get(beaten or 0), members.get(often or 0)) for month, beaten, often in named
    ]


def latest_entries(member: Member, moment: datetime) -> dict[Category, RatingListEntry]:
    """Return the member's line on each category's latest monthly list at this moment."""
    latest = RatingList.objects.of(OuterRef("rating_list__category")).until(moment)
    entries = member.list_entries.filter(rating_list=Subquery(latest.values("pk")[:1]))
    return {entry.rating_list.category: entry for entry in entries.select_related("rating_list")}


def results_json(results: Results) -> dict[str, Any]:
    return {
        "games": results.games,
        "won": results.won,
        "drawn": results.drawn,
        "lost": results.lost,
        "score": results.score,
    }


class MemberPage(NegotiatedView[Member]):
    """A page about a member as HTML and JSON.

    ``?as_of=T`` looks back to a moment: everything is as it was then, except the person and their
    memberships.
    """

    tab: ClassVar[str]
    context_object_name = "member"

    def get_queryset(self) -> QuerySet[Member]:
        """Select spans of full membership, former names and closures."""
        return Member.objects.prefetch_related("full_memberships", "closures", "former_names")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the tabs, and all figures from the ledger."""
        self.as_of = asked_moment(self.request.GET)
        self.now = self.as_of or timezone.now()
        self.figures = figures(self.object, self.now, self.as_of)
        query = f"?{urlencode({'as_of': self.request.GET['as_of']})}" if self.as_of else ""
        return super().get_context_data(
            look_back=None if self.as_of is None else look_back(self.as_of, list(Category)),
            tabs=[
                Tab(f"{reverse(f'ratings:{name}', args=(self.object.pk,))}{query}", label, name == self.tab)
                for name, label in TABS
            ],
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the member and the moment shown; each page adds its own values."""
        return {
            "member": PLAYER.to_representation(self.object) | {"federation": self.object.federation or None},
            "as_of": utc_text(self.now),
            **self.own_json(context),
        }

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the values that only this page has."""
        raise NotImplementedError
