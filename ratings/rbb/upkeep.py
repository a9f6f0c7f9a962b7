"""The worker's own tasks for ratings and published lists."""

from __future__ import annotations

from datetime import datetime

from members import inviting
from members.words import index_words_of_before
from ratings.office.upkeep import hourly
from ratings.rbb.ledger.known_games import keep_addresses
from ratings.rbb.lists.comparing import compare_lists
from ratings.rbb.lists.report import keep_reviews
from ratings.rbb.lists.settling import keep_spreads


@hourly
def review_lists(at: datetime) -> None:
    """Compute the figures of new lists before many people ask, and find lists that have changed."""
    keep_reviews()
    keep_spreads()
    compare_lists()


@hourly
def fill_addresses(at: datetime) -> None:
    """Fill in the addresses of games that an earlier version stored, some thousand at a time."""
    keep_addresses()


@hourly
def fill_sounds(at: datetime) -> None:
    """Fill in the sounds of names that an earlier version wrote."""
    index_words_of_before()


@hourly
def forget_invitations(at: datetime) -> None:
    """Delete expired invitations, with the mail addresses in them."""
    inviting.forget_invitations(at)
