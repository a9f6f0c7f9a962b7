"""``import_league_players``: import the squads of a season."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from ratings.formats.league import SQUAD_COLUMNS, read_squads
from ratings.league.management.seasons import numbers
from ratings.league.services.squads import DEFAULT_LEAGUE, RowsRefused, SeasonRefused, store_squads
from ratings.office.command import FileCommand


class Command(FileCommand):
    help = f"""Import the squads of a team league’s season from a CSV file. A new season is created.

The file has a header, and is separated by commas, semicolons or tabs (docs/files.md); the columns, in any
order:
  {",".join(SQUAD_COLUMNS)}

  name               as in the results; the same name next season is the same player
  team               the player’s only team this season
  rating             at the start of the season, from 0 to 4000, with at most two decimals; empty: carried
                     over from earlier seasons
  games              number of games the rating is based on; empty if the rating is
  captains_estimate  yes for a new, unrated player, who starts at 1300 with 0 games, whatever rating the
                     captain estimates; otherwise no or empty

A new season needs --cycles. In an existing season, only missing players are added; a player who is already
there with different values is refused. If a row is refused, nothing is stored. Importing a file twice changes
nothing.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--season", metavar="S", required=True, help="name of the season")
        parser.add_argument(
            "--cycles",
            metavar="5,10,11",
            type=numbers,
            help="last round of each rating cycle, including play-offs; needed for a new season",
        )
        parser.add_argument(
            "--league",
            metavar="L",
            help=f"league of a new season; default: the only league, or {DEFAULT_LEAGUE}",
        )
        super().add_arguments(parser)

    def store(self, options: dict[str, Any]) -> None:
        path = options["file"]
        with (
            self.reading(path) as (stream, _),
            self.refusing(options["refused"], SQUAD_COLUMNS) as refuse,
        ):
            rows = read_squads(stream)
            try:
                result = store_squads(
                    options["season"], rows, cycles=options["cycles"], league=options["league"]
                )
            except RowsRefused as refused:
                for problem in refused.problems:
                    refuse(problem)
                result = None
            except SeasonRefused as refused:
                raise CommandError(f"Nothing was stored: {refused}.") from refused
        self.say(f"Read as {rows.read_as}.")
        if result is None:
            raise CommandError(f"{path}: nothing was stored.")
        season = result.season
        if result.cycles:
            rounds = ", ".join(map(str, result.cycles))
            self.say(f"{season}, a new season of {season.league}, with cycles after rounds {rounds}.")
        if not result.stored:
            self.say(
                f"{season}: {counted(result.already_there, 'player is', 'players are')} already there. "
                "Nothing to do."
            )
            return
        teams = counted(len(result.teams), "new team") + f" ({', '.join(result.teams)})" * bool(result.teams)
        self.say(
            f"{season}: {counted(result.stored, 'player')} stored, {result.already_there} already there; "
            f"{teams}."
        )
