"""Forms of the calculators. Ratings are points, and every fault is shown by its field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foa.text import date_text
from foa.web.suggestions import suggestions
from members.models import Member
from ratings.calculators.games import (
    CHOICES,
    HIGHEST,
    LEAST,
    GamesField,
    TypedGame,
    at_line,
    found_by,
    out_of_range,
    refuse,
    with_members,
)
from ratings.calculators.what_if import EDITIONS, FORMULA, OF_2009, RAPID_AND_BLITZ, STANDARD, ratings_of
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.models import Rating, RuleEdition
from ratings.rbb.searching import who_is_meant
from ratings.rules.fide_page.estimates import Unplayed
from ratings.rules.needed import MOST_GAMES, most_games
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, UNRATED, LedgerLine, open_rating
from ratings.rules.rounding import points_or_none, to_hundredths
from ratings.rules.time_controls import MAX_INCREMENT, MAX_INITIAL, Category

_MOST_PLAYED: Final = 100_000
_MOST_K: Final = 100
_NOT_WHOLE: Final = gettext_lazy("Enter whole points. Only arena ratings have decimals.")
_K_OF_ALL: Final = gettext_lazy(
    "40, 20 or 10 (B.02 (2024) 8.3.3); under the 2009 regulations, 25, 15 or 10 (B.02 8.56)."
)
_OVER_THE_BOARD: Final = [
    (STANDARD, gettext_lazy("FIDE standard (2024)")),
    (RAPID_AND_BLITZ, gettext_lazy("FIDE rapid or blitz (2024)")),
    (OF_2009, gettext_lazy("FIDE (2009)")),
    (FORMULA, gettext_lazy("FIDE formula (estimate)")),
]


def _whole(label: Any, least: int, most: int, help_text: Any = "", required: bool = False) -> Any:
    return forms.IntegerField(
        label=label, min_value=least, max_value=most, required=required, help_text=help_text
    )


class PointsField(forms.DecimalField):
    """An exact rating (RBB 3.1), with a decimal point or comma."""

    def to_python(self, value: Any) -> Any:
        """Return the value as it was typed."""
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)

    def clean(self, value: Any) -> Decimal | None:
        """Return the rating with two decimals, however it was typed."""
        points = super().clean(value)
        return None if points is None else points.quantize(Decimal("0.01"))


def _points(label: Any, help_text: Any = "", required: bool = False) -> Any:
    return PointsField(
        label=label,
        min_value=Decimal(LEAST),
        max_value=Decimal(HIGHEST),
        decimal_places=2,
        required=required,
        help_text=help_text,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": " "}),
    )


def _category(required: bool = True, help_text: Any = "") -> Any:
    return forms.ChoiceField(
        label=gettext_lazy("Category"),
        choices=[(category.slug, name) for category, name in CATEGORY_NAMES.items()],
        initial=Category.BLITZ.slug,
        required=required,
        help_text=help_text,
    )


def _arena_games() -> GamesField:
    return GamesField(
        arena=True,
        help_text=gettext_lazy(
            "Opponent and result, such as “1850 win”, “Anna Berg ½” or “- 0” for an unrated opponent. "
            "For members, the current rating is used."
        ),
    )


class CalculatorForm(forms.Form):
    """Form of a calculator. ``seldom``: fields that are folded away until they are used."""

    seldom: ClassVar[tuple[str, ...]] = ()

    @property
    def seldom_used(self) -> bool:
        """Return True if a folded field has a value or needs correcting."""
        return any(self[name].value() or name in self.errors for name in self.seldom)


class FideForm(CalculatorForm):
    """Input of the FIDE formula page: rating, K or games, and opponents."""

    seldom = ("k", "floor", "minutes", "increment")

    rating = _whole(gettext_lazy("Your rating"), LEAST, HIGHEST, required=True)
    played = _whole(
        gettext_lazy("Rated games so far"),
        0,
        _MOST_PLAYED,
        gettext_lazy("With fewer than 30 games, K is 40."),
    )
    k = _whole(
        gettext_lazy("Custom K"),
        1,
        _MOST_K,
        gettext_lazy("Leave blank to use 40, 20 or 10, as the rules say."),
    )
    floor = _whole(gettext_lazy("Rating floor"), LEAST, HIGHEST, gettext_lazy("If your federation has one."))
    minutes = _whole(gettext_lazy("Minutes per player"), 1, MAX_INITIAL // 60)
    increment = _whole(gettext_lazy("Seconds per move"), 0, MAX_INCREMENT)
    games = GamesField(
        unrated=False,
        help_text=gettext_lazy(
            "The opponent’s rating and your result, such as “1850 win”, “1920 ½” or “2010 0”. Forfeits and"
            " byes do not count."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Require games or K, if K can't be worked out otherwise, and minutes with an increment."""
        data: dict[str, Any] = self.cleaned_data
        typed = {"played", "k"} <= data.keys()
        if typed and data["played"] is None and data["k"] is None:
            self.add_error("played", _("Enter the number of rated games so far, or a custom K."))
        if data.get("increment") is not None and "minutes" in data and data["minutes"] is None:
            self.add_error("minutes", _("Enter the minutes as well as the increment."))
        return data


