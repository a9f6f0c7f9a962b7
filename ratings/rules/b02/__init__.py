"""FIDE B.02 of 1 July 2009, over-the-board chess."""
