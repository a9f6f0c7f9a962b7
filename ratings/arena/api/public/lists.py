"""Live ratings, and published lists with their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from foa.spreadsheet import Cell
from ratings.arena.api.public.paged import PagedView, PublicView, described, in_path
from ratings.arena.api.public.serializers import row_serializer
from ratings.rbb.filters import ArchiveFilter, LiveRatingFilter, PublishedListFilter
from ratings.rbb.lists.exports import ARCHIVE, CATEGORIES, LIVE, PUBLISHED, published_columns, published_rows
from ratings.rbb.lists.files import list_facts
from ratings.rbb.lists.live import live_ratings
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category

_CATEGORY = in_path("category", "blitz", of=CATEGORIES)
_LIST = [_CATEGORY, in_path("month", "2026-04"), in_path("revision", "1", kind=OpenApiTypes.INT)]


@described(
    "live_ratings",
    "LiveRating",
    LIVE,
    summary="Live ratings of a category",
    description="Highest exact rating first, as after the last game. Ranks are on published lists, and in "
    "the file `/ratings/{category}/?format=json`, which has all members at once.",
    parameters=(_CATEGORY,),
)
class LiveRatingsView(PagedView):
    """The live rating list of a category, without ranks: they would have to be counted from its top."""

    filterset_class = LiveRatingFilter
    noun = "members"

    def source(self, **place: Any) -> QuerySet[Any]:
        return live_ratings(place["category"])


@described("published_lists", "PublishedList", ARCHIVE, summary="Published lists, latest first")
class PublishedListsView(PagedView):
    """All monthly lists with all revisions."""

    filterset_class = ArchiveFilter
    noun = "lists"

    def source(self, **place: Any) -> QuerySet[Any]:
        return RatingList.objects.monthly().order_by("-month", "category", "-revision", "pk")


class PublishedListView(PublicView):
    """A published list without its lines."""

    @extend_schema(
        operation_id="published_list",
        summary="A published list",
        parameters=_LIST,
        responses=row_serializer("PublishedList", ARCHIVE),
    )
    def get(self, request: Request, category: Category, month: date, revision: int) -> Response:
        """The list without its lines, as in the list of all lists."""
        (row,) = ARCHIVE.of(RatingList.objects.filter(pk=_published(category, month, revision).pk))
        return Response(dict(zip(ARCHIVE.names, row, strict=True)))


@described(
    "published_list_members",
    "ListLine",
    PUBLISHED,
    summary="The lines of a published list",
    description="By rank. A published list never changes; a correction makes the next revision.",
    about={
        "category": serializers.ChoiceField(CATEGORIES),
        "as_of": serializers.DateTimeField(),
        "month": serializers.CharField(),
        "revision": serializers.IntegerField(),
        "federation": serializers.CharField(allow_null=True),
        "published_at": serializers.DateTimeField(),
        "checksum": serializers.CharField(),
    },
    parameters=_LIST,
)
class PublishedListMembersView(PagedView):
    """The members on a published list."""

    filterset_class = PublishedListFilter
    noun = "members"
    published: RatingList

    def source(self, **place: Any) -> QuerySet[Any]:
        self.published = _published(**place)
        return self.published.entries

    def about(self) -> Mapping[str, Cell]:
        return list_facts(self.published.category, self.published.as_of, self.published)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return published_rows(queryset, published_columns(self.published))


def _published(category: Category, month: date, revision: int) -> RatingList:
    found = RatingList.objects.of(category, month).in_revision(revision).first()
    if found is None:
        raise NotFound(_("This list was not published."))
    return found
