"""``export_list``: the rating list of a category as CSV."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand, moment
from foa.web.spreadsheet import csv_writer
from ratings.models import RatingList
from ratings.rules.time_controls import Category
from ratings.services.exports import LIST_COLUMNS, PUBLISHED_COLUMNS, list_rows, published_rows
from ratings.services.lists import published_lines, rating_list

__all__ = ["Command"]


class Command(OfficeCommand):
    """The list (RBB 1.4)."""

    help = f"""Write the rating list of a category as CSV (UTF-8, RFC 4180).

The columns:
  {",".join(LIST_COLUMNS)}

The rating is rounded half up (RBB 3.12, 3.13); equal ratings share a rank and stand in the order of their
names, then of their numbers here. Without --as-of it is the list now, otherwise the state after the last
result that had ended at that moment (RBB 1.4).

With --month it is a published list, byte for byte the file behind its checksum, with four columns more:
  {",".join(PUBLISHED_COLUMNS[len(LIST_COLUMNS) :])}
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Which list, and where to."""
        parser.add_argument("category", choices=[category.slug for category in Category])
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--as-of", type=moment, metavar="T", help="ISO 8601, UTC; a date is its 00:00 UTC")
        state.add_argument("--month", metavar="YYYY-MM", help="the list published for this month")
        parser.add_argument("--revision", type=int, help="of that list; the last one without")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Stream the rows."""
        as_of = options["as_of"]
        if as_of is not None and as_of > timezone.now():
            raise CommandError(f"--as-of {as_of:%Y-%m-%dT%H:%M:%SZ} lies in the future.")
        if options["revision"] is not None and options["month"] is None:
            raise CommandError("--revision is that of a published list: say of which --month.")
        category = Category.from_slug(options["category"])
        columns: tuple[str, ...] = LIST_COLUMNS
        rows = list_rows(rating_list(category, as_of))
        if options["month"] is not None:
            published = _published(category, options["month"], options["revision"])
            columns = PUBLISHED_COLUMNS
            rows = published_rows(published_lines(published.entries.order_by("position")))
        with self.writing(options["output"]) as stream:
            writer = csv_writer(stream)
            writer.writerow(columns)
            writer.writerows(rows)


def _published(category: Category, text: str, revision: int | None) -> RatingList:
    try:
        month = datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        raise CommandError(f"“{text}” is no month such as 2026-03.") from None
    lists = RatingList.objects.filter(category=category, month=month).order_by("-revision")
    found = lists.first() if revision is None else lists.filter(revision=revision).first()
    if found is None:
        which = "" if revision is None else f", revision {revision}"
        raise CommandError(f"No {category.slug} list of {text}{which} was published.")
    return found
