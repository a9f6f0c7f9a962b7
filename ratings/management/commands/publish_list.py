"""``publish_list``: freeze the monthly lists."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from foa.command import OfficeCommand
from ratings.rules.time_controls import Category
from ratings.services.publishing import first_month, publish

__all__ = ["Command"]


class Command(OfficeCommand):
    """The lists of a month (RBB 1.4)."""

    help = """Publish the rating lists of a month: the state at 00:00 UTC on its first day, frozen.

Publishing a month a second time changes nothing. Where a later correction would have changed a list,
--revise publishes a further revision beside it; nothing published is ever altered. One transaction: either
all lists of the month or none.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """The month."""
        parser.add_argument(
            "--month", metavar="YYYY-MM", help="whose first day it is; the current one without"
        )
        parser.add_argument(
            "--category", choices=[category.slug for category in Category], help="only this one"
        )
        parser.add_argument(
            "--revise", action="store_true", help="publish a new revision where a correction changed the list"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish and report."""
        month = month_to_publish(options["month"])
        slug = options["category"]
        with transaction.atomic():
            lists = [
                publish(category=category, month=month, at=timezone.now(), revise=options["revise"])
                for category in ([Category.from_slug(slug)] if slug else Category)
            ]
        for published, new in lists:
            self.say(
                f"{published}: {published.members} members"
                + ("." if new else f", published already on {published.published_at:%Y-%m-%d %H:%M} UTC.")
            )


def month_to_publish(text: str | None) -> datetime:
    """The first moment of a month, by default the current one; raises CommandError for one without lists."""
    now = timezone.now()
    try:
        month = datetime.strptime(f"{now:%Y-%m}" if text is None else text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise CommandError(f"“{text}” is no month such as 2026-03.") from None
    if month > now:
        raise CommandError(f"{text} has not begun: its lists show the state on its first day.")
    first = first_month()
    if first is None or month < first:
        raise CommandError(f"{month:%Y-%m} lies before the first rated game: there is no list of it.")
    return month
