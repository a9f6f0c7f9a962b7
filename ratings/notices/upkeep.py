"""Upkeep of news. Importing this registers it with the worker."""

from datetime import datetime
from typing import Final

from ratings.notices.services import telling
from ratings.notices.services.digests import Sender
from ratings.office.upkeep import beside_jobs, hourly

_SENDER: Final = Sender()


@beside_jobs
def tell_members(at: datetime) -> None:
    """Write the notices of all occasions, and send the mails that are due."""
    telling.tell_all(at)
    _SENDER.start(at)


@hourly
def forget_notices(at: datetime) -> None:
    """Delete old notices."""
    telling.forget(at)
