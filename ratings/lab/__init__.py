"""The rating lab: the rules replayed fast, over the office's own games or under other rules."""
