"""The public pages about ratings."""
