"""Base of the office's commands: reading and writing files, progress, and clear exit codes."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DataError, IntegrityError, OperationalError, connection, transaction
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress import open as open_with_progress

from foa.db_errors import told, unusable
from foa.moments import parse_moment
from foa.spreadsheet import csv_cell, csv_writer
from foa.text import counted

_SHOWN = 100
_OF_ARGPARSE = 2
_CONSOLE = Console(stderr=True)


class Refused(Protocol):
    """Refused row of a file; as text it has the line and the reason."""

    def cells(self, columns: Iterable[str]) -> tuple[str | int, ...]:
        """Return the row of a file of refused rows: as read, with line and reason."""


def moment(text: str) -> datetime:
    """Parse an ISO 8601 argument in UTC; a date alone is its 00:00 UTC. Raises ArgumentTypeError."""
    try:
        return parse_moment(text)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” isn’t a date and time such as 2026-03-14T20:00:00Z") from None


class OfficeCommand(BaseCommand):
    """Command with one-line errors, and exit code 1 if nothing could be done."""

    # Only checks of settings. Django's other checks have the same result wherever this version runs, and take
    # as long as a whole short command.
    requires_system_checks = [Tags.security]
    requires_migrations_checks = True

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Keep the paragraphs of the help text as they are written."""
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def run_from_argv(self, argv: list[str]) -> None:
        """Run; invalid arguments also end with exit code 1, not with argparse's 2."""
        try:
            super().run_from_argv(argv)
        except SystemExit as end:
            sys.exit(1 if end.code == _OF_ARGPARSE else end.code)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run; report an interruption or a database error in one line, as CommandError."""
        try:
            return super().execute(*args, **options)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Nothing was stored.", returncode=130) from None
        except BrokenPipeError:
            # The reader has seen enough (`… | head`); keep Python from complaining at its exit.
            _silence(sys.stdout)
            return None
        except (DataError, IntegrityError, OperationalError) as error:
            if connection.connection is None:
                raise CommandError(unusable(error)) from error
            raise CommandError(f"The database refused this. Nothing was stored: {told(error)}") from error

    def add_dry_run(self, parser: CommandParser) -> None:
        """Add the option ``--dry-run``."""
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="report as usual, with the same exit code, but store nothing",
        )

    @contextmanager
    def rehearsing(self, dry_run: bool) -> Iterator[None]:
        """Roll back the block if it is a dry run, and say so at the end."""
        if not dry_run:
            yield
            return
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
        self.say("This was a dry run: nothing was stored.")

    def say(self, text: str) -> None:
        """Write a line of the summary."""
        self.stdout.write(text)

    @contextmanager
    def reading(self, path: str) -> Iterator[tuple[BinaryIO, str]]:
        """Yield the open file, with a progress bar on a terminal, and its SHA-256. Raises CommandError."""
        try:
            with Path(path).open("rb") as plain:
                digest = hashlib.file_digest(plain, "sha256").hexdigest()
            with open_with_progress(
                path,
                "rb",
                description="reading",
                console=_CONSOLE,
                transient=True,
                disable=not _CONSOLE.is_terminal,
            ) as stream:
                yield stream, digest
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror or error}") from error

    @contextmanager
    def progress(self, what: str) -> Iterator[Callable[[int], None]]:
        """Yield a function that shows the number done on the terminal; silent elsewhere."""
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=_CONSOLE,
            transient=True,
            disable=not _CONSOLE.is_terminal,
        ) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done: bar.update(task, completed=done)

    @contextmanager
    def writing(self, path: str | None) -> Iterator[TextIO]:
        """Yield standard output, or a file that appears only once it is complete."""
        if path is None:
            out: Any = self.stdout._out
            with suppress(AttributeError):
                out.reconfigure(newline="")
            yield out
            return
        with self.writing_bytes(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            try:
                yield text
            finally:
                # Flush, and leave closing to writing_bytes.
                text.detach()

    @contextmanager
    def writing_bytes(self, path: str | None) -> Iterator[BinaryIO]:
        """Do the same for bytes; a text-only standard output, as in tests, gets them as UTF-8."""
        if path is None:
            out: Any = self.stdout._out
            yield getattr(out, "buffer", None) or cast(BinaryIO, _TextOnly(out))
            return
        target = Path(path)
        try:
            if target.exists() and not target.is_file():
                # A pipe or /dev/null is written to, never replaced; a directory refuses.
                with target.open("wb") as stream:
                    yield stream
                return
            with tempfile.NamedTemporaryFile(
                "wb", dir=target.parent, prefix=f".{target.name}.", delete=False
            ) as unfinished:
                try:
                    yield cast(BinaryIO, unfinished)
                except BaseException:
                    Path(unfinished.name).unlink()
                    raise
            Path(unfinished.name).chmod(0o666 & ~_umask())
            Path(unfinished.name).replace(target)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror or error}") from error

    @contextmanager
    def refusing(self, path: str | None, columns: Sequence[str]) -> Iterator[Callable[[Refused], None]]:
        """Yield a function for refused rows: the first 100 go to standard error, all to the file if given.

        The file has the columns of the input, then line and reason; corrected, it can be imported again.
        """
        refused = 0

        def tell(problem: Refused) -> None:
            nonlocal refused
            refused += 1
            if refused <= _SHOWN:
                try:
                    self.stderr.write(f"refused, {problem}")
                except BrokenPipeError:
                    # The reader is gone (`… 2>&1 | head`): keep the good rows all the same.
                    _silence(sys.stderr)

        if path is None:
            yield tell
        else:
            with self.writing(path) as stream:
                writer = csv_writer(stream)
                writer.writerow((*columns, "line", "reason"))

                def tell_and_write(problem: Refused) -> None:
                    tell(problem)
                    writer.writerow(
                        csv_cell(cell) if isinstance(cell, str) else cell for cell in problem.cells(columns)
                    )

                yield tell_and_write
        if refused > _SHOWN:
            where = f"see {path}" if path else "use --refused FILE to save all of them"
            self.stderr.write(f"… and {refused - _SHOWN} more: {where}")

    @contextmanager
    def remarking(self) -> Iterator[Callable[[object], None]]:
        """Yield a function for remarks on accepted rows: 100 go to standard error, then a number."""
        remarks = 0

        def tell(remark: object) -> None:
            nonlocal remarks
            remarks += 1
            if remarks <= _SHOWN:
                try:
                    self.stderr.write(f"remark, {remark}")
                except BrokenPipeError:
                    _silence(sys.stderr)

        yield tell
        if remarks > _SHOWN:
            self.stderr.write(f"… and {counted(remarks - _SHOWN, 'more remark')}")


class _TextOnly:
    """Byte stream on top of a text stream."""

    def __init__(self, out: TextIO) -> None:
        self.out = out

    def write(self, piece: bytes) -> int:
        """Write bytes that are whole lines of UTF-8."""
        return self.out.write(piece.decode())


def _silence(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
