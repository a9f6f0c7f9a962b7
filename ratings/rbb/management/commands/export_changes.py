"""``export_changes``: export the ledger as CSV."""

from typing import Any

from django.core.management.base import CommandParser

from foa.command import OfficeCommand
from foa.spreadsheet import csv_pieces
from members.commands import member_called
from ratings.rbb.lists.columns import CHANGES
from ratings.rbb.models import RatingChange
from ratings.rules.time_controls import Category


class Command(OfficeCommand):
    help = f"""Export the ledger as CSV (UTF-8, RFC 4180), in event order, with one row per member and event.

The columns:
  {",".join(CHANGES.names)}

Ratings, changes and expected scores are exact decimals; an empty before or after means unrated. The event is
the external ID of a game (or our own number), the period of an over-the-board adjustment, or the source of an
starting rating. The reason starts with the article of the RBB regulations.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--category", choices=[category.slug for category in Category], help="only this category"
        )
        parser.add_argument("--username", help="only this member’s changes")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        changes = RatingChange.objects.in_order()
        if slug := options["category"]:
            changes = changes.filter(category=Category.from_slug(slug))
        if (username := options["username"]) is not None:
            changes = changes.filter(member=member_called(username, self.stderr.write))
        with self.writing(options["output"]) as stream:
            stream.writelines(csv_pieces(CHANGES.names, CHANGES.of(changes)))
