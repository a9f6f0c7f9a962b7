"""How names are spelled: Cyrillic letters in Latin ones, and a key that names spelled differently share."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LATIN: Final = str.maketrans(
    {
        # Russian, as FIDE's lists and passports have it.
        **dict(zip("АБВГДЕЗИЙКЛМНОПРСТУФЫЭ", "ABVGDEZIYKLMNOPRSTUFYE", strict=True)),
        **{"Ё": "E", "Ж": "ZH", "Х": "KH", "Ц": "TS", "Ч": "CH", "Ш": "SH", "Щ": "SHCH", "Ъ": "", "Ь": ""},
        **{"Ю": "YU", "Я": "YA"},
        # Ukrainian and Belarusian.
        **{"І": "I", "Ї": "I", "Є": "IE", "Ґ": "G", "Ў": "U", "ʼ": ""},
        # Serbian and Macedonian.
        **{"Ђ": "D", "Ј": "J", "Љ": "LJ", "Њ": "NJ", "Ћ": "C", "Џ": "DZ", "Ѓ": "GJ", "Ќ": "KJ", "Ѕ": "DZ"},
    }
)
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")


def latin(text: str) -> str:
    """Return the text with its Cyrillic letters in Latin capitals: КОВАЧ becomes KOVACH."""
    if text.isascii() or not _CYRILLIC.search(text := unicodedata.normalize("NFC", text)):
        return text
    return text.upper().translate(_LATIN)


_LEAST_STEM: Final = 3
_ENDING: Final = re.compile("(?:[OE](?:[VW]A?|FF?))$")

_EXCHANGED: Final = str.maketrans("JYHW", "IIGV")

_SOUNDS: Final = {
    **dict.fromkeys(("SHCH", "SZCZ", "SCH", "SH", "SZ", "ZH", "Z"), "S"),
    **dict.fromkeys(("TSCH", "TCH", "CH", "CZ", "CS", "TS", "TZ", "CK", "C", "Q"), "K"),
    **{"KH": "G", "GH": "G", "X": "KS", "PH": "F", "TH": "T", "DT": "T", "DZH": "D", "W": "V"},
}
_SPELLED: Final = re.compile("|".join(sorted(_SOUNDS, key=len, reverse=True)))
_DOUBLED: Final = re.compile(r"(.)\1+")
_FIRST_VOWELS: Final = re.compile("^[AEIOUYJ]+")
_SILENT: Final = re.compile("(?<=[^AEIOUYJ])H|(?<!^)H(?![AEIOUYJ])|(?<!^)[AEIOUYJ]|[^A-Z0-9\x80-\U0010ffff]")


def stem(word: str) -> str:
    """Return a folded family name without the ending of one sex: HAJKOVA becomes HAJK, PETROV PETR."""
    short = _ENDING.sub("", word)
    return short if len(short) >= _LEAST_STEM else word


def compared(word: str) -> str:
    """Return a folded name as it is compared: its stem, with letters that languages exchange as one."""
    return stem(word).translate(_EXCHANGED)


def sound(word: str) -> str:
    """Return the key that a folded name shares with other spellings and endings of it.

    It has the consonants, those that languages write differently as one: HAJEK and HAJKOVA are GK, KOVAC,
    KOVACS and KOVACH are KVK, TCHAIKOVSKY and CHAYKOVSKAYA are KKVSK.
    """
    plain = _DOUBLED.sub(r"\1", _SPELLED.sub(lambda one: _SOUNDS[one[0]], _DOUBLED.sub(r"\1", stem(word))))
    return _SILENT.sub("", _FIRST_VOWELS.sub("A", plain)).replace("H", "G")
