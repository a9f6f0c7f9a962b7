"""Pictures for those who share a link: 1200 × 630 pixels, in the colours and the type of the site."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

SIZE: Final = (1200, 630)
_MARGIN: Final = 72
_ROOM: Final = SIZE[0] - 2 * _MARGIN
_COLOURS: Final = 48
"""So many are enough for flat grounds and the edges of letters, and keep the file small."""
_FONT: Final = Path(__file__).parent.parent / "static/foa/vendor/inter.woff2"
_PAPER, _INK, _MUTED, _LINE = "#faf9f6", "#191d24", "#5b6270", "#e2dfd6"
_NAVY, _WHITE, _GOLD, _BRASS, _BRASS_SOFT = "#123f67", "#ffffff", "#e6b95c", "#8a5f0c", "#f6ead0"
_LAST_LATIN: Final = 0x180
# Columns and rows of the icon's squares, of seven pixels in a picture of 32.
_WHITE_SQUARES, _GOLD_SQUARES = ((5, 20), (12, 13), (19, 6), (19, 20)), ((12, 20), (19, 13))


@dataclass(frozen=True, slots=True)
class Card:
    """What a picture says. ``figures``: up to three words with the number that is read first."""

    heading: str
    about: str
    badge: str
    figures: Sequence[tuple[str, str]]


def drawn(card: Card) -> bytes:
    """The picture as PNG: the same bytes for the same words."""
    image = Image.new("RGB", SIZE, _PAPER)
    draw = ImageDraw.Draw(image)
    _wordmark(draw)
    heading = _in_known_letters(card.heading)
    size = next((size for size in (76, 64) if _width(heading, size, 700) <= _ROOM), 52)
    heading = _shortened(heading, size)
    draw.text((_MARGIN, 300), heading, _INK, _font(size, 700), anchor="ls")
    _about(draw, card)
    draw.line((_MARGIN, 408, SIZE[0] - _MARGIN, 408), _LINE, 2)
    for place, (word, number) in enumerate(card.figures):
        left = _MARGIN + place * _ROOM // 3
        draw.text((left, 466), word, _MUTED, _font(32, 500), anchor="ls")
        draw.text((left, 560), number, _INK, _font(88, 700), anchor="ls")
    file = BytesIO()
    image.quantize(_COLOURS).save(file, "PNG", optimize=True)
    return file.getvalue()


def _wordmark(draw: ImageDraw.ImageDraw) -> None:
    pixel, left, top = 2.5, _MARGIN, 72
    side = int(32 * pixel)
    draw.rounded_rectangle((left, top, left + side, top + side), 16, _NAVY)
    for colour, squares in ((_WHITE, _WHITE_SQUARES), (_GOLD, _GOLD_SQUARES)):
        for x, y in squares:
            corner = (left + x * pixel, top + y * pixel)
            draw.rectangle((*corner, corner[0] + 7 * pixel, corner[1] + 7 * pixel), colour)
    draw.text((left + side + 24, top + 38), "FIDE Online Arena", _INK, _font(36, 700), anchor="ls")
    draw.text((left + side + 24, top + 74), "Rating office", _MUTED, _font(28, 500), anchor="ls")


def _about(draw: ImageDraw.ImageDraw, card: Card) -> None:
    left = _MARGIN
    if card.badge:
        width = _width(card.badge, 32, 700)
        draw.rounded_rectangle((left, 324, left + width + 24, 372), 8, _BRASS_SOFT)
        draw.text((left + 12, 360), card.badge, _BRASS, _font(32, 700), anchor="ls")
        left += int(width) + 44
    draw.text((left, 360), _shortened(card.about, 32), _MUTED, _font(32, 400), anchor="ls")


def _shortened(text: str, size: int) -> str:
    while _width(text, size, 700) > _ROOM:
        text = text[:-2].rstrip() + "…"
    return text


def _in_known_letters(text: str) -> str:
    """Letters that this part of Inter lacks lose their accents, and become "?" where that isn't enough."""
    if all(ord(letter) < _LAST_LATIN for letter in text):
        return text
    apart = (unicodedata.normalize("NFKD", one) if ord(one) >= _LAST_LATIN else one for one in text)
    plain = "".join(letter for letter in "".join(apart) if not unicodedata.combining(letter))
    return "".join(letter if ord(letter) < _LAST_LATIN else "?" for letter in plain)


def _width(text: str, size: int, weight: int) -> float:
    return _font(size, weight).getlength(text)


@cache
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(_FONT, size, layout_engine=ImageFont.Layout.BASIC)
    font.set_variation_by_axes([weight])
    return font
