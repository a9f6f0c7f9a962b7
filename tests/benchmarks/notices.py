"""Telling 100,000 members of a new list: the notices of their own lines, of those they follow, and the mails.

Usage: ``python -m tests.benchmarks.notices NAME ROWS`` with DATABASE_URL naming a database that is migrated.
Every member has a login, follows the next one, and half of them want mails.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from decimal import Decimal

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402

from members.models import Member  # noqa: E402
from ratings.notices.models import Choice, Digest, Follow, Notice, NoticeType, Occasion  # noqa: E402
from ratings.notices.services.telling import notify_members  # noqa: E402
from ratings.rbb.models import RatingList, RatingListEntry  # noqa: E402
from ratings.rbb.models.lists import entry_id  # noqa: E402
from ratings.rules.time_controls import Category  # noqa: E402
from tests.benchmarks.rows import Row, at_most  # noqa: E402

MEMBERS = 100_000
AT_ONCE = 5_000
MONTH = datetime(2026, 11, 1, tzinfo=UTC)


def fill() -> Occasion:
    """A list of all members, which nobody has been told yet."""
    User.objects.bulk_create((User(username=f"m{n}", password="!") for n in range(MEMBERS)), AT_ONCE)
    users = User.objects.order_by("pk").values_list("pk", flat=True)
    Member.objects.bulk_create(
        (Member(username=f"m{n}", user_id=user) for n, user in enumerate(users)), AT_ONCE
    )
    members = list(Member.objects.order_by("pk").values_list("pk", flat=True))
    published = RatingList.objects.create(
        category=Category.BLITZ,
        month=MONTH.date(),
        revision=1,
        as_of=MONTH,
        published_at=MONTH,
        members=MEMBERS,
    )
    RatingListEntry.objects.bulk_create(
        (
            RatingListEntry(
                id=entry_id(published.pk, place),
                rating_list=published,
                position=place,
                rank=place,
                member_id=member,
                username=f"m{place}",
                rating=Decimal(2000),
                games=10,
            )
            for place, member in enumerate(members, 1)
        ),
        AT_ONCE,
    )
    follows = zip(members, [*members[1:], members[0]], strict=True)
    Follow.objects.bulk_create(
        (Follow(follower_id=one, followed_id=next_one, at=MONTH) for one, next_one in follows), AT_ONCE
    )
    Choice.objects.bulk_create(
        (
            Choice(member_id=member, kind=kind, page=True, feed=True, mail=True)
            for member in members[::2]
            for kind in (NoticeType.LIST, NoticeType.FOLLOWED)
        ),
        AT_ONCE,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return Occasion.objects.create(kind=NoticeType.LIST, key=published.pk, at=MONTH)


def main() -> Row:
    """Tell them."""
    occasion = fill()
    begun = time.perf_counter()
    told = notify_members(occasion, MONTH)
    took = time.perf_counter() - begun
    if (told, Notice.objects.count(), Digest.objects.count()) != (2 * MEMBERS, 2 * MEMBERS, MEMBERS // 2):
        raise SystemExit(f"{told} notices, {Digest.objects.count()} mails")
    return Row(
        f"notices of a new list for {MEMBERS:,} members, {sys.argv[1]}",
        f"{took:.1f} s for {told:,} notices and {MEMBERS // 2:,} mails",
        "–",
        (at_most(took, 30, "s"),),
    )


if __name__ == "__main__":
    main().send()
