"""Usernames: their normal form, and when two are the same (decision 0086)."""

from __future__ import annotations

import re
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
"""Alphabets with letters that look alike, by the first word of Unicode's character names."""

_NOBODY: Final = re.compile(
    r"bye[0-9]*|nn|no(?:player|opponent|name|body)|spielfrei|freilos|wolnylos|pauza|exempt|libre|riposo"
    r"|unknown(?:player|opponent)?|anonymous|guest|tb[ad]|tobe(?:announced|determined)|notknown"
    r"|(?:lichess|stockfish)?ai(?:level)?[0-9]*|computer"
)
"""Entries of pairing programs, broadcasts and servers that are no person, as letters and digits alone."""


def composed(username: str) -> str:
    """Return the username in Unicode's form NFC: an accented e is one character, however it was typed."""
    return username if username.isascii() else unicodedata.normalize("NFC", username)


def key_of(username: str) -> str:
    """Return the comparison key, the same for usernames that differ only in case or composed accents."""
    if username.isascii():
        return username.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", username).casefold())


class NameFault(NamedTuple):
    """Fault of a name. ``text``: message to be translated. ``words``: its placeholders."""

    text: str
    words: dict[str, str]

    def __str__(self) -> str:
        return gettext(self.text) % self.words


def fault_in(username: str) -> NameFault | None:
    """Return why this username isn't allowed, or None."""
    words = {"username": username}
    if char := unseen(username):
        text = gettext_noop("%(char)s in the username “%(username)s” is invisible. Remove it.")
        return NameFault(text, {**words, "char": char})
    if "/" in username or "\\" in username:
        # Usernames are part of addresses.
        return NameFault(gettext_noop("The username “%(username)s” contains a slash. Remove it."), words)
    if not any(map(str.isalnum, username)):
        return NameFault(
            gettext_noop("The username “%(username)s” needs at least one letter or digit."), words
        )
    if (plain := unicodedata.normalize("NFKC", username)) != composed(username):
        text = gettext_noop(
            "The username “%(username)s” has characters in an unusual width or form. Write it as “%(plain)s”."
        )
        return NameFault(text, {**words, "plain": plain})
    return None


def stands_for_nobody(username: str) -> str:
    """Return why a file can't register this name, if it is an entry such as BYE or NN, or ``""``."""
    if not _NOBODY.fullmatch("".join(filter(str.isalnum, username.casefold()))):
        return ""
    return (
        f"{shown(username)} doesn’t stand for a person, so nobody was registered for it: leave it out, "
        "or, if a member has this username, register them in the admin"
    )


def mixed_in(name: str) -> NameFault | None:
    """Return a warning about the first word with letters of several alphabets, such as аnna, or None."""
    for word in () if name.isascii() else name.split():
        letters: defaultdict[str, str] = defaultdict(str)
        for char in word:
            alphabet = unicodedata.name(char, "").partition(" ")[0]
            if alphabet in _ALIKE:
                letters[alphabet] += char
        if len(letters) > 1:
            text = gettext_noop(
                "“%(word)s” mixes letters from several alphabets, so it may look like another name: "
                "%(letters)s."
            )
            return NameFault(text, {"word": word, "letters": " + ".join(letters.values())})
    return None


class UsernameKeyField(_TextField):
    """:func:`key_of` of the username, for look-ups. Set whenever a member is saved."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Set and return the key of the current username."""
        key = key_of(model_instance.username)  # type: ignore[attr-defined]  # of a member
        setattr(model_instance, self.attname, key)
        return key


class Usernames(Generic[_T]):
    """Mapping from usernames to values, for files that may write usernames differently."""

    def __init__(self, stored: Iterable[tuple[str, _T]]) -> None:
        self._alike: defaultdict[str, list[tuple[str, _T]]] = defaultdict(list)
        for username, what in stored:
            self.add(username, what)

    def add(self, username: str, what: _T) -> None:
        """Add a username with its value."""
        self._alike[key_of(username)].append((username, what))

    def everything(self) -> list[_T]:
        """Return all values."""
        return [what for some in self._alike.values() for _username, what in some]

    def get(self, username: str) -> _T | None:
        """Return the value of this username; None if unknown or if two differ only in composition."""
        found = [
            what
            for stored, what in self._alike.get(key_of(username), ())
            if stored == username or composed(stored) == composed(username)
        ]
        return found[0] if len(found) == 1 else None

    def find(self, username: str) -> _T | None:
        """Return the value as :meth:`get` does, but in any case if only one username matches."""
        some = self._alike.get(key_of(username), ())
        return some[0][1] if len(some) == 1 else self.get(username)

    def alike(self, username: str) -> str:
        """Return a message on usernames similar to one that :meth:`get` doesn't find, or ``""``."""
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
            f"{' and '.join(map(shown, others))} {are} registered. Capital letters don’t make a "
            "different username: write it that way"
        )
