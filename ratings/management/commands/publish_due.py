"""``publish_due``: the monthly lists that are due."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from foa.command import OfficeCommand
from ratings.rules.time_controls import Category
from ratings.services.lists.publishing import due_months, publish


class Command(OfficeCommand):
    """Whatever is due (RBB 1.4)."""

    help = """Publish the monthly lists that are due: of each category those since its last one.

Without any list yet it is that of the current month. Safe to run as often as one likes, say every hour from
cron: what is published stays as it is. One transaction.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish and report."""
        now = timezone.now()
        with transaction.atomic():
            lists = [
                publish(category=category, month=month, at=now)[0]
                for category in Category
                for month in due_months(category=category, at=now)
            ]
        for published in lists:
            self.say(f"{published}: {published.members} members.")
        if not lists:
            self.say("No list is due.")
