"""``show_change``: what a change set does or did."""

from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from foa.command import OfficeCommand
from foa.text import utc
from ratings.office.command import effect_lines
from ratings.office.decision_types import kind_of
from ratings.office.effects import Move
from ratings.office.models import ChangeSet

_SHOWN: Final = 100


class Command(OfficeCommand):
    help = """Show a change set: what was decided, by whom and why, and what it changes.

Notes for staff are included. At most 100 rating changes are listed, the largest first.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", metavar="N", type=int, help="number of the change set")

    def handle(self, *args: Any, **options: Any) -> None:
        change_set = change_set_of(options["number"])
        kind = kind_of(change_set.kind)
        self.say(f"Change set {change_set.for_staff} ({change_set.kind})")
        self.say(f"State: {change_set.get_state_display()}")
        who = change_set.proposed_by or change_set.proposed_as or "nobody"
        self.say(f"Proposed by {who} on {utc(change_set.proposed_at)}")
        if change_set.seconded_by:
            self.say(f"Confirmed by {change_set.seconded_by} on {utc(change_set.seconded_at)}")
        if change_set.applied_at:
            self.say(f"Applied on {utc(change_set.applied_at)}")
        self.say(f"Reason shown to members: {change_set.public_why}")
        if change_set.staff_note:
            self.say(f"Note for staff: {change_set.staff_note}")
        if change_set.undoes_id:
            self.say(f"Undoes change set {change_set.undoes_id}.")
        if undone_by := change_set.undone_by.applied().first():
            self.say(f"Undone by change set {undone_by.pk}.")
        for sentence in change_set.told:
            self.say(sentence.text)
        self.say(f"Ratings changed: {change_set.moved}")
        if change_set.state == ChangeSet.State.APPLIED:
            moves = [one.move for one in change_set.moves.order_by("position")[:_SHOWN]]
        else:
            moves = [Move(*one) for one in change_set.shown["moves"][:_SHOWN]]
        for line in effect_lines(kind, change_set.shown, moves):
            self.say(line)


def change_set_of(number: int) -> ChangeSet:
    """Return the change set with this number. Raises CommandError if there is none."""
    found = ChangeSet.objects.select_related("proposed_by", "seconded_by").filter(pk=number).first()
    if found is None:
        raise CommandError(f"There’s no change set {number}.")
    return found
