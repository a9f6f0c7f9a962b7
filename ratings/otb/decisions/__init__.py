"""What people decide about tournaments over the board. Importing this registers the kinds."""

from ratings.otb.decisions import judging, periods, reports

__all__ = ["judging", "periods", "reports"]
