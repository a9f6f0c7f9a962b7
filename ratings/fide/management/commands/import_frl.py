"""``import_frl``: import the FIDE rating list of a month."""

from datetime import date, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand
from foa.text import counted, utc
from ratings.fide.services.lists import (
    LEAST_PLAYERS,
    MOST_CHANGED,
    MOST_REFUSED,
    MOST_TWICE,
    ListDoubtful,
    Listeners,
    ListFile,
    import_frl,
    most_changed,
)
from ratings.fide.services.watch import watched
from ratings.formats.frl import FideControl
from ratings.formats.problems import FileRefused, file_name


class Command(OfficeCommand):
    help = f"""Import a FIDE rating list and put it in force: the official TXT or XML file, zipped or not.

A combined list replaces the one in force. A list of one time control (--control) replaces only the ratings of
that control. A list older than the one in force only adds to the history of members with a FIDE ID. If the
file was imported before, it is read again only for members whose FIDE IDs were added since. Members’ ratings
don’t change: see announce_frl. The file is kept in UPLOAD_DIR, where the worker looks up FIDE IDs that are
added later.

Rows whose FIDE ID or ratings can’t be read are left out and listed, with line and reason. Any other value
that can’t be read is left blank, with a remark. If several rows have the same FIDE ID, the last one with a
rating is kept and the others are listed. If their ratings differ, none counts until somebody chooses one in
the admin, or a later list has one of them.

Unless you use --force, the whole list is refused, with figures, if
  it has fewer than {LEAST_PLAYERS}% of the players in force, or of those rated in a time control,
  more than {MOST_CHANGED}% of the ratings on both lists differ after a month, {most_changed(2)}% after two,
    {most_changed(3)}% after three and so on,
  more than {MOST_REFUSED} in 1,000 of its rows are refused,
  more than {MOST_TWICE} in 1,000 of its rows, and more than a handful, have the FIDE ID of another row, or
  its header names another month, or the same file was imported for another month.

Everything is stored together, or nothing is.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file, its month, and options for doubtful lists."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--period", metavar="YYYY-MM", required=True, help="month of the list")
        parser.add_argument(
            "--control",
            choices=[control.value for control in FideControl],
            help="time control of a single-control list",
        )
        parser.add_argument("--force", action="store_true", help="import it despite the warnings")
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        path, control, fault = options["file"], options["control"], ""
        period = period_of(options["period"])
        with (
            self.reading(path) as (stream, sha256),
            self.refusing(options["refused"], ("fide_id", "name")) as refuse,
            self.remarking() as remark,
        ):
            try:
                result = import_frl(
                    ListFile(
                        stream=stream,
                        source=file_name(path),
                        sha256=sha256,
                        period=period,
                        control=FideControl(control) if control else None,
                    ),
                    at=timezone.now(),
                    force=options["force"],
                    told=Listeners(refused=refuse, remark=remark),
                )
            except ListDoubtful as doubtful:
                # Raised later, because the file of refused rows is needed most when nothing was stored.
                fault = f"{path}: {doubtful}. Nothing was stored. To import it anyway, use --force."
            except FileRefused as refused:
                fault = f"{path}: {refused}. Nothing was stored."
        if fault:
            raise CommandError(fault)
        fide_list = result.fide_list
        if result.history_added:
            self.say(
                f"{fide_list}: this file was already imported on {utc(fide_list.imported_at)}. We added the "
                f"ratings for {counted(result.history_added, 'FIDE ID')} registered since then to the "
                "members’ history."
            )
            return
        if not result.is_new:
            self.say(
                f"{fide_list}: this file was already imported on {utc(fide_list.imported_at)}. Nothing to do."
            )
            return
        self.say(
            f"{fide_list}: read {counted(fide_list.rows, 'row')}, "
            f"{counted(fide_list.rows - fide_list.refused, 'player')}, "
            f"{fide_list.refused} refused."
        )
        if result.twice:
            has = "has" if result.twice == 1 else "have"
            self.say(f"Of the refused rows, {result.twice} {has} the same FIDE ID as a row that was kept.")
        if result.put_in_force:
            self.say(
                f"In force now for {', '.join(result.put_in_force)}: "
                f"{counted(fide_list.added, 'player')} added, {fide_list.changed} changed, "
                f"{fide_list.removed} removed."
            )
        else:
            self.say("A later list is in force, so this one only adds to the members’ history.")
        tell_watched(self, sum(1 for _one in watched(at=timezone.now())))


def tell_watched(command: OfficeCommand, members: int) -> None:
    """Say how many members are on the first-rating check, if there are any."""
    if members:
        command.say(
            f"{counted(members, 'member has', 'members have')} first ratings that differ from the FIDE "
            "lists: see “First-rating check” in the admin."
        )


def period_of(text: str) -> date:
    """Return the month of a list on the command line. Raises CommandError if it isn't one."""
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        raise CommandError(f"“{text}” isn’t a month such as 2026-03.") from None
