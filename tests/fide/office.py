"""FIDE lists for the tests: a few invented players, written and imported in a line each."""

from __future__ import annotations

import hashlib
import io
from datetime import date
from typing import Any

from django.utils import timezone

from ratings.fide.models import FideList, FidePlayer, FideRating
from ratings.fide.services.lists import ListFile, ListImported, import_frl
from ratings.formats.frl import FideControl, PlayerRow, combined_txt, single_txt
from ratings.formats.frl import FideRating as Published

OCTOBER, NOVEMBER = date(2025, 10, 1), date(2025, 11, 1)
UNRATED = Published(None, 0, 0)


def listed(
    fide_id: int,
    name: str = "Berg, Anna",
    standard: int | None = None,
    rapid: int | None = None,
    blitz: int | None = None,
    games: int = 5,
    **other: Any,
) -> PlayerRow:
    """A player of a list; where he is rated he played so many games."""
    ratings = [Published(points, games, 20) if points else UNRATED for points in (standard, rapid, blitz)]
    row = PlayerRow(0, fide_id, name, "NOR", "F", "", "", "", "", *ratings, 1990, "")
    return row._replace(**other)


def combined(*players: PlayerRow) -> bytes:
    """The combined list of these, as FIDE writes it."""
    return b"".join(combined_txt(players))


def single(control: FideControl, period: date, *players: PlayerRow) -> bytes:
    """The list of one control."""
    return b"".join(single_txt(players, control, period.year, period.month))


def bring(period: date, what: bytes, control: FideControl | None = None, **options: Any) -> ListImported:
    """Import a file."""
    file = ListFile(
        stream=io.BytesIO(what),
        source="list.txt",
        sha256=hashlib.sha256(what).hexdigest(),
        period=period,
        control=control,
    )
    return import_frl(file, at=timezone.now(), **options)


def bring_players(period: date, *players: PlayerRow) -> ListImported:
    """Import the combined list of these, whatever the rails say of so few."""
    return bring(period, combined(*players), force=True)


def in_force() -> dict[int, tuple[Any, ...]]:
    """FIDE ID: name, standard, rapid and blitz rating of the players in force."""
    rows = FidePlayer.objects.values_list("pk", "name", "standard_rating", "rapid_rating", "blitz_rating")
    return {pk: tuple(row) for pk, *row in rows}


def history(fide_id: int) -> dict[str, tuple[int | None, int]]:
    """“2025-10 rapid”: rating and games."""
    return {
        f"{row.period:%Y-%m} {row.control}": (row.rating, row.games)
        for row in FideRating.objects.filter(fide_id=fide_id)
    }


def everything() -> list[Any]:
    """Every row of what an import writes."""
    return [list(model.objects.order_by("pk").values_list()) for model in (FideList, FidePlayer, FideRating)]
