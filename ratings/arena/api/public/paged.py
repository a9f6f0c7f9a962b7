"""Lists a page at a time: the filters, the order and the rows of the pages that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeVar

from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django_filters import ChoiceFilter, DateFilter, NumberFilter
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_view,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from foa.spreadsheet import Cell
from foa.web.caching import cached_for_visitors
from foa.web.listing import OfficeFilterSet
from foa.web.paging import page_of
from ratings.arena.api.base import ApiView
from ratings.arena.api.public.cors import readable_from_everywhere
from ratings.arena.api.public.serializers import RowSerializer
from ratings.arena.scopes import Scope

MOST_ROWS: Final = 1000


@method_decorator([readable_from_everywhere, cached_for_visitors], name="dispatch")
class PublicView(ApiView):
    """A page that everybody may read, with or without a token, from any site; kept for those without.

    ``scope_to_write``: what other methods at the same address need.
    """

    scope_to_write: ClassVar[Scope | None] = None

    @property
    def scope(self) -> Scope | None:
        """Of the method that is asked for."""
        return None if self.request.method in SAFE_METHODS else self.scope_to_write


class PageSerializer(serializers.Serializer[Any]):
    """Which page of a list."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_ROWS, default=100, help_text="Rows on a page."
    )
    after = serializers.IntegerField(
        min_value=0, required=False, help_text="The page behind this row. Take it from `next`."
    )
    before = serializers.IntegerField(
        min_value=0, required=False, help_text="The page that ends before this row. Take it from `previous`."
    )


class Paged(ApiView):
    """A list. Subclasses say which rows, how they are filtered and what is told of each.

    ``noun``: what the rows are called, as in the file of the page. ``page``: the serializer of the answer,
    made once by :func:`described`.
    """

    filterset_class: ClassVar[type[OfficeFilterSet]]
    noun: ClassVar[str]
    page: ClassVar[serializers.Serializer[Any]]

    def source(self, **place: Any) -> QuerySet[Any]:
        """All rows in the order of the list; raises NotFound for a place that there isn't."""
        raise NotImplementedError

    def rows(self, queryset: QuerySet[Any]) -> Iterator[Sequence[Cell]]:
        """Return the rows of a page, each with the values of its serializer's fields in their order."""
        raise NotImplementedError

    def about(self) -> Mapping[str, Cell]:
        """What the list says of itself."""
        return {}

    def get(self, request: Request, **place: Any) -> Response:
        """A page of the list. A filter that makes no sense gets 400."""
        asked = PageSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        filterset = self.filterset_class(request.query_params, self.source(**place), request=request)
        if not filterset.is_valid():
            raise ValidationError({name: list(texts) for name, texts in filterset.errors.items()})
        keys = filterset.qs.select_related(None).prefetch_related(None).only("pk")
        page = page_of(keys, request.query_params, asked.validated_data["limit"])
        some = filterset.qs.filter(pk__in=[row.pk for row in page.rows])
        answer = {
            **self.about(),
            self.noun: self.rows(some),
            "next": page.next and _address(request, after=page.next),
            "previous": page.previous and _address(request, before=page.previous),
        }
        return Response(self.page.to_representation(answer))


def _address(request: Request, **mark: int) -> str:
    """The list, with the same filters, at another page."""
    query = request.query_params.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    query.update({name: str(key) for name, key in mark.items()})
    return f"{request.path}?{query.urlencode()}"


class PagedView(Paged, PublicView):
    """A list that everybody may read."""


V = TypeVar("V", bound=type[Paged])


def described(
    operation: str,
    row: type[RowSerializer],
    *,
    summary: str,
    description: str = "",
    about: Mapping[str, Any] | None = None,
    parameters: Sequence[OpenApiParameter] = (),
) -> Callable[[V], V]:
    """Describe a list in the schema: its address, its filters and its answer."""

    def describe(view: V) -> V:
        view.page = inline_serializer(
            f"{row.__name__.removesuffix('Serializer')}Page",
            {
                **(about or {}),
                view.noun: row(many=True),
                "next": serializers.CharField(allow_null=True, help_text="Address of the next page."),
                "previous": serializers.CharField(allow_null=True, help_text="Address of the page before."),
            },
        )
        filters = [_parameter(name, one) for name, one in view.filterset_class.base_filters.items()]
        told: Any = extend_schema(
            operation_id=operation,
            summary=summary,
            description=description,
            parameters=[*parameters, *filters, PageSerializer],
            responses={200: view.page},
        )
        found: V = extend_schema_view(get=told)(view)
        return found

    return describe


def _parameter(name: str, one: Any) -> OpenApiParameter:
    """A filter as a parameter of the address."""
    choices = None
    kind: OpenApiTypes = OpenApiTypes.STR
    if isinstance(one, ChoiceFilter):
        choices = [value for value, _label in one.extra["choices"]]
    elif isinstance(one, NumberFilter):
        kind = OpenApiTypes.INT
    elif isinstance(one, DateFilter):
        kind = OpenApiTypes.DATE
    required = one.extra["required"]
    # The tests ask for each example; whatever isn't required has none.
    examples = [OpenApiExample(choices[0], value=choices[0])] if required and choices else []
    return OpenApiParameter(
        name, kind, required=required, description=one.label, enum=choices, examples=examples
    )


def in_path(name: str, example: str, *, kind: Any = str, of: Sequence[str] | None = None) -> OpenApiParameter:
    """A part of the address, with an example that the tests ask for."""
    return OpenApiParameter(
        name, kind, OpenApiParameter.PATH, enum=of, examples=[OpenApiExample(example, value=example)]
    )
