"""System checks of settings that name kinds of decisions."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from ratings.office.decision_types import kinds


@register(Tags.security)
def kinds_that_need_a_second_person_are_known(**kwargs: Any) -> list[CheckMessage]:
    """foa.E032: a misspelt kind in SECOND_PERSON_KINDS would let one person decide alone."""
    known = [kind.name for kind in kinds()]
    faults: list[CheckMessage] = []
    for name in settings.SECOND_PERSON_KINDS:
        if name not in (*known, "all"):
            alike = get_close_matches(name, known, n=1)
            meant = f"Did you mean {alike[0]}? " if alike else ""
            hint = f"{meant}Choose from all, {', '.join(known)}. ROOMS may leave out the room of a kind."
            faults.append(
                Error(f"SECOND_PERSON_KINDS: “{name}” isn’t a kind of decision.", hint, id="foa.E032")
            )
    return faults
