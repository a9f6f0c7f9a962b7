"""Detection of a text file's encoding from its bytes: UTF-8, UTF-16, Windows-1250 or Windows-1252.

UTF-8 and UTF-16 can be recognised for certain. The two Windows encodings use the same bytes for different
letters, so a file is taken for one of them only if its words point to it. If they don't, the reader refuses
the rows with ambiguous bytes.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import partial
from typing import BinaryIO, Final, NamedTuple

from ratings.formats.lines import read_lines

_CHUNK: Final = 1 << 18
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNDEFINED: Final = "\ufffe"
"""The character that codecs.charmap_decode treats as undefined."""

_PUNCTUATION: Final = frozenset("\xa0½’‘‚“”„–—…")
_NO_LETTERS: Final = frozenset("ªºµˇ˘˙˛˝˜ˆ¨¯´¸")

_WORD: Final = re.compile(rb"[A-Za-z\x80-\xff][A-Za-z\x80-\xff .'-]{0,63}")
"""A field of letters, such as a name. Its words are assumed to be in one language."""

_DRAW: Final = re.compile(rb"\xbd[-:]\xbd")


class Encoding(NamedTuple):
    """An encoding and how to decode it. ``fault``: the error message for a byte that can't be read."""

    name: str
    decode: Callable[[bytes], str]
    fault: str


def _table(name: str) -> str:
    """Return a Windows encoding's letters and punctuation. Other symbols don't occur in names."""
    high = bytes(range(0x80, 0x100)).decode(name, "replace")
    return "".join(map(chr, range(0x80))) + "".join(
        char if char in _PUNCTUATION or (char.isalpha() and char not in _NO_LETTERS) else _UNDEFINED
        for char in high
    )


_CENTRAL: Final = _table("cp1250")
_WESTERN: Final = _table("cp1252")
_BOTH: Final = "".join(
    one if one == other else _UNDEFINED for one, other in zip(_CENTRAL, _WESTERN, strict=True)
)

# Letters beyond A to Z in the languages that each encoding was made for.
_OF_CENTRAL: Final = tuple(
    map(
        frozenset,
        (
            "ąćęłńóśźż",  # Polish
            "áčďéěíňóřšťúůýž",  # Czech
            "áäčďéíĺľňóôŕšťúýž",  # Slovak
            "áéíóöőúüű",  # Hungarian
            "čćđšž",  # Croatian, Serbian, Slovene
            "ăâîşţ",  # Romanian
            "äöüß",  # German
            "çë",  # Albanian
        ),
    )
)
_OF_WESTERN: Final = tuple(
    map(
        frozenset,
        (
            "äöüß",  # German
            "àâæçéèêëîïôœùûüÿ",  # French
            "áéíñóúü",  # Spanish
            "àáâçéêíóôú",  # Portuguese
            "àèéòù",  # Italian
            "àçèéíïòóúü",  # Catalan
            "åæøäöéó",  # Danish, Norwegian
            "åäöéüšž",  # Swedish, Finnish
            "áæéíðóöþúý",  # Icelandic
            "äöõüšž",  # Estonian
            "áäéëïóöüú",  # Dutch
        ),
    )
)

_PLACED: Final = re.compile(r"ã(?=[oe]|\b)|õ(?=e)|ì\b")
"""Portuguese and Italian letters that occur only at these places in a word."""

_VOWELS: Final = "aeiouyáäăâéěëęíîóôöőúůüűýąàèìòù"
_CONSONANTS: Final = "bcdfghjklmnpqrstvwxzß"
_ONLY_CENTRAL: Final = re.compile(rf"[{_VOWELS}][řćčďňŕ](?:[{_VOWELS}]|\b)|ń(?![{_VOWELS}])")
"""A consonant after a vowel, where the other encoding has two vowels in a row (Jiří, Petrović); an ń before a
consonant, where ñ never occurs."""
_ONLY_WESTERN: Final = re.compile(
    rf"[{_CONSONANTS}][řćčĺŕ][{_CONSONANTS}]|\b[ĺŕ]|ń[{_VOWELS}]|ăo|ăe|őe|[{_CONSONANTS}][ŕčěňů]\b"
)
"""Western names misread as Central European: a vowel between consonants (Søren), an ñ before a vowel (Peña),
São, Simões, Niccolò."""


