"""The FIDE formula page."""
