"""The arena's own rule book, RBB: games, ledger, ratings and lists."""
