"""Typed or pasted games, one a line: ``1850 1``, ``Berg, Anna draw``, ``- win``, ``bye``; whom they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from foa.web.suggestions import suggestions
from members.models import Member
from ratings.office.names import folded
from ratings.rules.fide_page.estimates import Unplayed
from ratings.rules.rbb.rating import FLOOR
from ratings.rules.units import DRAW, LOSS, WIN, HalfPoints

MOST_GAMES: Final = 1_000
MOST_CHARACTERS: Final = 30_000
LEAST: Final = FLOOR // 100
HIGHEST: Final = 4000

_FAULTS_SHOWN: Final = 10
SHOWN: Final = 40
"""Maximum number of typed characters that a message repeats."""

_HUNDREDTH: Final = Decimal("0.01")
_NUMBER: Final = re.compile(r"[-+−]?[0-9]+(?:[.,][0-9]+)?")
_RATING: Final = re.compile(r"[0-9]{1,4}(?:[.,][0-9]{1,2})?")
_TOO_FINE: Final = re.compile(r"[.,][0-9]{3}")
_NOBODY: Final = ("-", "–", "—")
_RESULTS: Final = {
    **dict.fromkeys(("1", "1.0", "1-0", "w", "win", "won"), WIN),
    **dict.fromkeys(("½", "0.5", ".5", "1/2", "=", "½-½", "1/2-1/2", "0.5-0.5", "d", "draw", "drew"), DRAW),
    **dict.fromkeys(("0", "0.0", "0-1", "l", "loss", "lost"), LOSS),
}
"""Ways in which people write a result, their own score first."""


class TypedGame(NamedTuple):
    """A line of the list.

    ``line``: its number. ``opponent``: a rating in points, a member or a name; None if unrated, or nobody in
    a bye. ``result``: half points, or why there was no game.
    """

    line: int
    opponent: Decimal | str | Member | None
    result: HalfPoints | Unplayed


class GamesField(forms.CharField):
    """A list of games. Faults are reported by line.

    ``arena``: opponents may be members' names, and their ratings have decimals. Over the board, ratings are
    whole points, and a result may be “forfeit” or “bye”. ``unrated``: “-” is an unrated opponent.
    """

    def __init__(self, *, arena: bool = False, unrated: bool = True, **kwargs: Any) -> None:
        # Not stripped: a blank first line counts, so that line numbers are those that people see.
        super().__init__(
            strip=False,
            widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"}),
            label=gettext_lazy("Games in order, one per line"),
            **kwargs,
        )
        self.arena = arena
        if arena:
            self.widget.attrs |= {**suggestions("members"), "data-fill": True}
        self.unrated = unrated

    def clean(self, value: Any) -> list[TypedGame]:
        """Return the games. Raises ValidationError with a message for each faulty line."""
        text = super().clean(value)
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not lines:
            raise ValidationError(self.error_messages["required"], code="required")
        if len(lines) > MOST_GAMES:
            fault = _("Enter %(most)d games or fewer; there are %(games)d.")
            raise ValidationError(fault, params={"most": MOST_GAMES, "games": len(lines)})
        if len(text) > MOST_CHARACTERS:
            fault = _("Enter %(most)d characters or fewer; there are %(found)d.")
            raise ValidationError(fault, params={"most": MOST_CHARACTERS, "found": len(text)})
        games = []
        faults = []
        for number, line in lines:
            try:
                games.append(TypedGame(number, *self._read(line.strip())))
            except ValueError as error:
                faults.append(at_line(number, str(error)))
        refuse(faults)
        return games

    def _read(self, line: str) -> tuple[Decimal | str | None, HalfPoints | Unplayed]:
        """Return opponent and result of a line. Raises ValueError, which says what is wrong."""
        opponent, result = self._parts(line)
        if isinstance(result, Unplayed) and not opponent:
            return None, result
        if opponent in _NOBODY:
            if not self.unrated and not isinstance(result, Unplayed):
                raise ValueError(_("enter the opponent’s rating."))
            return None, result
        if not opponent:
            raise ValueError(_("enter an opponent and a result instead of “%s”.") % line[:SHOWN])
        if _NUMBER.fullmatch(opponent):
            return self._rating(opponent), result
        if not self.arena:
            raise ValueError(_("“%s” isn’t a rating.") % opponent[:SHOWN])
        return opponent, result

    def _parts(self, line: str) -> tuple[str, HalfPoints | Unplayed]:
        *before, last = re.split(r"[\s;]+", line)
        if not self.arena and last.lower() in (one.value for one in Unplayed):
            return " ".join(before), Unplayed(last.lower())
        if not before:
            raise ValueError(_("“%s” needs both an opponent and a result.") % line[:SHOWN])
        result = _result(last)
        if result is None:
            if self.arena:
                text = _("“%s” isn’t a valid result. Use win, draw, loss, 1, ½ or 0.")
            else:
                text = _("“%s” isn’t a valid result. Use win, draw, loss, 1, ½, 0, forfeit or bye.")
            raise ValueError(text % last[:SHOWN])
        # Lists may be written as “1600, 1”.
        return " ".join(before).rstrip(","), result

    def _rating(self, text: str) -> Decimal:
        if not self.arena and _RATING.fullmatch(text) and not text.isdigit():
            raise ValueError(_("“%s” has decimals: enter whole points.") % text)
        if _TOO_FINE.search(text):
            raise ValueError(_("“%s” has more than two decimals.") % text[:SHOWN])
        rating = Decimal(text.replace(",", ".")) if _RATING.fullmatch(text) else None
        if rating is None or not LEAST <= rating <= HIGHEST:
            raise ValueError(out_of_range(text, LEAST))
        return rating.quantize(_HUNDREDTH)


def _result(text: str) -> HalfPoints | None:
    """Read a result in English or the reader's language. Return None if it isn't valid."""
    text = text.lower().replace(",", ".").replace("–", "-").replace("—", "-")
    own = {
        pgettext("result of a game", "win"): WIN,
        pgettext("result of a game", "draw"): DRAW,
        pgettext("result of a game", "loss"): LOSS,
    }
    return _RESULTS.get(text, own.get(text))


def out_of_range(text: str, least: int) -> str:
    """Return the message about a number that isn't a possible rating."""
    fault = _("“%(rating)s” isn’t a rating from %(least)d to %(highest)d.")
    return fault % {"rating": text[:SHOWN], "least": least, "highest": HIGHEST}


