"""``undo_change``: undo a change set."""

from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from foa.text import counted
from ratings.office.command import DecisionCommand, effect_lines
from ratings.office.decision_types import kind_of
from ratings.office.management.commands.show_change import change_set_of
from ratings.office.models import ChangeSet

_SHOWN: Final = 100


class Command(DecisionCommand):
    """Command that makes another change set, which names the one that it undoes."""

    help = """Undo a change set that has been applied, by applying the reverse. The register shows both.

--dry-run shows what would change, ratings included, without changing anything.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the number of the change set, and the reason."""
        super().add_arguments(parser)
        parser.add_argument("number", metavar="N", type=int, help="number of the change set")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Undo the change set, or say what that would do."""
        change_set = change_set_of(options["number"])
        if change_set.state != ChangeSet.State.APPLIED:
            raise CommandError(f"Change set {change_set.pk} wasn’t applied, so there’s nothing to undo.")
        if not change_set.undo:
            raise CommandError(f"Change set {change_set.pk} can’t be undone.")
        name = change_set.undo["kind"]
        effect = self.decide(name, options, undoes=change_set, **change_set.undo["parameters"])
        if options["dry_run"]:
            for line in effect_lines(kind_of(name), effect.shown(), effect.farthest[:_SHOWN]):
                self.say(line)
        done = "would be undone" if options["dry_run"] else "was undone"
        self.say(f"Change set {change_set.pk} {done}: {counted(len(effect.moves), 'rating change')}.")
