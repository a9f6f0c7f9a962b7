"""``import_members``: put people on the books."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from members.importing import COLUMNS, import_members
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused


class Command(OfficeCommand):
    help = f"""Put members on the books from a CSV file.

The file is UTF-8 with a header; the columns, in any order:
  {",".join(COLUMNS)}

  username     the name he plays under, unique
  name         Last, First
  fide_id      FIDE ID, or empty
  federation   three letters, or empty
  sex          M, F or empty
  birth_year   four digits, or empty
  title        GM, IM, FM, CM, WGM, WIM, WFM, WCM, AGM, AIM, AFM, ACM or empty
  full_from    first moment of full membership: a date (its 00:00 UTC) or an ISO 8601 moment; or empty
  full_until   first moment that is no longer part of it; empty: still a full member

A member with several spans of full membership has a row for each. A row that stands already on the books is
skipped; one that says something else about a known member is refused. Importing a file twice changes nothing.
All rows that can be taken are stored together, or, after an interruption, none.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.csv")
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with (
                self.reading(options["file"]) as (stream, _),
                self.refusing(options["refused"], COLUMNS) as refuse,
            ):
                result = import_members(rows=read_rows(stream, required=COLUMNS), on_refused=refuse)
        except FileRefused as refused:
            raise CommandError(f"{options['file']}: {refused}") from refused
        self.say(
            f"Read {result.read} rows: {result.stored} members stored, {result.spans_added} spans of full "
            f"membership added, {result.already_there} already there, {result.refused} refused."
        )
        if result.refused and result.refused == result.read:
            raise CommandError("Nothing could be stored.")
