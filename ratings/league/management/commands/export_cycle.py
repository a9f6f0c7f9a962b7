"""``export_cycle``: export the list of a rating cycle."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.spreadsheet import csv_pieces
from ratings.league.management.seasons import season_named
from ratings.league.models import CycleList, Season
from ratings.league.services.cycles import LINES, csv_rows


class Command(OfficeCommand):
    help = f"""Export the list of a league’s rating cycle as CSV (UTF-8, RFC 4180), sorted by name.

The columns:
  {",".join(LINES.names)}

Ratings and gains are points with two decimals. A new player’s old rating is 1300, the assumed rating; if none
of their games count, the new rating is blank. gain is the result of the formula, adjusted is the gain after
the k adjustment.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--season", metavar="S", required=True, help="name of the season")
        parser.add_argument(
            "--cycle", type=int, metavar="N", help="number of the cycle; default: the last closed one"
        )
        parser.add_argument(
            "--revision", type=int, metavar="N", help="revision of that list; default: the latest"
        )
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        published = _list(season_named(options["season"]), options["cycle"], options["revision"])
        with self.writing(options["output"]) as stream:
            stream.writelines(csv_pieces(LINES.names, csv_rows(published)))


def _list(season: Season, cycle: int | None, revision: int | None) -> CycleList:
    lists = CycleList.objects.of_seasons(season).in_revision(revision)
    if revision is None:
        lists = lists.in_force()
    try:
        return (lists if cycle is None else lists.of_number(cycle)).latest()
    except CycleList.DoesNotExist:
        asked = (("cycle", cycle), ("revision", revision))
        what = [str(season), *(f"{name} {number}" for name, number in asked if number is not None)]
        raise CommandError(f"This list doesn’t exist: {', '.join(what)}.") from None
