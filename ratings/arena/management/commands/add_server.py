"""``add_server``: register a game server that may send games."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from ratings.arena.models import all_scopes
from ratings.arena.services.registering import register_server


class Command(OfficeCommand):
    help = """Register a game server and print its client ID and secret.

We store only a hash of the secret, so note it down now. The server uses both to get its tokens at
/oauth/token/ (docs/api.md).
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="lower-case letters, digits and hyphens, such as arena-1")
        parser.add_argument(
            "--trusted",
            action="store_true",
            help="apply its member changes and void games it withdraws immediately, without asking staff",
        )
        parser.add_argument(
            "--scope",
            action="append",
            choices=all_scopes(),
            help="scope of its tokens; can be repeated; default: all scopes",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            server, credentials = register_server(
                options["name"], trusted=options["trusted"], scopes=options["scope"]
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.say(f"Server {server} is registered.")
        self.say(f"client id: {credentials.client_id}")
        self.say(f"client secret: {credentials.secret}")
        self.say("Copy the secret now: it won’t be shown again.")
