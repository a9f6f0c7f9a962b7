"""Editions of RBB section 3 by date: the numbers that an office may change, as it does by a decision.

The printed regulations are the first edition. Each amendment changes some of the numbers from a moment on;
the others stay as they were. So the editions follow from the amendments and their dates, in whatever order
the office decided them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

K: Final[dict[Category, int]] = {Category.RAPID: 20, Category.BLITZ: 20, Category.BULLET: 10}
"""RBB 3.10.1 and 3.10.2."""

K_PREVIOUSLY_UNRATED: Final = 40
"""RBB 3.10.3."""

PREVIOUSLY_UNRATED_GAMES: Final = 30
"""RBB 3.10.3: games 1 to 30 since the member was unrated; the first five made their first rating."""

BONUS_PER_HALF_POINT: Final = Hundredths(20_00)
"""RBB 3.7.4: bonus for each half point over 50 %."""

ANY_GAMES: Final = 10**6
ANY_RATING: Final = 100 * 10**6
ANY_AGE: Final = 999
"""Upper ends of ranges in which everybody is."""


@dataclass(frozen=True, slots=True)
class KRule:
    """A K for some members, in place of their category's. Conditions: from the first to below the second.

    ``new``: for members to whom RBB 3.10.3 applies, and not for the others. ``games``: before the game.
    ``ratings``: before the game, in hundredths. ``ages``: only the lab asks for them; no edition has any.
    """

    k: int
    categories: tuple[Category, ...] = tuple(Category)
    new: bool = False
    games: tuple[int, int] = (0, ANY_GAMES)
    ratings: tuple[int, int] = (0, ANY_RATING)
    ages: tuple[int, int] = (0, ANY_AGE)

    def fits(self, category: Category, rating: int, games: int, new: bool) -> bool:
        """Return whether this is the K of a member with this rating and number of games."""
        return (
            new == self.new
            and category in self.categories
            and self.ratings[0] <= rating < self.ratings[1]
            and self.games[0] <= games < self.games[1]
        )


@dataclass(frozen=True, slots=True)
class Amendment:
    """Numbers that differ from a moment on; None: from the first event. What is None stays as it was.

    ``k``: by category, rapid first. ``k_new``, ``new_games``: RBB 3.10.3. ``k_rules``: the first that fits
    holds, before those of earlier amendments. ``bonus``: RBB 3.7.4. ``cap``: greater differences count as
    this one (RBB 3.9.1).
    """

    since: datetime | None = None
    k: tuple[int | None, ...] = (None, None, None)
    k_new: int | None = None
    new_games: int | None = None
    k_rules: tuple[KRule, ...] = ()
    bonus: Hundredths | None = None
    cap: int | None = None

    @property
    def categories(self) -> tuple[Category, ...]:
        """The categories in which it may change a rating."""
        everywhere = (self.k_new, self.new_games, self.bonus, self.cap)
        if any(one is not None for one in everywhere):
            return tuple(Category)
        in_rules = {category for rule in self.k_rules for category in rule.categories}
        return tuple(one for one in Category if one in in_rules or self.k[one - 1] is not None)


NO_CHANGE: Final = Amendment()


class WhyK(NamedTuple):
    """A member's K, and what gives it: a rule, or else RBB 3.10.3 if they are ``new``, or their category.

    ``by``: the amendment; None: the printed regulations.
    """

    k: int
    rule: KRule | None
    new: bool
    by: Amendment | None


@dataclass(frozen=True, slots=True)
class Edition:
    """The numbers that apply at a moment, and the amendments that gave them, the latest last."""

    amendments: tuple[Amendment, ...] = ()
    k: dict[Category, int] = field(default_factory=lambda: K)
    k_new: int = K_PREVIOUSLY_UNRATED
    new_games: int = PREVIOUSLY_UNRATED_GAMES
    k_rules: tuple[KRule, ...] = ()
    bonus: Hundredths = BONUS_PER_HALF_POINT
    cap: int | None = None

    def amended(self, by: Amendment) -> Edition:
        """Return the next edition."""
        changed = {
            name: value
            for name in ("k_new", "new_games", "bonus", "cap")
            if (value := getattr(by, name)) is not None
        }
        return replace(
            self,
            amendments=(*self.amendments, by),
            k={one: self.k[one] if k is None else k for one, k in zip(Category, by.k, strict=True)},
            k_rules=by.k_rules + self.k_rules,
            **changed,
        )

    @property
    def since(self) -> datetime | None:
        """The first moment of this edition; None for the printed regulations."""
        return self.amendments[-1].since if self.amendments else None

    def rule_for(self, category: Category, rating: int, games: int, new: bool) -> KRule | None:
        """Return the rule that gives K to a member with this rating and number of games, if any."""
        return next((rule for rule in self.k_rules if rule.fits(category, rating, games, new)), None)

    def why_k(self, category: Category, rating: int, games: int, previously_unrated: bool) -> WhyK:
        """Return K for the next game of a member with this rating and number of games, and what gives it."""
        new = previously_unrated and games < self.new_games
        rule = self.rule_for(category, rating, games, new)
        if rule is not None:
            return WhyK(rule.k, rule, new, self._latest(lambda one: rule in one.k_rules))
        if new:
            by = self._latest(lambda one: one.k_new is not None or one.new_games is not None)
            return WhyK(self.k_new, None, new, by)
        # Without an amendment of 3.10.3, games 6 to 30 would have another K.
        ended = previously_unrated and games < PREVIOUSLY_UNRATED_GAMES
        by = self._latest(
            lambda one: one.k[category - 1] is not None or (ended and one.new_games is not None)
        )
        return WhyK(self.k[category], None, new, by)

    def by(self, *names: str) -> Amendment | None:
        """Return the amendment that gives one of these numbers; None: the printed regulations do."""
        return self._latest(lambda one: any(getattr(one, name) is not None for name in names))

    def _latest(self, gives: Callable[[Amendment], bool]) -> Amendment | None:
        return next(filter(gives, reversed(self.amendments)), None)

    def k_for(self, category: Category, rating: int, games: int, previously_unrated: bool) -> int:
        """Return K for the next game of a member with this rating and number of games (RBB 3.10).

        40 until they have completed 30 rated games, if they were unrated here: games 6 to 30, since the five
        results of their first rating are the first five. The 31st game has the K of the category.
        """
        new = previously_unrated and games < self.new_games
        if self.k_rules and (rule := self.rule_for(category, rating, games, new)) is not None:
            return rule.k
        return self.k_new if new else self.k[category]


PRINTED: Final = Edition()
"""The regulations as printed."""


class Editions:
    """All editions by the moment from which each applies; before the first amendment, the printed one.

    Moments are of one kind, such as those that a database stores, which ``as_stored`` makes.
    """

    __slots__ = ("all", "since")

    def __init__(self, amendments: Iterable[Amendment] = (), as_stored: Any = None) -> None:
        self.since: list[Any] = []
        self.all = [PRINTED]
        for one in sorted(amendments, key=lambda one: (one.since is not None, one.since)):
            edition = self.all[-1].amended(one)
            if one.since is None:
                self.all[-1] = edition
                continue
            self.all.append(edition)
            self.since.append(one.since if as_stored is None else as_stored(one.since))

    def at(self, moment: Any) -> Edition:
        """Return the edition that applies to an event of this moment."""
        return self.all[bisect_right(self.since, moment)] if self.since else self.all[0]
