"""What the office tells a member: rooms send it, and whoever tells members of news listens."""

from django.dispatch import Signal

member_answered = Signal()
"""Sent in the transaction in which the office answers a member about a case of theirs.

``member``: who is answered. ``number`` and ``address``: of the case. ``at``: when. A
receiver that answers False says that the member doesn't want to be mailed as well.
"""
