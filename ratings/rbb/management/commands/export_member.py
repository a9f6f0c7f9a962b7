"""``export_member``: export everything stored about a member, as a ZIP file."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from members.commands import member_called
from ratings.rbb.personal import export_pieces


class Command(OfficeCommand):
    """Command for the same file as on the member's page in the admin."""

    help = """Write everything stored about a member: each table as CSV and JSON, in a ZIP file.

With what staff wrote for each other, such as notes. Look through it before you hand it out.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_called(options["username"], self.stderr.write)
        if options["output"] is None and self.stdout.isatty():
            raise CommandError("A ZIP file can't be shown in a terminal. Choose a file with --output.")
        try:
            pieces = export_pieces(member, for_staff=True)
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from refusal
        with self.writing_bytes(options["output"]) as stream:
            for piece in pieces:
                stream.write(piece)
