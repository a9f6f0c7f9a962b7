"""Text that is stored by what it means, and written in the language of each reader.

``gettext`` and ``ngettext`` are Django's, except that their text remembers which message it is. Use them for
text that is kept: the labels of a decision, and models' names in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils import translation
from django.utils.functional import Promise
from django.utils.text import capfirst

from foa.text import date_text, month_text, utc


@dataclass(frozen=True)
class Month:
    """A month as a placeholder of a text."""

    first: date


class Said(str):
    """Text in the language of the moment, with its meaning as JSON-compatible values.

    The meaning has ``text`` and ``words``, its placeholders; ``many`` and ``number`` for a text with a
    plural; ``plain`` for a text that isn't translated; ``capital`` for one that begins with a capital.
    """

    meant: dict[str, Any]

    def __new__(cls, meant: Mapping[str, Any]) -> Said:
        """Return the text with this meaning, as written now."""
        said = super().__new__(cls, _written(meant))
        said.meant = dict(meant)
        return said

    def __mod__(self, words: Any) -> Said:
        """Return the text with these placeholders filled in."""
        if isinstance(words, Mapping):
            kept: Any = {name: meaning_of(value) for name, value in words.items()}
        else:
            kept = [meaning_of(value) for value in (words if isinstance(words, tuple) else (words,))]
        return Said({**self.meant, "words": kept})

    def __reduce__(self) -> tuple[Any, ...]:
        return Said, (self.meant,)


def gettext(text: str) -> Said:
    """Translate a text that will be stored."""
    return Said({"text": text})


def ngettext(text: str, many: str, number: int) -> Said:
    """Translate a text with a plural that will be stored."""
    return Said({"text": text, "many": many, "number": number})


def plain(text: str) -> Said:
    """Return a text that has only placeholders, and nothing to translate."""
    return Said({"text": text, "plain": True})


def capital(said: Said) -> Said:
    """Return the text beginning with a capital letter."""
    return Said({**said.meant, "capital": True})


def of_field(instance: Any, model: Any, name: str) -> Said:
    """Name a field of an object: “Berg, Anna: title”."""
    return plain("%s: %s") % (instance, model._meta.get_field(name).verbose_name)


def meaning_of(value: Any) -> Any:
    """Return a JSON-compatible value from which :func:`written` writes this one in any language."""
    if isinstance(value, Said):
        return value.meant
    if isinstance(value, Promise):
        with translation.override("en"):
            return {"text": str(value)}
    if isinstance(value, Month):
        return {"month": value.first.strftime("%Y-%m-%d")}
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    if isinstance(value, date):
        return {"day": value.isoformat()}
    if value is None or isinstance(value, int):
        return value
    # An object may be called something else in each language, too.
    told = str(value)
    return told.meant if isinstance(told, Said) else told


def written(meant: Any) -> str:
    """Write a stored meaning in the language of the moment. Text that was stored as such stays as it is."""
    return _written(meant) if isinstance(meant, Mapping) else str(meant)


def _written(meant: Mapping[str, Any]) -> str:
    if "month" in meant:
        return month_text(date.fromisoformat(meant["month"]))
    if "moment" in meant:
        return utc(datetime.fromisoformat(meant["moment"]))
    if "day" in meant:
        return date_text(date.fromisoformat(meant["day"]))
    text = meant["text"]
    if "many" in meant:
        text = translation.ngettext(text, meant["many"], meant["number"])
    elif text and not meant.get("plain"):
        text = translation.gettext(text)
    words = meant.get("words")
    if isinstance(words, Mapping):
        text = text % {name: _word(value) for name, value in words.items()}
    elif words is not None:
        text = text % tuple(map(_word, words))
    return capfirst(text) if meant.get("capital") else str(text)


def _word(value: Any) -> Any:
    return _written(value) if isinstance(value, Mapping) else value
