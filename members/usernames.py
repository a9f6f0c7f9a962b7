"""Usernames: how they are written, and when two of them are one (decision 0086)."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from django.db import models
from django.utils.translation import gettext, gettext_noop

from ratings.formats.problems import shown
from ratings.formats.unseen import unseen

if TYPE_CHECKING:
    _TextField = models.CharField[str, str]
else:
    _TextField = models.CharField

_T = TypeVar("_T")

_ALIKE: Final = frozenset({"LATIN", "GREEK", "CYRILLIC"})
"""Alphabets with letters that look alike, as Unicode's names of characters begin."""


def composed(username: str) -> str:
    """The username in Unicode's form NFC: an e with an accent is one character, however it was typed."""
    return username if username.isascii() else unicodedata.normalize("NFC", username)


def key_of(username: str) -> str:
    """What usernames have in common that differ only in case, or in how their accents are composed."""
    if username.isascii():
        return username.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", username).casefold())


class NameFault(NamedTuple):
    """A fault of a name. ``text``: to be translated. ``words``: what it names."""

    text: str
    words: dict[str, str]

    def __str__(self) -> str:
        return gettext(self.text) % self.words


def fault_in(username: str) -> NameFault | None:
    """Return why nobody can take this username, or None."""
    words = {"username": username}
    if char := unseen(username):
        text = gettext_noop("%(char)s in the username “%(username)s” can't be seen. Remove it.")
        return NameFault(text, {**words, "char": char})
    if "/" in username or "\\" in username:
        # Addresses have usernames in them.
        return NameFault(gettext_noop("The username “%(username)s” has a slash. Leave it out."), words)
    if not any(map(str.isalnum, username)):
        return NameFault(gettext_noop("The username “%(username)s” has no letter or digit. Add one."), words)
    if (plain := unicodedata.normalize("NFKC", username)) != composed(username):
        text = gettext_noop(
            "The username “%(username)s” has characters of another width or form. Write it “%(plain)s”."
        )
        return NameFault(text, {**words, "plain": plain})
    return None


def mixed_in(name: str) -> NameFault | None:
    """Return what to say of the first word with letters of several alphabets, such as аnna, or None."""
    for word in () if name.isascii() else name.split():
        letters: defaultdict[str, str] = defaultdict(str)
        for char in word:
            alphabet = unicodedata.name(char, "").partition(" ")[0]
            if alphabet in _ALIKE:
                letters[alphabet] += char
        if len(letters) > 1:
            text = gettext_noop(
                "“%(word)s” has letters of several alphabets, which may look like another name: %(letters)s."
            )
            return NameFault(text, {"word": word, "letters": " + ".join(letters.values())})
    return None


class UsernameKeyField(_TextField):
    """:func:`key_of` of the username, for looking members up. It is set whenever a member is stored."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Of the username as it is now."""
        key = key_of(model_instance.username)  # type: ignore[attr-defined]  # of a member
        setattr(model_instance, self.attname, key)
        return key


class Usernames(Generic[_T]):
    """Whatever belongs to some usernames, for a file in which they may be written otherwise."""

    def __init__(self, stored: Iterable[tuple[str, _T]]) -> None:
        self._alike: defaultdict[str, list[tuple[str, _T]]] = defaultdict(list)
        for username, what in stored:
            self.add(username, what)

    def add(self, username: str, what: _T) -> None:
        """Another one."""
        self._alike[key_of(username)].append((username, what))

    def everything(self) -> list[_T]:
        """All of it."""
        return [what for some in self._alike.values() for _username, what in some]

    def get(self, username: str) -> _T | None:
        """What belongs to this username. None also where two differ only in how they are composed."""
        found = [
            what
            for stored, what in self._alike.get(key_of(username), ())
            if stored == username or composed(stored) == composed(username)
        ]
        return found[0] if len(found) == 1 else None

    def find(self, username: str) -> _T | None:
        """Like :meth:`get`, in any case where that leaves one alone: for looking somebody up."""
        some = self._alike.get(key_of(username), ())
        return some[0][1] if len(some) == 1 else self.get(username)

    def alike(self, username: str) -> str:
        """What to say of a username that :meth:`get` does not find and others that are like it, or ``""``."""
        others = [stored for stored, _what in self._alike.get(key_of(username), ())]
        if not others:
            return ""
        if len({composed(stored) for stored in others}) < len(others):
            return (
                f"{len(others)} members have the username {shown(username)}, composed in different ways: "
                "change one of them in the admin"
            )
        are = "is" if len(others) == 1 else "are"
        return (
            f"{' and '.join(map(shown, others))} {are} registered. Capital letters don't make a "
            "different username: write it that way"
        )
