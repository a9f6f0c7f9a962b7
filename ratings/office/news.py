"""Signals about news for members. Rooms send them; whoever notifies members listens."""

from django.dispatch import Signal

member_answered = Signal()
"""Signal sent in the transaction in which the office answers a member's case.

``member``: who is answered. ``number`` and ``address``: those of the case. ``at``: when. A receiver that
returns False says that the member doesn't want a mail as well.
"""
