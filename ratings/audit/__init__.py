"""What the audit holds the arena's ratings against. Importing this registers the checks."""

from ratings.audit import ledger, lists, memberships

__all__ = ["ledger", "lists", "memberships"]
