"""Ways in which a game ends: the office's words, and those of other programs.

Known are the words of the PGN standard (the tag Termination), of lichess (that tag, and ``status`` of its
API), of chess.com (``result`` of a player in its API, and the sentence in the tag) and of programs for Swiss
tournaments.
"""

import re
from enum import Enum, StrEnum
from typing import Final, NamedTuple

from ratings.rules.cited import _


class Termination(StrEnum):
    """Termination of a game, as it is stored and as files of the office say it."""

    CHECKMATE = "checkmate"
    RESIGNATION = "resignation"
    TIME = "time"
    STALEMATE = "stalemate"
    REPETITION = "repetition"
    FIFTY_MOVES = "fifty moves"
    INSUFFICIENT_MATERIAL = "insufficient material"
    AGREEMENT = "agreement"
    ADJUDICATION = "adjudication"
    WHITE_GONE = "disconnection white"
    BLACK_GONE = "disconnection black"
    BOTH_GONE = "disconnection both"
    RULES_INFRACTION = "rules infraction"
    NORMAL = "normal"
    """Played, and nothing is said of how it ended. So is a game in progress."""
    NO_SHOW = "no-show"
    ABORTED = "aborted"
    FORFEIT = "forfeit"
    BYE = "bye"
    UNKNOWN = "unknown"
    """The source has a word that the office doesn't know."""


NOT_PLAYED: Final = frozenset(
    {Termination.NO_SHOW, Termination.ABORTED, Termination.FORFEIT, Termination.BYE}
)
"""Ways in which a game ends before each side has moved, or without a result that counts (FIDE B.02 5.1)."""

WORDS: Final[dict[Termination, tuple[str, ...]]] = {
    Termination.CHECKMATE: ("mate", "checkmated"),
    Termination.RESIGNATION: ("resign", "resigned", "resigns"),
    # “Time forfeit” is PGN's. lichess says “timeout” of a player who left, chess.com of a clock that ran out.
    Termination.TIME: (
        "time forfeit",
        "forfeit on time",
        "lost on time",
        "loss on time",
        "timeout",
        "time out",
        "out of time",
        "outoftime",
        "flag",
    ),
    Termination.STALEMATE: (),
    Termination.REPETITION: ("threefold repetition", "3 fold repetition", "fivefold repetition"),
    Termination.FIFTY_MOVES: ("50move", "50 moves", "50 move rule", "fifty move rule", "75 move rule"),
    Termination.INSUFFICIENT_MATERIAL: (
        "insufficient",
        "insufficientmaterialclaim",
        "timevsinsufficient",
        "timeout vs insufficient material",
        "dead position",
    ),
    Termination.AGREEMENT: ("agreed", "draw agreed", "mutual agreement"),
    # PGN: what an arbiter has to decide, too.
    Termination.ADJUDICATION: ("adjudicated", "death", "emergency"),
    Termination.WHITE_GONE: ("white disconnected", "white gone"),
    Termination.BLACK_GONE: ("black disconnected", "black gone"),
    Termination.BOTH_GONE: ("both disconnected", "both gone"),
    Termination.RULES_INFRACTION: ("cheat",),
    # What says who won or that it was a draw, and not how.
    Termination.NORMAL: ("win", "lose", "draw"),
    Termination.NO_SHOW: ("no show", "noshow", "nostart", "no start"),
    Termination.ABORTED: (
        "abort",
        "aborted by server",
        "aborted by player",
        "cancelled",
        "canceled",
        "not played",
        "unplayed",
        "not started",
        "unstarted",
    ),
    Termination.FORFEIT: ("forfeited", "walkover", "walk over", "w o", "default", "double forfeit"),
    Termination.BYE: (
        "half point bye",
        "zero point bye",
        "full point bye",
        "pairing allocated bye",
        "requested bye",
    ),
    Termination.UNKNOWN: ("unknownfinish",),
}
"""Words of other programs, in lower case and without signs. The office's own words mean themselves."""

DISCONNECTED: Final = ("disconnection", "disconnected", "disconnect", "connection lost", "lost connection")
"""Words that don't say who was gone: it was the loser (RBB 2.4)."""

