"""``import_ratings``: import starting ratings from an earlier system."""

from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from foa.text import counted
from ratings.formats.csv_rows import read_rows
from ratings.formats.problems import file_name
from ratings.office.command import FileCommand
from ratings.rbb.ledger.openings import COLUMNS, OPTIONAL_COLUMNS, import_openings


class Command(FileCommand):
    help = f"""Import starting ratings from an earlier system (RBB 3.4) from a CSV file.

The file has a header, and is separated by commas, semicolons or tabs (docs/files.md); the columns, in any
order:
  {",".join(COLUMNS)}[,{",".join(OPTIONAL_COLUMNS)}]

  username            a registered member (import_members)
  category            rapid, blitz or bullet
  rating              at least 100.00 (RBB 3.2), with two decimals after a point or a comma
  effective_at        when the rating takes effect: ISO 8601 or 31.01.2026, UTC; a date alone means 00:00
  games               number of rated games played before; empty: 0
  previously_unrated  yes: RBB 3.10.3 applies, with K = 40 until the 30th rated game; empty: no

A member has one starting rating per category. A rating that is already stored is skipped; one that differs is
refused. Importing a file twice changes nothing. Everything is stored and rated together, or nothing is.
"""

    def store(self, options: dict[str, Any]) -> None:
        columns = (*COLUMNS, *OPTIONAL_COLUMNS)
        with (
            self.reading(options["file"]) as (stream, sha256),
            self.refusing(options["refused"], columns) as refuse,
            self.progress("replaying events") as progress,
        ):
            rows = read_rows(stream, required=COLUMNS, optional=OPTIONAL_COLUMNS)
            result = import_openings(
                rows=rows,
                source=file_name(options["file"]),
                sha256=sha256,
                at=timezone.now(),
                on_refused=refuse,
                progress=progress,
            )
        self.say(
            f"Read {counted(result.read, 'row')}: {counted(result.stored, 'starting rating')} stored, "
            f"{result.already_there} already there, {result.refused} refused."
        )
        self.say(str(result.replayed))
        for name in result.not_applied:
            self.say(f"Stored but not used, because already rated from games (RBB 3.4): {name}")
        if result.early.number:
            self.say(f"Stored, but earlier than full membership (RBB 3.4), {result.early}")
        self.say(f"Read as {rows.read_as}.")
        if result.refused and result.refused == result.read:
            raise CommandError("Nothing could be stored.")
