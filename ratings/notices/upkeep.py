"""What the worker does about news. Importing this lets it."""

from datetime import datetime
from typing import Final

from ratings.notices.services import telling
from ratings.notices.services.digests import Sender
from ratings.office.upkeep import beside_jobs, hourly

_SENDER: Final = Sender()


@beside_jobs
def tell_members(at: datetime) -> None:
    """Write what has happened since, and send the mails that are due."""
    telling.tell_all(at)
    _SENDER.start(at)


@hourly
def forget_notices(at: datetime) -> None:
    """Delete what was told long ago."""
    telling.forget(at)
