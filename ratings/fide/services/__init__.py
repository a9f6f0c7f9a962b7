"""The only place where FIDE rating lists, members and the ratings of the arena meet."""
