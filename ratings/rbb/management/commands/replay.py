"""``replay``: rebuild ledger and ratings from the inputs."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand, moment
from foa.text import counted
from ratings.rbb.ledger.replay import replay
from ratings.rules.time_controls import Category


class Command(OfficeCommand):
    help = """Rebuild the ledger and the ratings from games, starting ratings and adjustments.

All events are rated again in order. Only rows that differ are written, so nothing is written if the ledger is
correct. --check writes nothing and lists every difference; the exit code is 1 if there are any. Everything
happens in one transaction, so an interrupted replay changes nothing.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--category", choices=[category.slug for category in Category], help="only this category"
        )
        parser.add_argument(
            "--since",
            type=moment,
            metavar="T",
            help="start at this time (ISO 8601, UTC) and trust the ledger before it",
        )
        parser.add_argument("--check", action="store_true", help="only compare; exit code 1 if rows differ")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["category"]
        with self.progress("replaying events") as progress:
            summary = replay(
                categories=[Category.from_slug(slug)] if slug else list(Category),
                since=options["since"],
                check=options["check"],
                progress=progress,
                report=self.say,
            )
        if not options["check"]:
            self.say(str(summary))
        elif summary.differences:
            raise CommandError(
                f"Checked {counted(summary.events, 'event')}: "
                f"{counted(summary.differences, 'row doesn’t', 'rows don’t')} match the inputs."
            )
        else:
            self.say(f"Checked {counted(summary.events, 'event')}: ledger and ratings match the inputs.")
