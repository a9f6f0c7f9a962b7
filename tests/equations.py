"""The arithmetic that explanations show, worked out again.

“=” has to be exactly true. What is rounded says so, with “≈” or with “rounded”, and is what the figures that
are shown give, rounded to as many decimals.
"""

import re
from fractions import Fraction
from math import ceil, floor

from ratings.office.explanations import Explanation

_SIGN = re.compile(r"\s([=≈])\s|,\s(rounded)\s(?:to )?")
_OUTCOME = re.compile(r"([0-9½.]+) (?:out )?of (\d+) [^=≈]*\bp ([=≈]) ([0-9.]+\d)")
"""A score whose share p of the games is shown."""

_RUN = "[-−+0-9½.(][-−+×÷0-9½.() ]*"
_LAST = re.compile(rf"(?:^|(?<=\s))({_RUN})$")
_FIRST = re.compile(rf"({_RUN})")
_TOKEN = re.compile(r"\s*(\d*\.?\d+½?|½|\S)")
_OPERATORS = "+−×÷"
_WRITTEN_OTHERWISE = re.compile(r"(?<![\w½])\.\d|[\d½)n] [:/] [\d½(n]|(?<!\*)[-*] ?\d+\.\d")
"""No digit before a point, a colon or slash that divides, a hyphen for minus, an asterisk for times."""

_DECIMALS = re.compile(r"[0-9½]*\.([0-9]+)|[0-9½]+|$")
"""The first number of a text, with its decimals."""


def check_explanation(explanation: Explanation) -> int:
    """Work out every equation of an explanation, and return how many it shows."""
    texts = [explanation.headline, explanation.sentence, *(step.text for step in explanation.steps)]
    seen = sum(check_text(text) for text in texts)
    if explanation.picture is not None:
        seen += check_text(explanation.picture.text)
    return seen


def check_text(text: str) -> int:
    """Work out every equation in a text, and return how many it has."""
    assert not _WRITTEN_OTHERWISE.search(text), text
    pieces = _SIGN.split(text)
    sides = [side.strip() for side in pieces[::3]]
    signs = [equals or rounded for equals, rounded in zip(pieces[1::3], pieces[2::3], strict=True)]
    seen = 0
    for left, sign, right in zip(sides[:-1], signs, sides[1:], strict=True):
        one, other = _value_at(_LAST, left), _value_at(_FIRST, right)
        if one is not None and other is not None:
            decimals = len(_DECIMALS.search(right)[1] or "")
            assert _holds(one, sign, other, decimals), f"{left} {sign} {right} in: {text}"
            seen += 1
    for scored, games, sign, p in _OUTCOME.findall(text):
        share = value(scored) / int(games)
        assert (share == value(p)) == (sign == "="), text
        assert floor(100 * share + Fraction(1, 2)) == 100 * value(p), text
        seen += 1
    return seen


def _holds(left: Fraction, sign: str, right: Fraction, decimals: int) -> bool:
    if sign == "=":
        return left == right
    # “≈” and “rounded”, a half up or away from zero: everybody gets the figure from what is shown.
    scaled, found = left * 10**decimals, right * 10**decimals
    half_up = floor(scaled + Fraction(1, 2))
    return found == half_up or (scaled < 0 and found == ceil(scaled - Fraction(1, 2)))


def _value_at(run: re.Pattern[str], side: str) -> Fraction | None:
    """The number or sum at an end of a side; None if there is none, or letters belong to it."""
    found = run.search(side) if run is _LAST else run.match(side)
    if found is None:
        return None
    text = found[1].strip().rstrip(".").strip()
    if not text or text[-1] in _OPERATORS or re.match(r"[+−×÷] ", text) or text.count("(") != text.count(")"):
        return None
    return value(text)


def value(text: str) -> Fraction:
    """A number, or what is calculated of numbers with + − × ÷ and brackets."""
    tokens = _TOKEN.findall(text)
    result = _sum(tokens)
    assert not tokens, text
    return result


def _sum(tokens: list[str]) -> Fraction:
    total = _product(tokens)
    while tokens and tokens[0] in "+−-":
        total += _product(tokens) if tokens.pop(0) == "+" else -_product(tokens)
    return total


def _product(tokens: list[str]) -> Fraction:
    total = _factor(tokens)
    while tokens and tokens[0] in "×÷":
        total = total * _factor(tokens) if tokens.pop(0) == "×" else total / _factor(tokens)
    return total


def _factor(tokens: list[str]) -> Fraction:
    token = tokens.pop(0)
    if token in "+−-":
        return _factor(tokens) if token == "+" else -_factor(tokens)
    if token == "(":
        total = _sum(tokens)
        assert tokens.pop(0) == ")"
        return total
    whole, half, _rest = token.partition("½")
    return Fraction(whole or "0") + Fraction(bool(half), 2)
