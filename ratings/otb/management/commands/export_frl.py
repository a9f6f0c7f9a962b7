"""``export_frl``: an over-the-board list as FIDE writes its own."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import date_text
from ratings.otb.models import OtbList
from ratings.otb.services.combined import WHOLE_COMBINED_LIST, combined_list
from ratings.otb.services.files import LINES, WHOLE_LIST
from ratings.rules.b02.time_controls import Chapter

COMBINED: Final = "combined"


class Command(OfficeCommand):
    """Command that writes a list in FIDE's layouts (B.02 7.12)."""

    help = f"""Export one of our over-the-board lists (FIDE B.02 7.12): all rated players, sorted by name.
Inactive players have the flag i (7.23(b)).

The formats txt and xml have the layout of FIDE’s lists of one time control, which import_frl --control can
read. The SHA-256 of the txt file is the checksum of the list. The columns of csv:
  {",".join(LINES.names)}

--chapter combined gives a list with all three ratings in each line, like FIDE’s players_list_foa, as txt or
xml. It has the latest revisions of the lists in force on that day.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--chapter",
            choices=[*(one.slug for one in Chapter), COMBINED],
            default="standard",
            help="rating type; default: standard",
        )
        parser.add_argument(
            "--period", metavar="YYYY-MM[-DD]", help="month or day of the list; default: the latest list"
        )
        parser.add_argument(
            "--revision", type=int, metavar="N", help="revision of that list; default: the latest"
        )
        parser.add_argument("--format", choices=list(WHOLE_LIST), default="txt", help="default: txt")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        make = _combined if options["chapter"] == COMBINED else _single
        pieces = make(options)
        with self.writing_bytes(options["output"]) as stream:
            for piece in pieces:
                stream.write(piece)


def _single(options: Mapping[str, Any]) -> Iterator[bytes]:
    otb_list = _list(Chapter.of(options["chapter"]), options["period"], options["revision"])
    _media_type, pieces = WHOLE_LIST[options["format"]]
    return pieces(otb_list)


def _combined(options: Mapping[str, Any]) -> Iterator[bytes]:
    if options["format"] not in WHOLE_COMBINED_LIST:
        raise CommandError(f"The combined list is available as {' and '.join(WHOLE_COMBINED_LIST)}.")
    if options["revision"] is not None:
        raise CommandError("The combined list uses the latest revisions. Leave out --revision.")
    period = options["period"]
    day = period and _day(period)
    if period and len(period) == len("YYYY-MM"):
        of_month = OtbList.objects.in_month(day).order_by("-list_day").values_list("list_day", flat=True)
        day = of_month.first() or day
    found = combined_list(day)
    if found is None:
        raise CommandError(f"No list was published {f'for {period}' if period else 'yet'}.")
    _media_type, pieces = WHOLE_COMBINED_LIST[options["format"]]
    return pieces(found)


def _list(chapter: Chapter, period: str | None, revision: int | None) -> OtbList:
    lists = OtbList.objects.in_chapter(chapter)
    if period is not None:
        day = _day(period)
        lists = lists.of(day) if len(period) > len("YYYY-MM") else lists.in_month(day)
    try:
        latest = lists.latest()
    except OtbList.DoesNotExist:
        when = f"for {period}" if period else "yet"
        raise CommandError(f"No {chapter.slug} list was published {when}.") from None
    found = OtbList.objects.in_chapter(chapter).of(latest.list_day).in_revision(revision).first()
    if found is None:
        raise CommandError(f"The {date_text(latest.list_day)} list has no revision {revision}.")
    return found


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text if len(text) > len("YYYY-MM") else f"{text}-01")
    except ValueError:
        raise CommandError(f"“{text}” isn’t a month or day such as 2026-03 or 2026-03-01.") from None
