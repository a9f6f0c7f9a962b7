"""Decisions about the league. Importing a module registers its kinds."""

from ratings.league.decisions import closing, correcting, importing

__all__ = ["closing", "correcting", "importing"]
