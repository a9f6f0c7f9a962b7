"""Common parts of answers with public data: their form, pages with the site's filters and order, and CORS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, partial, wraps
from typing import Any, ClassVar, Final, TypeVar

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
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

from foa.list_rows import Column, Kind, ListRows
from foa.spreadsheet import Cell
from foa.web.caching import cached_for_visitors
from foa.web.listing import OfficeFilterSet
from foa.web.paging import Page, page_of
from members.exporting import MEMBERS
from members.filters import FederationFilter
from members.models import AccountClosure, Member
from ratings.arena.api.base import ApiView
from ratings.arena.filters import MomentField
from ratings.arena.scopes import Scope
from ratings.rbb.lists.as_of import StandingAt, standings_of
from ratings.rbb.serializers import CategoryField, exact


class RowSerializer(serializers.Serializer[Sequence[Any]]):
    """A row of a list: the values of the fields in their order, as the list's files have them."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        # Lines of lists that were published earlier end before the newest fields.
        return dict(zip(self.fields, instance, strict=False))


_FIELDS: Final[Mapping[Kind, Callable[..., serializers.Field[Any, Any, Any, Any]]]] = {
    Kind.TEXT: serializers.CharField,
    Kind.WHOLE: serializers.IntegerField,
    Kind.EXACT: exact,
    Kind.MOMENT: serializers.DateTimeField,
    Kind.DAY: serializers.DateField,
    Kind.MONTH: partial(serializers.RegexField, "^[0-9]{4}-[0-9]{2}$"),
    Kind.YES_OR_NO: serializers.BooleanField,
}


@cache
def row_serializer(name: str, rows: ListRows) -> Any:
    """Return the serializer of a list's rows. ``name``: that of a row in the schema."""
    fields = {one: _field(column) for one, column in rows.columns.items()}
    return type(name, (RowSerializer,), {**fields, "__doc__": rows.about})


def _field(column: Column) -> serializers.Field[Any, Any, Any, Any]:
    options = {"allow_null": column.null, "allow_blank": column.blank, "help_text": column.help}
    given: dict[str, Any] = {name: value for name, value in options.items() if value}
    if column.added_later:
        given["required"] = False
    if column.choices:
        return serializers.ChoiceField(list(column.choices), **given)
    return _FIELDS[column.kind](**given)


class StandingSerializer(serializers.Serializer[StandingAt]):
    """Rating and rank of a member in a category."""

    category = CategoryField()
    rating = serializers.IntegerField(
        source="displayed", allow_null=True, help_text="As displayed; null while unrated."
    )
    exact = exact(source="rating", allow_null=True)
    games = serializers.IntegerField()
    last_event_at = serializers.DateTimeField()
    last_change = serializers.IntegerField(help_text="The line of the ledger that explains it.")


class ClosureSerializer(serializers.Serializer[AccountClosure]):
    """A period in which an account is closed for rated play, up to but not including its end."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields; one of their names is a Python keyword."""
        return {
            "from": serializers.DateTimeField(source="closed_from"),
            "until": serializers.DateTimeField(
                source="closed_until", allow_null=True, help_text="null: open-ended."
            ),
            "reason": serializers.ChoiceField(AccountClosure.Category.values, source="category"),
        }


class MemberDetailsSerializer(row_serializer("MemberRow", MEMBERS)):  # type: ignore[misc]  # made from the list
    """A member, with their standing in each category they have played."""

    url = serializers.CharField(help_text="The address of the page.")
    full_member = serializers.BooleanField(help_text="Whether they are a full member now (RBB 2.1).")
    closures = ClosureSerializer(many=True, help_text="Rated games that start during a closure are void.")
    standings = StandingSerializer(many=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        (row,) = MEMBERS.of(Member.objects.filter(pk=instance.pk))
        is_full = Member.objects.full(at=timezone.now()).filter(pk=instance.pk).exists()
        closures = ClosureSerializer(instance.closures.order_by("closed_from"), many=True)
        standings = StandingSerializer(standings_of([instance.pk])[instance.pk], many=True)
        found: dict[str, Any] = super().to_representation(
            (*row, instance.get_absolute_url(), is_full, closures.data, standings.data)
        )
        return found


_EXPOSED: Final = "Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-ID"
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": ", ".join(SAFE_METHODS),
    "Access-Control-Allow-Headers": "If-Modified-Since, If-None-Match",
    # One day: browsers ask again sooner.
    "Access-Control-Max-Age": "86400",
}

View = Callable[..., HttpResponseBase]


def readable_from_everywhere(view: View) -> View:
    """Let scripts of any site read the answers, including errors. Cookies and tokens aren't allowed."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if request.method in SAFE_METHODS:
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            for name, value in _PREFLIGHT.items():
                response.headers[name] = value
        return response

    return answer


MOST_ROWS: Final = 1000


@method_decorator([readable_from_everywhere, cached_for_visitors], name="dispatch")
class PublicView(ApiView):
    """A public view for everybody, with or without a token, from any site.

    Answers to requests without a token are cached. ``scope_to_write``: the scope for other methods at the
    same address.
    """

    scope_to_write: ClassVar[Scope | None] = None

    @property
    def scope(self) -> Scope | None:
        """The scope for the request's method."""
        return None if self.request.method in SAFE_METHODS else self.scope_to_write


