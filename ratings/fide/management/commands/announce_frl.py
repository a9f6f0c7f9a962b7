"""``announce_frl``: announce the over-the-board changes of a FIDE rating list."""

from typing import Any

from django.core.management.base import CommandParser

from foa.command import OfficeCommand
from foa.text import counted, month_text, points, signed, utc
from ratings.fide.decisions.announcing import decision_to_announce
from ratings.fide.management.commands.import_frl import period_of, tell_watched
from ratings.fide.services.announcing import Announced
from ratings.office.command import DecisionCommand
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths


class Command(DecisionCommand):
    """Command that announces over-the-board changes (RBB 3.15)."""

    help = """Announce the FIDE rating list of a month (RBB 1.3, 3.15): adjust each member's rapid and blitz
ratings by the change in their FIDE ratings since the previous month's list.

A change counts if the member is rated on both lists and has games on the new one. Bullet never changes, and
unrated members stay unrated. There is no change for members who already have an adjustment for this month, or
whose first rating comes from this list or a later one. Import both lists first (import_frl). A month is
announced only once. --undo removes the adjustments of that announcement and no others; if you announce the
month again, they count from the same time as before. Everything happens in one transaction and one replay.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the month, the choice to preview or undo, and the reason."""
        super().add_arguments(parser)
        parser.add_argument("--period", metavar="YYYY-MM", required=True, help="month of the list")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )
        what.add_argument("--undo", action="store_true", help="undo the announcement of this month")

    def handle(self, *args: Any, **options: Any) -> None:
        """Announce, preview or undo, and report."""
        month = period_of(options["period"])
        period = f"{month:%Y-%m}"
        if options["undo"]:
            announced = decision_to_announce(month)
            undone = self.decide("take-back-announcement", options, undoes=announced, period=period).result
            self.say(f"{period}: {counted(len(undone.changes), 'adjustment')} removed.")
            self.say(str(undone.replayed))
            return
        effect = self.decide("announce", options, period=period)
        tell(self, effect.result, dry_run=options["dry_run"])


def tell(command: OfficeCommand, result: Announced, *, dry_run: bool = False) -> None:
    """Report an announcement; a preview is reported member by member."""
    announcement = result.announcement
    if not result.is_new:
        command.say(
            f"{month_text(announcement.period)} was already announced on {utc(announcement.announced_at)} "
            f"({announcement.source}, {counted(announcement.count, 'adjustment')}). Nothing to do."
        )
        return
    if dry_run:
        moved = {(one.member_id, one.category): one for one in result.replayed.moved}
        for change in result.changes:
            one = moved.get((change.member.pk, change.category))
            path = f"{_rating(one.before)} → {_rating(one.after)}" if one else "no change"
            command.say(
                f"  {change.member} ({change.member.fide_id}), {change.category.slug}: {path} "
                f"({signed(from_hundredths(change.amount))})"
            )
    command.say(
        f"{announcement.source}: {counted(announcement.count, 'adjustment')} {'would be ' * dry_run}made. "
        f"Unchanged: {result.unrated} unrated, {result.entered} already adjusted, "
        f"{result.contained} with a first rating from this list."
    )
    tell_watched(command, result.watched)
    if not dry_run:
        command.say(str(result.replayed))


def _rating(hundredths: Hundredths | None) -> str:
    return "unrated" if hundredths is None else points(from_hundredths(hundredths))
