"""``import_members``: register members, and update those who exist."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from members.comparing import compare_members
from members.importing import COLUMNS, import_members, read_members
from ratings.formats.problems import FileRefused
from ratings.office.command import DecisionCommand
from ratings.office.decision_types import kind_of
from ratings.rbb.models import Game


class Command(DecisionCommand):
    help = f"""Register members from a CSV file.

The file has a header, and is separated by commas, semicolons or tabs (docs/files.md); the columns, in any
order:
  {",".join(COLUMNS)}

  username     the name they play under; capital letters make no difference
  name         Last, First
  fide_id      FIDE ID, or empty
  federation   three letters, or empty
  sex          M, F or empty
  birth_year   four digits, not in the future, or empty
  title        GM, IM, FM, CM, WGM, WIM, WFM, WCM, AGM, AIM, AFM, ACM or empty
  full_from    when full membership starts: a date such as 2026-01-31 or 31.01.2026 (00:00 UTC), an ISO 8601
               date and time, or empty
  full_until   when it ends, in the same formats; empty for current full members

A member with several periods of full membership has a row for each. Rows that are already stored are skipped,
and rows that contradict what we have about a member are refused. A name, federation, sex, birth year or title
that can’t be read is left blank, with a remark. Importing a file twice changes nothing. All valid rows are
stored together; if the import is interrupted, none are.

With --update, such rows change the member instead: an empty cell clears the field, and full_until changes the
end of the membership that starts at full_from. Memberships that aren’t in the file stay. Rated games that are
no longer covered become unrated, and games that were unrated only for lack of full membership become rated
(RBB 2.1). Every difference is printed. The update is one decision: if a row is refused, nothing is stored.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE.csv")
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")
        parser.add_argument(
            "--update",
            action="store_true",
            help="update existing members from the file, as one decision",
        )
        self.add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["update"]:
                self._update(options)
            else:
                with self.rehearsing(options["dry_run"]):
                    self._import(options)
        except FileRefused as refused:
            raise CommandError(f"{options['file']}: {refused}") from refused

    def _import(self, options: dict[str, Any]) -> None:
        with (
            self.reading(options["file"]) as (stream, _),
            self.refusing(options["refused"], COLUMNS) as refuse,
            self.remarking() as remark,
        ):
            rows = read_members(stream)
            result = import_members(rows=rows, on_refused=refuse, on_remark=remark)
        self.say(
            f"Read {counted(result.read, 'row')}: {counted(result.stored, 'member')} stored, "
            f"{counted(result.spans_added, 'full membership')} added, "
            f"{result.already_there} already there, {result.refused} refused."
        )
        if result.spans_added and (games := Game.objects.kept_unrated().covered().count()):
            self.say(
                f"{counted(games, 'game is', 'games are')} now covered by full membership (RBB 2.1) but still"
                " unrated. To rate them, select them in the admin (filter: kept unrated). To list them, run"
                " “manage.py audit --only games-kept-unrated”."
            )
        self.say(f"Read as {rows.read_as}.")
        if result.refused and result.refused == result.read:
            raise CommandError("Nothing could be stored.")

    def _update(self, options: dict[str, Any]) -> None:
        path = options["file"]
        with (
            self.reading(path) as (stream, _),
            self.refusing(options["refused"], COLUMNS) as refuse,
            self.remarking() as remark,
        ):
            rows = read_members(stream)
            compared = compare_members(rows=rows)
            for left in compared.remarks:
                remark(left)
            for problem in sorted(compared.refused, key=lambda one: one.line):
                refuse(problem)
            stream.seek(0)
            content = stream.read()
        if compared.refused:
            self.say(f"Read as {rows.read_as}.")
            refused = len({problem.line for problem in compared.refused})
            raise CommandError(
                f"{path}: {counted(refused, 'row was', 'rows were')} refused, so nothing was stored."
            )
        effect = self.decide_about_file(
            "update-members", options, path=path, content=content, rate_games=True
        )
        value = kind_of("update-members").name_value
        for fact in effect.inputs:
            self.say(f"  {fact.label}: {value(fact.before) or 'nothing'} → {value(fact.after) or 'nothing'}")
        done = "would be updated" if options["dry_run"] else "updated"
        self.say(
            f"Read {counted(compared.read, 'row')}: {counted(len(compared.updates), 'member')} {done}, "
            f"{compared.already_there} already there. {counted(len(effect.moves), 'rating')} changed."
        )
        self.say(f"Read as {rows.read_as}.")