class PageSerializer(serializers.Serializer[Any]):
    """The page of a list."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_ROWS, default=100, help_text="Rows per page."
    )
    after = serializers.IntegerField(
        min_value=0, required=False, help_text="Start after this row. Take the number from `next`."
    )
    before = serializers.IntegerField(
        min_value=0, required=False, help_text="End before this row. Take the number from `previous`."
    )


class Paged(ApiView):
    """A list. Subclasses define its rows, their filters and their contents.

    ``noun``: the name of the rows, as in the page's file. ``in_list``, ``page``: the columns, and the
    serializer of the answer, made once; both set by :func:`described`.
    """

    filterset_class: ClassVar[type[OfficeFilterSet]]
    noun: ClassVar[str]
    in_list: ClassVar[ListRows]
    page: ClassVar[serializers.Serializer[Any]]
    filterset: OfficeFilterSet

    def source(self, **place: Any) -> QuerySet[Any]:
        """Return all rows in the list's order; raises NotFound for a list that doesn't exist."""
        raise NotImplementedError

    def filter_options(self) -> Mapping[str, Any]:
        """Return what the filters are told besides the parameters."""
        return {}

    def page_of(self, queryset: QuerySet[Any], marks: Mapping[str, str], limit: int) -> Page:
        """Return the page of these rows that the address asks for."""
        return page_of(queryset.select_related(None).prefetch_related(None).only("pk"), marks, limit)

    def some_of(self, queryset: QuerySet[Any], keys: Sequence[int]) -> QuerySet[Any]:
        """Return the rows with these keys, in the order of the list."""
        return queryset.filter(pk__in=keys)

    def rows(self, queryset: QuerySet[Any], /) -> Iterator[Sequence[Cell]]:
        """Yield the rows of a page."""
        return self.in_list.of(queryset)

    def about(self) -> Mapping[str, Cell]:
        """Return the facts about the list as a whole."""
        return {}

    def get(self, request: Request, **place: Any) -> Response:
        """One page of the list. An invalid filter returns 400."""
        asked = PageSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        self.filterset = filterset = self.filterset_class(
            request.query_params, self.source(**place), request=request, **self.filter_options()
        )
        if not filterset.is_valid():
            raise ValidationError({name: list(texts) for name, texts in filterset.errors.items()})
        marks = {name: str(number) for name, number in asked.validated_data.items() if name != "limit"}
        page = self.page_of(filterset.qs, marks, asked.validated_data["limit"])
        some = self.some_of(filterset.qs, [row.pk for row in page.rows])
        answer = {
            **self.about(),
            self.noun: self.rows(some),
            "next": page.next and _address(request, after=page.next),
            "previous": page.previous and _address(request, before=page.previous),
        }
        return Response(self.page.to_representation(answer))


def _address(request: Request, **mark: int) -> str:
    """Return the address of another page of the list, with the same filters."""
    query = request.query_params.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    query.update({name: str(key) for name, key in mark.items()})
    return f"{request.path}?{query.urlencode()}"


class PagedView(Paged, PublicView):
    """A list for everybody."""


ANY_TEXT: Final = r"^[^\x00]*$"
"""Pattern of a text that has no further form."""

V = TypeVar("V", bound=type[Paged])


def described(
    operation: str,
    name: str,
    rows: ListRows,
    *,
    summary: str,
    description: str = "",
    about: Mapping[str, Any] | None = None,
    parameters: Sequence[OpenApiParameter] = (),
) -> Callable[[V], V]:
    """Describe a list in the schema: its address, its filters and its answer. ``name``: that of a row."""

    def describe(view: V) -> V:
        view.in_list = rows
        view.page = inline_serializer(
            f"{name}Page",
            {
                **(about or {}),
                view.noun: row_serializer(name, rows)(many=True),
                "next": serializers.CharField(allow_null=True, help_text="Address of the next page."),
                "previous": serializers.CharField(allow_null=True, help_text="Address of the previous page."),
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
    """Return a filter as a parameter of the address, with the limits of its form field."""
    field, description = one.field, str(one.label)
    required, choices = field.required, None
    kind: dict[str, Any]
    if isinstance(one, ChoiceFilter):
        choices = [value for value, _label in one.extra["choices"]]
        kind = {"type": "string", "enum": choices}
    elif isinstance(one, NumberFilter):
        kind = {"type": "integer", "minimum": field.min_value, "maximum": field.max_value}
    elif isinstance(one, FederationFilter):
        kind = {"type": "string", "pattern": "^[A-Z]{3}$"}
        description = f"{description}: its three-letter code, such as NOR"
    elif isinstance(field, MomentField):
        kind = {"type": "string", "format": "date-time"}
    elif isinstance(one, DateFilter):
        kind = {"type": "string", "format": "date"}
    else:
        kind = {"type": "string", "pattern": ANY_TEXT, "maxLength": field.max_length}
    # The tests request each example; optional parameters have none.
    examples = [OpenApiExample(choices[0], value=choices[0])] if required and choices else []
    return OpenApiParameter(name, kind, required=required, description=description, examples=examples)


MOMENT: Final = OpenApiParameter(
    "as_of",
    OpenApiTypes.DATETIME,
    description="The state after the last event at or before this time (RBB 1.4). Default: now.",
)


def asked_moment(request: Request) -> datetime | None:
    """Return the moment in ``as_of``, None without it; raises ValidationError for a wrong or future one."""
    try:
        moment = MomentField(required=False).clean(request.query_params.get("as_of", ""))
    except DjangoValidationError as error:
        raise ValidationError({"as_of": error.messages}) from error
    if moment is not None and moment > timezone.now():
        raise ValidationError({"as_of": _("That time is in the future.")})
    return moment


def in_path(
    name: str, example: str, description: str, *, kind: Any = str, of: Sequence[str] | None = None
) -> OpenApiParameter:
    """Return a part of the address, with an example that the tests request."""
    return OpenApiParameter(
        name,
        kind,
        OpenApiParameter.PATH,
        description=description,
        enum=of,
        examples=[OpenApiExample(example, value=example)],
    )
