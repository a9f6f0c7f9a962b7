"""``publish_due``: publish the monthly lists that are due."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from ratings.office.command import DecisionCommand
from ratings.rbb.lists.publishing import due_months
from ratings.rules.time_controls import Category


class Command(DecisionCommand):
    """Command for publishing due lists (RBB 1.4)."""

    help = """Publish the monthly lists that are due: of each category those since its last one.

Without any list yet it is that of the current month. Safe to run as often as one likes, say every hour from
cron: what is published stays as it is. One transaction.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        due: dict[datetime, list[str]] = {}
        for category in Category:
            for month in due_months(category=category, at=now):
                due.setdefault(month, []).append(category.slug)
        with transaction.atomic():
            for month, categories in sorted(due.items()):
                effect = self.decide("publish-lists", options, month=f"{month:%Y-%m}", category=categories)
                for one in effect.result:
                    self.say(f"{one.listed}: {one.listed.members} members.")
        if not due:
            self.say("No list is due.")
