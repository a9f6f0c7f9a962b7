"""``merge_members``: merge two accounts of one person."""

from typing import Any

from django.core.management.base import CommandParser

from foa.text import counted
from members.commands import member_called
from ratings.office.command import DecisionCommand
from ratings.office.models import PublicReason


class Command(DecisionCommand):
    help = """Merge two accounts of the same person. Everything that belongs to OTHER moves to KEEP: games,
starting ratings, over-the-board changes, full membership, FIDE data, list entries and names. The pages and
the username of OTHER then lead to KEEP.

Games between the two become unrated. Everything happens in one transaction; undo_change reverses it.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("keep", metavar="KEEP", help="username of the account to keep")
        parser.add_argument("other", metavar="OTHER", help="username of the account to merge into it")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        keep, other = (member_called(options[name], self.say) for name in ("keep", "other"))
        effect = self.decide(
            "merge-members",
            options,
            public_reason=PublicReason.DUPLICATE,
            keep=keep.pk,
            other=other.username,
        )
        for fact in (*effect.warnings, *effect.lists, *effect.inputs):
            change = " → ".join(text for text in (fact.before, fact.after) if text)
            said = fact.label if fact.section == "warnings" else f"{fact.label}: {change}"
            self.say(f"  {said}")
        done = "would be merged" if options["dry_run"] else "was merged"
        self.say(
            f"{other} ({other.username}) {done} into {keep} ({keep.username}): "
            f"{counted(len(effect.moves), 'rating change')}."
        )
