"""A chess position as a table of squares, and in words."""

from __future__ import annotations

from typing import Final, NamedTuple

from django import template
from django.utils.translation import gettext as _

from ratings.formats.main_line import pieces, ranks

# The variation selector asks for the glyph of text: browsers would show a pawn as an emoji.
GLYPHS: Final = {
    " ": "",
    **{letter: f"{glyph}\ufe0e" for letter, glyph in zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True)},
}

register = template.Library()


class Square(NamedTuple):
    """A square: light or dark, and the piece on it."""

    shade: str
    piece: str


@register.filter
def board_rows(fen: str) -> list[tuple[int, list[Square]]]:
    """The ranks of a position from the eighth to the first, each with its number and its squares."""
    return [
        (
            8 - row,
            [
                Square("dark" if (row + column) % 2 else "light", GLYPHS[letter])
                for column, letter in enumerate(rank)
            ],
        )
        for row, rank in enumerate(ranks(fen))
    ]


@register.simple_tag
def position_words(white: str, black: str) -> str:
    """Which pieces White and Black have, for those who do not see the board."""
    return _("White: %(white)s. Black: %(black)s.") % {"white": white, "black": black}


@register.simple_tag
def position(fen: str) -> str:
    """The same of a position."""
    return position_words(*pieces(fen))
