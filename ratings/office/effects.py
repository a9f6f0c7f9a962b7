"""The effect of a decision: the ratings that move, and the lists, inputs and warnings that come with it.

Two effects are the same if their fingerprints are. Words for people (labels, sentences) aren't part of the
fingerprint, so that an effect is the same in every language.
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

from foa.said import Said, meaning_of, ngettext, written
from ratings.rules.units import Hundredths

KEPT: Final = 1_000
"""Maximum number of moves and inputs kept of a shown effect.

They are kept to tell later what differs; the fingerprint covers all of them.
"""

_SALT: Final = "ratings.office.effects"


class Move(NamedTuple):
    """A rating before and after in hundredths, None while unrated. ``scale``: the category or list."""

    subject: int
    scale: str
    before: Hundredths | None
    after: Hundredths | None

    @property
    def change(self) -> Hundredths | None:
        """Return the change in hundredths, or None if a rating is lost or gained."""
        return None if self.before is None or self.after is None else Hundredths(self.after - self.before)

    @property
    def distance(self) -> int | None:
        """Return the size of the change in hundredths, or None if a rating is lost or gained."""
        return None if self.change is None else abs(self.change)


class AboutRow(NamedTuple):
    """The key of a fact about a stored row, or about one field of it."""

    model: str
    pk: int
    field: str = ""

    def __str__(self) -> str:
        return f"{self.model} {self.pk} {self.field}".rstrip()


class Fact(NamedTuple):
    """Something else that a decision changes or warns about.

    ``section``: "lists", "inputs" or "warnings". ``key``, ``before`` and ``after`` are the same in every
    language; ``label`` is for people. It is kept as what it means (:mod:`foa.said`), or else as text.
    """

    section: str
    key: str
    label: str
    before: str = ""
    after: str = ""

    @property
    def row(self) -> AboutRow | None:
        """Return the row that the key names: the opposite of :meth:`AboutRow.__str__`."""
        model, pk, field = (*self.key.split(" "), "", "")[:3]
        return AboutRow(model, int(pk), field) if pk.isdecimal() else None


class Sentence(NamedTuple):
    """A sentence about the outcome of a decision, with labels and addresses of what it mentions."""

    text: str
    links: tuple[tuple[str, str], ...] = ()

    def kept(self) -> dict[str, Any]:
        """Return it as it is stored."""
        links = [(str(label), address) for label, address in self.links]
        meant = [meaning_of(self.text), *(meaning_of(label) for label, _address in self.links)]
        return {"text": str(self.text), "links": links, "meant": meant}

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Sentence:
        """Return a stored sentence in the reader's language."""
        text, *labels = kept.get("meant") or [kept["text"], *(label for label, _address in kept["links"])]
        links = zip(labels, (address for _label, address in kept["links"]), strict=True)
        return cls(written(text), tuple((written(label), address) for label, address in links))


class Difference(NamedTuple):
    """A difference from the effect that was shown. A side is empty if it has nothing."""

    label: str
    shown: str
    now: str


@dataclass(slots=True)
class Effect:
    """The effect of a decision. Fields from ``outcome`` on aren't part of the fingerprint.

    ``is_forecast``: the moves follow from the facts entered, and are shown but not decided on, so they aren't
    part of the fingerprint either. ``objects``: what the decision is about, for the staff log. ``undo``: name
    of the kind and parameters that would undo it, or None. ``result``: whatever the service returned, for the
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
        """Return the SHA-256 of the effect in canonical form."""
        facts = sorted((one.section, one.key, one.before, one.after) for one in self.facts)
        moves = [] if self.is_forecast else sorted(self.moves, key=lambda move: move[:2])
        text = json.dumps([facts, moves], ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def is_empty(self) -> bool:
        """Return True if there is nothing to do."""
        return not self.moves and not self.facts

    @property
    def farthest(self) -> list[Move]:
        """Return the moves: ratings lost or gained first, then the largest."""
        return sorted(self.moves, key=_how_far)

    @property
    def largest(self) -> int:
        """Return the largest change in hundredths, or 0 if no rated player's rating moves."""
        return max((move.distance or 0 for move in self.moves), default=0)

    def of(self, section: str) -> list[Fact]:
        """Return the facts of a section in order."""
        return [one for one in self.facts if one.section == section]

    @property
    def lists(self) -> list[Fact]:
        """Return the published lists that appear or change."""
        return self.of("lists")

    @property
    def inputs(self) -> list[Fact]:
        """Return what is entered, changed or removed."""
        return self.of("inputs")

    @property
    def warnings(self) -> list[Fact]:
        """Return what to consider before confirming."""
        return self.of("warnings")

    def shown(self) -> dict[str, Any]:
        """Return the parts that are kept once somebody has seen the effect."""
        facts = [*self.warnings, *self.lists, *self.inputs[:KEPT]]
        return {
            "fingerprint": self.fingerprint,
            "moved": len(self.moves),
            "largest": self.largest,
            "inputs": len(self.inputs),
            "moves": [list(move) for move in self.farthest[:KEPT]],
            "facts": [[str(text) for text in one] for one in facts],
            "meant": [one.label.meant if isinstance(one.label, Said) else None for one in facts],
        }


