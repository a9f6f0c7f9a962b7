"""Causes of changes to ledger lines, for those who follow the office."""

from enum import StrEnum


class Cause(StrEnum):
    """The cause of a change. For a decision, the outbox entry's change set says which one."""

    GAME = "game"
    """A single game was sent, entered or changed."""
    IMPORT = "import"
    """A file of games was imported."""
    FACTS = "facts"
    """Any other fact on which ratings depend has changed, such as a first rating."""
    REBUILD = "rebuild"
    """``manage.py replay`` found lines that the inputs don't give."""
    DECISION = "decision"
    EARLIER = "earlier"
    """Unknown: before there was an outbox."""
