"""A small arena for tests: members, ratings and games in a line each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.db import transaction

from members.models import FullMembership, Member
from ratings.rbb.ledger.events import LEDGER_COLUMNS
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, Rating, RatingChange, TimeControl
from ratings.rules.time_controls import Category, Control

START = datetime(2026, 3, 1, tzinfo=UTC)
"""The moment at which everybody here became a full member."""

CONTROL = {Category.RAPID: "900+0", Category.BLITZ: "180+2", Category.BULLET: "60+0"}

_usernames = count(1)


def at(minutes: float) -> datetime:
    """So many minutes after START."""
    return START + timedelta(minutes=minutes)


def control(notation: str) -> TimeControl:
    """The stored control of this PGN notation."""
    return TimeControl.objects.get_or_create(**Control.parse(notation)._asdict())[0]


def member(username: str | None = None, *, full_from: datetime | None = START, **fields: Any) -> Member:
    """A full member (or none, with full_from=None)."""
    created = Member.objects.create(username=username or f"player{next(_usernames)}", **fields)
    if full_from is None:
        return created
    span = FullMembership(member=created, full_from=full_from)
    if created.fide_id:
        span.save()
    else:
        # No first rating follows, and of a new member no other span needs to be looked for.
        FullMembership.objects.bulk_create([span])
    return created


def opening(
    who: Member, points: str | int, category: Category = Category.BLITZ, *, minute: float = 0, **fields: Any
) -> OpeningRating:
    """A started with an existing rating at START plus ``minute``."""
    return OpeningRating.objects.create(
        member=who,
        category=category,
        rating=Decimal(points),
        effective_at=at(minute),
        source="test",
        **fields,
    )


def adjustment(who: Member, change: str | int, *, minute: float = 5, **fields: Any) -> OtbAdjustment:
    """An over-the-board adjustment in blitz, of the month of START, announced at START plus ``minute``."""
    return OtbAdjustment.objects.create(
        **{
            "member": who,
            "category": Category.BLITZ,
            "period": START.date(),
            "change": Decimal(change),
            "effective_at": at(minute),
            "source": "test",
            **fields,
        }
    )


def rated(points: str | int, category: Category = Category.BLITZ, **fields: Any) -> Member:
    """A full member with this rating."""
    who = member()
    opening(who, points, category, **fields)
    return who


def game(white: Member, black: Member, result: str = "1-0", *, minute: float = 10, **fields: Any) -> Game:
    """A rated game that ended at START plus ``minute``, blitz unless ``notation`` says otherwise.

    It began five minutes before, or a second later than another game of the two, since both at once are
    likely one.
    """
    notation = fields.pop("notation", CONTROL[Category.BLITZ])
    began = at(minute - 5)
    while Game.objects.filter(white=white, black=black, started_at=began).exists():
        began += timedelta(seconds=1)
    return Game.objects.create(
        **{
            "white": white,
            "black": black,
            "result": result,
            "time_control": control(notation),
            "started_at": began,
            "ended_at": at(minute),
            **fields,
        }
    )


def points(who: Member, category: Category = Category.BLITZ) -> Decimal | None:
    """His exact rating now."""
    standing = Rating.objects.filter(member=who, category=category).first()
    return standing.rating if standing else None


def projections() -> list[tuple[Any, ...]]:
    """What a replay computes of every row of ledger and ratings, in the order of their ids."""
    return [
        *RatingChange.objects.order_by("pk").values_list(*LEDGER_COLUMNS),
        *Rating.objects.order_by("pk").values_list(),
    ]


def rebuild() -> None:
    """Let ledger and ratings be made anew from nothing."""
    Rating.objects.all().delete()
    RatingChange.objects.all().delete()
    replay()


def taken_back(action: Callable[[], Any]) -> Any:
    """What an action returns, once it is rolled back."""
    with transaction.atomic():
        result = action()
        transaction.set_rollback(True)
    return result
