"""``export_frl``: an over-the-board list as FIDE writes its own."""

from datetime import date
from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import date_text
from ratings.otb.models import OtbList
from ratings.otb.services.files import LINES, WHOLE_LIST
from ratings.rules.b02.time_controls import Chapter


class Command(OfficeCommand):
    """The lists of FIDE B.02 7.12."""

    help = f"""Write an over-the-board list of the office (FIDE B.02 7.12): everybody with a rating by name,
inactive players with the flag i (7.23(b)).

The formats txt and xml are the layouts of FIDE's lists of one control, so that import_frl --control CHAPTER
reads them; the SHA-256 of the txt is the checksum of the list. The columns of csv:
  {",".join(LINES.names)}

Without --period it is the latest list, without --revision its last revision.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--chapter", choices=[one.slug for one in Chapter], default="standard", help="standard without"
        )
        parser.add_argument("--period", metavar="YYYY-MM[-DD]", help="the month of the list, or its day")
        parser.add_argument("--revision", type=int, metavar="N", help="of that list; the last one without")
        parser.add_argument("--format", choices=list(WHOLE_LIST), default="txt", help="txt without it")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        otb_list = _list(Chapter.of(options["chapter"]), options["period"], options["revision"])
        _media_type, pieces = WHOLE_LIST[options["format"]]
        with self.writing_bytes(options["output"]) as stream:
            for piece in pieces(otb_list):
                stream.write(piece)


def _list(chapter: Chapter, period: str | None, revision: int | None) -> OtbList:
    lists = OtbList.objects.in_chapter(chapter)
    if period is not None:
        day = _day(period)
        lists = lists.of(day) if len(period) > len("YYYY-MM") else lists.in_month(day)
    try:
        latest = lists.latest()
    except OtbList.DoesNotExist:
        of_period = f" of {period}" if period else ""
        none = f"No {chapter.slug} list{of_period} was published{'' if period else ' yet'}."
        raise CommandError(none) from None
    found = OtbList.objects.in_chapter(chapter).of(latest.list_day).in_revision(revision).first()
    if found is None:
        raise CommandError(f"The list of {date_text(latest.list_day)} has no revision {revision}.")
    return found


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text if len(text) > len("YYYY-MM") else f"{text}-01")
    except ValueError:
        raise CommandError(f"“{text}” isn't a month or day such as 2026-03 or 2026-03-01.") from None
