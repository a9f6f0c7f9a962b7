"""``import_trf``: reports of tournaments over the board."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from ratings.formats.problems import readable
from ratings.formats.trf.reading import MAX_BYTES
from ratings.office.command import DecisionCommand, WaitsForSecondError
from ratings.otb.decisions.base import ReportFaults
from ratings.otb.labels import SEVERITY_NAMES, finding_sentence
from ratings.otb.management.commands.close_period import day
from ratings.otb.models import Tournament
from ratings.otb.services.rating import RatedTournament
from ratings.otb.services.receiving import Received
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Outcome, TournamentType

_SHOWN: Final = 100


class Command(DecisionCommand):
    help = """Receive reports of over-the-board tournaments (FIDE B.02): TRF16, TRF26 or the older format.

A report is stored with the tournament registered under the same name and first day. If there is none, a new
tournament is registered, dated today (0.4) unless --registered gives another date. Players are identified by
their FIDE ID in the list in force on the first day; that list's ratings and K count, not those in the file
(4.13). All findings under B.02 are listed, with article and severity. A refusal keeps the tournament from
being rated until somebody accepts it, if it can be accepted, or the report is replaced. close_period then
rates the tournament.

A file that contradicts itself is refused, and every such line is listed. A file is stored completely or not
at all. A report that was already received is skipped. The exit code is 1 if a file was refused or waits for a
second person.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", metavar="FILE", nargs="+")
        parser.add_argument(
            "--kind",
            choices=[kind.slug for kind in TournamentType],
            help="how it was played; default: what the report’s text, teams and pairings suggest",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )
        parser.add_argument("--registered", metavar="YYYY-MM-DD", type=day, help="date of registration")
        parser.add_argument(
            "--accept",
            metavar="REASON",
            default="",
            help="accept all findings that can be accepted, for this reason",
        )
        parser.add_argument(
            "--replace",
            metavar="TOURNAMENT",
            type=int,
            help="number of the tournament whose report this one replaces",
        )
        parser.add_argument(
            "--skip-unknown-federations",
            action="store_true",
            help="leave out players’ unknown federations instead of refusing the file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        files: list[str] = options["files"]
        target = None
        if options["replace"] is not None:
            if len(files) > 1:
                raise CommandError("Give only one file with --replace.")
            target = Tournament.objects.filter(pk=options["replace"]).first()
            if target is None:
                raise CommandError(f"There’s no tournament {options['replace']}.")
        refused: list[str] = []
        waiting: list[str] = []
        for path in files:
            # Not every name of a file can be printed.
            name = readable(path)
            try:
                self._tell(name, self._receive(path, target, options), dry_run=options["dry_run"])
            except WaitsForSecondError as waits:
                self.stderr.write(f"waiting, {name}: {waits}")
                waiting.append(name)
                continue
            except CommandError as fault:
                if isinstance(fault.__cause__, ReportFaults):
                    self._list(f"refused, {name}, ", fault.__cause__.messages, self.stderr.write)
                else:
                    self.stderr.write(f"refused, {readable(str(fault))}")
            else:
                continue
            refused.append(name)
        said = []
        if refused:
            what = counted(len(refused), "file was", "files were") + " refused"
            said.append(f"{what} of {len(files)}; nothing was stored from them: {', '.join(refused)}")
        if waiting:
            what = counted(len(waiting), "file waits", "files wait")
            said.append(f"{what} for another person to confirm: {', '.join(waiting)}")
        if said:
            raise CommandError("\n".join(said))

    def _receive(self, path: str, target: Tournament | None, options: dict[str, Any]) -> Received:
        with self.reading(path) as (stream, _):
            content = stream.read(MAX_BYTES + 1)
        try:
            effect = self.decide_about_file(
                "receive-report" if target is None or target.report_id is None else "replace-report",
                options,
                path=path,
                content=content,
                tournament=target and target.pk,
                kind=next((one.value for one in TournamentType if one.slug == options["kind"]), None),
                registered_on=options["registered"],
                skip=options["skip_unknown_federations"],
                accept=options["accept"],
            )
        except WaitsForSecondError:
            raise
        except CommandError as fault:
            if isinstance(fault.__cause__, ReportFaults):
                raise
            raise CommandError(f"{path}: {fault}") from fault
        received: Received = effect.result
        return received

    def _tell(self, path: str, received: Received, *, dry_run: bool) -> None:
        """Report a file that was received."""
        tournament, rated = received.tournament, received.rated
        named = f"{tournament.name}, {tournament.first_day} to {tournament.last_day}"
        if not received.is_new:
            self.say(
                f"{path}: already received as the report of tournament {tournament.pk}, {named}. Nothing to "
                f"do. To receive it again with other options, use --replace {tournament.pk}."
            )
            return
        number = "" if dry_run else f" {tournament.pk}"
        self.say(
            f"{path}: {'would be ' * dry_run}received as the report of tournament{number}, {named}, "
            f"{tournament.get_status_display()}."
        )
        is_standard = tournament.chapter == Chapter.STANDARD
        chapter = "" if is_standard else f"; {tournament.get_chapter_display()}"
        self.say(f"  {tournament.get_kind_display()}, {received.known_by.label}{chapter}. {_players(rated)}")
        names = rated.names
        findings = [
            f"{SEVERITY_NAMES[finding.severity]}{', accepted' * (finding.finds in rated.accepted)}: "
            f"{finding_sentence(finding, names, rated.edition)}"
            for finding in rated.findings
        ]
        self._list("  ", findings, self.say)
        self._list("  ", map(str, received.remarks), self.say)
        if tournament.by_period:
            told = {True: "removed", False: "received"}
            parts = [f"{one.name}: {told[one.part is None]}." for one in received.parts]
            self._list("  ", parts or ["No part of the league changes."], self.say)
        else:
            self.say(f"  {_effect(rated)}")
        if rated.refusals:
            self.say("  With these findings, the tournament can’t be rated.")
        for otb_list in received.revised:
            self.say(f"  {otb_list}{' would be' * dry_run} published.")

    def _list(self, prefix: str, texts: Iterable[str], write: Callable[[str], Any]) -> None:
        """Report a line for each; if there are many, the first hundred."""
        lines = list(texts)
        for line in lines[:_SHOWN]:
            write(prefix + line)
        if len(lines) > _SHOWN:
            write(f"{prefix}… and {len(lines) - _SHOWN} more")


def _players(rated: RatedTournament) -> str:
    listed = [one.listed for one in rated.participants if one.listed is not None]
    with_rating = sum(one.standing.rating is not None for one in listed)
    without, unknown = len(listed) - with_rating, len(rated.participants) - len(listed)
    return (
        f"{counted(len(rated.participants), 'player')}: {with_rating} rated, "
        f"{without} listed without a rating, {unknown} not listed."
    )


def _effect(rated: RatedTournament) -> str:
    changes = sum(bool(one.result.change) for one in rated.participants)
    new = sum(one.result.outcome is Outcome.NEW_RESULT for one in rated.participants)
    return f"Rating changes: {changes}; results of players without a rating: {new}."
