"""Variants of the RBB rules, as people write them: TOML in, or what is wrong with it.

What a variant doesn't mention is as in ``ratings/rules/rbb/rating.py``. So an empty one is today's rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.moments import beginning_of
from foa.text import utc
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.rbb import rating
from ratings.rules.tables import EXPECTED_HIGHER
from ratings.rules.time_controls import Category

MOST_TEXT: Final = 10_000
"""Maximum number of characters of a variant."""

_AGELESS: Final = 999
_ANY: Final = 10**6
_MOST_RULES: Final = 50
_CURVE_ENDS: Final = 1_721
"""The first difference at which the logistic curve, to four places, is 1."""


class VariantRefused(Exception):
    """A variant that can't be used: for each fault the field and the reason."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class KRule:
    """A K for some members, in place of their category's. Conditions: from the first to below the second.

    ``new``: for members to whom RBB 3.10.3 applies, and not for the others. Ratings in hundredths.
    """

    k: int
    categories: tuple[Category, ...] = tuple(Category)
    new: bool = False
    games: tuple[int, int] = (0, _ANY)
    ratings: tuple[int, int] = (0, 100 * _ANY)
    ages: tuple[int, int] = (0, _AGELESS)


@dataclass(frozen=True, slots=True)
class Variant:
    """The rules with some numbers changed, from a moment on; None: from the first game.

    ``yardstick``: the name of another rating system in their place.
    """

    name: str = "Today’s rules"
    toml: str = ""
    since: datetime | None = None
    k: tuple[int, ...] = tuple(rating.K[category] for category in Category)
    k_new: int = rating.K_PREVIOUSLY_UNRATED
    new_games: int = rating.PREVIOUSLY_UNRATED_GAMES
    k_rules: tuple[KRule, ...] = ()
    floor: int = rating.FLOOR
    first_games: int = rating.FIRST_RATING_GAMES
    bonus: int = rating.BONUS_PER_HALF_POINT
    start: int = 0
    formula: str = "table"
    cap: int | None = None
    advantage: int = 0
    yardstick: str = ""

    @property
    def asks_for_age(self) -> bool:
        """True if a rule depends on the year of birth."""
        return any(rule.ages != (0, _AGELESS) for rule in self.k_rules)

    def expected(self) -> list[int]:
        """Return the expected score of the higher-rated player by difference, in ten-thousandths.

        The last one holds for every greater difference.
        """
        if self.formula == "table":
            scores = [100 * higher for higher in EXPECTED_HIGHER]
        else:
            scores = [round(10_000 / (1 + 10 ** (-d / 400))) for d in range(_CURVE_ENDS)] + [10_000]
        return scores if self.cap is None else scores[: self.cap + 1]


YARDSTICKS: Final = ("elo", "glicko", "openskill", "whr")
"""Rating systems of others, by the name of a variant that asks for one."""

TODAY: Final = Variant()
"""Variant 0: the rules in force."""


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

    def points(self, name: str, default: int, least: int, most: int) -> int:
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


def _shown(value: Any) -> str:
    return f"“{str(value)[:40]}”"


