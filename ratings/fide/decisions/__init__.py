"""What people decide about FIDE's lists. Importing this registers the kinds."""

from ratings.fide.decisions import announcing, doubles, first_ratings, watch

__all__ = ["announcing", "doubles", "first_ratings", "watch"]
