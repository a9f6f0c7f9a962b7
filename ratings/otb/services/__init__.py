"""Where tournaments, their reports and the rules of B.02 meet."""
