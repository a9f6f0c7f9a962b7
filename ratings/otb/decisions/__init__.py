"""What people decide about tournaments over the board. Importing this registers the kinds."""

from ratings.otb.decisions import judging, periods, reports, unrated

__all__ = ["judging", "periods", "reports", "unrated"]
