"""``import_otb_changes``: import over-the-board changes from a file instead of two lists."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from ratings.fide.management.commands.announce_frl import tell
from ratings.fide.management.commands.import_frl import period_of
from ratings.fide.services.announcing import COLUMNS, refused_rows
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import FileRefused
from ratings.office.command import DecisionCommand


class Command(DecisionCommand):
    """Command that imports over-the-board changes from CSV (RBB 3.15)."""

    help = f"""Announce a month (RBB 3.15) with changes from a file instead of from two FIDE lists.

The file has a header, and is separated by commas, semicolons or tabs (docs/files.md); the columns, in any
order:
  {",".join(COLUMNS)}

  fide_id       a member’s FIDE ID, once in the file
  period        the month, the same as --period
  rapid, blitz  total of the changes, with two decimals, such as -12.40 or -12,40; empty: none

The changes are added as by announce_frl. A month is announced only once, from lists or from a file;
announce_frl --undo undoes it. If a row is refused, nothing is stored. Everything happens in one transaction
and one replay.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file, its month, the file for refused rows, and the reason."""
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE.csv")
        parser.add_argument("--period", metavar="YYYY-MM", required=True, help="month of the list")
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check every row, store them, replay, and report."""
        path, fault = options["file"], ""
        period = period_of(options["period"])
        with (
            self.reading(path) as (stream, _),
            self.refusing(options["refused"], COLUMNS) as refuse,
        ):
            try:
                rows = read_rows(stream, required=COLUMNS)
                refused = refused_rows(rows, period)
                for problem in refused:
                    refuse(problem)
                if refused:
                    # Raised later, because the file of refused rows is needed most when nothing was stored.
                    rows_are = counted(len(refused), "row was", "rows were")
                    fault = f"{path}: {rows_are} refused, so nothing was stored."
            except FileRefused as refusal:
                fault = f"{path}: {refusal}."
            stream.seek(0)
            content = stream.read()
        if fault:
            raise CommandError(fault)
        effect = self.decide_about_file(
            "announce-changes", options, path=path, content=content, period=f"{period:%Y-%m}"
        )
        tell(self, effect.result)
        self.say(f"Read as {rows.read_as}.")
