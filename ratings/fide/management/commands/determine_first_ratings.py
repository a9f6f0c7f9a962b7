"""``determine_first_ratings``: give first ratings to the members who wait for them."""

from typing import Any

from foa.text import counted
from ratings.fide.decisions.first_ratings import told_missing
from ratings.office.command import DecisionCommand


class Command(DecisionCommand):
    """Command that gives first ratings (RBB 3.4)."""

    help = """Give full members their first ratings from the FIDE lists (RBB 3.4), each member once.

Looked up are those with a FIDE ID who were not looked up before, such as those who came by import_members.
What counts is the list in force on the day on which somebody first became a full member: for rapid the rapid
rating, else the standard one; for blitz and bullet the blitz rating, else rapid, else standard. Whoever has a
FIDE ID that wasn't known when that list was imported waits until the worker has looked it up in the kept
file, or until the list is imported again. The ratings take effect at that first moment, and games since are
rated again, also where five games have given a rating (RBB 3.6). Ratings entered by hand stay. What differs
later, because a FIDE ID or a first day was corrected or an older list was imported, is on the first-rating
watch in the admin. Safe to run as often as you like. One transaction.
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
