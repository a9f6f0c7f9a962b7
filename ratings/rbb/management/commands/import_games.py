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
    EndBy.TAGS: "by tags",
    EndBy.MOVE_TIMES: "by the times of moves",
    EndBy.CLOCKS: "by clocks",
    EndBy.START: "by the start alone",
    EndBy.DAY: "by the day alone, at its end",
}
_HINTS: Final = {
    UNMARKED: "; --rate-unmarked rates such games",
    why_not_listed(UNKNOWN): "; --time-control says theirs",
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
    help = f"""Store and rate the games in a file, in any order, each of them once.

A .csv or .xlsx file has a header; a .csv file is separated by commas, semicolons or tabs (docs/files.md). The
columns, in any order:
  {",".join(COLUMNS)}

  external_id   the game's id or address, by which it is known when it comes again
  white, black  usernames of members
  time_control  seconds+increment: 600+10; at any other one, such as 40/7200:3600, a game isn't rated (2.3)
  rated         yes or no (1, 0, true, false)
  result        1-0, 0-1 or 1/2-1/2 (½-½); +/- or -/+ for a forfeit, which isn't rated; empty or * while the
                game is in progress or if it wasn't played
  termination   how it ended: checkmate, time, …, or a word of PGN, lichess, chess.com or a Swiss program for
                it (docs/regulations.md); a game that wasn't played, or with an unknown word, isn't rated
  started_at    ISO 8601 or 31.01.2026 18:30, UTC
  ended_at      the same; empty while the game is in progress. A game without a result has ended if its
                termination says that it wasn't played: aborted, no-show, forfeit, bye

Columns that a file may also have:
  event_id, event, event_url, round   the arena's event: its id, name and page, and the round
  url           the page of the game on the arena; like event_url it begins with https://
  variant       standard or empty; a game of another variant, such as chess960, isn't rated

In a .pgn file the id is the address in Site or Link. A game without one is known by players, day and time,
round and moves, if it is over and has a time, a round or {LEAST_PLIES} half-moves. Games are rated if the tag
Event or Rated says so, their control is one of the seventeen of RBB 2.3 and both sides have moved; the others
are kept as unrated, with the reason. Where Event says neither “rated” nor “casual”, as in files of chess.com,
games are kept as unrated, unless --rate-unmarked is given, now or when the file is imported again; so are
games without a time control, unless --time-control is given. Elo tags are never used. What is repaired or
left out is told as a remark.

When a game of a .pgn file ended is told by its tags (EndDate and EndTime, GameEndTime, TimeEnd), else by the
times of its moves (%emt), else by its clocks (%clk). One of which only the day is told ends with that day.

A game marked as rated is refused if a player was no full member when it started (RBB 2.1), if who was gone
for more than 60 seconds has not lost (2.4), or if it ends in the future. A game already stored is skipped,
one that was in progress is finished; one stored otherwise is refused. Ids that differ in capital letters,
width or characters nobody sees are one id: a new game with another spelling of it is refused. Games that
ended at the same moment are ordered by external_id (3.11), and in a .pgn file by round, if they have no
address, and then as they are in the file. Everything is stored and rated together at the end, or, after an
interruption, nothing is.
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
            help="in a .pgn file, time control for games that don't give one",
        )
        super().add_arguments(parser)
        parser.add_argument("--strict", action="store_true", help="store nothing if anything is refused")

    def store(self, options: dict[str, Any]) -> None:
        path = options["file"]
        ending = ending_of(path)
        if ending not in ENDINGS:
            raise CommandError(f"{path}: the name of a games file must end in .csv, .xlsx or .pgn")
        if ending != PGN and (options["rate_unmarked"] or options["time_control"]):
            raise CommandError("--rate-unmarked and --time-control are for .pgn files: a .csv file has both.")
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
            self.say(f"Finished here: {result.finished}, in progress until now.")
        if result.marked:
            self.say(f"Rated here: {result.marked}, kept as unrated until now.")
        for what, games in result.assumed.most_common():
            self.say(f"  {what}: {games}")
        for reason, games in result.unrated.most_common():
            hint = _HINTS.get(reason, "")
            self.say(f"  kept as unrated: {games}, {reason}{hint}")
        for why, games in result.void.most_common():
            self.say(f"  void, since an account is closed: {games}, {why}")
        if result.ends:
            told = ", ".join(f"{games} {_FOUND[by]}" for by, games in result.ends.most_common())
            self.say(f"  ends of games found: {told}")
        if result.members_created:
            self.say(f"{counted(result.members_created, 'member')} created.")
        if result.misleading.number:
            self.say(f"Of these with letters of several alphabets in one word, {result.misleading}")
        if result.too_long.number:
            told = f"{result.too_long.number} (lines {result.too_long.named})"
            self.say(f"Stored, but longer than the time control allows: {told}")
        if result.possibly_same.number:
            self.say(f"Possibly stored already, so unrated until an officer decides, {result.possibly_same}")
        if result.overlapping.number:
            self.say(f"Rated games that overlap another game of a player, {result.overlapping}")
        self.say(str(result.replayed))
        if isinstance(rows, Rows):
            self.say(f"Read as {rows.read_as}.")
        if result.refused and result.refused == result.read:
            raise CommandError("Nothing could be stored.")
