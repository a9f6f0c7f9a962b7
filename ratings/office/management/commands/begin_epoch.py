"""``begin_epoch``: tell followers to start again from the beginning."""

from typing import Any

from foa.command import OfficeCommand
from ratings.office.outbox import begin_epoch


class Command(OfficeCommand):
    help = """Tell followers of the change feed to start again from the beginning.

Anybody who continues from an earlier cursor gets 410. `restore` does this itself. If you restore the database
in another way, for example with pgBackRest, run this command before you start the site.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        self.say(f"Epoch {begin_epoch().name} has begun. Followers of the change feed will start again.")
