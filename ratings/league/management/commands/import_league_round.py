"""``import_league_round``: import rounds of a season."""

from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from ratings.formats.league import ROUND_COLUMNS, ROUND_OPTIONAL, read_rounds
from ratings.formats.problems import Problem
from ratings.league.management.seasons import season_named
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import RowsRefused
from ratings.office.command import FileCommand
from ratings.rules.bal.cycles import BoardResult, MatchStage

_HINTS: Final = {
    "add_unknown_as_ce": "To add unknown players to their teams, use --add-unknown-as-ce.",
    "replace": "To replace stored boards with those in the file, use --replace.",
}
"""Options that would accept refused rows."""


class Command(FileCommand):
    help = f"""Import one or more rounds of the team league from a CSV file with a row for each board.

The file has a header, and is separated by commas, semicolons or tabs (docs/files.md); the columns, in any
order:
  {",".join(ROUND_COLUMNS)} and optionally {",".join(ROUND_OPTIONAL)}

  round, board              from 1 to 99; play-offs are rounds after the last scheduled one
  home_team, away_team      a team plays one match per round
  home_player, away_player  from the squads of these teams; a player has one board per round. Blank if the
                            team had nobody for the board, or didn’t come
  result                    {", ".join(BoardResult)}; 0-0 is read as -/-. A forfeit counts for
                            the match, not for ratings: +/- for the home team, -/+ for the away team, -/-
                            for neither
  stage                     in the play-offs: {", ".join(one for one in MatchStage if one)}.
                            Blank for scheduled rounds. Play-offs don’t count in the table. Stored matches
                            also get their stage, even in a closed cycle

Boards that are already stored don’t change. If the file has other players or another result for one of them,
it is refused unless you use --replace. Correct the results of a closed cycle in the admin. If a row is
refused, nothing is stored.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file, the season, and options to do more than store what is new."""
        parser.add_argument("--season", metavar="S", required=True, help="name of the season")
        parser.add_argument(
            "--replace", action="store_true", help="replace stored boards with those in the file"
        )
        parser.add_argument(
            "--add-unknown-as-ce",
            action="store_true",
            help="add unknown players to their team as new players with a captain’s estimate",
        )
        super().add_arguments(parser)

    def store(self, options: dict[str, Any]) -> None:
        path, season = options["file"], season_named(options["season"])
        problems: list[Problem] = []
        with (
            self.reading(path) as (stream, _),
            self.refusing(options["refused"], (*ROUND_COLUMNS, *ROUND_OPTIONAL)) as refuse,
        ):
            rows = read_rounds(stream)
            try:
                result = store_round(
                    season,
                    rows,
                    replace=options["replace"],
                    add_unknown_as_ce=options["add_unknown_as_ce"],
                )
            except RowsRefused as refused:
                for problem in refused.problems:
                    refuse(problem)
                result, problems = None, refused.problems
        self.say(f"Read as {rows.read_as}.")
        if result is None:
            for option in sorted({fault.option for one in problems for fault in one.faults} & {*_HINTS}):
                self.say(_HINTS[option])
            raise CommandError(f"{path}: nothing was stored.")
        for name, team in result.new_players.items():
            self.say(f"{name} joins {team} as a new player with a captain’s estimate.")
        for one in result.staged:
            self.say(f"{one.match}: {one.match.stage}.")
        if not result.stored and not result.replaced and not result.staged:
            self.say(
                f"{season}: {counted(result.already_there, 'board is', 'boards are')} already there. "
                "Nothing to do."
            )
            return
        self.say(
            f"{season}: {counted(result.stored, 'board')} stored, {len(result.replaced)} replaced, "
            f"{result.already_there} already there."
        )
        for said in result.missing:
            self.say(said)
