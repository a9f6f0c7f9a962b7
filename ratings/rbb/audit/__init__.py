"""What the audit holds the arena's ratings against. Importing this registers the checks."""

from ratings.rbb.audit import decided, games, ledger, lists, memberships

__all__ = ["decided", "games", "ledger", "lists", "memberships"]