def read_variant(toml: str, name: str = "") -> Variant:
    """Return the variant of this TOML; ``name``: if it has none itself. Raises VariantRefused."""
    if len(toml) > MOST_TEXT:
        raise VariantRefused([f"The text has {len(toml):,} characters. Use at most {MOST_TEXT:,}."])
    try:
        # Decimals, because 2100.01 isn't a binary fraction.
        table = tomllib.loads(toml, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise VariantRefused([f"This isn’t TOML: {error}"]) from None
    top = _Reader(table)
    named = top.take(
        "name", name, lambda value: "" if _is_name(value) else "isn’t a text of 1 to 60 characters"
    )
    yardstick = top.one_of("yardstick", "", YARDSTICKS)
    if yardstick and top.table:
        contradicted = sorted(top.table)
        top.table = {}
        top.faults += [f"{one}: contradicts yardstick, which has its own rules" for one in contradicted]
    since = _since(top)
    k = top.below("k")
    by_category = tuple(k.whole(one.slug, rating.K[one], 0, 400) for one in Category)
    k_new = k.whole("previously_unrated", rating.K_PREVIOUSLY_UNRATED, 0, 400)
    new_games = k.whole("previously_unrated_games", rating.PREVIOUSLY_UNRATED_GAMES, 0, 10_000)
    k_rules = _k_rules(k)
    k.end()
    first = top.below("first_rating")
    start = first.points("start", 0, 1, 4000)
    instead = sorted({"games", "bonus"} & first.table.keys()) if start else []
    for one in instead:
        first.fault(one, "contradicts first_rating.start, which rates everybody before a game")
    first_games = first.whole("games", rating.FIRST_RATING_GAMES, 1, 30)
    bonus = first.points("bonus", rating.BONUS_PER_HALF_POINT, 0, 400)
    first.end()
    expected = top.below("expected")
    formula = expected.one_of("formula", "table", ("table", "logistic"))
    cap = expected.whole("cap", None, 1, 4000)
    advantage = expected.whole("white_advantage", 0, -400, 400)
    expected.end()
    floor = top.points("floor", rating.FLOOR, 0, 3000)
    top.end()
    if start and start < floor:
        top.fault("first_rating.start", f"{start / 100:g} is below the floor of {floor / 100:g}")
    if top.faults:
        raise VariantRefused(top.faults)
    return Variant(
        name=named or TODAY.name,
        toml=toml,
        since=since,
        k=by_category,
        k_new=k_new,
        new_games=new_games,
        k_rules=k_rules,
        floor=floor,
        first_games=first_games,
        bonus=bonus,
        start=start,
        formula=formula,
        cap=cap,
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
        lambda value: "" if isinstance(value, date) else f"{_shown(value)} isn’t a day such as 2026-01-01",
    )
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return None if value is None else beginning_of(value)


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
        games = _range(rule, "games", rule.whole, (0, _ANY))
        ratings = _range(rule, "rating", rule.points, (0, 100 * _ANY))
        ages = _range(rule, "age", rule.whole, (0, _AGELESS))
        rule.end()
        rules.append(KRule(value, categories, new, games, ratings, ages))
    return tuple(rules)


def _range(
    rule: _Reader, name: str, take: Callable[[str, int, int, int], int], whole: tuple[int, int]
) -> tuple[int, int]:
    most = {"games": _ANY, "rating": 4000, "age": 150}[name]
    low, high = take(f"{name}_from", whole[0], 0, most), take(f"{name}_below", whole[1], 0, most)
    if low >= high:
        rule.fault(f"{name}_below", f"nobody fits: it isn’t above {name}_from")
    return low, high


def _categories(rule: _Reader) -> tuple[Category, ...]:
    slugs = {one.slug: one for one in Category}

    def check(value: Any) -> str:
        some = value if isinstance(value, list) and value else [value]
        unknown = [one for one in some if not isinstance(one, str) or one not in slugs]
        return f"{_shown(unknown[0])} isn’t a category: use {', '.join(slugs)}" if unknown else ""

    value = rule.take("category", list(slugs), check)
    return tuple(slugs[one] for one in ([value] if isinstance(value, str) else value))


YARDSTICK_NAMES: Final = {
    "elo": _("Elo, as implemented in elote"),
    "glicko": _("Glicko-1, as implemented in elote"),
    "openskill": _("Plackett–Luce, as implemented in openskill"),
    "whr": _("Whole-History Rating, from the games before the predicted ones"),
}


def differences(variant: Variant) -> list[str]:
    """Return what the variant changes, in the language of the page."""
    told: list[str] = []
    if variant.yardstick:
        return [str(YARDSTICK_NAMES[variant.yardstick])]

    def tell(text: str, value: object, today: object) -> None:
        if value != today:
            told.append(gettext("%(what)s: %(value)s (today %(today)s)") % {
                "what": text, "value": value, "today": today,
            })  # fmt: skip

    for category, value in zip(Category, variant.k, strict=True):
        what = gettext("K in %(category)s") % {"category": CATEGORY_NAMES[category]}
        tell(what, value, rating.K[category])
    tell(gettext("K of members who were unrated"), variant.k_new, TODAY.k_new)
    tell(gettext("games with that K"), variant.new_games, TODAY.new_games)
    told += map(_told_rule, variant.k_rules)
    tell(gettext("rating floor"), f"{variant.floor / 100:g}", f"{TODAY.floor / 100:g}")
    tell(gettext("results for a first rating"), variant.first_games, TODAY.first_games)
    bonus, bonus_today = f"{variant.bonus / 100:g}", f"{TODAY.bonus / 100:g}"
    tell(gettext("points for each half point above an even score in a first rating"), bonus, bonus_today)
    if variant.start:
        told.append(gettext("everybody starts at %(rating)s") % {"rating": f"{variant.start / 100:g}"})
    if variant.formula != TODAY.formula:
        told.append(gettext("the logistic formula in place of table 4.2"))
    if variant.cap is not None:
        told.append(gettext("differences above %(cap)s count as %(cap)s") % {"cap": variant.cap})
    if variant.advantage:
        told.append(gettext("White counts %(points)s points") % {"points": f"{variant.advantage:+d}"})
    if told and variant.since:
        told.append(gettext("from %(moment)s on") % {"moment": utc(variant.since)})
    return told


def _told_rule(rule: KRule) -> str:
    conditions = []
    if rule.categories != tuple(Category):
        conditions.append(", ".join(str(CATEGORY_NAMES[one]) for one in rule.categories))
    if rule.new:
        conditions.append(gettext("members who were unrated"))
    scales: Mapping[str, tuple[tuple[int, int], tuple[int, int], int]] = {
        gettext("games"): (rule.games, (0, _ANY), 1),
        gettext("rating"): (rule.ratings, (0, 100 * _ANY), 100),
        gettext("age"): (rule.ages, (0, _AGELESS), 1),
    }
    for name, ((low, high), (least, most), unit) in scales.items():
        if low != least:
            conditions.append(gettext("%(what)s from %(low)s") % {"what": name, "low": f"{low / unit:g}"})
        if high != most:
            conditions.append(gettext("%(what)s below %(high)s") % {"what": name, "high": f"{high / unit:g}"})
    k = gettext("K %(k)s") % {"k": rule.k}
    return f"{k}: {'; '.join(conditions)}" if conditions else k
