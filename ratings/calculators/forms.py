"""What the calculators ask. Ratings in the forms are points; every fault stands beside its field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from members.models import Member
from ratings.calculators.games import (
    HIGHEST,
    MOST_GAMES,
    GamesField,
    TypedGame,
    at_line,
    out_of_range,
    refuse,
)
from ratings.labels import CATEGORY_NAMES
from ratings.models import Rating
from ratings.rules.b02 import parts as b02_parts
from ratings.rules.formula.estimates import Unplayed
from ratings.rules.rbb.steps import FIRST_RATING_GAMES, FLOOR, UNRATED, Line, open_rating
from ratings.rules.rounding import to_hundredths
from ratings.rules.time_controls import MAX_INCREMENT, MAX_INITIAL, Category

_MOST_PLAYED: Final = 100_000
_MOST_K: Final = 100
_CHOICES: Final = 8
"""Members who are named where several are found."""

_LEAST: Final = FLOOR // 100
_NOT_WHOLE: Final = gettext_lazy("Whole points, please: only RBB ratings have decimals.")


def _whole(label: Any, least: int, most: int, help_text: Any = "", required: bool = False) -> Any:
    return forms.IntegerField(
        label=label, min_value=least, max_value=most, required=required, help_text=help_text
    )


class PointsField(forms.DecimalField):
    """An exact rating (RBB 3.1)."""

    def clean(self, value: Any) -> Decimal | None:
        """With two decimals, however it was typed."""
        points = super().clean(value)
        return None if points is None else points.quantize(Decimal("0.01"))


def _points(label: Any, help_text: Any = "", required: bool = False) -> Any:
    return PointsField(
        label=label,
        min_value=Decimal(_LEAST),
        max_value=Decimal(HIGHEST),
        decimal_places=2,
        required=required,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )


class FideForm(forms.Form):
    """FIDE formula page: own rating, K or games, opponents."""

    rating = _whole(gettext_lazy("Own rating"), _LEAST, HIGHEST, required=True)
    played = _whole(
        gettext_lazy("Rated games before"),
        0,
        _MOST_PLAYED,
        gettext_lazy("They choose K: 40 under 30."),
    )
    k = _whole(gettext_lazy("K by hand"), 1, _MOST_K, gettext_lazy("Empty: 40, 20 or 10 by the rule."))
    floor = _whole(gettext_lazy("Floor"), _LEAST, HIGHEST, gettext_lazy("Of your federation, if it has one."))
    minutes = _whole(gettext_lazy("Minutes a player"), 1, MAX_INITIAL // 60)
    increment = _whole(gettext_lazy("Seconds a move"), 0, MAX_INCREMENT)
    games = GamesField(
        unplayed=True,
        whole=True,
        help_text=gettext_lazy(
            "Rating and result (1, 0.5, 0), such as “1850 1”; “1850 forfeit” and “bye” are not counted."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """K comes from the games before or from the hand; an increment belongs to minutes."""
        data: dict[str, Any] = self.cleaned_data
        typed = {"played", "k"} <= data.keys()
        if typed and data["played"] is None and data["k"] is None:
            self.add_error("played", _("Give the number of rated games before, or K by hand."))
        if data.get("increment") is not None and "minutes" in data and data["minutes"] is None:
            self.add_error("minutes", _("An increment alone is no time control: give the minutes too."))
        return data


class StandingForm(forms.Form):
    """RBB: a member as he stands now in a category, a typed rating, or nobody: unrated."""

    category = forms.ChoiceField(
        label=gettext_lazy("Category"),
        choices=[(category.slug, name) for category, name in CATEGORY_NAMES.items()],
        initial=Category.BLITZ.slug,
    )
    member = forms.CharField(
        label=gettext_lazy("Member"),
        required=False,
        max_length=150,
        help_text=gettext_lazy("As he stands now: username, FIDE ID or name."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    rating = _points(
        gettext_lazy("Or a rating"), gettext_lazy("Exact, such as 1799.60. No member and no rating: unrated.")
    )
    played = _whole(
        gettext_lazy("Games since unrated"),
        FIRST_RATING_GAMES,
        _MOST_PLAYED,
        gettext_lazy("With a rating: K is 40 until 30 (RBB 3.10.3). Empty: K = 40 does not apply."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices: list[Member] = []
        """Several members were found, of whom these are the first."""

    def clean_category(self) -> Category:
        return Category.from_slug(self.cleaned_data["category"])

    def clean_member(self) -> Member | None:
        """The member of this username, or the only one whom the text finds."""
        text = self.cleaned_data["member"]
        if not text:
            return None
        member = Member.objects.filter(username=text).first()
        if member is not None:
            return member
        found = list(Member.objects.matching(text)[: _CHOICES + 1])
        if not found:
            raise ValidationError(_("Nobody is found."))
        if len(found) > 1:
            self.choices = found[:_CHOICES]
            raise ValidationError(_("Several members are found: choose one, or type the username."))
        return found[0]

    def clean(self) -> dict[str, Any]:
        """A start is one of the three; ``standing`` is what it means to the rules."""
        data: dict[str, Any] = self.cleaned_data
        if data.get("member") and data.get("rating") is not None:
            self.add_error("rating", _("A member or a rating, not both."))
        if data.get("played") is not None and "rating" in data and data["rating"] is None:
            self.add_error("played", _("These games belong to a typed rating, and there is none."))
        if not self.errors:
            data["standing"] = self._standing(data)
        return data

    def _standing(self, data: dict[str, Any]) -> Line:
        if data["member"] is not None:
            rating = Rating.objects.filter(member=data["member"], category=data["category"]).first()
            return UNRATED if rating is None else rating.standing
        if data["rating"] is None:
            return UNRATED
        played = data["played"]
        return open_rating(UNRATED, to_hundredths(data["rating"]), played or 0, played is not None)


class WhatIfForm(StandingForm):
    """RBB: games to come, in order."""

    games = GamesField(
        members=True,
        unrated=True,
        help_text=gettext_lazy(
            "Opponent and result (1, 0.5, 0): “1850.25 1”, “- 1” against an unrated one, or a username "
            "instead of a rating: that member as he stands now."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """``games`` with members in the place of their names."""
        data = super().clean()
        if "games" not in data:
            return data
        typed = {game.opponent for game in data["games"] if isinstance(game.opponent, str)}
        members = {member.username: member for member in Member.objects.filter(username__in=typed)}
        games = []
        faults = []
        for game in data["games"]:
            opponent = game.opponent
            if isinstance(opponent, str):
                opponent = members.get(opponent)
                if opponent is None:
                    faults.append(at_line(game.line, _("there is no member “%s”.") % game.opponent[:40]))
                    continue
                if opponent == data.get("member"):
                    faults.append(at_line(game.line, _("nobody plays against himself.")))
                    continue
            games.append(game._replace(opponent=opponent))
        try:
            refuse(faults)
        except ValidationError as error:
            self.add_error("games", error)
        data["games"] = games
        return data


class NeededForm(StandingForm):
    """What a target takes, by the rule book chosen."""

    RBB, FORMULA, B02 = "rbb", "formula", "b02"

    rule_book = forms.ChoiceField(
        label=gettext_lazy("Rule book"),
        choices=[
            (RBB, gettext_lazy("RBB: the arena")),
            (FORMULA, gettext_lazy("FIDE formula")),
            (B02, gettext_lazy("FIDE B.02: over the board")),
        ],
        initial=RBB,
    )
    k = _whole("K", 1, _MOST_K, gettext_lazy("FIDE formula and B.02 only; RBB has its own."))
    opponents = _points(gettext_lazy("Average of the opponents"), required=True)
    number = _whole(
        gettext_lazy("Number of games"),
        1,
        MOST_GAMES,
        gettext_lazy("For a first rating the games that are missing are taken."),
    )
    target = _points(gettext_lazy("Rating to reach"), gettext_lazy("Empty: only what keeps the own rating."))

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
                self._demand(data, "target", _("For a first rating, say which one is to be reached."))
            elif standing is not None:
                self._demand(data, "number", _("Say over how many games."))
        elif book is not None:
            if data.get("member"):
                self.add_error("member", _("Members have RBB ratings; here a rating is typed."))
            if data.get("played") is not None:
                self.add_error("played", _("RBB only: here K says it."))
            self._demand(data, "rating", _("Give the own rating."))
            self._demand(data, "k", _("Give K."))
            self._demand(data, "number", _("Say over how many games."))
            least = b02_parts.FLOOR if book == self.B02 else _LEAST
            for name in ("rating", "opponents", "target"):
                self._whole_points(data, name, least)
        return data

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


class FirstRatingForm(forms.Form):
    """Table 4.1, and RBB 3.6: opponents and results."""

    games = GamesField(
        unrated=True,
        help_text=gettext_lazy(
            "Rating and result (1, 0.5, 0): “1850 1”, “1900.25 0.5”; “- 1” against an unrated opponent."
        ),
    )


class TournamentForm(forms.Form):
    """A tournament over the board, by the rule book chosen."""

    FORMULA, B02 = NeededForm.FORMULA, NeededForm.B02

    rule_book = forms.ChoiceField(
        label=gettext_lazy("Rule book"),
        choices=[
            (B02, gettext_lazy("FIDE B.02: over the board")),
            (FORMULA, gettext_lazy("FIDE formula")),
        ],
        initial=B02,
    )
    rating = _whole(gettext_lazy("Own rating"), _LEAST, HIGHEST, gettext_lazy("Empty: unrated."))
    k = _whole("K", 1, _MOST_K, gettext_lazy("B.02 8.56: 25 under 30 games, then 15, 10 for ever from 2400."))
    games = GamesField(
        unrated=True,
        unplayed=True,
        whole=True,
        help_text=gettext_lazy(
            "Rating and result (1, 0.5, 0): “1850 1”; “- 1” against an unrated opponent; “1850 forfeit” and "
            "“bye” are not counted."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """K with a rating, and no rating under 1200 in B.02."""
        data: dict[str, Any] = self.cleaned_data
        if data.get("rating") is not None and "k" in data and data["k"] is None:
            self.add_error("k", _("Give K."))
        book = data.get("rule_book")
        floor = b02_parts.FLOOR
        if book == self.B02 and data.get("rating") is not None and data["rating"] < floor:
            self.add_error("rating", out_of_range(str(data["rating"]), floor))
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
        """What this rule book has against a game."""
        opponent = game.opponent
        if book == self.B02 and isinstance(opponent, Decimal) and opponent < b02_parts.FLOOR:
            return out_of_range(str(opponent), b02_parts.FLOOR)
        if book == self.FORMULA and opponent is None and not isinstance(game.result, Unplayed):
            return _("the FIDE formula has no unrated opponents.")
        return ""