def encoding_of(stream: BinaryIO) -> Encoding:
    """Detect the encoding of the rest of a seekable stream, without moving its position."""
    start = stream.tell()
    try:
        if stream.read(2) in _UTF16:
            return Encoding("UTF-16", _utf8, "is not UTF-16; save the file as UTF-8")
        stream.seek(start)
        if _is_utf8(stream):
            return _UTF8
        stream.seek(start)
        return _windows(line for line in read_lines(stream, _CHUNK) if not line.isascii())
    finally:
        stream.seek(start)


class FromUTF16:
    """A UTF-16 stream with a byte order mark, read as UTF-8. Lone surrogates are kept and refused later."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
        self._ended = False

    def read(self, size: int) -> bytes:
        """Return the next piece, empty at the end. Half a character at the end becomes U+FFFD."""
        while not self._ended:
            chunk = self._stream.read(size)
            text = self._decoder.decode(chunk)
            if not chunk:
                self._ended = True
                text += "\ufffd" * bool(self._decoder.getstate()[0])
            if text:
                return text.encode("utf-8", "surrogatepass")
        return b""


_utf8: Final = partial(str, encoding="utf-8", errors="surrogateescape")
_UTF8: Final = Encoding("UTF-8", _utf8, "is not UTF-8; save the file as UTF-8")


def _is_utf8(stream: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _windows(lines: Iterable[bytes]) -> Encoding:
    """Return the encoding of these lines that aren't ASCII: one of the two, or UTF-8 if any line is UTF-8.

    A UTF-8 file with a row that isn't UTF-8 stays UTF-8, and only that row is refused.
    """
    central = western = 0
    seen: set[bytes] = set()
    letters: set[int] = set()
    for line in lines:
        try:
            line.decode()
        except UnicodeDecodeError:
            letters.update(line)
            western += len(_DRAW.findall(line))
            for word in _WORD.findall(line):
                if not word.isascii() and word not in seen:
                    # A few thousand different words tell as much as all of them.
                    if len(seen) < _CHUNK >> 4:
                        seen.add(word)
                    vote = _vote(word)
                    central += vote > 0
                    western += vote < 0
        else:
            return _UTF8
    is_central = all(_CENTRAL[byte] != _UNDEFINED for byte in letters)
    is_western = all(_WESTERN[byte] != _UNDEFINED for byte in letters)
    if is_central and (not is_western or central > 9 * western):
        return _of("Windows-1250", _CENTRAL)
    if is_western and (not is_central or western > 9 * central):
        return _of("Windows-1252", _WESTERN)
    if all(_BOTH[byte] != _UNDEFINED for byte in letters):
        return _of("Windows-1252", _WESTERN)
    if is_central:
        fault = "means one thing in Windows-1250 and another in Windows-1252; save the file as UTF-8"
        return _of("Windows-1250 or Windows-1252", _BOTH)._replace(fault=fault)
    return _UTF8


def _of(name: str, table: str) -> Encoding:
    def decode(line: bytes) -> str:
        return codecs.charmap_decode(line, "surrogateescape", table)[0]

    return Encoding(name, decode, f"is neither UTF-8 nor {name}; save the file as UTF-8")


def _vote(word: bytes) -> int:
    """Return 1 for a word in Windows-1250, -1 for one in Windows-1252, 0 if it could be either."""
    central, western = (
        unicodedata.normalize("NFC", codecs.charmap_decode(word, "replace", table)[0]).lower()
        for table in (_CENTRAL, _WESTERN)
    )
    if central == western:
        return 0
    is_central, is_western = _fits(central, _OF_CENTRAL), _fits(_PLACED.sub("", western), _OF_WESTERN)
    if is_central != is_western:
        return 1 if is_central else -1
    return bool(_ONLY_CENTRAL.search(central)) - bool(_ONLY_WESTERN.search(central))


def _fits(word: str, languages: Iterable[frozenset[str]]) -> bool:
    letters = frozenset(char for char in word if not char.isascii())
    return any(letters <= language for language in languages)
