"""What the audit holds the arena's ratings against. Importing this registers the checks."""

from ratings.audit import games, ledger, lists, memberships

__all__ = ["games", "ledger", "lists", "memberships"]
