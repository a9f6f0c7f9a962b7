"""Rating lists, read-only: live or at a moment, published, requested, their groups, and two compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from foa.list_rows import ListRows, whole
from foa.spreadsheet import Cell
from foa.text import utc_text
from foa.web.paging import Page, page_of
from ratings.arena.api.public_pages import (
    MOMENT,
    PagedView,
    PublicView,
    asked_moment,
    described,
    in_path,
    row_serializer,
)
from ratings.arena.filters import ListLinesFilter, LiveRatingsFilter
from ratings.rbb.converters import MonthConverter
from ratings.rbb.filters import ArchiveFilter
from ratings.rbb.lists.as_of import (
    StandingSince,
    basis_of,
    live_ratings,
    ratings_as_of,
    recalculated_at,
)
from ratings.rbb.lists.columns import (
    ARCHIVE,
    AS_OF,
    CATEGORIES,
    COMPARED_LINES,
    LIVE,
    PUBLISHED,
    published_columns,
    published_rows,
)
from ratings.rbb.lists.comparing import ComparedPart, compared
from ratings.rbb.lists.distribution import ranks
from ratings.rbb.lists.files import list_facts
from ratings.rbb.lists.top_lists import GROUPS, Group, top_list, top_list_file
from ratings.rbb.models import RatingChange, RatingList
from ratings.rbb.views.compare_lists import Comparison, comparison
from ratings.rules.time_controls import Category

CATEGORY = in_path("category", "blitz", "The category.", of=CATEGORIES)
MONTH: Final = {"type": "string", "pattern": f"^{MonthConverter.regex}$"}
LIST = [
    CATEGORY,
    in_path("month", "2026-04", "The month of the list, such as 2026-04.", kind=MONTH),
    in_path(
        "revision", "1", "The revision. Each list is first published as revision 1.", kind=OpenApiTypes.INT
    ),
]

_RANKED: Final = ListRows(
    LIVE.about,
    rank=whole(
        null=True,
        help="By displayed rating among all members; updated about once a minute, less often for a long "
        "list. With `as_of`, null after the first page and with filters.",
    ),
    **LIVE.columns,
)


@described(
    "live_ratings",
    "LiveRating",
    _RANKED,
    summary="Ratings of a category, live or at a given time",
    description="Highest exact rating first. Names, titles and federations are today’s.",
    about={
        "category": serializers.ChoiceField(CATEGORIES),
        "as_of": serializers.DateTimeField(allow_null=True, help_text="null: now."),
        "recalculated_at": serializers.DateTimeField(
            allow_null=True, help_text="When a correction last changed the ratings for this time."
        ),
    },
    parameters=(
        CATEGORY,
        MOMENT,
    ),
)
class LiveRatingsView(PagedView):
    """The rating list of a category, now or at a moment."""

    filterset_class = LiveRatingsFilter
    noun = "members"
    category: Category
    as_of: datetime | None

    def source(self, **place: Any) -> QuerySet[Any]:
        self.category = place["category"]
        self.as_of = asked_moment(self.request)
        return live_ratings(self.category) if self.as_of is None else ratings_as_of(self.category, self.as_of)

    def filter_options(self) -> Mapping[str, Any]:
        return {"as_of": self.as_of}

    def about(self) -> Mapping[str, Cell]:
        corrected = None if self.as_of is None else recalculated_at(self.category, self.as_of)
        return {
            "category": self.category.slug,
            "as_of": None if self.as_of is None else utc_text(self.as_of),
            "recalculated_at": None if corrected is None else utc_text(corrected),
        }

    def page_of(self, queryset: QuerySet[Any], marks: Mapping[str, str], limit: int) -> Page:
        """Return the page; at a moment it starts from the last list before it, which is quicker."""
        basis = None if self.as_of is None else basis_of(self.category, self.as_of)
        if self.as_of is None or basis is None:
            return super().page_of(queryset, marks, limit)
        first_rows = StandingSince(basis, self.as_of, self.filterset.filter_queryset)
        return page_of(queryset, marks, limit, first_rows)

    def some_of(self, queryset: QuerySet[Any], keys: Sequence[int]) -> QuerySet[Any]:
        """Return the rows; lines of the ledger without finding everybody's line at the moment again."""
        if self.as_of is None:
            return super().some_of(queryset, keys)
        return RatingChange.objects.filter(pk__in=keys).order_by(*queryset.query.order_by)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        found = list((LIVE if self.as_of is None else AS_OF).of(queryset))
        at = LIVE.names.index("rating")
        asked = {name for name, value in self.request.query_params.items() if value}
        places: Sequence[int | None] = ranks(
            self.category,
            [row[at] for row in found],
            is_top=asked <= {"limit", "as_of"},
            is_now=self.as_of is None,
        )
        for rank, row in zip(places or [None] * len(found), found, strict=True):
            yield (rank, *row)


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
        parameters=LIST,
        responses=row_serializer("PublishedList", ARCHIVE),
    )
    def get(self, request: Request, category: Category, month: date, revision: int) -> Response:
        """The list without its lines, as in `/api/v1/lists`."""
        (row,) = ARCHIVE.of(RatingList.objects.filter(pk=published_or_404(category, month, revision).pk))
        return Response(dict(zip(ARCHIVE.names, row, strict=True)))


