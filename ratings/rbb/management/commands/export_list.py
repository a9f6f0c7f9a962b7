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
    help = f"""Export the rating list of a category as CSV (UTF-8, RFC 4180), or in another --format.

The columns, which are also the keys in JSON:
  {",".join(LIST_COLUMNS)}

Ratings are rounded half up (RBB 3.12, 3.13). Members with equal ratings share a rank and are sorted by name,
then by number. Without --as-of you get the current list; with it, the ratings after the last game that had
ended by that time (RBB 1.4).

With --month you get a published list. As CSV, it is byte for byte the file that its checksum is for. It has
these additional columns:
  {",".join(PUBLISHED.names[len(LIST_COLUMNS) :])}

With --month but without a category, you get the lists of all categories, each in its latest revision, as one
ZIP archive. Its files are the same as those of the single categories.

The formats txt and xml have the layout of FIDE’s lists of one time control. They include only members with a
FIDE ID, because it is the key of each row. Gms is the number of games in the period, at most 999, and 0 for a
list that isn’t published. K is that of the next game. A member without a name appears under their username.
In txt, names are in ASCII, at most 60 characters.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "category",
            nargs="?",
            choices=[category.slug for category in Category],
            help="default: all categories, which needs --month",
        )
        state = parser.add_mutually_exclusive_group()
        state.add_argument(
            "--as-of",
            type=moment,
            metavar="T",
            help="the list at this time (ISO 8601, UTC; a date alone means 00:00); default: now",
        )
        state.add_argument("--month", metavar="YYYY-MM", help="the list published for this month")
        parser.add_argument("--revision", type=int, help="revision of that list; default: the latest")
        parser.add_argument("--format", choices=list(LIST_FORMATS), default="csv", help="default: csv")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        is_archive, kind = options["category"] is None, LIST_FORMATS[options["format"]]
        lists = self._of_month(options) if is_archive else []
        file = None if is_archive else _file(options)
        to_text = self.stdout.isatty() or not hasattr(self.stdout, "buffer")
        if options["output"] is None and to_text and (is_archive or not kind.is_text):
            what = "A ZIP archive" if is_archive else options["format"]
            raise CommandError(f"{what} isn’t text: choose a file with --output.")
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
            raise CommandError(f"No list was published for {options['month']}.")
        for category in sorted(set(Category) - {one.category for one in lists}):
            self.stderr.write(f"No {category.slug} list was published for {options['month']}.")
        return lists


def _month(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        raise CommandError(f"“{text}” isn’t a month such as 2026-03.") from None


def _file(options: dict[str, Any]) -> ListFile:
    category, as_of, month = Category.from_slug(options["category"]), options["as_of"], options["month"]
    if as_of is not None and as_of > timezone.now():
        raise CommandError(f"--as-of {as_of:%Y-%m-%dT%H:%M:%SZ} is in the future.")
    if options["revision"] is not None and month is None:
        raise CommandError("Only published lists have revisions: add --month.")
    if month is None:
        rows = live_ratings(category) if as_of is None else ratings_as_of(category, as_of)
        return current_list_file(category, rows, as_of)
    published = _published(category, month, options["revision"])
    return published_list_file(published, published.entries)


def _published(category: Category, text: str, revision: int | None) -> RatingList:
    found = RatingList.objects.of(category, _month(text)).in_revision(revision).first()
    if found is None:
        which = "" if revision is None else f", revision {revision}"
        raise CommandError(f"No {category.slug} list was published for {text}{which}.")
    return found
