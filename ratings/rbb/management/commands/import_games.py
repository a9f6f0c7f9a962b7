"""``import_games``: import games from CSV or PGN."""

from argparse import ArgumentTypeError
from contextlib import suppress
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.text import counted
from ratings.formats.csv_rows import Rows
from ratings.formats.game_details import DETAIL_COLUMNS
from ratings.formats.game_files import ENDINGS, PGN, ending_of, games_of
from ratings.formats.games import COLUMNS, UNMARKED, EndBy
from ratings.formats.pgn import LEAST_PLIES
from ratings.formats.problems import file_name
from ratings.office.command import FileCommand
from ratings.rbb.ledger.game_files import StrictImportRefused, import_games
from ratings.rbb.ledger.game_import import GamesImported
from ratings.rules.rbb.conditions import why_not_listed
from ratings.rules.time_controls import UNKNOWN, Control

_FOUND: Final = {
    EndBy.TAGS: "from tags",
    EndBy.MOVE_TIMES: "from move times",
    EndBy.CLOCKS: "from clocks",
    EndBy.START: "from the start time",
    EndBy.DAY: "from the date (end of the day)",
}
_HINTS: Final = {
    UNMARKED: "; use --rate-unmarked to rate them",
    why_not_listed(UNKNOWN): "; use --time-control to set one",
}
"""Hints for importing a PGN file again so that its games are rated, by the reason why they aren't."""


def _control(text: str) -> Control:
    """Return a time control from the command line."""
    try:
        return Control.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


