"""RBB 1.1: the rules of which chess a game was played by. Only standard chess is rated."""

from typing import Final

STANDARD: Final = ""
"""Standard chess, as games have it."""

_NAMES: Final = {
    **dict.fromkeys(("", "standard", "chess", "standardchess", "normal"), STANDARD),
    **dict.fromkeys(("chess960", "960", "fischerrandom", "fischerandom", "freestyle"), "Chess960"),
    **dict.fromkeys(("kingofthehill", "koth"), "King of the Hill"),
    **dict.fromkeys(("threecheck", "3check"), "Three-check"),
    "antichess": "Antichess",
    "atomic": "Atomic",
    "bughouse": "Bughouse",
    "crazyhouse": "Crazyhouse",
    "fromposition": "From position",
    "horde": "Horde",
    "racingkings": "Racing Kings",
}
"""Names of variants by the words of servers and PGN, in lower case, letters and digits alone."""


def variant_of(word: str) -> str:
    """Return the name of a variant, STANDARD for standard chess. An unknown word is its own name."""
    return _NAMES.get("".join(filter(str.isalnum, word.lower())), word)
