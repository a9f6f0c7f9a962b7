"""Decisions about over-the-board tournaments. Importing this module registers their types."""

from ratings.otb.decisions import judging, periods, reports

__all__ = ["judging", "periods", "reports"]
