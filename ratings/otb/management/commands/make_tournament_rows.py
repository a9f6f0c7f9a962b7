"""``make_tournament_rows``: take the players and games of reports over the board from the files again."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import counted
from ratings.formats.problems import FileRefused
from ratings.otb.models import Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.remaking_rows import make_rows


class Command(OfficeCommand):
    help = """Rebuild the stored players and games of over-the-board tournaments from the reports as received.

Pages, files and rating periods use these rows. They are written when a report is received; for reports from
before version 0.21, the worker writes them. Use this command to repair what the audit finds. Each tournament
is a transaction of its own, so you can interrupt the command and start it again. Tournaments whose report
can't be read are listed and don't change; the exit code is then 1.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "tournaments",
            nargs="*",
            type=int,
            metavar="NUMBER",
            help="numbers of tournaments; default: all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        reported = Tournament.objects.filter(report__isnull=False).order_by("pk")
        if options["tournaments"]:
            reported = reported.filter(pk__in=options["tournaments"])
            if missing := sorted({*options["tournaments"]}.difference(reported.values_list("pk", flat=True))):
                raise CommandError(f"There’s no tournament {missing[0]} with a report.")
        made, failed = 0, 0
        for tournament in reported.only("pk", "name", "first_day"):
            try:
                make_rows(tournament)
            except (FileRefused, NotPossible) as refusal:
                failed += 1
                self.stderr.write(f"Tournament {tournament.pk}, {tournament}: {refusal}")
            else:
                made += 1
        told = f"Rebuilt the rows of {counted(made, 'tournament')}."
        if failed:
            raise CommandError(f"{told} {counted(failed, 'report')} can’t be read.")
        self.say(told)