LEFT: Final = ("abandoned", "abandonment", "game abandoned")
"""After a move by each side, the loser left and is gone. Before that, or if no moves are known: aborted."""

IN_PROGRESS: Final = ("unterminated", "created", "started", "in progress")
"""Words for a game in progress. A finished game can't be any of these."""

_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_SENTENCE: Final = re.compile(
    r"(?:(?P<who>\S+) )?(?P<what>won|wins|win|drawn|draw)(?: by| on| -)? (?P<how>.+)"
)
"""chess.com: “anna won by resignation”, “anna won - game abandoned”, “Game drawn by agreement”."""

_PLAIN: Final[dict[str, Termination]] = {
    _SIGNS.sub(" ", word).strip(): termination
    for termination in Termination
    for word in (termination.value, *WORDS[termination])
}


DRAW: Final = ("1/2-1/2",)
WIN: Final = ("1-0", "0-1")

POSSIBLE: Final[dict[Termination, tuple[tuple[str, ...], str]]] = {
    Termination.CHECKMATE: (WIN, "FIDE Laws 5.1.1"),
    Termination.RESIGNATION: (WIN, "FIDE Laws 5.1.2"),
    Termination.STALEMATE: (DRAW, "FIDE Laws 5.2.1"),
    Termination.INSUFFICIENT_MATERIAL: (DRAW, "FIDE Laws 5.2.2"),
    Termination.AGREEMENT: (DRAW, "FIDE Laws 5.2.3"),
    Termination.REPETITION: (DRAW, "FIDE Laws 9.2"),
    Termination.FIFTY_MOVES: (DRAW, "FIDE Laws 9.3"),
}
"""The results that an end can have, with the article that says so; any other end can have any result.

Time: a draw if the opponent can't checkmate by any possible series of moves (6.9). Adjudication and rules
infraction: as the arbiter decides (12.9). Disconnection is RBB 2.4, which the conditions of rated games know.
"""

_ANY: Final[tuple[tuple[str, ...], str]] = ((), "")

BY_MOVES: Final = frozenset({*POSSIBLE, Termination.TIME, Termination.NORMAL})
"""Ends that the moves must not contradict. Any other may come before or after the last move on record."""


class Impossible(Enum):
    """A contradiction between how a game ended and its result, in a sentence."""

    DRAWN = _("“%(word)s” means a draw, but the result is %(result)s (%(article)s)")
    WON = _("“%(word)s” means that a player won, but the result is %(result)s (%(article)s)")
    MATED = _("the moves end with checkmate, so the result must be %(due)s, not %(result)s (%(article)s)")
    STALEMATED = _(
        "the moves end with stalemate, which is a draw, but the result is %(result)s (%(article)s)"
    )
    DEAD = _(
        "in the last position neither player can checkmate, which is a draw, but the result is %(result)s "
        "(%(article)s)"
    )
    UNABLE = _(
        "the player who won on time can’t checkmate from the last position, which is a draw, but the result "
        "is %(result)s (%(article)s)"
    )


BY_WORD: Final = frozenset({Impossible.DRAWN, Impossible.WON})
"""Contradictions between the result and a word; the others are between the result and the moves."""


class Contradiction(NamedTuple):
    """Something impossible in the end of a game, with the words of its sentence."""

    impossible: Impossible
    words: dict[str, str]

    @property
    def article(self) -> str:
        """The article that the result contradicts: “FIDE Laws 5.2.1”."""
        return self.words["article"]

    def __str__(self) -> str:
        return self.impossible.value % self.words


class LastPosition(NamedTuple):
    """The outcome that the last position of a game decides.

    ``ending``: checkmate, stalemate or insufficient material; NORMAL where the game could go on. ``result``:
    that of the ending; ``""`` where the game could go on. ``unable``: the results of wins of which the
    winner can't checkmate by any possible series of moves.
    """

    ending: Termination
    result: str
    unable: tuple[str, ...] = ()


class ContradictsError(ValueError):
    """A word for the end that contradicts the result, with the ``article`` that says so."""

    def __init__(self, text: str, article: str) -> None:
        super().__init__(text)
        self.article = article