class Shown:
    """An effect as it is kept and shown: all warnings and lists, at most ``KEPT`` moves and inputs."""

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self.kept = kept
        self.moved: int = kept.get("moved", 0)
        self.largest: int = kept.get("largest", 0)
        self.moves = [Move(*one) for one in kept.get("moves", ())]
        facts = facts_of(kept)
        self.warnings, self.inputs, self.lists = (
            [one for one in facts if one.section == section] for section in ("warnings", "inputs", "lists")
        )
        self.changed: int = kept.get("inputs", len(self.inputs))

    @property
    def is_empty(self) -> bool:
        """Return True if there is nothing to do."""
        return not (self.moved or self.warnings or self.inputs or self.lists)

    def sealed(self, about: str) -> str:
        """Sign the effect for a form, so that it is only valid for this decision."""
        return signing.dumps([about, self.kept], salt=_SALT, compress=True)


def facts_of(kept: Mapping[str, Any]) -> list[Fact]:
    """Return the facts of a kept effect, with labels in the reader's language where their meaning is kept."""
    facts = [Fact(*one) for one in kept.get("facts", ())]
    meant = kept.get("meant") or [None] * len(facts)
    return [
        fact if means is None else fact._replace(label=written(means))
        for fact, means in zip(facts, meant, strict=True)
    ]


def lines_change(published: Model, lines: int) -> str:
    """Describe the change to a published list for people."""
    told = ngettext("%(list)s (%(lines)d line)", "%(list)s (%(lines)d lines)", lines)
    return told % {"list": published, "lines": lines}


def unsealed(text: str, about: str) -> dict[str, Any]:
    """Read the shown effect from a form. Empty if the signature is invalid or belongs to another decision."""
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
    """Return the differences between the current effect and the one that was shown.

    ``name`` says whose the moves are; ``name_value`` gives the words for values.
    """
    if not shown:
        return []
    facts, facts_now = ({one[:2]: one for one in facts_of(effect)} for effect in (shown, now))
    found = [
        Difference(
            (facts_now.get(key) or facts[key]).label,
            _said(facts.get(key), name_value),
            _said(facts_now.get(key), name_value),
        )
        for key in dict.fromkeys((*facts, *facts_now))
        if (facts.get(key) or ())[3:] != (facts_now.get(key) or ())[3:]
        or (key in facts) != (key in facts_now)
    ]
    moves, moves_now = ({tuple(one[:2]): Move(*one) for one in effect["moves"]} for effect in (shown, now))
    changed = [key for key in dict.fromkeys((*moves, *moves_now)) if moves.get(key) != moves_now.get(key)]
    names = name([moves_now.get(key) or moves[key] for key in changed])
    for key in changed:
        one, other = moves.get(key), moves_now.get(key)
        found.append(Difference(names[other or one], _path(one), _path(other)))  # type: ignore[index]
    if shown["moved"] != now["moved"]:
        found.insert(0, Difference(_("Ratings that change"), str(shown["moved"]), str(now["moved"])))
    return found


def _how_far(move: Move) -> tuple[bool, int, str, int]:
    return move.distance is not None, -(move.distance or 0), move.scale, move.subject


def _said(fact: Fact | None, name_value: Callable[[str], str]) -> str:
    """Return a fact as text for the page of differences."""
    if fact is None:
        return ""
    before, after = map(name_value, fact[3:])
    return f"{before} → {after}" if before and after else before or after or "✓"


def _path(move: Move | None) -> str:
    return "" if move is None else f"{_rating(move.before)} → {_rating(move.after)}"


def _rating(hundredths: int | None) -> str:
    return _("unrated") if hundredths is None else f"{hundredths // 100}.{hundredths % 100:02}"
