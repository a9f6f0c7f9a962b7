"""``lab``: replay the office's games, under today's rules or others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand, moment
from foa.text import counted
from ratings.formats.variants import MOST_TEXT, VariantRefused, read_variant
from ratings.lab.extra import MISSING, SchedulerFailed, is_installed
from ratings.lab.forms import MOST
from ratings.lab.models import Run
from ratings.lab.running import answer


class Command(OfficeCommand):
    help = """Replay all our games in seconds, under today's rules or others. Ratings don't change.

verify compares the lab with the ledger line by line and shows the first line that differs (exit code 1).
read saves the inputs to a file. replay shows what variants of the rules would do, and saves the answer for
the admin page “Policy”.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True, metavar="COMMAND")
        parts.add_parser("verify", help="compare the lab’s lines with the ledger’s, one by one")
        reading = parts.add_parser("read", help="save the inputs to a file, with a checksum and the time")
        reading.add_argument("file", metavar="FILE.npz")
        replaying = parts.add_parser("replay", help="replay all games under variants of the rules")
        replaying.add_argument("variants", metavar="VARIANT.toml", nargs="+")
        replaying.add_argument(
            "--data", metavar="FILE.npz", help="a file saved by `lab read`, to use instead of the database"
        )
        replaying.add_argument(
            "--cut",
            type=moment,
            metavar="DAY",
            help="predict games from this day on; default: the last quarter",
        )
        replaying.add_argument(
            "--scheduler",
            metavar="ADDRESS",
            default=settings.LAB_SCHEDULER,
            help="dask scheduler whose workers replay the variants, such as tcp://10.0.0.5:8786",
        )

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

    def _replay(self, options: dict[str, Any]) -> None:
        from ratings.lab.arrays import DataRefused, load, read

        texts = []
        for path in options["variants"]:
            try:
                with self.reading(path) as (stream, _digest):
                    texts.append(stream.read(MOST_TEXT + 1).decode())
                read_variant(texts[-1])
            except VariantRefused as refused:
                raise CommandError("\n".join(f"{path}: {fault}" for fault in refused.faults)) from refused
            except UnicodeDecodeError as error:
                raise CommandError(f"{path}: the file isn’t UTF-8 text") from error
        if len(texts) > MOST:
            raise CommandError(f"You gave {len(texts)} variants; the limit is {MOST}.")
        names = [
            read_variant(toml, Path(path).stem).name
            for path, toml in zip(options["variants"], texts, strict=True)
        ]
        cut = options["cut"]
        run = Run(
            title=" · ".join(names)[:200], variants=texts, cut=cut and cut.date(), asked_at=timezone.now()
        )
        try:
            with self.progress("replaying") as progress:
                data = load(options["data"]) if options["data"] else read(progress)
                answer(run, data, names, scheduler=options["scheduler"])
        except (DataRefused, SchedulerFailed) as refused:
            raise CommandError(str(refused)) from refused
        self._tell(run)

    def _tell(self, run: Run) -> None:
        """Print the main figures; the page has all of them."""
        about = run.result
        self.say(
            f"{counted(about['games'], 'game')} up to {about['until']}; predictions start on {about['cut']}."
        )
        if run.changed_meanwhile:
            self.say("The ledger has changed since the games were read.")
        for row in about["rows"]:
            found = row["predictions"]["all"]
            figures = [
                f"{name.replace('_', ' ')} "
                + ("too few games" if one is None else f"{one[0]:.4f} ({one[1]:.4f}–{one[2]:.4f})")
                for name, one in found["figures"].items()
            ]
            self.say(f"{row['name']}: {counted(found['games'], 'predicted game')}; {'; '.join(figures)}")
            for slug, moves in row.get("moves", {}).items():
                if moves["moved"][0]:
                    self.say(
                        f"  {slug}: {counted(moves['moved'][0], 'member')} would gain or lose a point or more"
                    )
        self.say(f"Saved as question {run.pk}.")
