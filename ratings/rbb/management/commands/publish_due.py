"""``publish_due``: publish the monthly lists that are due (RBB 1.4)."""

from typing import Any

from django.utils import timezone

from foa.text import counted
from ratings.office.command import DecisionCommand
from ratings.rbb.due import due_lists


class Command(DecisionCommand):
    help = """Publish all monthly lists that are due: for each category, those since the last published one.

If nothing was published before, the first list is that of the current month. You can run this as often as you
like, for example every hour from cron; published lists don't change. Each month is one decision and one
transaction. If a month fails, or another person has to confirm it first, later months wait.
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
