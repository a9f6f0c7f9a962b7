"""The time control of a report: encoded in seconds (record 222 of TRF26), or in words (122).

Words are split at ``+``, commas and words such as *then*. Each piece must be one of three things: a time,
perhaps for a number of moves; the seconds added with each move; or the time that follows a number of moves.
If one piece is none of these, the whole text is left unread.
"""

import re
from dataclasses import dataclass, field
from typing import Final

Stages = tuple[tuple[int | None, int, int], ...]
"""Stages of a control: moves (None for the rest), their seconds, and the seconds added with each move."""

_ENCODED: Final = re.compile(r"(?:([0-9]{1,3})/)?([0-9]{1,5})(?:\+([0-9]{1,4}))?")

_BARE: Final = re.compile(r"[0-9]{1,3}")

_H: Final = r"(?:hours?|hrs?\.?|h|stunden?|std\.?|godz\.?|heures?|horas?)"
_MIN: Final = r"(?:minutes?|minuten|minutos|minuti|minuty|minut|mins?\.?|mn|m|')"
_SEC: Final = r"(?:seconds?|sekunden|sekundy?|segundos|secondes|secondi|secs?\.?|sek\.?|segs?\.?|s|\")"
_MOVES: Final = (
    r"(?:moves?|mvs?\.?|z[uü]ge?n?|coups?|ruch(?:ów|y|u)?|posuni[eę][cć](?:ia|ie)?|jugadas?|movimientos?|moss[ae]"
    r"|lances?)"
)
_FOR: Final = r"(?:/|x|for|in|within|für|na|pour|para|per)"
_EACH: Final = r"(?:/|per|a|for each|for every|each|every|pro|na|par|por|za)"

_TIME: Final = (
    rf"(?:(?P<h>[0-9]{{1,2}}) ?{_H}(?: ?(?P<hm>[0-9]{{1,2}})(?: ?{_MIN})?)?"
    rf"|(?P<m>[0-9]{{1,3}}) ?{_MIN})"
)
_N: Final = "(?<![0-9])(?P<moves>[0-9]{1,3})"
_REST: Final = (
    r"(?: ?(?:/|per|for|to|till|until)? ?(?:the )?(?:a |whole |entire )?(?:game|end(?: of the game)?)"
    r"| ?(?:for )?(?:the )?(?:rest|remainder|remaining moves)(?: of (?:the )?game)?"
    r"| ?(?:for )?all (?:the )?(?:remaining )?moves| to finish(?: the game)?"
    r"| ?(?:qpf|ko|sd|guillotine|quick ?play finish))?"
)
_ALL: Final = (
    rf"(?:(?:for )?(?:all (?:the |remaining )?{_MOVES}|the (?:whole |entire )?game"
    r"|(?:the )?(?:rest|remainder)(?: of (?:the )?game)?),? ?(?:in|within|:)? ?)"
)
_FROM: Final = rf"(?: ?(?:starting )?from (?:the )?(?:first {_MOVES}|{_MOVES} (?P<start>[0-9]{{1,3}}|one)))?"

_STAGES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # 90 min/40 moves, 90' x 40, 2 hours for the first 40 moves
        rf"{_TIME} ?{_FOR} ?(?:the )?(?:first |next )?{_N}(?: ?{_MOVES})?",
        rf"{_TIME} ?(?:first |next )?{_N} ?{_MOVES}",
        # 40 moves in 90 minutes, 40/90'
        rf"(?:the )?(?:first |next )?{_N} ?{_MOVES} ?{_FOR} ?{_TIME}",
        rf"{_N} ?/ ?{_TIME}",
        rf"(?:sd/|g/|game/|game in |{_ALL})?{_TIME}{_REST}",
    )
)
_LATER: Final = re.compile(
    rf"{_TIME} ?after (?:{_MOVES} (?P<after>[0-9]{{1,3}})|(?P<after2>[0-9]{{1,3}}) ?{_MOVES})"
)
_INCREMENT: Final = re.compile(
    rf"(?:an? )?(?:increment of |addition of |additional |bonus of |inc[./ ]?)?"
    rf"(?P<seconds>[0-9]{{1,3}}) ?{_SEC}"
    rf"(?: ?(?:increment|cumulative|bonus|added))?(?: ?{_EACH} ?{_MOVES})?(?: added)?{_FROM}"
)
_BARE_INCREMENT: Final = re.compile(r"inc[./ ]?(?P<seconds>[0-9]{1,3})")
_BARE_STAGE: Final = re.compile(r"([0-9]{2,3})/([0-9]{2,5})(?: ?qpf)?")
_BARE_REST: Final = re.compile(r"(sd/|g/|game/)?([0-9]{1,5})(?: ?qpf)?")

_PLUS_NUMBER: Final = re.compile(r"\+ ?[0-9]+ ?(?:[,;+]|$)")
"""40/90+30: either seconds with each move, or minutes for the rest."""

_JOINTS: Final = re.compile(
    r" ?(?:[,;&]|\+|\b(?:and|plus|then|followed by|with|und|plus|puis|oraz|i|y|e)\b)"
    r"(?: ?(?:[,;&+]|\b(?:and|plus|then|followed by|with)\b))* ?"
)
_SIGNS: Final = (
    (re.compile("''|’’|′′|[″”“]"), '"'),
    (re.compile("[’′´`]"), "'"),
    (re.compile("×"), "x"),
    (re.compile(r"[()\[\]]"), " "),
    # 40/90, SD/30 inc30
    (re.compile(r" (?=inc[./ ]?[0-9])"), ", "),
    (re.compile(r"\b(?:(?:for )?each|per|pro|je) (?:player|side|spieler)\b|\beach$"), " "),
    (re.compile(r"^(?:time control|standard|classical|rapid|blitz)\b ?:? ?"), ""),
    # 90 min / 30 sec
    (re.compile(rf" ?/ ?(?=[0-9]{{1,3}} ?{_SEC}(?:\W|$))"), " + "),
)

