"""``lab``: replay the office's games, under today's rules or others."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import counted
from ratings.lab.extra import MISSING, is_installed


class Command(OfficeCommand):
    help = """Replay all games of the office in seconds, under today's rules or others. Ratings don't change.

verify compares the lab with the ledger line by line, and names the first that differs (exit code 1).
read keeps the inputs in a file.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True, metavar="COMMAND")
        parts.add_parser("verify", help="compare the lab's lines with the ledger's, one by one")
        reading = parts.add_parser("read", help="keep the inputs in a file, with checksum and moment")
        reading.add_argument("file", metavar="FILE.npz")

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_installed():
            raise CommandError(str(MISSING))
        getattr(self, f"_{options['part']}")(options)

    def _verify(self, options: dict[str, Any]) -> None:
        from ratings.lab.verifying import verify

        with self.progress("comparing lines") as progress:
            verified = verify(progress)
        if verified.first:
            raise CommandError(f"{counted(verified.lines, 'line')} agree. {verified.first}")
        self.say(f"{counted(verified.lines, 'line')} compared: the lab and the ledger agree.")

    def _read(self, options: dict[str, Any]) -> None:
        from ratings.lab.arrays import read, save

        with self.progress("reading games") as progress:
            data = read(progress)
        with self.writing_bytes(options["file"]) as stream:
            save(data, stream)
        self.say(
            f"{counted(data.games, 'game')} of {counted(len(data.members), 'member')} as of {data.read_at}."
            f" SHA-256 of the data: {data.checksum}"
        )
