"""Restoring a backup: into a separate database, which replaces the office's own once it has been verified."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from django.utils.version import get_version_tuple

from foa.monitoring.health import OLDEST, is_too_old, replaced_migrations
from foa.text import counted
from foa.version import version
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from ratings.office.outbox import begin_epoch
from ratings.rbb.backups import manifest
from ratings.rbb.backups.engines import Engine, engine, pointed_at, sync
from ratings.rbb.backups.manifest import BackupError, Manifest
from ratings.rbb.backups.taking import UPLOADS, alone
from ratings.rbb.ledger.replay import replay

_OWN: Final = ("foa", "members", "ratings")

Tell = Callable[[str], None]
"""A function that is called with each verified fact, one line at a time."""


def drill(directory: Path, *, tell: Tell) -> list[str]:
    """Restore a backup into a scratch database, verify and remove it; return what contradicts the rules.

    Raises BackupError if it can't be restored or differs from what was backed up.
    """
    with _restored(directory, engine(), tell) as faults:
        return faults


def restore(directory: Path, *, replace: str | None, tell: Tell) -> list[str]:
    """Replace the office's database with a backup; return what contradicts the rules in it.

    ``replace``: the name of the database, required unless it is empty; it is kept under another name. Raises
    BackupError, with nothing changed.
    """
    own = engine()
    empty = not connection.introspection.table_names()
    if not empty and replace != own.name():
        raise BackupError(
            f"The database {own.name()} isn’t empty. "
            f"To put the backup in its place, add --replace {own.name()}."
        )
    own.refuse_if_in_use()
    with _restored(directory, own, tell) as faults:
        _restore_uploads(directory / UPLOADS)
        kept = f"{own.name()}-replaced-{timezone.now():%Y%m%dT%H%M%S.%f}"
        own.put_in_place(kept)
    if empty:
        own.drop(kept)
        tell(f"Restored as {own.name()}.")
    else:
        tell(
            f"Restored as {own.name()}. "
            f"The previous database is now {kept}; delete it when you no longer need it."
        )
    tell("Followers of the change feed will start again.")
    return faults


@contextmanager
def _restored(directory: Path, own: Engine, tell: Tell) -> Iterator[list[str]]:
    """Yield the faults of a verified scratch database, which is removed at the end unless put in place."""
    os.umask(0o077)
    copied = manifest.read(directory)
    _refuse_foreign(copied)
    if own.file not in copied.files:
        raise BackupError(f"{directory} isn’t a complete backup: {manifest.NAME} doesn’t list {own.file}.")
    tell(f"Backup of {copied.made}, version {copied.version}: every file has its SHA-256.")
    uploads = Path(settings.UPLOAD_DIR)
    uploads.mkdir(parents=True, exist_ok=True)
    with alone(uploads, "Another backup is being restored."):
        try:
            with pointed_at(own.scratch(directory / own.file)):
                faults = _prove(copied, tell)
                # Positions of the outbox will be used again, with different contents.
                begin_epoch()
            yield faults
        finally:
            own.drop_scratch()


def _refuse_foreign(copied: Manifest) -> None:
    """Raise BackupError for a backup that this office can't read."""
    if copied.engine != connection.vendor:
        raise BackupError(f"The backup is from {copied.engine}, but DATABASE_URL is for {connection.vendor}.")
    known = MigrationLoader(None).disk_migrations.keys() | {*chain(*replaced_migrations())}
    own = {app.label for app in apps.get_app_configs() if app.name.split(".")[0] in _OWN}
    applied = [(app, migration) for app, _, migration in (name.partition(".") for name in copied.migrations)]
    if is_too_old(applied):
        raise BackupError(
            f"The backup was made by version {copied.version}, "
            f"and this version reads only backups from {OLDEST} or later. "
            f"Restore it with {OLDEST}, then upgrade."
        )
    unknown = any(name[0] in own and name not in known for name in applied)
    if unknown or get_version_tuple(copied.version) > get_version_tuple(version()):
        raise BackupError(
            f"The backup was made by version {copied.version}, and this is version {version()}. "
            "Install the version of the backup or a newer one."
        )


def _prove(copied: Manifest, tell: Tell) -> list[str]:
    """Check the restored database against the manifest, then against the rules."""
    found = manifest.figures()
    _compare("rows", copied.rows, found.rows)
    _compare("checksum", copied.lists, found.lists)
    rows, tables = counted(sum(found.rows.values()), "row"), counted(len(found.rows), "table")
    tell(f"{rows} in {tables}: the same as in the backup.")
    tell(f"{counted(len(found.lists), 'published list')}: the same checksums as in the backup.")
    if copied.version != version():
        call_command("migrate", interactive=False, verbosity=0)
        tell(f"Migrated from version {copied.version} to {version()}.")
    faults = []
    replayed = replay(check=True)
    if replayed.differences:
        faults.append(f"replay --check: rows that don’t match the inputs: {replayed.differences}")
    else:
        tell(f"Replay: {counted(replayed.events, 'event gives', 'events give')} the ledger and the ratings.")
    # Findings known before are faults of the office, not of the backup.
    known = _findings()
    checks = len(audit().open)
    new = [text for key, text in _findings().items() if known.get(key) != text]
    if not new:
        tell(f"Audit: {counted(checks, 'check')}, no new findings.")
    return faults + new


def _compare(noun: str, want: Mapping[str, object], have: Mapping[str, object]) -> None:
    for name in sorted(want.keys() | have.keys()):
        if want.get(name) != have.get(name):
            raise BackupError(
                f"{name}: {noun} {want.get(name)} in the backup, {have.get(name)} when restored. "
                "Nothing was put in place."
            )


def _findings() -> dict[tuple[str, str], str]:
    """Return the open findings of the audit."""
    return {(one.check_name, one.key): str(one) for one in AuditFinding.objects.filter(is_there=True).open()}


def _restore_uploads(source: Path) -> None:
    """Restore missing files. The worker deletes those that nothing refers to."""
    to = Path(settings.UPLOAD_DIR)
    # An empty directory may have been lost when the backup was copied.
    for file in source.iterdir() if source.is_dir() else ():
        if not (to / file.name).exists():
            shutil.copyfile(file, to / f"{file.name}.restoring")
            (to / f"{file.name}.restoring").rename(to / file.name)
    sync(to)