def termination_of(text: str, result: str = "", plies: int | None = None) -> Termination:
    """Return how a game ended, in the office's words; UNKNOWN for a word that the office doesn't know.

    ``result``: ``1-0``, ``0-1``, ``1/2-1/2``, or ``""`` in progress, when an unknown word says nothing yet.
    ``plies``: moves of both sides together, None if they are not known. Raises ContradictsError for a draw of
    players of whom one was gone (RBB 2.4).
    """
    word = _SIGNS.sub(" ", text.lower()).strip()
    known = _PLAIN.get(word)
    if known is not None:
        return known
    if word in IN_PROGRESS:
        return Termination.UNKNOWN if result else Termination.NORMAL
    won = ""
    if sentence := _SENTENCE.fullmatch(text.lower().strip()):
        won = sentence["how"]
        word = _SIGNS.sub(" ", won).strip()
        if word in _PLAIN:
            return _PLAIN[word]
    if word in LEFT and not won and (plies is None or plies < 2):
        return Termination.ABORTED
    if word in LEFT or word in DISCONNECTED:
        return _who_was_gone(text, result)
    return Termination.UNKNOWN if result else Termination.NORMAL


def winner_named(text: str) -> str:
    """Return the winner that a sentence such as “anna won on time” names, in lower case, or ``""``."""
    sentence = _SENTENCE.fullmatch(text.lower().strip())
    return sentence["who"] or "" if sentence and sentence["what"] in ("won", "wins") else ""


def says_in_progress(text: str) -> bool:
    """Return True for a word that other programs write of a game in progress."""
    return _SIGNS.sub(" ", text.lower()).strip() in IN_PROGRESS


def _who_was_gone(text: str, result: str) -> Termination:
    """Return which player was gone: the loser (RBB 2.4). Raises ContradictsError for a draw."""
    if result == "1/2-1/2":
        raise ContradictsError(
            f"“{text[:40]}” with a draw: a player who is disconnected for more than 60 seconds has lost "
            "(RBB 2.4); "
            f"if both were gone at once, write “{Termination.BOTH_GONE}”",
            "RBB 2.4",
        )
    gone = {"1-0": Termination.BLACK_GONE, "0-1": Termination.WHITE_GONE}
    return gone.get(result, Termination.NORMAL)


def contradiction_of_word(termination: str, result: str, word: str = "") -> Contradiction | None:
    """Return what is impossible in this end with this result; None for a game in progress.

    ``termination``: one of :class:`Termination`. ``word``: what the source says, if that is another word.
    """
    said = word or termination
    for possible, article in (POSSIBLE.get(Termination(termination), _ANY), _possible_by_word(said)):
        if result in WIN + DRAW and possible and result not in possible:
            impossible = Impossible.DRAWN if possible == DRAW else Impossible.WON
            return Contradiction(impossible, {"word": said, "result": result, "article": article})
    return None


def _possible_by_word(word: str) -> tuple[tuple[str, ...], str]:
    """Return the results that a word or sentence leaves: “draw”, “anna won on time”."""
    sentence = _SENTENCE.fullmatch(word.lower().strip())
    what = sentence["what"] if sentence else word.lower().strip()
    if what in ("draw", "drawn"):
        return DRAW, "FIDE Laws 5.2"
    return (WIN, "FIDE Laws 5.1") if what in ("win", "wins", "won", "lose") else _ANY


def contradiction_of_moves(termination: str, result: str, last: LastPosition) -> Contradiction | None:
    """Return what in this result is impossible after the last move; None for a game in progress."""
    if result not in WIN + DRAW or termination not in BY_MOVES:
        return None
    if last.result and last.result != result:
        impossible = _BY_ENDING[last.ending]
        words = {"due": last.result, "result": result, "article": POSSIBLE[last.ending][1]}
        return Contradiction(impossible, words)
    if termination == Termination.TIME and result in last.unable:
        return Contradiction(Impossible.UNABLE, {"result": result, "article": "FIDE Laws 6.9"})
    return None


_BY_ENDING: Final = {
    Termination.CHECKMATE: Impossible.MATED,
    Termination.STALEMATE: Impossible.STALEMATED,
    Termination.INSUFFICIENT_MATERIAL: Impossible.DEAD,
}
