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

  username     the name they play under, unique regardless of capital letters
  name         Last, First
  fide_id      FIDE ID, or empty
  federation   three letters, or empty
  sex          M, F or empty
  birth_year   four digits, not in the future, or empty
  title        GM, IM, FM, CM, WGM, WIM, WFM, WCM, AGM, AIM, AFM, ACM or empty
  full_from    first moment of full membership: a date such as 2026-01-31 or 31.01.2026 (its 00:00 UTC), or an
               ISO 8601 moment; or empty
  full_until   first moment that is no longer part of it; empty: still a full member

A member with several spans of full membership has a row for each. A row that is already stored is
skipped; one that says something else about a known member is refused. A name, federation, sex, birth year or
title that can't be read is left blank and told as a remark. Importing a file twice changes nothing. All rows
that can be taken are stored together, or, after an interruption, none.

With --update, a row that says something else about a known member changes it: an empty cell empties it, a
full_until changes the end of the span with this full_from. Spans that the file doesn't name stay. Rated games
that are no longer covered become unrated, and games that were kept unrated only for lack of full membership
are rated (RBB 2.1). Every difference is printed; --dry-run changes nothing. It is one decision: if a row is
refused, nothing is stored.
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
            f"{counted(result.spans_added, 'span')} of full membership added, "
            f"{result.already_there} already there, {result.refused} refused."
        )
        if result.spans_added and (games := Game.objects.kept_unrated().covered().count()):
            self.say(
                f"{counted(games, 'game is', 'games are')} now covered, but kept unrated for lack of full"
                " membership (RBB 2.1). To rate games, choose them in the admin (filter: kept unrated), or"
                " see “manage.py audit --only games-kept-unrated”."
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
