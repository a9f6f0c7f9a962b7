"""Services over the board: the rules of B.02 applied to tournaments and their reports."""