_LONGEST_TEXT: Final = 200
_FEWEST_SECONDS: Final = 180
"""Minimum seconds of a coded first stage: nobody rates a faster game. A lower number alone is minutes."""

_MOST_STAGES: Final = 6
_MOST_SECONDS: Final = 10 * 60 * 60
_MOST_INCREMENT: Final = 10 * 60
_MOST_MINUTES: Final = 300
"""Maximum for a number without a unit after a number of moves to be minutes, as in 40/120, 60."""

_FEWEST_BARE_SECONDS: Final = 600
"""Minimum for it to be seconds, as in 40/7200, 3600. Numbers in between could be either."""


def stages_of(text: str) -> Stages | None:
    """Return the stages: moves (None for the rest), their seconds, and the seconds added with each move.

    None for anything uncertain: other words, no text, implausible numbers, a last stage with a number of
    moves, or an earlier stage without one. 90+30 is uncertain: it means minutes and seconds in one file, and
    seconds in another.
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST_TEXT:
        return None
    found = [_ENCODED.fullmatch(part.strip()) for part in text.split(":")]
    encoded = [
        (int(match[1]) if match[1] else None, int(match[2]), int(match[3] or 0)) for match in found if match
    ]
    if _BARE.fullmatch(text) and int(text) < _FEWEST_SECONDS:
        return _sound([(None, 60 * int(text), 0)], _FEWEST_SECONDS)
    if len(encoded) == len(found):
        return _sound(encoded, _FEWEST_SECONDS)
    return in_words(text)


def encoded(stages: Stages) -> str:
    """Write stages as in record 222: 40/5400+30:1800+30."""
    return ":".join(
        (f"{moves}/" if moves else "") + str(seconds) + (f"+{increment}" if increment else "")
        for moves, seconds, increment in stages
    )


@dataclass(slots=True)
class _Words:
    """The parts of a worded time control read so far.

    ``bare``: the unit of numbers without one, once a stage has shown it: 60 seconds or 1 second.
    """

    stages: list[tuple[int | None, int]] = field(default_factory=list)
    increments: set[tuple[int, int]] = field(default_factory=set)
    bare: int = 0

    def take(self, piece: str) -> bool:
        """Read a piece; return False if it isn't recognised."""
        return self._increment(piece) or self._later(piece) or self._stage(piece) or self._bare(piece)

    def _increment(self, piece: str) -> bool:
        if match := _BARE_INCREMENT.fullmatch(piece):
            self.increments.add((int(match["seconds"]), 1))
        elif match := _INCREMENT.fullmatch(piece):
            start = match["start"]
            self.increments.add((int(match["seconds"]), int(start) if start and start != "one" else 1))
        return match is not None

    def _later(self, piece: str) -> bool:
        """Read the time after a number of moves, which also gives the previous stage its moves."""
        match = _LATER.fullmatch(piece)
        if match is None or not self.stages or self.stages[-1][0] is not None:
            return False
        before = sum(moves or 0 for moves, _ in self.stages)
        self.stages[-1] = int(match["after"] or match["after2"]) - before, self.stages[-1][1]
        self.stages.append((None, _seconds(match)))
        return True

    def _stage(self, piece: str) -> bool:
        match = next((match for pattern in _STAGES if (match := pattern.fullmatch(piece))), None)
        if match is not None:
            self.stages.append((int(match.groupdict().get("moves") or 0) or None, _seconds(match)))
        return match is not None

    def _bare(self, piece: str) -> bool:
        """Read numbers as in 40/120, 60: the first stage, which has moves, shows the unit of the others."""
        if match := _BARE_STAGE.fullmatch(piece):
            moves, number = int(match[1]), int(match[2])
            if moves > number:
                return False
        elif (match := _BARE_REST.fullmatch(piece)) and (match[1] or self.bare):
            moves, number = 0, int(match[2])
        else:
            return False
        unit = 60 if number <= _MOST_MINUTES else 1
        if (self.bare or unit) != unit or (unit == 1 and number < _FEWEST_BARE_SECONDS):
            return False
        self.bare = unit
        self.stages.append((moves or None, number * unit))
        return True


def in_words(text: str) -> Stages | None:
    """Read the stages of a worded control as ``stages_of`` does."""
    text = text.lower()
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, text)
    text = " ".join(text.split()).strip(" .")
    words = _Words()
    if _PLUS_NUMBER.search(text):
        return None
    if not all(map(words.take, _JOINTS.split(text))) or not words.stages or len(words.increments) > 1:
        return None
    seconds, start = next(iter(words.increments), (0, 1))
    stages, played, begins = [], 0, {0}
    for moves, time in words.stages:
        stages.append((moves, time, seconds if played >= start - 1 else 0))
        played += moves or 0
        begins.add(played)
    return _sound(stages) if start - 1 in begins else None


def _seconds(match: re.Match[str]) -> int:
    return 60 * (60 * int(match["h"] or 0) + int(match["hm"] or 0) + int(match["m"] or 0))


def _sound(stages: list[tuple[int | None, int, int]], fewest: int = 0) -> Stages | None:
    """Return the stages if such a control is plausible, else None. ``fewest``: seconds of the first one."""
    *before, (last_moves, _, _) = stages
    if last_moves is not None or not all(moves and moves > 0 for moves, _, _ in before):
        return None
    if stages[0][1] < fewest or len(stages) > _MOST_STAGES:
        return None
    if any(seconds > _MOST_SECONDS or increment > _MOST_INCREMENT for _, seconds, increment in stages):
        return None
    return tuple(stages)
