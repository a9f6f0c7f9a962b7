"""``replay``: rebuild ledger and ratings from the inputs."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand, moment
from foa.text import counted
from ratings.rbb.ledger.replay import replay
from ratings.rules.time_controls import Category


class Command(OfficeCommand):
    help = """Rebuild the ledger and the ratings from games, opening ratings and adjustments.

Every event is taken again in its order under the rules; only rows that differ are written, so on a sound
database nothing is. With --check nothing is written at all: every difference is listed and the exit code is 1
if there is one. One transaction: an interruption leaves everything as it was.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--category", choices=[category.slug for category in Category], help="only this one"
        )
        parser.add_argument(
            "--since",
            type=moment,
            metavar="T",
            help="from this moment on (ISO 8601, UTC); earlier lines don't change",
        )
        parser.add_argument("--check", action="store_true", help="compare only; exit code 1 on a difference")

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
