"""A chess position as a picture, and in words."""

from __future__ import annotations

from typing import NamedTuple

from django import template
from django.utils.translation import gettext as _

from ratings.formats.main_line import ahead, pieces, ranks

register = template.Library()


class Piece(NamedTuple):
    """A piece by its name in the picture file, such as wK, and its square from the top left corner."""

    name: str
    x: int
    y: int


@register.filter
def placed(fen: str) -> list[Piece]:
    """Return the pieces of a position, with White below."""
    return [
        Piece(f"{'w' if letter.isupper() else 'b'}{letter.upper()}", x, y)
        for y, rank in enumerate(ranks(fen))
        for x, letter in enumerate(rank)
        if letter != " "
    ]


@register.filter
def marked(squares: str) -> list[tuple[int, int]]:
    """Return the two squares of a move such as e2e4, each from the top left corner."""
    return [("abcdefgh".index(squares[at]), 8 - int(squares[at + 1])) for at in (0, 2)]


@register.filter
def material(fen: str, side: str) -> str:
    """Return a side's lead in material, as “+3”; empty for the other side."""
    more = ahead(fen) if side == "white" else -ahead(fen)
    return f"+{more}" if more > 0 else ""


@register.simple_tag
def position_words(white: str, black: str) -> str:
    """Return White's and Black's pieces in words, for readers who can't see the board."""
    return _("White: %(white)s. Black: %(black)s.") % {"white": white, "black": black}


@register.simple_tag
def position(fen: str) -> str:
    """Return a position's pieces in words."""
    return position_words(*pieces(fen))
