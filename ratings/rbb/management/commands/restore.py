"""``restore``: restore a backup, or verify that it could be restored."""

from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from ratings.rbb.backups.manifest import FAULTS, BackupError, reason
from ratings.rbb.backups.restoring import drill, restore
from ratings.rbb.backups.taking import backups


class Command(OfficeCommand):
    help = """Restore a backup made by this version or an older one. Stop the site and the worker first.

The backup is restored into a separate database and checked there: SHA-256 of its files, rows of each table,
checksums of the published lists, replay --check, audit. Then this database replaces the current one, which is
kept under another name. The exit code is 1 if nothing was restored, or if replay or audit found something;
the last line says which. --drill does all the checks and replaces nothing.
"""

    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "directory",
            metavar="DIRECTORY",
            nargs="?",
            type=Path,
            help="a backup: a directory with a manifest.json",
        )
        which.add_argument("--latest", action="store_true", help="the newest backup in BACKUP_DIR")
        parser.add_argument(
            "--drill", action="store_true", help="only check that the backup can be restored; for cron"
        )
        parser.add_argument(
            "--replace", metavar="NAME", help="name of the current database, to confirm if it isn’t empty"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        began = monotonic()
        try:
            directory = options["directory"] or self._latest()
            if options["drill"]:
                faults = drill(directory, tell=self.say)
            else:
                faults = restore(directory, replace=options["replace"], tell=self.say)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except FAULTS as error:
            raise CommandError(f"Nothing was restored: {reason(error)}.") from error
        for fault in faults:
            self.say(f"  {fault}")
        took = f"{monotonic() - began:.1f} seconds"
        done = "The backup can be restored" if options["drill"] else "The backup is in place"
        if faults:
            raise CommandError(f"{done} ({took}), but the checks found problems: see above.")
        self.say(f"{done}: {took}.")

    def _latest(self) -> Path:
        found = backups(Path(settings.BACKUP_DIR))
        if not found:
            raise CommandError(f"There are no backups in {settings.BACKUP_DIR} (BACKUP_DIR).")
        return found[0]
