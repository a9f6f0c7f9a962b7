"""Work for organizers that the worker does as time passes. Importing this module registers it."""

from datetime import datetime

from ratings.office.upkeep import hourly
from ratings.organizers.services.inviting import forget_invitations
from ratings.organizers.services.submissions import tell_of_lists


@hourly
def look_after_organizers(at: datetime) -> None:
    """Tell senders of lists, and keep no address of an invitation that has expired."""
    forget_invitations(at)
    tell_of_lists()
