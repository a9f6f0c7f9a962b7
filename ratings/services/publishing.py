"""RBB 1.4: the monthly lists, frozen from the ledger in one statement, with a revision after a correction."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import Count, ExpressionWrapper, F, IntegerField, Q, Sum

from foa.web.spreadsheet import csv_pieces
from ratings.models.games import Game
from ratings.models.ledger import RatingChange
from ratings.models.lists import RatingList
from ratings.rules.rbb import K_PREVIOUSLY_UNRATED, PREVIOUSLY_UNRATED_GAMES, K, Reason
from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.time_controls import Category
from ratings.services.exports import PUBLISHED_COLUMNS, published_rows
from ratings.services.lists import published_lines
from ratings.services.locks import lock_category

__all__ = ["due_months", "first_month", "publish"]

_EVER: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""Before every event."""

_OF_BEGINNERS: Final = (Reason.RESULT_COUNTED, Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)
_COUNTED: Final = (Reason.RATED, Reason.LOST_UNDER_FLOOR, *_OF_BEGINNERS)
"""The reasons of a ledger line that make it one of a member's rated games."""

# A member who had no later event stands where his last line left him; of the others the last line up to the
# moment is looked up. So a list published soon after its moment costs one pass over the ratings.
_FREEZE: Final = """
INSERT INTO ratings_ratinglistentry
    (rating_list_id, position, rank, member_id, rating, games, previous, period_games, k)
WITH standing AS (
    SELECT line.member_id, line.after AS rating, line.games, line.previously_unrated
    FROM ratings_rating AS now
    JOIN ratings_ratingchange AS line ON line.id = CASE
        WHEN now.last_event_at <= %(moment)s THEN now.last_change_id
        ELSE (
            SELECT earlier.id FROM ratings_ratingchange AS earlier
            WHERE earlier.member_id = now.member_id AND earlier.category = %(category)s
            AND earlier.occurred_at <= %(moment)s
            ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
        ) END
    WHERE now.category = %(category)s AND line.after IS NOT NULL
), played AS (
    SELECT member_id, COUNT(*) AS games FROM ratings_ratingchange
    WHERE occurred_at > %(since)s AND occurred_at <= %(moment)s AND category = %(category)s
    AND game_id IS NOT NULL AND reason IN ({counted})
    GROUP BY member_id
)
SELECT %(list)s,
    ROW_NUMBER() OVER (
        ORDER BY (standing.rating + 50) / 100 DESC, member.name COLLATE {code_point}, standing.member_id
    ),
    RANK() OVER (ORDER BY (standing.rating + 50) / 100 DESC),
    standing.member_id, standing.rating, standing.games, before.rating, COALESCE(played.games, 0),
    CASE WHEN standing.previously_unrated AND standing.games < {beginner} THEN {k_beginner} ELSE {k} END
FROM standing
JOIN members_member AS member ON member.id = standing.member_id
LEFT JOIN played ON played.member_id = standing.member_id
LEFT JOIN ratings_ratinglistentry AS before
    ON before.rating_list_id = %(previous)s AND before.member_id = standing.member_id
"""


def first_month(using: str = DEFAULT_DB_ALIAS) -> datetime | None:
    """The first month that has a list: the one in which the first rated game ended; None without any."""
    game = Game.objects.using(using).counting().order_by("ended_at", "pk").first()
    return None if game is None else _month_of(game.ended_at)


def due_months(*, category: Category, at: datetime, using: str = DEFAULT_DB_ALIAS) -> list[datetime]:
    """The months up to ``at`` without a list: those since the last one, else the current month alone."""
    current = _month_of(at)
    last = RatingList.objects.using(using).filter(category=category).order_by("-month").first()
    if last is None:
        first = first_month(using)
        return [] if first is None or first > current else [current]
    months = []
    month = _next(datetime(last.month.year, last.month.month, 1, tzinfo=UTC))
    while month <= current:
        months.append(month)
        month = _next(month)
    return months


def publish(
    *,
    category: Category,
    month: datetime,
    at: datetime,
    revise: bool = False,
    using: str = DEFAULT_DB_ALIAS,
) -> tuple[RatingList, bool]:
    """Freeze the list of a month: the state at 00:00 UTC on its first day, after all that ended up to then.

    Gives the list that holds and whether it is new. A month that is published stays as it is; with ``revise``
    a further revision is made, unless it would be the same list.
    """
    with transaction.atomic(using=using):
        # The list is read in one state of the ledger, and of two who publish a month the second finds it.
        lock_category(connections[using], category)
        lists = RatingList.objects.using(using).filter(category=category)
        stands = lists.filter(month=month.date()).order_by("-revision").first()
        if stands is not None and not revise:
            return stands, False
        previous = lists.filter(month__lt=month.date()).order_by("-month", "-revision").first()
        published = _freeze(category, month, at, previous, stands.revision + 1 if stands else 1, using)
        if stands is not None and stands.checksum == published.checksum:
            published.delete()
            return stands, False
    return published, True


def _freeze(
    category: Category,
    month: datetime,
    at: datetime,
    previous: RatingList | None,
    revision: int,
    using: str,
) -> RatingList:
    published = RatingList.objects.using(using).create(
        category=category, month=month.date(), revision=revision, published_at=at, members=0,
        previous=previous, checksum="",
    )  # fmt: skip
    since = datetime(previous.month.year, previous.month.month, 1, tzinfo=UTC) if previous else _EVER
    connection = connections[using]
    adapt = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        cursor.execute(
            _FREEZE.format(
                counted=", ".join(str(int(reason)) for reason in _COUNTED),
                code_point='"C"' if connection.vendor == "postgresql" else "BINARY",
                beginner=PREVIOUSLY_UNRATED_GAMES, k_beginner=K_PREVIOUSLY_UNRATED, k=K[category],
            ),
            {
                "list": published.pk, "previous": previous.pk if previous else None,
                "category": int(category), "moment": adapt(month), "since": adapt(since),
            },
        )  # fmt: skip
    _count(published, category, since, month, using)
    digest = hashlib.sha256()
    rows = published_rows(published_lines(published.entries.order_by("position")))
    for piece in csv_pieces(PUBLISHED_COLUMNS, rows):
        digest.update(piece.encode())
    published.checksum = digest.hexdigest()
    published.save()
    return published


def _count(published: RatingList, category: Category, since: datetime, until: datetime, using: str) -> None:
    """What the report of a list says in numbers."""
    entries = published.entries.annotate(points=ExpressionWrapper(F("rating"), IntegerField()))
    published.members = entries.count()
    if published.members:
        total = entries.aggregate(total=Sum("points"))["total"]
        by_rating = entries.order_by("points").values_list("points", flat=True)
        middle = (published.members - 1) // 2
        two = list(by_rating[middle : middle + 2 - published.members % 2])
        published.mean = from_hundredths(divide_half_up(total, published.members))
        published.median = from_hundredths(divide_half_up(sum(two), len(two)))
    lines = RatingChange.objects.using(using).filter(
        category=category, occurred_at__gt=since, occurred_at__lte=until, game__isnull=False
    )
    # Each game has two lines.
    found = lines.aggregate(
        games=Count("pk"),
        unrated=Count("pk", filter=Q(reason=Reason.OPPONENT_UNRATED)),
    )
    published.period_games = found["games"] // 2
    published.unrated_games = found["unrated"]


def _month_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next(month: datetime) -> datetime:
    return month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
