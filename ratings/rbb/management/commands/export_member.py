"""``export_member``: export everything stored about a member, as a ZIP file."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from members.commands import member_called
from ratings.rbb.personal import export_pieces


class Command(OfficeCommand):
    """Command for the same file as on the member's page in the admin."""

    help = """Export everything stored about a member as a ZIP file, with each table as CSV and JSON.

The file includes what staff wrote for each other, such as notes. Check it before you give it to anybody.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_called(options["username"], self.stderr.write)
        if options["output"] is None and self.stdout.isatty():
            raise CommandError("A ZIP file can’t be shown in a terminal. Choose a file with --output.")
        try:
            pieces = export_pieces(member, for_staff=True)
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from refusal
        with self.writing_bytes(options["output"]) as stream:
            for piece in pieces:
                stream.write(piece)
