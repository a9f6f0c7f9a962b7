"""``close_account``: close an account for rated play, with its games."""

from typing import Any, Final

from django.core.management.base import CommandParser
from django.utils import timezone

from foa.command import moment
from foa.text import counted, utc, utc_text
from members.commands import member_called
from members.former import accounts_called
from members.models import AccountClosure
from members.usernames import key_of
from ratings.office.command import DecisionCommand, effect_lines
from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.closures import ALL, KEEP, OPPONENTS

_SHOWN: Final = 100


class Command(DecisionCommand):
    """Command for the same decision as on the member's page in the admin."""

    help = """Close an account for rated play, and void its rated games from a certain day on.

All rated games that started on or after the day of --since become void: with --opponent only those against
these members, with --keep-games none. A game that starts while the account is closed is never rated. The
account closes now, unless --from sets another time. undo_change reopens it and reinstates the games. The
register doesn't name the member.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument(
            "--since", metavar="DATE", type=moment, required=True, help="first day of the games to void (UTC)"
        )
        parser.add_argument(
            "--category",
            choices=AccountClosure.Category.values,
            required=True,
            help="public reason",
        )
        parser.add_argument("--note", metavar="TEXT", default="", help="note for staff; never public")
        parser.add_argument(
            "--from",
            metavar="DATE",
            type=moment,
            dest="begin",
            help="when the account closes (UTC); default: now",
        )
        parser.add_argument(
            "--until", metavar="DATE", type=moment, help="when it reopens (UTC); default: never"
        )
        games = parser.add_mutually_exclusive_group()
        games.add_argument(
            "--opponent",
            metavar="USERNAME",
            action="append",
            default=[],
            help="void only games against this member; can be repeated",
        )
        games.add_argument(
            "--keep-games", action="store_true", help="keep all games that started before the account closes"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_called(options["username"], self.say)
        since, dry_run = options["since"], options["dry_run"]
        games = KEEP if options["keep_games"] else OPPONENTS if options["opponent"] else ALL
        begin = options["begin"] or timezone.now()
        effect = self.decide(
            "close-account",
            options,
            member=member.pk,
            closed_from=utc_text(begin),
            closed_until=options["until"] and utc_text(options["until"]),
            category=options["category"],
            games=games,
            since=f"{since:%Y-%m-%d}",
            opponents=options["opponent"],
            note=options["note"],
            account=accounts_called([options["username"]]).get(key_of(options["username"])),
        )
        if dry_run:
            for line in effect_lines(kind_of("close-account"), effect.shown(), effect.farthest[:_SHOWN]):
                self.say(line)
        else:
            for fact in effect.warnings:
                self.say(fact.label)
        done = "would be closed" if dry_run else "is closed"
        self.say(
            f"The account of {member} {done} from {utc(begin)}: "
            f"{counted(len(effect.result.games), 'void game')}, "
            f"{counted(len(effect.moves), 'rating change')}."
        )
