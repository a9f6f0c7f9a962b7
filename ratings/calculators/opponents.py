"""Finding members whom somebody types by name: words in any order, without accents."""

from __future__ import annotations

from typing import Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from members.models import Member
from ratings.calculators.games import SHOWN, TypedGame, at_line, refuse
from ratings.office.names import folded

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
                faults.append(at_line(game.line, _("nobody can play against themselves.")))
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
