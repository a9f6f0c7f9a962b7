"""The audit's checks of the arena's ratings. Importing this registers them."""

from ratings.rbb.audit import decided, games, ledger

__all__ = ["decided", "games", "ledger", "lists", "memberships"]
