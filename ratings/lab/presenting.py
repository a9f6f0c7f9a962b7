"""The answer of a run as a page shows it: names, tables, and the coordinates of its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from members.models import Member
from ratings.formats.variants import TODAY, Variant, VariantRefused, read_variant
from ratings.lab.models import Run
from ratings.lab.variants import differences
from ratings.rbb.chart_drawing import HEIGHT, WIDTH, scale
from ratings.rbb.models.editions import amendment_of
from ratings.rules.rbb.editions import PRINTED, Edition, Editions
from ratings.rules.rounding import displayed, from_hundredths
from ratings.rules.time_controls import Category

MEASURES: Final = {
    "log_loss": _("Log loss"),
    "brier": _("Brier score"),
    "deviance": _("Capped binomial deviance"),
    "accuracy": _("Accuracy"),
    "calibration": _("Calibration error"),
}
"""The measures of predictions. Of all but accuracy, less is better."""

LEAST: Final = 500
"""Minimum number of games for a measure of predictions."""

DRAWN: Final = 4
"""Variants in a picture, the first ones."""

_LABELS: Final = 4
_SIDE: Final = 300
"""Width and height of a picture of the calibration."""


GROUPS: Final = {
    "newcomers": _("New players: their first 30 games"),
    "juniors": _("Juniors: under 18 by year of birth"),
    "returners": _("Returners: the first 10 games after a year away"),
}
"""Groups that may be behind (ratings/lab/hindsight.py)."""


def behind_of(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return how far groups of members were behind, with their names; None if nobody asked WHR."""
    found = result and result.get("behind")
    if not found:
        return None
    category = Category.from_slug(found["category"])
    groups = [(name, *found["groups"][key]) for key, name in GROUPS.items()]
    return found | {"category": category, "groups": groups}


def category_of(run: Run, slug: str) -> Category:
    """Return the category asked for, or the one in which most members move."""
    if slug in {one.slug for one in Category}:
        return Category.from_slug(slug)

    def moved(category: Category) -> int:
        return max(row["moves"][category.slug]["moved"][0] for row in _rules(run))

    return max(Category, key=moved)


def _rules(run: Run) -> list[dict[str, Any]]:
    """Return the answers of variants of the rules; yardsticks have predictions alone."""
    return [row for row in run.result["rows"] if "moves" in row]


def answer_of(run: Run, category: Category) -> dict[str, Any]:
    """Return everything that the page shows of one category."""
    rows = run.result["rows"]
    rules = _rules(run)
    slug = category.slug
    return {
        "category": category,
        "categories": list(Category),
        "about": run.result,
        "least": LEAST,
        "measures": [str(name) for name in MEASURES.values()],
        "variants": [_variant(row, number, run.result) for number, row in enumerate(rows)],
        "predictions": [
            (title, [_prediction(row, key) for row in rows])
            for title, key in ((gettext("All games"), "all"), (None, slug))
        ],
        "spread": [(row["name"], row["spread"][slug]) for row in rules],
        "drift": _drift(rules, slug),
        "calibration": _calibration(rows),
        "moves": [_moves(row, slug) for row in rules[1:]],
        "lists": _lists(rules, slug),
        "behind": behind_of(run.result),
    }


def _variant(row: dict[str, Any], number: int, result: dict[str, Any]) -> dict[str, Any]:
    """Return a variant; ``number``: its place in the question, 0 of the rules in force."""
    try:
        variant = read_variant(row["toml"])
        changes = differences(variant, _edition_before(variant, result))
    except VariantRefused:
        # A later program may not know what an earlier one was asked.
        variant, changes = TODAY, []
    can_be_put = number > 0 and not variant.yardstick
    return {
        "name": row["name"], "changes": changes, "toml": row["toml"], "number": number,
        "can_be_put": can_be_put,
    }  # fmt: skip


def _edition_before(variant: Variant, result: dict[str, Any]) -> Edition:
    """Return the edition that a variant changes, as the editions stood when it was asked."""
    amendments = [amendment_of(date.fromisoformat(since), toml) for since, toml in result.get("editions", ())]
    return PRINTED if variant.since is None else Editions(amendments).at(variant.since)


def _prediction(row: dict[str, Any], key: str) -> dict[str, Any]:
    found = row["predictions"][key]
    beside = found.get("beside_today")
    told = ""
    if beside is not None:
        _value, low, high = beside
        told = (
            gettext("better")
            if high < 0
            else gettext("worse")
            if low > 0
            else gettext("no visible difference")
        )
    return {
        "name": row["name"],
        "games": found["games"],
        "figures": [found["figures"][name] for name in MEASURES],
        "beside": beside,
        "told": told,
    }


