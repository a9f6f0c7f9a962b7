"""``export_crosstable``: the cross-table of a tournament over the board."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.files import FORMATS
from foa.text import number_in
from ratings.formats.problems import FileRefused
from ratings.otb.models import Tournament
from ratings.otb.services.crosstable import columns_of, cross_table_file
from ratings.otb.services.rating import as_rated


class Command(OfficeCommand):
    """Command that writes the cross-table (FIDE B.02 8)."""

    help = f"""Export the cross-table of an over-the-board tournament, rated under FIDE’s regulations, as CSV
(UTF-8, RFC 4180) or XLSX.

The columns, with one for each round:
  {",".join(columns_of(1))}

Players are in the order of their final rank: as reported, or by points and tie-breaks. A round such as 12w1
means a win with White against the player ranked 12th. The results are TRF codes: 1 = 0 for played games, + -
for forfeits, W D L for games that aren’t rated; a bye has only its code (H F U Z). The rating is the one used
to rate the tournament.

Expected score and change are exact; score and average cover rated games only. The new rating is the old one
plus the change, unrounded, since only the list rounds (8.57). For a new player it is Ru, and expected, change
and k are blank (8.2, 8.58). A player without rated games has 0 games and blanks after it. If the tournament
isn’t rated yet, the file shows what the list in force would give.

Tie-breaks are those of FIDE C.07, in points, over all rounds: Buchholz Cut 1, Buchholz, Sonneborn-Berger and
games won over the board. A round robin has no Buchholz. There are no tie-breaks for teams, matches, parts of
leagues, or reports whose points don’t match their results.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", help="our number of the tournament, or its full name")
        parser.add_argument("--format", choices=("csv", "xlsx"), default="csv", help="default: csv")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        tournament = tournament_called(options["tournament"])
        if tournament.by_period:
            numbers = ", ".join(str(part.pk) for part in tournament.parts.order_by("first_day"))
            raise CommandError(
                f"{tournament} is rated period by period. Give the number of a part: {numbers}."
            )
        try:
            rated = as_rated(tournament)
        except FileRefused as refused:
            raise CommandError(f"{tournament}: {refused}") from refused
        if rated is None:
            raise CommandError(f"{tournament} has no report yet.")
        pieces = FORMATS[options["format"]].pieces(cross_table_file(rated))
        with self.writing_bytes(options["output"]) as stream:
            for piece in pieces:
                stream.write(piece)
        if tournament.status != Tournament.Status.RATED:
            self.stderr.write(
                f"{tournament} is {tournament.status_slug}, not rated: the file shows what it would change."
            )


def tournament_called(text: str) -> Tournament:
    """Find a tournament by its key, or by a name that only one has."""
    tournaments = Tournament.objects.with_report()
    named = list(tournaments.filter(name=text.replace("\x00", ""))[:2])
    if len(named) > 1:
        raise CommandError(f"Several tournaments are called “{text}”. Give a number instead.")
    if named:
        return named[0]
    if (key := number_in(text)) is not None and (found := tournaments.filter(pk=key).first()):
        return found
    raise CommandError(f"No tournament has this number or name: “{text}”.")
