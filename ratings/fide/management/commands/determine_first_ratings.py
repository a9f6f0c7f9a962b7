"""``determine_first_ratings``: give first ratings to the members who wait for them."""

from typing import Any

from foa.text import counted
from ratings.fide.decisions.first_ratings import told_missing
from ratings.office.command import DecisionCommand


class Command(DecisionCommand):
    """Command that gives first ratings (RBB 3.4)."""

    help = """Give full members their first ratings from the FIDE lists (RBB 3.4), once per member.

This looks up members with a FIDE ID who haven't been looked up yet, such as those from import_members. The
list in force on the day they first became full members counts: for rapid, the rapid rating or else standard;
for blitz and bullet, the blitz rating, or else rapid, or else standard. If their FIDE ID wasn't known when
that list was imported, they wait until the worker has looked it up in the stored file, or until the list is
imported again.

The ratings take effect when full membership starts. Later games are rated again, even if five games have
already given a first rating (RBB 3.6). Ratings that staff entered don't change. If a FIDE ID or first day is
corrected later, or an older list is imported, the first-rating check in the admin shows the differences. You
can run this as often as you like. Everything happens in one transaction.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        """Determine first ratings and report."""
        result = self.decide("first-ratings", options).result.determined
        self.say(
            f"{counted(result.members, 'member')} checked: "
            f"{counted(len(result.openings), 'first rating')} given, "
            f"{counted(len(result.unrated), 'member')} unrated (RBB 3.5)."
        )
        for opening in result.openings:
            self.say(f"  {opening}")
        for sentence in told_missing(result.not_known):
            self.say(f"Still waiting: {sentence.text}")
        self.say(str(result.replayed))
