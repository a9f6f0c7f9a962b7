"""Decisions by people about the arena's ratings. Importing this registers the kinds."""

from ratings.rbb.decisions import (  # noqa: F401  imported for what they register
    closures,
    editions,
    games,
    importing,
    inputs,
    ledger,
    lists,
    members,
    memberships,
    merging,
    taking_back,
)
