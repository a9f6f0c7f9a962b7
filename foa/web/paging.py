"""Keyset paging of long lists: as quick in the middle of a million rows as at the beginning.

A page begins after (or ends before) a row that the address names by its primary key. No rows are counted or
skipped: the database enters its index at that row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

from django.core.exceptions import BadRequest
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import Col, OrderBy
from django.db.models.lookups import IsNull
from django.http import Http404
from django.utils.translation import gettext

_LARGEST_KEY: Final = 2**63 - 1
"""Largest key that a database accepts."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. ``previous`` and ``next`` are keys for the links, None at the ends of the list."""

    rows: list[Any]
    previous: int | None
    next: int | None


@dataclass(frozen=True, slots=True)
class _Key:
    """Column that a list is sorted by. If it may be empty, empty rows come last when descending.

    ``apart``: empty rows are queried separately, because no index has them in this order.
    """

    path: str
    descending: bool
    nullable: bool
    apart: bool = False

    def stretches(self, backwards: bool) -> list[Q]:
        """Return conditions for all rows, in consecutive stretches."""
        if not self.apart:
            return [Q()]
        filled, empty = Q(**{f"{self.path}__isnull": False}), Q(**{f"{self.path}__isnull": True})
        return [filled, empty] if self.descending != backwards else [empty, filled]

    def onward(self, value: Any, backwards: bool) -> list[Q]:
        """Return conditions for the values after this one, in consecutive stretches."""
        descending = self.descending != backwards
        if value is None:
            return [] if descending else [Q(**{f"{self.path}__isnull": False})]
        later = Q(**{f"{self.path}__{'lt' if descending else 'gt'}": value})
        return [later, Q(**{f"{self.path}__isnull": True})] if self.nullable and descending else [later]

    def ordering(self, backwards: bool) -> OrderBy:
        descending = self.descending != backwards
        if not self.nullable or self.apart:
            return OrderBy(F(self.path), descending=descending)
        return OrderBy(
            F(self.path),
            descending=descending,
            nulls_first=not descending or None,
            nulls_last=descending or None,
        )


First = Callable[[QuerySet[Any], Q, Sequence[OrderBy], int], Iterable[Any]]
"""Function of rows, condition, order and number that returns the first rows of that part."""


def _first_rows(rows: QuerySet[Any], part: Q, order: Sequence[OrderBy], number: int) -> Iterable[Any]:
    return rows.filter(part).order_by(*order)[:number]


def page_of(
    queryset: QuerySet[Any], parameters: Mapping[str, str], size: int, first_rows: First = _first_rows
) -> Page:
    """Return the page of ``size`` rows that ``after=KEY`` or ``before=KEY`` asks for, or the first page.

    The last column that the queryset is sorted by must be unique. ``first_rows``: a quicker way to the same
    rows. Raises BadRequest for a key that isn't a number, and Http404 if no row has it.
    """
    before = parameters.get("before")
    after = parameters.get("after")
    backwards = before is not None
    mark = before if backwards else after
    keys = _keys(queryset)
    found: list[Any] = []
    for part in _parts(queryset, keys, mark, backwards):
        if (missing := size + 1 - len(found)) > 0:
            ordering = [key.ordering(backwards) for key in keys]
            found += first_rows(queryset, part, ordering, missing)
    more = len(found) > size
    rows = found[:size]
    if backwards:
        rows.reverse()
    has_previous, has_next = (more, True) if backwards else (mark is not None, more)
    return Page(
        rows,
        previous=rows[0].pk if rows and has_previous else None,
        next=rows[-1].pk if rows and has_next else None,
    )


def with_empty_values(queryset: QuerySet[Any], order: Iterable[Any]) -> list[Any]:
    """Return the order with empty values placed as on the list's pages."""
    nullable = _nullable(queryset)
    return [
        _Key(_path(term), term.startswith("-"), nullable=True).ordering(backwards=False)
        if isinstance(term, str) and (_path(term) in nullable or _is_related(queryset, _path(term)))
        else term
        for term in order
    ]