class Command(FileCommand):
    file_metavar = "FILE"
    help = f"""Import and rate the games in a file, in any order. Games that are already stored are skipped.

A .csv or .xlsx file has a header; a .csv file is separated by commas, semicolons or tabs (docs/files.md). The
columns, in any order:
  {",".join(COLUMNS)}

  external_id   the game’s ID or address, by which we recognize it in another import
  white, black  usernames of members
  time_control  seconds+increment, such as 600+10; games with another kind, such as 40/7200:3600, aren’t rated
                (2.3)
  rated         yes or no (1, 0, true, false)
  result        1-0, 0-1 or 1/2-1/2 (½-½); +/- or -/+ for a forfeit, which isn’t rated; empty or * while the
                game is in progress or if it wasn’t played
  termination   how it ended: checkmate, time, …, or the word that PGN, lichess, chess.com or a Swiss program
                uses (docs/regulations.md); a game that wasn’t played, or with an unknown word, isn’t rated
  started_at    ISO 8601 or 31.01.2026 18:30, UTC
  ended_at      the same; empty while the game is in progress. A game without a result has ended if its
                termination says that it wasn’t played: aborted, no-show, forfeit, bye

Optional columns:
  event_id, event, event_url, round   the arena’s event: its ID, name and page, and the round
  url           the page of the game in the arena; like event_url, it starts with https://
  variant       standard or empty; games of another variant, such as chess960, aren’t rated

In a .pgn file, the ID is the address in Site or Link. We recognize a game without one by its players, day and
time, round and moves, if it is over and has a time, a round or {LEAST_PLIES} half-moves. Games are rated if
the tag Event or Rated says so, their time control is one of the seventeen in RBB 2.3, and both sides have
moved. All others are stored as unrated, with the reason. If Event says neither “rated” nor “casual”, as in
files from chess.com, games are stored as unrated, unless you use --rate-unmarked, now or when you import the
file again. The same goes for games without a time control and --time-control. Elo tags are never used. A
remark reports whatever is repaired or left out.

The end of a game in a .pgn file is taken from its tags (EndDate and EndTime, GameEndTime, TimeEnd), or from
its move times (%emt), or from its clocks (%clk). If only the day is known, the game ends at the end of that
day.

A game marked as rated is refused if a player wasn’t a full member when it started (RBB 2.1), if a player who
was away for more than 60 seconds didn’t lose (2.4), or if it ends in the future. A game that is already
stored is skipped; if it was in progress, it is finished; if it differs from the stored one, it is refused.
IDs that differ only in capital letters, width or invisible characters are the same ID, and a new game with
another spelling of it is refused. Games that ended at the same time are ordered by external_id (3.11); those
without an address in a .pgn file, by round and then as they are in the file. Everything is stored and rated
together at the end; if the import is interrupted, nothing is stored.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--create-members",
            action="store_true",
            help="register unknown players as full members from the earliest date",
        )
        parser.add_argument(
            "--rate-unmarked",
            action="store_true",
            help="in a .pgn file, also rate games whose Event says neither rated nor casual",
        )
        parser.add_argument(
            "--time-control",
            type=_control,
            metavar="600+10",
            help="time control for games in a .pgn file that don’t have one",
        )
        super().add_arguments(parser)
        parser.add_argument("--strict", action="store_true", help="store nothing if any row is refused")

    def store(self, options: dict[str, Any]) -> None:
        path = options["file"]
        ending = ending_of(path)
        if ending not in ENDINGS:
            raise CommandError(f"{path}: the name of a games file must end in .csv, .xlsx or .pgn")
        if ending != PGN and (options["rate_unmarked"] or options["time_control"]):
            raise CommandError("--rate-unmarked and --time-control are only for .pgn files.")
        result: GamesImported | None = None
        with (
            self.reading(path) as (stream, sha256),
            self.refusing(options["refused"], (*COLUMNS, *DETAIL_COLUMNS)) as refuse,
            self.remarking() as remark,
            self.progress("replaying events") as progress,
            # Inside the block: if nothing is stored, the file of refused rows is complete, and needed most.
            suppress(StrictImportRefused),
            # Before the transaction, so that SQLite is locked only for writing.
            games_of(
                stream,
                ending,
                rate_unmarked=options["rate_unmarked"],
                control=options["time_control"],
                on_remark=remark,
            ) as rows,
        ):
            result = import_games(
                rows=rows,
                source=file_name(path),
                sha256=sha256,
                at=timezone.now(),
                create_members=options["create_members"],
                strict=options["strict"],
                keeps_order=ending == PGN,
                on_refused=refuse,
                progress=progress,
            )
        if result is None:
            raise CommandError("Nothing was stored: rows were refused and --strict was given.")
        self.say(
            f"Read {counted(result.read, 'game')}: {result.stored} stored, "
            f"{result.already_there} already there, {result.refused} refused. "
            f"Of those stored, {result.rated} {'counts' if result.rated == 1 else 'count'} for ratings."
        )
        if result.finished:
            self.say(f"Games in progress that are now finished: {result.finished}")
        if result.marked:
            self.say(f"Unrated games that are now rated: {result.marked}")
        for what, games in result.assumed.most_common():
            self.say(f"  {what}: {games}")
        for reason, games in result.unrated.most_common():
            hint = _HINTS.get(reason, "")
            self.say(f"  stored as unrated: {games}, {reason}{hint}")
        for why, games in result.void.most_common():
            self.say(f"  void because an account is closed: {games}, {why}")
        if result.ends:
            told = ", ".join(f"{games} {_FOUND[by]}" for by, games in result.ends.most_common())
            self.say(f"  end times: {told}")
        if result.members_created:
            self.say(f"{counted(result.members_created, 'member')} created.")
        if result.misleading.number:
            self.say(f"New members with different alphabets in one word, {result.misleading}")
        if result.too_long.number:
            told = f"{result.too_long.number} (lines {result.too_long.named})"
            self.say(f"Stored, but longer than the time control allows: {told}")
        if result.possibly_same.number:
            self.say(f"Possible duplicates, unrated until an officer decides, {result.possibly_same}")
        if result.overlapping.number:
            self.say(f"Rated games that overlap another game of the same player, {result.overlapping}")
        self.say(str(result.replayed))
        if isinstance(rows, Rows):
            self.say(f"Read as {rows.read_as}.")
        if result.refused and result.refused == result.read:
            raise CommandError("Nothing could be stored.")
