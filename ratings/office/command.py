"""Base of commands that make decisions. They take the same path as the admin, as a system user."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from foa.command import OfficeCommand
from foa.text import counted
from ratings.formats.problems import FileRefused
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import DecisionType, kind_of
from ratings.office.effects import Effect, Move, facts_of
from ratings.office.models import ChangeSet, PublicReason
from ratings.office.uploads import discard_unless_wanted, keep_for_decision


class FileCommand(OfficeCommand):
    """A command that stores what a file says, or with ``--dry-run`` only says what it would store."""

    file_metavar = "FILE.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file, and the file for its refused rows."""
        super().add_arguments(parser)
        parser.add_argument("file", metavar=self.file_metavar)
        parser.add_argument("--refused", metavar="FILE", help="write the refused rows, with reasons, as CSV")
        self.add_dry_run(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Store it, and report."""
        try:
            with self.rehearsing(options["dry_run"]):
                self.store(options)
        except FileRefused as refused:
            raise CommandError(f"{options['file']}: {refused}") from refused

    def store(self, options: dict[str, Any]) -> None:
        """Store what the file says, and report. Raises FileRefused."""
        raise NotImplementedError


class WaitsForSecondError(CommandError):
    """The decision is proposed: another person has to confirm the change set before anything changes."""

    def __init__(self, change_set: ChangeSet) -> None:
        super().__init__(
            f"Nothing has changed yet. Another person has to confirm change set {change_set.pk}."
        )


class DecisionCommand(OfficeCommand):
    """A command that makes a decision. The register says who ran it and why."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add ``--reason``."""
        parser.add_argument(
            "--reason",
            metavar="TEXT",
            default="",
            help="note for staff; never public",
        )

    def decide(
        self,
        name: str,
        options: dict[str, Any],
        *,
        tell: Callable[..., None] | None = None,
        undoes: ChangeSet | None = None,
        public_reason: str = PublicReason.ROUTINE,
        **parameters: Any,
    ) -> Effect:
        """Make a decision of this kind with these parameters; with the option ``dry_run``, only preview it.

        ``undoes``: the decision that this one undoes, for the register. ``public_reason``: the reason that
        members read. Raises CommandError for what can't be done, and WaitsForSecondError if a second person
        is needed: nothing is done yet.

        The decision is committed when this returns or raises WaitsForSecondError, because the command reports
        it. So commands can't call this in a transaction of their own, which might take it back.
        """
        proposal = Proposal(
            kind=kind_of(name),
            parameters={key: _texts(value) for key, value in parameters.items() if _texts(value)},
            system_user=getpass.getuser(),
            reason=public_reason,
            note=options["reason"],
            undoes=undoes,
        )
        try:
            if options.get("dry_run"):
                return preview(proposal)
            with transaction.atomic(durable=True):
                change_set, effect = decide_at_once(proposal, tell=tell)
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from refusal
        if change_set is not None and change_set.state == ChangeSet.State.PROPOSED:
            raise WaitsForSecondError(change_set)
        if change_set is not None:
            self.say(f"Change set {change_set.for_staff}")
            if change_set.undo:
                self.say(f"Undo with: manage.py undo_change {change_set.pk}")
        return effect

    def decide_about_file(
        self, name: str, options: dict[str, Any], *, path: str, content: bytes, **parameters: Any
    ) -> Effect:
        """Decide about a file. It is deleted afterwards, unless the decision waits for a second person."""
        parameters |= keep_for_decision(content, path)
        try:
            return self.decide(name, options, **parameters)
        finally:
            discard_unless_wanted(parameters["upload"])


def effect_lines(kind: DecisionType, shown: Mapping[str, Any], moves: Iterable[Move]) -> Iterator[str]:
    """Describe a decision in lines: warnings, inputs, lists, and the ratings that move."""
    for section, _key, label, before, after in facts_of(shown):
        values = " → ".join(kind.name_value(value) for value in (before, after) if value)
        yield f"  {label}: {values}" if section == "inputs" and values else f"  {label}"
    moves = list(moves)
    names = kind.name_moves(moves)
    for move in moves:
        yield f"  {names[move]}: {kind.rating_text(move.before)} → {kind.rating_text(move.after)}"
    if more := shown["moved"] - len(moves):
        yield f"  … and {counted(more, 'smaller rating change')}"


def _texts(value: Any) -> list[str]:
    """Convert a value to what a form takes: nothing for None and False, "on" for True."""
    if value is None or value is False or value == "":
        return []
    if value is True:
        return ["on"]
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]
