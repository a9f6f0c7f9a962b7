"""The public pages of tournaments over the board, the office's lists of them, and players."""
