"""Players' names in reports, compared with those on the lists under the same FIDE ID."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Final

from ratings.formats.trf import Player
from ratings.office.names import folded
from ratings.otb.services.standings import OnList

_ALIKE: Final = 0.8
"""Minimum similarity of two spellings of a family name, such as Chernin and Tschernin."""


def other_names(players: Iterable[Player], listed: Mapping[int, OnList]) -> dict[int, tuple[int, str]]:
    """Return the players whose FIDE ID belongs to another name, by start number.

    Each with the FIDE ID and the name that goes with it.
    """
    found = {}
    for player in players:
        one = listed.get(player.fide_id or 0)
        if one is not None and player.name and one.name and not is_alike(player.name, one.name):
            found[player.start_rank] = one.fide_id, one.name
    return found


def has_same_family_name(reported: str, listed: str) -> bool:
    """Return True if both have one family name; without a comma it may be any part of the reported name."""
    family, comma, _ = reported.partition(",")
    expected = _words(listed.partition(",")[0])
    return _words(family) == expected if comma else set(expected) <= set(_words(reported))


def is_alike(reported: str, listed: str) -> bool:
    """Return True if a reported name can be that of the list, in another order or spelling, or cut off."""
    if has_same_family_name(reported, listed):
        return True
    words, expected = _words(reported), _words(listed)
    if sorted(words) == sorted(expected):
        return True
    family, of_list = (_words(name.partition(",")[0]) for name in (reported, listed))
    if set(family) & set(of_list):
        return True
    if "," not in reported:
        family, of_list = sorted(words), sorted(expected)
    one, other = "".join(family), "".join(of_list)
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", folded(name))
