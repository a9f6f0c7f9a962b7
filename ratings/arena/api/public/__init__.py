"""Public data, read-only, as on the pages: rating lists, members, games and explanations."""
