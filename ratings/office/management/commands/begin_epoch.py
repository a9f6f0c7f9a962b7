"""``begin_epoch``: tell followers to start again from the beginning."""

from typing import Any

from foa.command import OfficeCommand
from ratings.office.outbox import begin_epoch


class Command(OfficeCommand):
    help = """Tell followers of the change feed to start again, after going back in time without `restore`.

Whoever reads on from an earlier cursor gets 410. `restore` does this by itself. Run it after restoring a
database in another way, for example with pgBackRest, before you start the site.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        self.say(
            f"Epoch {begin_epoch().name} has begun. Followers of the change feed are told to start again."
        )
