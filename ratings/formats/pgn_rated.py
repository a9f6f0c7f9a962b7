"""The tags of a PGN game that say whether it was rated: Event and Rated."""

import re
from collections.abc import Mapping
from typing import Final

from ratings.formats.games import TRUTH, UNMARKED
from ratings.formats.problems import shown
from ratings.formats.results import NOT_SAID
from ratings.formats.unseen import seen

CASUAL: Final = "casual game"
WITHOUT_EVENT: Final = "the tag Event, which says whether the game was rated, is missing"
OVER_THE_BOARD: Final = "rated over the board, not in the arena (RBB 1.2)"

_WORDS: Final = {
    **TRUTH,
    **dict.fromkeys(("rated", "on", "r"), True),
    **dict.fromkeys(("unrated", "not rated", "non-rated", "casual", "friendly", "off", "u"), False),
}
"""Values of the tag Rated, in lower case."""

_CASUAL: Final = re.compile(
    r"""
    casual(?!t) | (?:un|non)-?rated | \bfriendly\b | \b(?:non?|not|un)[-\s()]+rated\b
    | ^ICC\b.*\bu$                                                              # ICC 5 0 u
    | (?:\b(?:not|never|without|nicht|keine?)|n['’]t)\b (?:[-\s]+\w+){0,3}? [-\s]+rated\b   # not a rated game
    | \brated\b (?:\s+game)? ["'\s]* [:=(?-]* ["'\s]* (?:false|off|none|not|0|no(?!\.?\s*\d)|n)\b  # rated: no
    | \b(?:amistos[oa]s?|no\s+puntuad[oa]s?|amical(?:es?)?|amicaux|non\s+class[ée]e?s?|amichevol[ei]
      |freundschaft\w*|ungewertet\w*|nicht\s+gewertet\w*|towarzysk\w+|nie\s?rankingow\w+
      |vriendschappelijk\w*|товарищеск\w+|нерейтингов\w+)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:FIDE|Elo|DWZ|USCF|US\s+Chess|ECF|CFC|nationally|internationally|OTB|over[-\s]the[-\s]board)"
    r"(?:[-\s]+(?:open|standard|classical|rapid|blitz))*[-\s]+rated\b"
    r"|\brated\s+(?:by|with|for)\s+(?:the\s+)?(?:FIDE|Elo|DWZ|USCF|US\s+Chess|ECF|CFC)\b",
    re.IGNORECASE,
)
_OF_PLAYERS: Final = re.compile(
    r"\b(?:top|under|over|high\w*|low\w*)[-\s]+rated\b"
    r"|\brated\s+(?:players?|under|below|over|above|between|from|up\s+to|at\s+least|U\s?-?\d+|[<>]"
    r"|\d{3,4}\b(?!\s*\+\s*\d))|\b\d{3,4}\+?-rated\b",
    re.IGNORECASE,
)
"""Words about the players' ratings, not about the game."""
_DASHES: Final = re.compile("[‐‑‒–—―−]")
_RATED: Final = re.compile(r"\brated\b", re.IGNORECASE)


def why_unrated(tags: Mapping[str, str]) -> str:
    """Return why a game isn't rated according to its tags: ``""`` if it is rated, UNMARKED if they don't say.

    A game without an Event is never taken as rated: the line that calls it casual may have been lost.

    Raises ValueError if the two tags contradict each other, or if the tag Rated has an unknown value.
    """
    event, word = tags.get("Event", ""), tags.get("Rated", "")
    said = _by_event(event)
    if word in NOT_SAID:
        return said if "Event" in tags else WITHOUT_EVENT
    rated = _WORDS.get(word.lower())
    if rated is None:
        raise ValueError(f"the tag Rated says {shown(word)}, which is neither yes nor no")
    if said != UNMARKED and rated != (said == ""):
        raise ValueError(f"the tag Rated says {shown(word)}, but the tag Event says {shown(event)}")
    return "" if rated else CASUAL


def _by_event(event: str) -> str:
    event = _DASHES.sub("-", seen(event)).replace("_", " ")
    if _CASUAL.search(event):
        return CASUAL
    others = _ELSEWHERE.sub(" ", event)
    if _RATED.search(_OF_PLAYERS.sub(" ", others)):
        return ""
    return UNMARKED if others == event else OVER_THE_BOARD
