"""Decisions about the league. Each kind is registered when its module is imported."""

from ratings.league.decisions import closing, correcting, importing

__all__ = ["closing", "correcting", "importing"]
