"""Games' external ids, and when two of them mean the same game."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from django.db.models import Model
from django.utils.translation import gettext_noop

from members.usernames import NameFault
from ratings.formats.unseen import seen, unseen
from ratings.office import bulk
from ratings.office.locks import LOCKS, lock_names
from ratings.rules.time_controls import Category

_OF_IDS: Final = LOCKS + len(Category) + 2

_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def server_of_id(external_id: str) -> str:
    """Return the server whose name a game's id begins with, as in ``arena/1001``; empty for addresses."""
    server, slash, _id = external_id.partition("/")
    return server if slash and ":" not in server else ""


def id_key(external_id: str) -> str:
    """Return the same key for ids that differ only in case, width or invisible characters."""
    if external_id.isascii():
        return external_id.lower()
    return unicodedata.normalize("NFKC", seen(external_id).casefold())


def lock_ids(external_ids: Iterable[str]) -> None:
    """Lock these ids, and similar ones, against other transactions until the end of this one.

    The database itself refuses only identical ids, not those that differ in case.
    """
    lock_names(_OF_IDS, map(id_key, external_ids))


def ids_alike(model: type[Model], external_ids: Iterable[str]) -> dict[str, list[str]]:
    """Return the stored ids that equal one of these in lower case, by their keys."""
    spelled = {
        spelling.translate(_LOWER)
        for one in external_ids
        # SQLite lower-cases only ASCII.
        for spelling in ((one,) if one.isascii() else (one, one.lower(), one.upper()))
    }
    found: dict[str, list[str]] = {}
    rows = bulk.fetch_rows(model, ("external_id",), sorted(spelled), by="external_id", lower=True)
    for (stored,) in rows:
        found.setdefault(id_key(stored), []).append(stored)
    return found


def id_fault(external_id: str, alike: Collection[str]) -> NameFault | None:
    """Return why no new game can have this id, or None. ``alike``: other ids with the same key."""
    words = {"id": external_id[:80]}
    if char := unseen(external_id):
        text = gettext_noop("%(char)s in the id “%(id)s” can't be seen. Remove it.")
        return NameFault(text, {**words, "char": char})
    if (plain := unicodedata.normalize("NFKC", external_id)) != external_id:
        text = gettext_noop("The id “%(id)s” has characters of another width or form. Write it “%(plain)s”.")
        return NameFault(text, {**words, "plain": plain[:80]})
    if alike:
        text = gettext_noop(
            "The id “%(id)s” differs from that of a stored game in capital letters alone: “%(stored)s”. "
            "Write it that way if it is the same game."
        )
        return NameFault(text, {**words, "stored": min(alike)[:80]})
    return None
