"""Variants of the RBB rules, as people write them: TOML in, or what is wrong with it.

What a variant doesn't mention is as it was before, so an empty one changes nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from ratings.rules.rbb.editions import ANY_AGE, ANY_GAMES, ANY_RATING, NO_CHANGE, Amendment, KRule
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, FLOOR
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

MOST_TEXT: Final = 10_000
"""Maximum number of characters of a variant."""

_MOST_RULES: Final = 50


class VariantRefused(Exception):
    """A variant that can't be used: for each fault the field and the reason."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Variant:
    """The rules with some numbers changed, from a moment on; without one, from the first game.

    ``amendment``: the numbers that an office can put into force. The others can only be asked about.
    ``yardstick``: the name of another rating system in their place.
    """

    name: str = "Today’s rules"
    toml: str = ""
    amendment: Amendment = NO_CHANGE
    floor: Hundredths = FLOOR
    first_games: int = FIRST_RATING_GAMES
    start: int = 0
    formula: str = "table"
    advantage: int = 0
    yardstick: str = ""

    @property
    def since(self) -> datetime | None:
        """The first moment at which it applies; None: from the first game."""
        return self.amendment.since

    @property
    def asks_for_age(self) -> bool:
        """True if a rule depends on the year of birth."""
        return any(rule.ages != (0, ANY_AGE) for rule in self.amendment.k_rules)

    @property
    def only_asked(self) -> Iterator[str]:
        """The fields that can be asked about, but that no office can put into force."""
        asked = {
            "floor": "floor", "first_rating.games": "first_games", "first_rating.start": "start",
            "expected.formula": "formula", "expected.white_advantage": "advantage", "yardstick": "yardstick",
        }  # fmt: skip
        yield from (name for name, mine in asked.items() if getattr(self, mine) != getattr(TODAY, mine))
        for number, rule in enumerate(self.amendment.k_rules, 1):
            if rule.ages != (0, ANY_AGE):
                yield f"k.rule {number}.age"


TODAY: Final = Variant()
"""Variant 0: the rules in force."""

YARDSTICKS: Final = ("elo", "glicko", "openskill", "whr")
"""Rating systems of others, by the name of a variant that asks for one."""


@dataclass(slots=True)
class _Reader:
    """A table of TOML, whose fields are taken one by one; what is left over is unknown."""

    table: dict[str, Any]
    at: str = ""
    faults: list[str] = field(default_factory=list)

    def fault(self, name: str, reason: str) -> None:
        self.faults.append(f"{self.at}{name}: {reason}")

    def take(self, name: str, default: Any, check: Callable[[Any], str]) -> Any:
        """Return the value of a field, or the default if it is missing or at fault."""
        if name not in self.table:
            return default
        value = self.table.pop(name)
        if reason := check(value):
            self.fault(name, reason)
            return default
        return value

    def one_of(self, name: str, default: str, known: Sequence[str]) -> str:
        """Return one of these words."""

        def check(value: Any) -> str:
            return "" if value in known else f"{_shown(value)} isn’t known: use {', '.join(known)}"

        return str(self.take(name, default, check))

    def whole(self, name: str, default: int | None, least: int, most: int) -> Any:
        """Return a whole number."""

        def check(value: Any) -> str:
            fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
            return "" if fits else f"{_shown(value)} isn’t a whole number from {least} to {most}"

        return self.take(name, default, check)

    def points(self, name: str, default: int | None, least: int, most: int) -> Any:
        """Return points with at most two decimals as hundredths."""

        def check(value: Any) -> str:
            is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
            if is_number and Decimal(value).is_finite() and least <= value <= most and 100 * value % 1 == 0:
                return ""
            return (
                f"{_shown(value)} isn’t a number of points from {least} to {most}, with at most two decimals"
            )

        value = self.take(name, None, check)
        return default if value is None else int(100 * value)

    def below(self, name: str) -> _Reader:
        """Return the reader of a table within this one."""
        table = self.take(name, {}, lambda value: "" if isinstance(value, dict) else "isn’t a table")
        return _Reader(dict(table), f"{self.at}{name}.", self.faults)

    def end(self) -> None:
        """Name the fields that nobody has taken."""
        for name in self.table:
            self.fault(name, "unknown: see the list of fields in docs/lab.md")


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"“{text[:40]}” is out of range") from None


def _shown(value: Any) -> str:
    # Python writes no whole number of more than 4,300 digits; a hexadecimal one may have them.
    is_endless = isinstance(value, int) and value.bit_length() > 10_000
    return f"“{(hex(value) if is_endless else str(value))[:40]}”"


