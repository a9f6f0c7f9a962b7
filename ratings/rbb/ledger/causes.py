"""Why lines of the ledger are written, as those who follow the office are told."""

from enum import StrEnum


class Cause(StrEnum):
    """Cause of a change. For a decision, the change set of the outbox entry says which one."""

    GAME = "game"
    """One game was sent, entered or changed."""
    IMPORT = "import"
    """A file of games."""
    FACTS = "facts"
    """Anything else that ratings follow from, such as first ratings."""
    REBUILD = "rebuild"
    """``manage.py replay`` found lines that the inputs don't give."""
    DECISION = "decision"
    EARLIER = "earlier"
    """Before there was an outbox: it is not known."""
