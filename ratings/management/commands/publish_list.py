"""``publish_list``: freeze the monthly lists."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from foa.command import OfficeCommand
from ratings.rules.time_controls import Category
from ratings.services.lists import publish

__all__ = ["Command"]


class Command(OfficeCommand):
    """The lists of a month (RBB 1.4)."""

    help = """Publish the rating lists of a month: the state at 00:00 UTC on its first day, frozen.

Publishing a month a second time changes nothing. One transaction: either all lists of the month or none.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """The month."""
        parser.add_argument("--month", required=True, metavar="YYYY-MM", help="whose first day it is")

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish and report."""
        try:
            month = datetime.strptime(options["month"], "%Y-%m").replace(tzinfo=UTC)
        except ValueError:
            raise CommandError(f"“{options['month']}” is no month such as 2026-03.") from None
        if month > timezone.now():
            raise CommandError(
                f"{options['month']} has not begun: its lists show the state on its first day."
            )
        with transaction.atomic():
            lists = [publish(category=category, month=month, at=timezone.now()) for category in Category]
        for published, new in lists:
            self.say(
                f"{published}: {published.members} members"
                + ("." if new else f", published already on {published.published_at:%Y-%m-%d %H:%M} UTC.")
            )
