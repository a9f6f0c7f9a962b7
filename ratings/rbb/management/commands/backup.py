"""``backup``: copy everything that is stored."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import counted
from ratings.rbb.backups.manifest import FAULTS, BackupError, reason
from ratings.rbb.backups.taking import back_up


class Command(OfficeCommand):
    help = """Back up the database and the uploaded files. The site and the worker can keep running.

The backup is a new directory in DIRECTORY, named after the date and time. Its manifest.json lists the
contents. The directory appears only once it is complete, so there are no half-finished backups. Copy it to
another machine. Imported FIDE lists (UPLOAD_DIR/fide-lists) are not included.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "directory",
            metavar="DIRECTORY",
            nargs="?",
            type=Path,
            default=Path(settings.BACKUP_DIR),
            help="where to keep backups; default: BACKUP_DIR",
        )
        parser.add_argument(
            "--keep", metavar="N", type=int, help="afterwards, delete all but the newest N backups there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep must be at least 1.")
        try:
            path, copied = back_up(options["directory"], keep=options["keep"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        except FAULTS as error:
            raise CommandError(f"No backup was made: {reason(error)}.") from error
        self.say(
            f"{path}: {counted(sum(copied.rows.values()), 'row')}, "
            f"{counted(len(copied.lists), 'published list')}, {counted(len(copied.files) - 1, 'upload')}."
        )
