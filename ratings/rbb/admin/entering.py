"""Form for entering a game, which warns before storing."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.typed import ModelForm
from ratings.formats.pgn_entry import disagreements
from ratings.rbb.models import Game

_SHOWN: Final = 5


class GameForm(ModelForm[Game]):
    """Form of a game. ``twice``: confirms storing a duplicate; shown only for one."""

    twice = forms.BooleanField(
        label=_("Store it once more"),
        required=False,
        help_text=_("Only if the two members really played both games."),
    )

    def clean(self) -> Any:
        """Raise ValidationError for a PGN that contradicts the form, or a game that is already stored."""
        cleaned = super().clean()
        faults = {}
        if {"pgn", "result", "plies", "white", "black"} & set(self.changed_data):
            faults["pgn"] = _disagreements(self.cleaned_data)
        if self.instance.pk is None and not self.cleaned_data.get("twice"):
            faults["twice"] = _the_same(self.cleaned_data)
        if any(faults.values()):
            raise ValidationError({name: found for name, found in faults.items() if found})
        return cleaned


def _disagreements(entered: dict[str, Any]) -> list[str]:
    players = [entered.get(colour) for colour in ("white", "black")]
    if None in players:
        return []
    white, black = ({who.username, who.name, str(who)} for who in players if who)
    return disagreements(
        entered.get("pgn") or "",
        result=entered.get("result") or "",
        plies=entered.get("plies"),
        white=white,
        black=black,
    )


def _the_same(entered: dict[str, Any]) -> list[str]:
    """Return messages on stored games of the same players, start and result, with links."""
    wanted = {name: entered.get(name) for name in ("white", "black", "started_at", "result")}
    if None in wanted.values():
        return []
    # By the index on White's games, among those with this end or in progress.
    games = Game.objects.filter(**wanted).order_by("pk").values_list("pk", flat=True)[:_SHOWN]
    links = [(reverse("admin:ratings_game_change", args=(pk,)), pk) for pk in games]
    if not links:
        return []
    listed = format_html_join(", ", '<a href="{}">{}</a>', links)
    told = gettext("The same players, start and result are already stored as game {}. Is it another game?")
    return [format_html(told, listed)]
