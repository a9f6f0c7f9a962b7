"""What people decide about the arena's ratings. Importing this registers the kinds."""

from ratings.decisions import games, inputs, lists, replaying

__all__ = ["games", "inputs", "lists", "replaying"]