def _is_related(queryset: QuerySet[Any], path: str) -> bool:
    """Return whether a path begins with a relation of this list alone, of which a row may have none."""
    meta = queryset.model._meta
    own = {*(one.name for one in meta.get_fields()), *(one.attname for one in meta.concrete_fields)}
    return path.partition("__")[0] not in {"pk", *queryset.query.annotations, *own}


def _nullable(queryset: QuerySet[Any]) -> set[str]:
    """Return the nullable columns that the model's own ordering places explicitly."""
    return {_path(term) for term in queryset.model._meta.ordering if isinstance(term, OrderBy)}


def _keys(queryset: QuerySet[Any]) -> list[_Key]:
    said = _nullable(queryset)
    keys: list[_Key] = []
    for term in queryset.query.order_by or queryset.model._meta.ordering:
        path = _path(term)
        descending = term.descending if isinstance(term, OrderBy) else str(term).startswith("-")
        nullable = path in said or _may_be_empty(queryset, path)
        keys.append(_Key(path, descending, nullable, apart=nullable and path not in said and not keys))
    return keys


def _may_be_empty(queryset: QuerySet[Any], path: str) -> bool:
    """Return whether a column, or a relation on the way to it, may be null in these rows."""
    model: Any = queryset.model
    conditions: Any = queryset.query.where.children
    filled = {
        one.lhs.target.name
        for one in conditions
        if isinstance(one, IsNull) and one.rhs is False and isinstance(one.lhs, Col)
    }
    if path in queryset.query.annotations or path in filled:
        return False
    if _is_related(queryset, path):
        return True
    for name in path.split("__"):
        field = model._meta.pk if name == "pk" else model._meta.get_field(name)
        if field.null:
            return True
        model = field.related_model
    return False


def _path(term: Any) -> str:
    return term.expression.name if isinstance(term, OrderBy) else str(term).removeprefix("-")  # type: ignore[union-attr]


def _parts(queryset: QuerySet[Any], keys: list[_Key], mark: str | None, backwards: bool) -> list[Q]:
    """Return conditions for the rows beyond the marked one, each a single stretch of an index: first the rows
    with the same value in the first column, then the others. Joined by OR they wouldn't be one stretch.
    """
    if mark is None:
        return keys[0].stretches(backwards)
    if not (mark.isascii() and mark.isdecimal()):
        raise BadRequest(gettext("“after” and “before” in the address must be numbers."))
    # Calculated columns and relations of the list exist only on its rows.
    calculated = any(
        key.path in queryset.query.annotations or _is_related(queryset, key.path) for key in keys
    )
    rows = queryset if calculated else queryset.model._default_manager
    values = (
        rows.filter(pk=mark).order_by().values_list(*(key.path for key in keys)).first()
        if len(mark) < len(str(_LARGEST_KEY))
        else None
    )
    if values is None:
        raise Http404(gettext("The row that this page started with has been deleted."))
    first, value = keys[0], values[0]
    beyond = first.onward(value, backwards)
    if len(keys) == 1:
        return beyond
    like_it = Q(**{f"{first.path}__isnull": True}) if value is None else Q(**{first.path: value})
    return [like_it & _rest(keys[1:], values[1:], backwards), *beyond]


def _rest(keys: list[_Key], values: tuple[Any, ...], backwards: bool) -> Q:
    """Return the condition for rows beyond these values in the other columns."""
    (key, *others), (value, *more) = keys, values
    if key.nullable:
        like_it = Q(**{f"{key.path}__isnull": True}) if value is None else Q(**{key.path: value})
        beyond = like_it & _rest(others, tuple(more), backwards) if others else Q(pk__in=())
        return reduce(or_, key.onward(value, backwards), beyond)
    operator = "lt" if key.descending != backwards else "gt"
    if not others:
        return Q(**{f"{key.path}__{operator}": value})
    not_beyond = Q(**{key.path: value}) & ~_rest(others, tuple(more), backwards)
    return Q(**{f"{key.path}__{operator}e": value}) & ~not_beyond