def read_variant(toml: str, name: str = "") -> Variant:
    """Return the variant of this TOML; ``name``: if it has none itself. Raises VariantRefused."""
    if len(toml) > MOST_TEXT:
        raise VariantRefused([f"The text has {len(toml):,} characters. Use at most {MOST_TEXT:,}."])
    try:
        # Decimals, because 2100.01 isn't a binary fraction.
        table = tomllib.loads(toml, parse_float=_decimal)
    except (ValueError, RecursionError) as error:
        # Also whole numbers with more digits than Python reads, and lists in lists without end.
        raise VariantRefused([f"This isn’t TOML: {error}"]) from None
    top = _Reader(table)
    named = top.take(
        "name", name, lambda value: "" if _is_name(value) else "must be a text of 1 to 60 characters"
    )
    yardstick = top.one_of("yardstick", "", YARDSTICKS)
    if yardstick and top.table:
        contradicted = sorted(top.table)
        top.table = {}
        top.faults += [f"{one}: contradicts yardstick, which has its own rules" for one in contradicted]
    since = _since(top)
    k = top.below("k")
    by_category = tuple(k.whole(one.slug, None, 0, 400) for one in Category)
    k_new = k.whole("previously_unrated", None, 0, 400)
    new_games = k.whole("previously_unrated_games", None, 0, 10_000)
    k_rules = _k_rules(k)
    k.end()
    first = top.below("first_rating")
    start = first.points("start", 0, 1, 4000)
    instead = sorted({"games", "bonus"} & first.table.keys()) if start else []
    for one in instead:
        first.fault(one, "contradicts first_rating.start, which rates everybody before a game")
    first_games = first.whole("games", FIRST_RATING_GAMES, 1, 30)
    bonus = first.points("bonus", None, 0, 400)
    first.end()
    expected = top.below("expected")
    formula = expected.one_of("formula", "table", ("table", "logistic"))
    cap = expected.whole("cap", None, 1, 4000)
    advantage = expected.whole("white_advantage", 0, -400, 400)
    expected.end()
    floor = top.points("floor", FLOOR, 0, 3000)
    top.end()
    if start and start < floor:
        top.fault("first_rating.start", f"{start / 100:g} is below the floor of {floor / 100:g}")
    if top.faults:
        raise VariantRefused(top.faults)
    return Variant(
        name=named or TODAY.name,
        toml=toml,
        amendment=Amendment(since, by_category, k_new, new_games, k_rules, bonus, cap),
        floor=floor,
        first_games=first_games,
        start=start,
        formula=formula,
        advantage=advantage,
        yardstick=yardstick,
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= 60 and value.isprintable()


def _since(top: _Reader) -> datetime | None:
    """Return the first moment of the day."""
    value = top.take(
        "since",
        None,
        lambda value: "" if isinstance(value, date) else f"{_shown(value)} isn’t a date such as 2026-01-01",
    )
    if not isinstance(value, datetime):
        return None if value is None else datetime.combine(value, time(), UTC)
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        top.fault("since", f"{_shown(value)} isn’t a day such as 2026-01-01")
        return None


def _k_rules(k: _Reader) -> tuple[KRule, ...]:
    def check(value: Any) -> str:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            return "isn’t a list of tables: write [[k.rule]] before each"
        return "" if len(value) <= _MOST_RULES else f"has {len(value)} rules; use at most {_MOST_RULES}"

    rules = []
    for number, table in enumerate(k.take("rule", [], check), 1):
        rule = _Reader(dict(table), f"k.rule {number}.", k.faults)
        if "k" not in rule.table:
            rule.fault("k", "is missing")
        value = rule.whole("k", 0, 0, 400)
        categories = _categories(rule)
        new = rule.take(
            "previously_unrated",
            False,
            lambda value: "" if isinstance(value, bool) else f"{_shown(value)} is neither true nor false",
        )
        games = _range(rule, "games", rule.whole, (0, ANY_GAMES))
        ratings = _range(rule, "rating", rule.points, (0, ANY_RATING))
        ages = _range(rule, "age", rule.whole, (0, ANY_AGE))
        rule.end()
        rules.append(KRule(value, categories, new, games, ratings, ages))
    return tuple(rules)


def _range(
    rule: _Reader, name: str, take: Callable[[str, int, int, int], int], whole: tuple[int, int]
) -> tuple[int, int]:
    most = {"games": ANY_GAMES, "rating": 4000, "age": 150}[name]
    low, high = take(f"{name}_from", whole[0], 0, most), take(f"{name}_below", whole[1], 0, most)
    if low >= high:
        rule.fault(f"{name}_below", f"matches nobody: it isn’t above {name}_from")
    return low, high


def _categories(rule: _Reader) -> tuple[Category, ...]:
    slugs = {one.slug: one for one in Category}

    def check(value: Any) -> str:
        some = value if isinstance(value, list) and value else [value]
        unknown = [one for one in some if not isinstance(one, str) or one not in slugs]
        return f"{_shown(unknown[0])} isn’t a category: use {', '.join(slugs)}" if unknown else ""

    value = rule.take("category", list(slugs), check)
    return tuple(slugs[one] for one in ([value] if isinstance(value, str) else value))
