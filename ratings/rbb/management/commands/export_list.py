"""``export_list``: export a rating list, or all lists of a month (RBB 1.4)."""

from datetime import date, datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand, moment
from ratings.rbb.lists.as_of import live_ratings, ratings_as_of
from ratings.rbb.lists.columns import LIST_COLUMNS, PUBLISHED
from ratings.rbb.lists.files import (
    LIST_FORMATS,
    ListFile,
    current_list_file,
    month_archive,
    published_list_file,
)
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category


class Command(OfficeCommand):
    help = f"""Write the rating list of a category as CSV (UTF-8, RFC 4180), or in another --format.

The columns, which are the keys in JSON:
  {",".join(LIST_COLUMNS)}

The rating is rounded half up (RBB 3.12, 3.13); equal ratings share a rank and are sorted by name, then
by number. Without --as-of it is the list now, otherwise the state after the last
result that had ended at that moment (RBB 1.4).

Without a category, --month writes the lists of all categories, each in its last revision, as one ZIP archive.
It has the same files that the command writes for each of them.

With --month it is a published list, the CSV byte for byte the file behind its checksum. It has more columns:
  {",".join(PUBLISHED.names[len(LIST_COLUMNS) :])}

The formats txt and xml are the layouts of FIDE's lists of one control. They have only members with a FIDE ID,
since it is the key of each row. Gms are the games of the period, at most 999, and 0 for a list that is not
published; K is that of the next game. A member without a name has their username; in txt, names are in ASCII,
at most 60 characters.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "category",
            nargs="?",
            choices=[category.slug for category in Category],
            help="default: all lists of a --month",
        )
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--as-of", type=moment, metavar="T", help="ISO 8601, UTC; a date is its 00:00 UTC")
        state.add_argument("--month", metavar="YYYY-MM", help="the list published for this month")
        parser.add_argument("--revision", type=int, help="of that list; the last one without")
        parser.add_argument("--format", choices=list(LIST_FORMATS), default="csv", help="csv without it")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        is_archive, kind = options["category"] is None, LIST_FORMATS[options["format"]]
        lists = self._of_month(options) if is_archive else []
        file = None if is_archive else _file(options)
        to_text = self.stdout.isatty() or not hasattr(self.stdout, "buffer")
        if options["output"] is None and to_text and (is_archive or not kind.is_text):
            what = "A ZIP archive" if is_archive else options["format"]
            raise CommandError(f"{what} isn't text: choose a file with --output.")
        try:
            pieces = month_archive(lists, options["format"]) if file is None else kind.pieces(file)
            with self.writing_bytes(options["output"]) as stream:
                for piece in pieces:
                    stream.write(piece)
        except BadRequest as error:
            raise CommandError(str(error)) from None

    def _of_month(self, options: dict[str, Any]) -> list[RatingList]:
        """Return the lists of a month; say which categories have none."""
        if options["month"] is None or options["revision"] is not None:
            raise CommandError(
                "Choose a category: " + ", ".join(category.slug for category in Category) + ". "
                "Only --month without --revision writes all lists together."
            )
        lists = list(RatingList.objects.of_month(_month(options["month"])))
        if not lists:
            raise CommandError(f"No list of {options['month']} was published.")
        for category in sorted(set(Category) - {one.category for one in lists}):
            self.stderr.write(f"No {category.slug} list of {options['month']} was published.")
        return lists


def _month(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        raise CommandError(f"“{text}” isn't a month such as 2026-03.") from None


def _file(options: dict[str, Any]) -> ListFile:
    category, as_of, month = Category.from_slug(options["category"]), options["as_of"], options["month"]
    if as_of is not None and as_of > timezone.now():
        raise CommandError(f"--as-of {as_of:%Y-%m-%dT%H:%M:%SZ} is in the future.")
    if options["revision"] is not None and month is None:
        raise CommandError("--revision is for published lists: add their --month.")
    if month is None:
        rows = live_ratings(category) if as_of is None else ratings_as_of(category, as_of)
        return current_list_file(category, rows, as_of)
    published = _published(category, month, options["revision"])
    return published_list_file(published, published.entries)


def _published(category: Category, text: str, revision: int | None) -> RatingList:
    found = RatingList.objects.of(category, _month(text)).in_revision(revision).first()
    if found is None:
        which = "" if revision is None else f", revision {revision}"
        raise CommandError(f"No {category.slug} list of {text}{which} was published.")
    return found
