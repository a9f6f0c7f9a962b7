"""When Python looks for cyclic garbage."""

from __future__ import annotations

import gc


def collect_seldom() -> None:
    """Look for it after every 50,000 new objects, not after every 700.

    Pages, files and periods make many objects and hardly any cycles, and what is loaded stays: to look
    through it takes a seventh of a command's start.
    """
    gc.set_threshold(50_000)
