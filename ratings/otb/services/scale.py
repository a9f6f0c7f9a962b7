"""B.02 10.3, 12.3: the report of a list: how its scale has moved, and who played too many games for K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Count, F, Q, Sum

from ratings.otb.models import OtbList, OtbListEntry
from ratings.rules.b02.drift import Drift
from ratings.rules.b02.k_factor import most_games, too_many_games
from ratings.rules.units import Points

_FEWEST: Final = most_games(40)
"""Number of games that is never too many, because 40 is the highest K on FIDE's lists."""

_RATED: Final = Q(rating__isnull=False)
_WAS_RATED: Final = Q(previous__isnull=False)


class ManyGames(NamedTuple):
    """B.02 12.3: a player with too many games for K. ``k``: of the list before, as in the period."""

    fide_id: int
    name: str
    k: int
    games: int
    most: int


@dataclass(frozen=True, slots=True)
class ScaleReport:
    """``previous``: the list before. ``many_games``: by name."""

    otb_list: OtbList
    previous: OtbList
    drift: Drift
    many_games: tuple[ManyGames, ...]


def scale_report(otb_list: OtbList) -> ScaleReport | None:
    """Return the report of a list; None for the first one, which follows none."""
    if otb_list.taken_from_id is not None:
        return None
    lists = OtbList.objects.in_chapter(otb_list.chapter)
    previous = lists.before(otb_list.list_day).first()
    if previous is None:
        return None
    return ScaleReport(otb_list, previous, _drift(otb_list), tuple(_many_games(otb_list, previous)))


def _drift(otb_list: OtbList) -> Drift:
    """Return the drift, by one statement over all lines of the list."""
    stayed = _RATED & _WAS_RATED
    played = stayed & Q(games__gt=0)
    change = F("rating") - F("previous")
    found = OtbListEntry.objects.filter(otb_list=otb_list).aggregate(
        stayed=Count("pk", filter=stayed),
        change=Sum(change, filter=stayed, default=0),
        played=Count("pk", filter=played),
        change_of_played=Sum(change, filter=played, default=0),
        new=Count("pk", filter=_RATED & ~_WAS_RATED),
        new_sum=Sum("rating", filter=_RATED & ~_WAS_RATED, default=0),
        gone=Count("pk", filter=~_RATED & _WAS_RATED),
        gone_sum=Sum("previous", filter=~_RATED & _WAS_RATED, default=0),
        rating_sum=Sum("rating", default=0),
    )
    return Drift(**found)


def _many_games(otb_list: OtbList, previous: OtbList) -> list[ManyGames]:
    entries = OtbListEntry.objects.all()
    busy = entries.filter(otb_list=otb_list, games__gt=_FEWEST).exclude(previous=None)
    found = list(busy.order_by("folded", "fide_id").only("fide_id", "name", "games", "previous"))
    before = entries.filter(otb_list=previous, fide_id__in=[one.fide_id for one in found])
    k_of = dict(before.values_list("fide_id", "k"))
    return [
        ManyGames(one.fide_id, one.name, k, one.games, most_games(k))
        for one in found
        if (k := k_of.get(one.fide_id)) is not None and too_many_games(_points(one.previous), k, one.games)
    ]


def _points(rating: int | None) -> Points | None:
    return None if rating is None else Points(rating)
