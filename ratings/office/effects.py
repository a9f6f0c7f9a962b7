"""What a decision does: whose ratings move, and which lists, inputs and warnings come with it.

Two effects are the same if their fingerprints are: the words for people (labels, sentences) don't count, so
that an effect is the same in every language.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from django.core import signing
from django.db.models import Model
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.rules.units import Hundredths

KEPT: Final = 1_000
"""So many moves and inputs are kept of what was shown, to say later what differs; the fingerprint has all."""

_SALT: Final = "ratings.office.effects"


class Move(NamedTuple):
    """A rating before and after in hundredths, None while unrated. ``scale``: in which category or list."""

    subject: int
    scale: str
    before: Hundredths | None
    after: Hundredths | None

    @property
    def change(self) -> Hundredths | None:
        """None where a rating is lost or gained."""
        return None if self.before is None or self.after is None else Hundredths(self.after - self.before)

    @property
    def distance(self) -> int | None:
        """By how many hundredths; None where a rating is lost or gained."""
        return None if self.change is None else abs(self.change)


class Fact(NamedTuple):
    """Something else that a decision changes or warns of.

    ``section``: "lists", "inputs" or "warnings". ``key``, ``before`` and ``after`` are the same in every
    language; ``label`` is for people.
    """

    section: str
    key: str
    label: str
    before: str = ""
    after: str = ""


class Sentence(NamedTuple):
    """What came of a decision, with labels and addresses of what it speaks of."""

    text: str
    links: tuple[tuple[str, str], ...] = ()


class Difference(NamedTuple):
    """What differs from the effect that was shown; empty where one side has nothing."""

    label: str
    shown: str
    now: str


@dataclass(slots=True)
class Effect:
    """What a decision does. From ``outcome`` on nothing counts for the fingerprint.

    ``is_forecast``: the moves follow from facts that are entered, and are shown without being decided on, so
    they don't count either.
    ``objects``: what the decision is about, for the log of staff. ``undo``: name of the kind and parameters
    that would take it back, None where nothing can. ``result``: whatever the service returned, for the
    details of a page and for commands. ``report``: what was found in the rows of a file.
    """

    moves: list[Move] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    is_forecast: bool = False
    outcome: list[Sentence] = field(default_factory=list)
    objects: list[Model] = field(default_factory=list)
    undo: tuple[str, Mapping[str, list[str]]] | None = None
    result: Any = None
    report: Any = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the effect in canonical form."""
        facts = sorted((one.section, one.key, one.before, one.after) for one in self.facts)
        moves = [] if self.is_forecast else sorted(self.moves, key=lambda move: move[:2])
        text = json.dumps([facts, moves], ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.moves and not self.facts

    @property
    def farthest(self) -> list[Move]:
        """The moves, ratings lost or gained first, then by how far."""
        return sorted(self.moves, key=_how_far)

    @property
    def largest(self) -> int:
        """The farthest move in hundredths; 0 if no rating moves within the rated."""
        return max((move.distance or 0 for move in self.moves), default=0)

    def of(self, section: str) -> list[Fact]:
        """The facts of a section in their order."""
        return [one for one in self.facts if one.section == section]

    @property
    def lists(self) -> list[Fact]:
        """Published lists that come, or that say something else afterwards."""
        return self.of("lists")

    @property
    def inputs(self) -> list[Fact]:
        """What is entered, changed or taken away."""
        return self.of("inputs")

    @property
    def warnings(self) -> list[Fact]:
        """What to think of before confirming."""
        return self.of("warnings")

    def shown(self) -> dict[str, Any]:
        """What is kept of it once somebody has seen it."""
        return {
            "fingerprint": self.fingerprint,
            "moved": len(self.moves),
            "largest": self.largest,
            "inputs": len(self.inputs),
            "moves": [list(move) for move in self.farthest[:KEPT]],
            "facts": [
                [str(text) for text in one] for one in (*self.warnings, *self.lists, *self.inputs[:KEPT])
            ],
        }


class Shown:
    """An effect as it is kept and shown: all warnings and lists, at most ``KEPT`` moves and inputs."""

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self.kept = kept
        self.moved: int = kept.get("moved", 0)
        self.largest: int = kept.get("largest", 0)
        self.moves = [Move(*one) for one in kept.get("moves", ())]
        facts = [Fact(*one) for one in kept.get("facts", ())]
        self.warnings, self.inputs, self.lists = (
            [one for one in facts if one.section == section] for section in ("warnings", "inputs", "lists")
        )
        self.changed: int = kept.get("inputs", len(self.inputs))

    @property
    def is_empty(self) -> bool:
        """Return True if there is nothing to do."""
        return not (self.moved or self.warnings or self.inputs or self.lists)

    def sealed(self, about: str) -> str:
        """Return it for a form: signed, and only good for the decision it is about."""
        return signing.dumps([about, self.kept], salt=_SALT, compress=True)


def lines_change(published: Model, lines: int) -> str:
    """What becomes of a published list, for people."""
    told = ngettext("%(list)s: %(lines)d line changes", "%(list)s: %(lines)d lines change", lines)
    return told % {"list": published, "lines": lines}


def unsealed(text: str, about: str) -> dict[str, Any]:
    """What was shown, from a form; empty where it was another decision or nobody's."""
    try:
        of, shown = signing.loads(text, salt=_SALT)
    except signing.BadSignature:
        return {}
    return shown if of == about else {}


def differences(
    shown: Mapping[str, Any],
    now: Mapping[str, Any],
    name: Callable[[Iterable[Move]], Mapping[Move, str]],
    name_value: Callable[[str], str] = str,
) -> list[Difference]:
    """In what the effect of now differs from the one that was shown.

    ``name`` knows whose moves are whose, ``name_value`` the words for people of values.
    """
    if not shown:
        return []
    facts, facts_now = ({tuple(one[:2]): one for one in effect["facts"]} for effect in (shown, now))
    found = [
        Difference(
            (facts_now.get(key) or facts[key])[2],
            _said(facts.get(key), name_value),
            _said(facts_now.get(key), name_value),
        )
        for key in dict.fromkeys((*facts, *facts_now))
        if (facts.get(key) or [])[3:] != (facts_now.get(key) or [])[3:]
        or (key in facts) != (key in facts_now)
    ]
    moves, moves_now = ({tuple(one[:2]): Move(*one) for one in effect["moves"]} for effect in (shown, now))
    changed = [key for key in dict.fromkeys((*moves, *moves_now)) if moves.get(key) != moves_now.get(key)]
    names = name([moves_now.get(key) or moves[key] for key in changed])
    for key in changed:
        one, other = moves.get(key), moves_now.get(key)
        found.append(Difference(names[other or one], _path(one), _path(other)))  # type: ignore[index]
    if shown["moved"] != now["moved"]:
        found.insert(0, Difference(_("Ratings that move"), str(shown["moved"]), str(now["moved"])))
    return found


def _how_far(move: Move) -> tuple[bool, int, str, int]:
    return move.distance is not None, -(move.distance or 0), move.scale, move.subject


def _said(fact: list[str] | None, name_value: Callable[[str], str]) -> str:
    """A fact as the page of differences says it."""
    if fact is None:
        return ""
    before, after = map(name_value, fact[3:])
    return f"{before} → {after}" if before and after else before or after or "✓"


def _path(move: Move | None) -> str:
    return "" if move is None else f"{_rating(move.before)} → {_rating(move.after)}"


def _rating(hundredths: int | None) -> str:
    return _("unrated") if hundredths is None else f"{hundredths // 100}.{hundredths % 100:02}"
