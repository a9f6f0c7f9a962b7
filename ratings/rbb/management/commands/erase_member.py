"""``erase_member``: remove the person from an account whose member has left."""

from typing import Any

from django.core.management.base import CommandParser

from members.commands import member_called
from ratings.office.command import DecisionCommand, effect_lines
from ratings.office.decision_types import kind_of


class Command(DecisionCommand):
    """Command for the same decision as on the member's page in the admin."""

    help = """Erase a member who has left. This can't be undone.

Name, username, FIDE ID, birth year, sex and title go, with notes, messages, the login and the history. Games,
the ledger and published ratings stay under “Withdrawn member”. docs/privacy.md has the whole rule. Don't name
the member in --reason: it is kept. export_member writes what is stored of them before.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--note", dest="reason", metavar="TEXT", default="", help="the same as --reason")
        parser.add_argument("--dry-run", action="store_true", help="only print what it would do")

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_called(options["username"], self.say)
        effect = self.decide("erase-member", options, member=member.pk)
        for line in effect_lines(kind_of("erase-member"), effect.shown(), []):
            self.say(line)
        done = "would be erased" if options["dry_run"] else "is erased"
        self.say(f"Member {member.pk} {done}.")
