"""``export_list``: the rating list of a category as CSV."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand, moment
from foa.web.spreadsheet import csv_writer
from ratings.rules.time_controls import Category
from ratings.services.exports import LIST_COLUMNS, list_rows
from ratings.services.lists import rating_list

__all__ = ["Command"]


class Command(OfficeCommand):
    """The list (RBB 1.4)."""

    help = f"""Write the rating list of a category as CSV (UTF-8, RFC 4180).

The columns:
  {",".join(LIST_COLUMNS)}

The rating is rounded half up (RBB 3.12, 3.13); equal ratings share a rank and stand in the order of their
names, then of their numbers here. Without --as-of it is the list now, otherwise the state after the last
result that had ended at that moment (RBB 1.4).
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Which list, and where to."""
        parser.add_argument("category", choices=[category.slug for category in Category])
        parser.add_argument(
            "--as-of", type=moment, metavar="T", help="ISO 8601, UTC; a date is its 00:00 UTC"
        )
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Stream the rows."""
        as_of = options["as_of"]
        if as_of is not None and as_of > timezone.now():
            raise CommandError(f"--as-of {as_of:%Y-%m-%dT%H:%M:%SZ} lies in the future.")
        with self.writing(options["output"]) as stream:
            writer = csv_writer(stream)
            writer.writerow(LIST_COLUMNS)
            writer.writerows(list_rows(rating_list(Category.from_slug(options["category"]), as_of)))
