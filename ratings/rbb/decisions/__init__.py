"""Decisions by people about the arena's ratings. Importing this registers the kinds."""

from ratings.rbb.decisions import (  # noqa: F401  imported for what they register
    closures,
    erasing,
    games,
    importing,
    inputs,
    late_facts,
    lists,
    members,
    memberships,
    merging,
    replaying,
    same_games,
    taking_back,
)
