"""Services on FIDE rating lists: the only place where they meet members and the arena's ratings."""