_FACTS: Final[Mapping[str, Any]] = {
    "category": serializers.ChoiceField(CATEGORIES),
    "as_of": serializers.DateTimeField(),
    "month": serializers.CharField(),
    "revision": serializers.IntegerField(),
    "federation": serializers.CharField(allow_null=True),
    "published_at": serializers.DateTimeField(),
    "checksum": serializers.CharField(),
}


class _LinesView(PagedView):
    """The members on a list that never changes."""

    filterset_class = ListLinesFilter
    noun = "members"
    published: RatingList

    def about(self) -> Mapping[str, Cell]:
        return list_facts(self.published.category, self.published.as_of, self.published)

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        return published_rows(queryset, published_columns(self.published))


@described(
    "published_list_members",
    "ListLine",
    PUBLISHED,
    summary="The lines of a published list",
    description="By rank. A published list never changes; a correction is published as a new revision.",
    about=_FACTS,
    parameters=LIST,
)
class PublishedListMembersView(_LinesView):
    """The members on a published list."""

    def source(self, **place: Any) -> QuerySet[Any]:
        self.published = published_or_404(**place)
        return self.published.entries


@described(
    "requested_list_members",
    "AskedForListLine",
    PUBLISHED,
    summary="The lines of a list that a member requested",
    description="By rank, as of the time of the request (RBB 1.4). The list never changes.",
    about={**_FACTS, "month": serializers.CharField(allow_null=True, help_text="null: not a monthly list.")},
    parameters=[in_path("id", "4711", "The number of the list.", kind=OpenApiTypes.INT)],
)
class RequestedListMembersView(_LinesView):
    """The members on a list requested by a full member."""

    def source(self, **place: Any) -> QuerySet[Any]:
        found = RatingList.objects.requested().filter(pk=place["id"]).first()
        if found is None:
            raise NotFound(_("There’s no such requested list."))
        self.published = found
        return found.entries


def published_or_404(category: Category, month: date, revision: int) -> RatingList:
    found = RatingList.objects.of(category, month).in_revision(revision).first()
    if found is None:
        raise NotFound(_("This list was not published."))
    return found


_TOP_LINE: Final = row_serializer(
    "TopListLine",
    ListRows(
        "A line of a published list, with the rank in a group.",
        top_rank=whole(help="The rank in the group; equal ratings share it."),
        **PUBLISHED.columns,
    ),
)


def in_group(example: str, groups: Collection[str]) -> OpenApiParameter:
    """Return the part of the address that names a group of a list."""
    return in_path(
        "group",
        example,
        f"{', '.join(groups)}, or the three-letter code of a federation, such as NOR.",
        kind={"type": "string", "pattern": rf"^({'|'.join(groups)}|[A-Z]{{3}})$"},
    )


class TopListView(PublicView):
    """The first hundred of a group on a published list."""

    @extend_schema(
        operation_id="published_top",
        summary="The top hundred of a group on a published list",
        description="`top_rank` is the rank in the group.",
        parameters=[
            *LIST,
            in_group("improved", GROUPS),
        ],
        responses=inline_serializer(
            "TopList", {**_FACTS, "top": serializers.CharField(), "members": _TOP_LINE(many=True)}
        ),
    )
    def get(self, request: Request, category: Category, month: date, revision: int, group: Group) -> Response:
        """Return the rows of the page's files."""
        published = published_or_404(category, month, revision)
        found = top_list(published, group)
        file = top_list_file(published, group, found)
        rows = [dict(zip(file.columns, row, strict=True)) for row in file.rows]
        return Response({**file.about, "members": rows})


def _list_parameter(name: str, description: str) -> OpenApiParameter:
    kind = {"type": "string", "pattern": r"^[12][0-9]{3}-(0[1-9]|1[0-2])(\.[1-9][0-9]{0,3})?$"}
    return OpenApiParameter(name, kind, description=description)


@described(
    "compare_lists",
    "ComparedLine",
    COMPARED_LINES,
    summary="Compare two published lists of a category",
    description="Compares the first 20,000 lines of each. Gains and losses are sorted by exact change, "
    "the rest by rank.",
    about={
        "category": serializers.ChoiceField(CATEGORIES),
        "from": serializers.CharField(help_text="The earlier list with its revision: 2026-10.1"),
        "to": serializers.CharField(),
        "show": serializers.ChoiceField([part.value for part in ComparedPart]),
    },
    parameters=[
        CATEGORY,
        _list_parameter(
            "from",
            "Month of the earlier list, such as 2026-10, or one of its revisions, such as 2026-10.1. "
            "Default: the previous list.",
        ),
        _list_parameter(
            "to",
            "Month of the later list, such as 2026-11, or one of its revisions. Default: the latest list.",
        ),
        OpenApiParameter(
            "show",
            {"type": "string", "enum": [part.value for part in ComparedPart]},
            description="Default: `gains`, or `changed` for two revisions of the same list.",
        ),
    ],
)
class CompareListsView(PagedView):
    """The lines in which two lists differ."""

    filterset_class = ListLinesFilter
    noun = "members"
    compared: Comparison

    def source(self, **place: Any) -> QuerySet[Any]:
        self.compared = comparison(place["category"], self.request.query_params)
        return compared(*self.compared)

    def about(self) -> Mapping[str, Cell]:
        earlier, later, part = self.compared
        return {
            "category": later.category.slug,
            "from": f"{earlier.month:%Y-%m}.{earlier.revision}",
            "to": f"{later.month:%Y-%m}.{later.revision}",
            "show": part.value,
        }
