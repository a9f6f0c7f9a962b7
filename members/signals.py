"""What members tell whoever rates their games."""

from django.dispatch import Signal

spans_changed = Signal()
"""Sent once spans of full membership were changed or taken away, before the transaction ends.

``before``: member and span of each, as they were. ``using``: the database. A receiver that raises
ValidationError takes the change back.
"""

fide_ids_claimed = Signal()
"""Sent once a file gave members FIDE IDs that others have.

``claims``: the key of each such member, with the username of who has it. ``using``: the database.
"""

members_added = Signal()
"""Sent once new members were stored together, for each of whom there is no ``post_save``.

``members``: they. ``using``: the database.
"""
