"""``import_otb_changes``: over-the-board changes from a file instead of two lists."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand
from ratings.fide.management.commands.announce_frl import tell
from ratings.fide.management.commands.import_frl import period_of
from ratings.fide.services.announcing import import_changes
from ratings.fide.services.changes import COLUMNS, NotAnnounced
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused


class Command(OfficeCommand):
    """Over-the-board changes from CSV (RBB 3.15)."""

    help = f"""Announce a month (RBB 3.15) with the changes of a file instead of those between two FIDE lists.

The file is UTF-8 with a header; the columns, in any order:
  {",".join(COLUMNS)}

  fide_id       of a member, in one row of the file
  period        the month, as --period says it
  rapid, blitz  the sum of the changes, two decimals, such as -12.40; empty: none

Added to rated members only, as announce_frl does; a month is announced once, from lists or from a file, and
announce_frl --undo takes it back. If a row is refused, nothing is stored. One transaction and one replay.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """The file, its month, and where refused rows go."""
        parser.add_argument("file", metavar="FILE.csv")
        parser.add_argument("--period", metavar="YYYY-MM", required=True, help="the month of the list")
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        path, fault = options["file"], ""
        period = period_of(options["period"])
        with (
            self.reading(path) as (stream, sha256),
            self.refusing(options["refused"], COLUMNS) as refuse,
        ):
            try:
                result = import_changes(
                    rows=read_rows(stream, required=COLUMNS),
                    period=period,
                    source=path,
                    sha256=sha256,
                    at=timezone.now(),
                    on_refused=refuse,
                )
            except (FileRefused, NotAnnounced) as refused:
                # Raised later: the file of refused rows is needed most when nothing was stored.
                fault = f"{path}: {refused}."
        if fault:
            raise CommandError(fault)
        tell(self, result)
