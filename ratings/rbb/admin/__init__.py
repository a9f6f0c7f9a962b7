"""Admin pages of ratings: inputs can be edited, projections are read-only. Importing this registers them."""

from ratings.rbb.admin import closures, editions, games, ledger, lists, members

__all__ = ["closures", "editions", "games", "ledger", "lists", "members"]
