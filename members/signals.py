"""Signals of members, for the apps that rate their games."""

from django.dispatch import Signal

spans_changed = Signal()
"""Sent after spans of full membership were changed or deleted, within the transaction.

``before``: member and span of each before the change. A receiver that raises ValidationError
rolls the change back.
"""

fide_ids_claimed = Signal()
"""Sent after a file gave members FIDE IDs that others have.

``claims``: the key of each such member, with the username of the current holder.
"""

members_added = Signal()
"""Sent after new members were stored in bulk, which sends no ``post_save``.

``members``: the new members.
"""

members_joined = Signal()
"""Sent after new members were stored in bulk together with their spans of full membership.

``members``: the new members.
"""
