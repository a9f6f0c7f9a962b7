"""Decisions about FIDE's lists. Importing this module registers their types."""

from ratings.fide.decisions import announcing, first_ratings, watch

__all__ = ["announcing", "doubles", "first_ratings", "watch"]
