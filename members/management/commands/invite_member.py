"""``invite_member``: an invitation by mail to make a login."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from foa.command import OfficeCommand
from members.commands import member_called
from members.inviting import invite


class Command(OfficeCommand):
    """Command that sends the same invitation as the member's admin page."""

    help = """Invite a member by email to set up a login.

The worker sends a link that works once and expires after a week. A new invitation replaces an earlier one.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add username, address and language."""
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("email", metavar="ADDRESS")
        parser.add_argument(
            "--language",
            choices=[code for code, _name in settings.LANGUAGES],
            default=settings.LANGUAGE_CODE,
            help=f"language of the email; default: {settings.LANGUAGE_CODE}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Queue the invitation."""
        member = member_called(options["username"], self.say)
        email, language = options["email"], options["language"]
        try:
            invite(member=member, email=email, by="invite_member", language=language, at=timezone.now())
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from refusal
        self.say(f"An invitation for {member} is on its way to {email}.")