def _path(points: Iterable[str]) -> str:
    """Return an SVG path through points."""
    return "M" + "L".join(points)


def picture_of(lines: Sequence[tuple[str, list[Any]]], labels: Sequence[str]) -> dict[str, Any] | None:
    """Return named lines with values at evenly spaced places, None where there is none, and the grid.

    Returns None if no line has two values.
    """
    lines = lines[:DRAWN]
    known = [value for _name, line in lines for value in line if value is not None]
    if not any(len([value for value in line if value is not None]) > 1 for _name, line in lines):
        return None
    low, high = scale(int(min(known)), int(max(known)) + 1)

    def point(number: int, value: float | Decimal) -> str:
        y = HEIGHT * (high - float(value)) / (high - low)
        return f"{WIDTH * number / (len(labels) - 1):.1f} {y:.1f}"

    parts = min(len(labels), _LABELS)
    return {
        "lines": [
            (name, _path(point(n, value) for n, value in enumerate(line) if value is not None))
            for name, line in lines
        ],
        "grid": list(range(high, low - 1, -(high - low) // 4)),
        "labels": [labels[(len(labels) - 1) * part // (parts - 1)] for part in range(parts)],
        "table": [
            (name, next((value for value in line if value is not None), None), line[-1])
            for name, line in lines
        ],
    }


def _drift(rows: list[dict[str, Any]], slug: str) -> dict[str, Any] | None:
    """Return mean ratings of active members month by month, as lines."""
    lines = [(row["name"], [mean for _month, _n, mean, _median in row["drift"][slug]]) for row in rows]
    return picture_of(lines, [month for month, *_figures in rows[0]["drift"][slug]])


def _calibration(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return for each variant the scores beside the expected scores, as a line in a square."""
    return [
        (row["name"], _path(f"{_SIDE * e:.1f} {_SIDE * (1 - s):.1f}" for _n, e, s in points))
        for row in rows[:DRAWN]
        if (points := row["predictions"]["all"]["calibration"])
    ]


def _moves(row: dict[str, Any], slug: str) -> dict[str, Any]:
    found = row["moves"][slug]
    bars = []
    if "bars" in found:
        most, width = max(found["bars"]), found["width"]
        half = len(found["bars"]) // 2
        for number, count in enumerate(found["bars"]):
            height = 0 if not count else max(1, 100 * count // most)
            bars.append({
                "x": 10 * number, "y": 100 - height, "height": height, "count": count,
                "low": (number - half) * width - width / 2, "high": (number - half) * width + width / 2,
            })  # fmt: skip
    names = _names([key for which in ("up", "down") for key, *_both in found[which]])
    return found | {
        "name": row["name"],
        "bars": bars,
        "ends": bars[-1]["high"] if bars else 0,
        "thresholds": list(zip((1, 10, 25, 50, 100), found["moved"], strict=True)),
        "movers": [
            (title, [_mover(names, *one) for one in found[which]])
            for title, which in ((gettext("Biggest gains"), "up"), (gettext("Biggest losses"), "down"))
        ],
    }


def _mover(names: dict[int, Member], key: int, before: int, after: int) -> dict[str, Any]:
    return {
        "member": names.get(key),
        "before": displayed(before),  # type: ignore[arg-type]
        "after": displayed(after),  # type: ignore[arg-type]
        "change": from_hundredths(after - before),  # type: ignore[arg-type]
    }


def _lists(rows: list[dict[str, Any]], slug: str) -> list[dict[str, Any]]:
    """Return today's list and each variant's beside it, place by place."""
    names = _names([key for row in rows for key, *_ratings in row["list"][slug]])
    today = rows[0]["list"][slug]
    places = {key: place for place, (key, *_ratings) in enumerate(today, 1)}
    return [
        {
            "name": row["name"],
            "places": [
                {
                    "member": names.get(key),
                    "rating": displayed(rating),
                    "change": from_hundredths(rating - before) if before >= 0 else None,
                    "place_today": places.get(key),
                }
                for key, rating, before in row["list"][slug]
            ],
        }
        for row in rows
    ]


def _names(keys: list[int]) -> dict[int, Member]:
    return Member.objects.in_bulk(set(keys))
