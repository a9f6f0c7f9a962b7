"""``publish_due``: publish the monthly lists that are due (RBB 1.4)."""

from typing import Any

from django.utils import timezone

from foa.text import counted
from ratings.office.command import DecisionCommand
from ratings.rbb.due import due_lists


class Command(DecisionCommand):
    help = """Publish the monthly lists that are due: those of each category since its last one.

Without any list yet it is that of the current month. Safe to run as often as one likes, say every hour from
cron: what is published stays as it is. Each month is one decision and one transaction. Months after one that
fails, or that another person has to confirm first, wait.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        due = due_lists(timezone.now())
        for month, categories in due:
            slugs = [category.slug for category in categories]
            effect = self.decide("publish-lists", options, month=f"{month:%Y-%m}", category=slugs)
            for one in effect.result:
                self.say(f"{one.listed}: {counted(one.listed.members, 'member')}.")
        if not due:
            self.say("No list is due.")
