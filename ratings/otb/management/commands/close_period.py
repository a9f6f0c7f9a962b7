"""``close_period``: rate what was received over the board, and publish the list."""

from argparse import ArgumentTypeError
from datetime import date
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from foa.text import counted, date_text, signed
from ratings.office.command import DecisionCommand
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.labels import finding_sentence
from ratings.otb.services.publishing import Closing
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic


def day(text: str) -> date:
    """Read a day on the command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” isn’t a date such as 2026-10-25") from None


class Command(DecisionCommand):
    """Command that closes a rating period over the board (B.02 7)."""

    help = """Close an over-the-board rating period: rate the tournaments of a rating type (standard, rapid or
blitz) that ended in time and whose reports have been received, in the order in which they ended, and publish
the list.

You get the latest list whose closing day isn't after --until. The closing day is three days before the list
(seven under the 2009 regulations); official FIDE tournaments may end as late as the day before the list.
Reports that arrived too late for an earlier list are rated for this one. Tournaments that can't be rated are
listed with the articles: they are refused, or wait if somebody can still accept the findings.

Our first list follows the imported FIDE list in force and takes its ratings and K. --dry-run also shows every
rating that would change. Everything happens in one transaction.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--chapter",
            choices=[one.slug for one in Chapter],
            default="standard",
            help="rating type; default: standard",
        )
        parser.add_argument(
            "--until", metavar="DATE", type=day, help="a date such as 2026-10-25; default: today"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with self.progress("tournaments") as told:
            effect = self.decide(
                "close-period",
                options,
                tell=lambda done, *how_far: told(done),
                chapter=options["chapter"],
                until=options["until"] or timezone.now().date(),
            )
        closing, dry_run = effect.result.closing, options["dry_run"]
        if dry_run:
            self._tell_lines(closing)
        self._tell(closing, dry_run)

    def _tell_lines(self, closing: Closing) -> None:
        for line in closing.lines:
            before = "new" if line.before is None else line.before
            after = "delisted" if line.after is None else line.after
            change = "" if line.change is None else f" ({signed(line.change)}, K {line.k})"
            self.say(
                f"  {line.name} ({line.fide_id}): {before} → {after}{change}, {counted(line.games, 'game')}"
            )

    def _tell(self, closing: Closing, dry_run: bool) -> None:
        otb_list = closing.otb_list
        for rated in closing.refused:
            names = rated.names
            state = "refused" if rated.is_refused else "waiting"
            self.say(f"{rated.tournament}: not rated, {state}:")
            for finding in rated.refusals:
                self.say(f"  {finding_sentence(finding, names, rated.edition)}")
        edition = edition_of_list(otb_list)
        for one in closing.incomplete:
            stages = cited(edition, Topic.STAGES)
            self.say(f"{one}: not rated, waiting for the reports of its other stages{stages}")
        for one in closing.expected:
            self.say(
                f"{one}: official, ends on {date_text(one.last_day)}, no report yet; if it arrives before "
                f"{date_text(otb_list.list_day)}, it will be rated for a new revision of this list"
                f"{cited(edition, Topic.CLOSING_DAY)}"
            )
        done = "would be published" if dry_run else "published"
        self.say(
            f"{otb_list}: {done}. Tournaments rated: {otb_list.tournaments}; not rated: "
            f"{len(closing.refused)}. Players listed: {otb_list.players}; new: {otb_list.new_players}; "
            f"delisted: {otb_list.delisted}; with rated games: {len(closing.lines)}."
        )
        for revised in closing.revised:
            self.say(f"{revised}: {done}.")
