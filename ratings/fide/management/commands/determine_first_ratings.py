"""``determine_first_ratings``: first ratings for the members who wait for them."""

from typing import Any

from foa.text import month_text
from ratings.office.command import DecisionCommand


class Command(DecisionCommand):
    """First ratings (RBB 3.4)."""

    help = """Give full members their first ratings from the FIDE lists (RBB 3.4), each member once.

Looked up are those with a FIDE ID who were not looked up before, such as those who came by import_members.
What counts is the list in force on the day on which somebody first became a full member: for rapid the rapid
rating, else the standard one; for blitz and bullet the blitz rating, else rapid, else standard. Where it is
not known what that list said of them, the next list counts. The ratings take effect at that first moment, and
games since are rated again. A category in which a member has or had a rating is left alone. What differs
later, because a FIDE ID or a first day was corrected or an older list was imported, is on the first-rating
watch in the admin. Safe to run as often as you like. One transaction.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        """Determine and report."""
        result = self.decide("first-ratings", options).result.determined
        self.say(
            f"{result.members} members checked: {len(result.openings)} first ratings given, "
            f"{len(result.unrated)} members unrated (RBB 3.5)."
        )
        for opening in result.openings:
            self.say(f"  {opening}")
        for month, members in sorted(result.not_known.items()):
            self.say(
                f"Still waiting: {members} full members since {month_text(month)}. No complete FIDE list of "
                "that month or before was imported; import one (import_frl), it only adds to the history."
            )
        self.say(str(result.replayed))
