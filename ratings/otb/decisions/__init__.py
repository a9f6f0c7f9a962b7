"""Decisions about over-the-board tournaments. Importing this module registers their types."""

from ratings.otb.decisions import judging, one_off, periods, reports

__all__ = ["judging", "one_off", "periods", "reports", "unrated"]
