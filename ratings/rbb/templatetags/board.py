"""A chess position as a picture, and in words."""

from __future__ import annotations

from typing import NamedTuple

from django import template
from django.utils.translation import gettext as _

from ratings.formats.main_line import ahead, pieces, ranks

register = template.Library()


class Piece(NamedTuple):
    """A piece by its name in the file of pictures, such as wK, and its square from the top left corner."""

    name: str
    x: int
    y: int


@register.filter
def placed(fen: str) -> list[Piece]:
    """The pieces of a position, White below."""
    return [
        Piece(f"{'w' if letter.isupper() else 'b'}{letter.upper()}", x, y)
        for y, rank in enumerate(ranks(fen))
        for x, letter in enumerate(rank)
        if letter != " "
    ]


@register.filter
def marked(squares: str) -> list[tuple[int, int]]:
    """Two squares such as e2e4, each from the top left corner."""
    return [("abcdefgh".index(squares[at]), 8 - int(squares[at + 1])) for at in (0, 2)]


@register.filter
def material(fen: str, side: str) -> str:
    """Return how much more material a side has, as “+3”; empty for the other one."""
    more = ahead(fen) if side == "white" else -ahead(fen)
    return f"+{more}" if more > 0 else ""


@register.simple_tag
def position_words(white: str, black: str) -> str:
    """Which pieces White and Black have, for those who do not see the board."""
    return _("White: %(white)s. Black: %(black)s.") % {"white": white, "black": black}


@register.simple_tag
def position(fen: str) -> str:
    """The same of a position."""
    return position_words(*pieces(fen))
