"""``publish_list``: freeze the monthly lists."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from foa.command import OfficeCommand
from ratings.rules.time_controls import Category
from ratings.services.lists import publication
from ratings.services.lists.publishing import publish


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
        return publication.month_to_publish(f"{now:%Y-%m}" if text is None else text, now)
    except ValidationError as refusal:
        raise CommandError(refusal.message) from None
