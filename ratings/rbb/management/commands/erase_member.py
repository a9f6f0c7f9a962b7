"""``erase_member``: remove the person from an account whose member has left."""

from typing import Any

from django.core.management.base import CommandParser

from members.commands import member_called
from ratings.office.command import DecisionCommand, effect_lines
from ratings.office.decision_types import kind_of


class Command(DecisionCommand):
    """Command for the same decision as on the member's page in the admin."""

    help = """Erase a member who has left. This can't be undone.

Their name, username, FIDE ID, birth year, sex and title are deleted, with notes, messages, the login and the
history. Games, the ledger and published ratings stay under “Withdrawn member”. docs/privacy.md has the full
rule. Don't name the member in --reason, because it is kept. To save a copy of their data first, use
export_member.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--note", dest="reason", metavar="TEXT", default="", help="the same as --reason")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_called(options["username"], self.say)
        effect = self.decide("erase-member", options, member=member.pk)
        for line in effect_lines(kind_of("erase-member"), effect.shown(), []):
            self.say(line)
        done = "would be erased" if options["dry_run"] else "was erased"
        self.say(f"Member {member.pk} {done}.")
