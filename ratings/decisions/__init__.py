"""What people decide about the arena's ratings. Importing this registers the kinds."""

from ratings.decisions import games, inputs, lists, members, memberships, replaying

__all__ = ["games", "inputs", "lists", "members", "memberships", "replaying"]