class StandingForm(CalculatorForm):
    """RBB: a member with their current rating in a category, a typed rating, or neither (unrated)."""

    category = _category()
    member = forms.CharField(
        label=gettext_lazy("Member"),
        required=False,
        max_length=150,
        help_text=gettext_lazy("Username, FIDE ID or name. The current rating is used."),
        widget=forms.TextInput(attrs={**suggestions("members"), "data-fill": True, "placeholder": " "}),
    )
    rating = _points(
        gettext_lazy("Or a rating"),
        gettext_lazy("Such as 1800 or 1799.60. Leave both blank for an unrated player."),
    )
    played = _whole(
        gettext_lazy("Games played, if you started unrated"),
        FIRST_RATING_GAMES,
        _MOST_PLAYED,
        gettext_lazy("K is 40 until game 30 (RBB 3.10.3). Leave blank if you didn’t start unrated."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices: list[Member] = []
        """Members to choose from, if several match."""

    def clean_category(self) -> Category:
        return Category.from_slug(self.cleaned_data["category"])

    def clean_member(self) -> Member | None:
        """Find one member: by username, by full name, or as the only match of the text."""
        text = self.cleaned_data["member"]
        if not text:
            return None
        found = found_by(text)
        if len(found) > 1:
            self.choices = found[:CHOICES]
            raise ValidationError(_("Several members match. Choose one, or enter the username."))
        if not found:
            self.choices = who_is_meant(text, CHOICES)[0]
            raise ValidationError(_("No members found."))
        return found[0]

    def clean(self) -> dict[str, Any]:
        """Allow only one kind of start, and add it as ``standing`` for the rules."""
        data: dict[str, Any] = self.cleaned_data
        if data.get("member") and data.get("rating") is not None:
            self.add_error("rating", _("Enter a member or a rating, not both."))
        if data.get("played") is not None and "rating" in data and data["rating"] is None:
            self.add_error("played", _("Enter a rating as well as the number of games."))
        if not self.errors:
            data["standing"] = self._standing(data)
        return data

    def _standing(self, data: dict[str, Any]) -> LedgerLine:
        if data["member"] is not None:
            rating = Rating.objects.filter(member=data["member"], category=data["category"]).first()
            return UNRATED if rating is None else rating.standing
        if data["rating"] is None:
            return UNRATED
        played = data["played"]
        return open_rating(UNRATED, to_hundredths(data["rating"]), played or 0, played is not None)


class WhatIfForm(StandingForm):
    """Hypothetical games under the RBB, in order."""

    games = _arena_games()

    def clean(self) -> dict[str, Any]:
        """Replace names in ``games`` by members."""
        data = super().clean()
        if "games" in data:
            data["games"] = with_members(self, data["games"], data.get("member"))
        return data


class NeededForm(StandingForm):
    """A target to reach under the chosen rule book."""

    RBB = "rbb"

    rule_book = forms.ChoiceField(
        label=gettext_lazy("Rating type"),
        choices=[(RBB, gettext_lazy("Arena (RBB)")), *_OVER_THE_BOARD],
        initial=RBB,
    )
    k = _whole("K", 1, _MOST_K, _K_OF_ALL)
    opponents = _points(gettext_lazy("Opponents’ average rating"), required=True)
    number = _whole(
        gettext_lazy("Number of games"),
        1,
        MOST_GAMES,
        gettext_lazy("If you have no rating yet, we use the number of games you still need for one."),
    )
    target = _points(
        gettext_lazy("Target rating"), gettext_lazy("Leave blank to see what you need to keep your rating.")
    )

    field_order = (
        "rule_book",
        "category",
        "member",
        "rating",
        "played",
        "k",
        "opponents",
        "number",
        "target",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        book = data.get("rule_book")
        if book == self.RBB:
            standing = data.get("standing")
            if standing is not None and standing.rating is None:
                self._demand(data, "target", _("Enter the target first rating."))
            elif standing is not None:
                self._demand(data, "number", _("Enter the number of games."))
            self._limit(data)
        elif book is not None:
            if data.get("member"):
                self.add_error("member", _("Members have arena ratings. Enter a rating instead."))
            if data.get("played") is not None:
                self.add_error("played", _("Used for arena ratings only. Leave it blank."))
            self._demand(data, "rating", _("Enter your rating."))
            self._demand(data, "k", _("Enter K."))
            self._demand(data, "number", _("Enter the number of games."))
            least = EDITIONS[book].floor if book in EDITIONS else LEAST
            for name in ("rating", "opponents", "target"):
                self._whole_points(data, name, least)
        return data

    def _limit(self, data: dict[str, Any]) -> None:
        """Add the ``edition`` of RBB in force, and refuse more games than can be played on under it."""
        edition = data["edition"] = RuleEdition.objects.in_force()
        standing, number = data.get("standing"), data.get("number")
        if standing is None or standing.rating is None or number is None or edition.since is None:
            return
        if number > (most := most_games(data["category"], standing, edition)):
            told = _("Under the rules in force since %(day)s, enter %(most)d games or fewer.")
            self.add_error("number", told % {"day": date_text(edition.since), "most": most})

    def _demand(self, data: dict[str, Any], name: str, message: str) -> None:
        if name in data and data[name] is None:
            self.add_error(name, message)

    def _whole_points(self, data: dict[str, Any], name: str, least: int) -> None:
        value = data.get(name)
        if value is None:
            return
        if value != int(value):
            self.add_error(name, str(_NOT_WHOLE))
        elif value < least:
            self.add_error(name, out_of_range(f"{value:f}", least))


class FirstRatingForm(CalculatorForm):
    """Table 4.1 and RBB 3.6: opponents and results."""

    category = _category(required=False, help_text=gettext_lazy("Which rating to use for members."))
    games = _arena_games()

    def clean(self) -> dict[str, Any]:
        """Replace names in ``games`` by the members' current ratings."""
        data: dict[str, Any] = self.cleaned_data
        if "games" in data and "category" in data:
            games = with_members(self, data["games"])
            category = Category.from_slug(data["category"] or Category.BLITZ.slug)
            ratings = ratings_of(category, games)
            data["games"] = [game._replace(opponent=points_or_none(ratings[game.line])) for game in games]
        return data


class TournamentForm(CalculatorForm):
    """An over-the-board tournament under the chosen rule book."""

    rule_book = forms.ChoiceField(
        label=gettext_lazy("Rating type"), choices=_OVER_THE_BOARD, initial=STANDARD
    )
    rating = _whole(gettext_lazy("Your rating"), LEAST, HIGHEST, gettext_lazy("Leave blank if unrated."))
    k = _whole("K", 1, _MOST_K, _K_OF_ALL)
    games = GamesField(
        help_text=gettext_lazy(
            "The opponent’s rating and your result, such as “1850 win”, “1920 ½” or “- 0” for an unrated"
            " opponent. Forfeits and byes do not count."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Require K with a rating, and refuse ratings and opponents that the rule book can't use."""
        data: dict[str, Any] = self.cleaned_data
        book, rating = data.get("rule_book"), data.get("rating")
        if rating is not None and "k" in data and data["k"] is None:
            self.add_error("k", _("Enter K."))
        if book in EDITIONS and rating is not None and rating < (floor := EDITIONS[book].floor):
            self.add_error("rating", out_of_range(str(rating), floor))
        try:
            refuse(
                at_line(game.line, fault)
                for game in data.get("games", [])
                if (fault := self._fault(book, game))
            )
        except ValidationError as error:
            self.add_error("games", error)
        return data

    def _fault(self, book: str | None, game: TypedGame) -> str:
        """Say why this rule book can't use a game, or return ""."""
        opponent = game.opponent
        if book in EDITIONS and isinstance(opponent, Decimal) and opponent < EDITIONS[book].floor:
            return out_of_range(str(opponent), EDITIONS[book].floor)
        if book == FORMULA and opponent is None and not isinstance(game.result, Unplayed):
            return _("the FIDE formula needs a rating for each opponent.")
        return ""
