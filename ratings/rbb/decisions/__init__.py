"""Decisions by people about the arena's ratings. Importing this registers the kinds."""

from ratings.rbb.decisions import (
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
    taking_back,
)

__all__ = [
    "closures",
    "erasing",
    "games",
    "importing",
    "inputs",
    "late_facts",
    "lists",
    "members",
    "memberships",
    "merging",
    "replaying",
    "taking_back",
]