def at_line(line: int, fault: str) -> str:
    """Return a fault with its line."""
    return _("Line %(line)d: %(fault)s") % {"line": line, "fault": fault}


def refuse(faults: Iterable[str]) -> None:
    """Raise ValidationError with the first of these faults and the number of others, if there are any."""
    found = list(faults)
    more = len(found) - _FAULTS_SHOWN
    if more > 0:
        text = ngettext("%(more)d more line needs correcting.", "%(more)d more lines need correcting.", more)
        found[_FAULTS_SHOWN:] = [text % {"more": more}]
    if found:
        # The messages are complete: typed text may contain a percent sign.
        raise ValidationError([ValidationError(fault) for fault in found])


CHOICES: Final = 8
"""Maximum number of members offered when several match."""

_NAMED: Final = 3


def found_by(text: str) -> list[Member]:
    """Find members: the one with this username, else those with this name, else all whose names match."""
    member = Member.objects.filter(username=text).first()
    if member is not None:
        return [member]
    found = list(Member.objects.matching(text)[: CHOICES + 1])
    return [one for one in found if folded(one.name) == folded(text)] or found


def with_members(form: forms.Form, games: list[TypedGame], own: Member | None = None) -> list[TypedGame]:
    """Replace names by the members they find. Faults are added to the form's field.

    ``own``: the member who plays the games.
    """
    typed = {game.opponent for game in games if isinstance(game.opponent, str)}
    members = dict(Member.objects.by_username(typed))
    found, faults = [], []
    for game in games:
        opponent = game.opponent
        if isinstance(opponent, str):
            if opponent not in members:
                matching = found_by(opponent)
                if len(matching) != 1:
                    faults.append(at_line(game.line, _not_one(opponent[:SHOWN], matching)))
                    continue
                members[opponent] = matching[0]
            opponent = members[opponent]
            if opponent == own:
                faults.append(at_line(game.line, _("a player can’t play against themselves.")))
                continue
        found.append(game._replace(opponent=opponent))
    try:
        refuse(faults)
    except ValidationError as error:
        form.add_error("games", error)
    return found


def _not_one(text: str, matching: list[Member]) -> str:
    """Say that a name matches nobody or several members."""
    if not matching:
        return _("no member matches “%s”.") % text
    names = ", ".join(member.username for member in matching[:_NAMED])
    return _("several members match “%(text)s”. Enter a username, such as %(names)s.") % {
        "text": text,
        "names": names,
    }
