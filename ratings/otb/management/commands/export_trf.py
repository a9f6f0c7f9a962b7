"""``export_trf``: a tournament over the board as a report file."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from ratings.formats import trf
from ratings.formats.problems import FileRefused
from ratings.otb.management.commands.export_crosstable import tournament_called
from ratings.otb.services.trf_files import trf_lines


class Command(OfficeCommand):
    """Command that writes a tournament report file."""

    help = """Export an over-the-board tournament as a FIDE report file (TRF16 or TRF26, UTF-8), for pairing
programs and other rating offices. import_trf can read it.

Players, pairings, points, ranks and teams are taken from the current report; name, place, dates, kind and
time control are those we have on file. Dates of birth are cut down to the year. Comments, national lines and
lines that aren't records are left out.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", help="our number of the tournament, or its full name")
        parser.add_argument(
            "--format", choices=[str(one) for one in trf.Version], default="trf26", help="default: trf26"
        )
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        tournament = tournament_called(options["tournament"])
        if tournament.report is None:
            raise CommandError(f"{tournament} has no report yet.")
        try:
            lines = trf_lines(tournament, trf.Version(options["format"]))
        except FileRefused as refused:
            raise CommandError(f"{tournament}: {refused}") from refused
        with self.writing_bytes(options["output"]) as stream:
            for line in lines:
                stream.write(line)
