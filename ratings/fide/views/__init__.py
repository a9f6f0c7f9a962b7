"""Public pages of FIDE's lists and players."""
