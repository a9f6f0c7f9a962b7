"""What the worker does for organizers. Importing this lets it."""

from datetime import datetime

from ratings.office.upkeep import hourly
from ratings.organizers.services.handling import tell_of_lists
from ratings.organizers.services.inviting import forget_invitations


@hourly
def look_after_organizers(at: datetime) -> None:
    """Tell senders of lists, and keep no address of an invitation that has expired."""
    forget_invitations(at)
    tell_of_lists()
