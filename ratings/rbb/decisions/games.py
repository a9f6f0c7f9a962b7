"""Decisions about games: void, reinstate, correct, delete, enter; and whether two are one game told twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foa.said import gettext, ngettext
from foa.text import utc, utc_text
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import AboutRow, Effect, Fact
from ratings.office.forms import SomeOf
from ratings.office.models import PublicReason
from ratings.rbb.decisions.base import LedgerKind, effect_of, game_subject, listed
from ratings.rbb.decisions.inputs import CorrectInput, DeleteInputs, EnterInput
from ratings.rbb.labels import waiting_text
from ratings.rbb.ledger.corrections import (
    abort_games,
    ask_about_games,
    rate_games,
    rate_other_games,
    reinstate_games,
    resume_games,
    unrate_games,
    void_games,
)
from ratings.rbb.ledger.known_games import add_what_is_missing, take_away_what_was_added
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL

MANY_GAMES: Final = 500
"""Number of games from which a decision is left to the worker: each takes some 3 ms."""

GAME_FIELDS = (
    "white",
    "black",
    "time_control",
    "rated",
    "unrated_reason",
    "result",
    "termination",
    "plies",
    "started_at",
    "ended_at",
    "external_id",
    "pgn",
)

DETAIL_FIELDS = ("termination_word", "event", "round", "url", "variant", "possibly_same")
"""Fields that only servers and files supply. They are kept with a deleted game, and restored with it."""


class ChosenGamesForm(forms.Form):
    game = SomeOf(Game.objects.with_names().select_related("voided_by").order_by("ended_at", "pk"))


class OfGames(LedgerKind):
    """A decision about several games, with one replay. ``skipped``: reason why chosen games are left out."""

    permission = "ratings.change_game"
    form: ClassVar[Any] = ChosenGamesForm
    chosen: ClassVar[tuple[str, ...]] = ("game",)
    skipped: ClassVar[Any] = ""
    register_title: ClassVar[Any]
    """Plural forms with the number of games."""
    template = "admin/ratings/game/_decided.html"
    words = {**LedgerKind.words, "ended": _("ended without a result"), "in progress": _("in progress")}

    def is_long(self, asked: Mapping[str, Any]) -> bool:
        return sum(len(asked[name]) for name in self.chosen) >= MANY_GAMES

    def public_heading(self, parameters: Parameters) -> str:
        """Say how many games, without naming any."""
        number = sum(len(parameters.get(name, ())) for name in self.chosen)
        return str(self.register_title % number)

    def subject(self, asked: Mapping[str, Any]) -> str:
        return listed(game_subject(one) for name in self.chosen for one in asked[name])

    def confirm_label(self, effect: Effect) -> str:
        number = len(effect.inputs)
        words = {"what": self.button, "number": number}
        return ngettext("%(what)s %(number)d game", "%(what)s %(number)d games", number) % words

    def effect(
        self, decision: Decision, games: list[Game], summary: ReplaySummary, after: str, undo: str
    ) -> Effect:
        """Return the effect on these games, and on ratings; it names the chosen games that were skipped."""
        effect = effect_of(summary)
        effect.facts += facts_of_games(games, after)
        effect.objects = list(games)
        effect.undo = (undo, {"game": [str(one.pk) for one in games]})
        if self.skipped:
            kept = set(games)
            left_out = [one for one in decision.asked["game"] if one not in kept]
            effect.result = {"left_out": left_out, "why": self.skipped}
        return effect


def facts_of_games(games: Collection[Game], after: str) -> list[Fact]:
    """Return what a decision makes of each of these games, and which of them have to be told apart first."""
    waiting = list(
        Game.objects.to_tell_apart().filter(pk__in=[one.pk for one in games]).with_names().order_by("pk")
        if after in ("rated", "counts")
        else ()
    )
    return [
        *(
            Fact(
                "inputs",
                str(AboutRow("game", one.pk)),
                game_label(one),
                after="unrated" if one in waiting else after,
            )
            for one in games
        ),
        *(Fact("warnings", f"game {one.pk} waits", waiting_text(one)) for one in waiting),
    ]


def game_label(game: Game) -> str:
    """Name a game in the list of a decision's changes."""
    return f"{game}, {utc(game.ended_at or game.started_at)}"


@register
class VoidGames(OfGames):
    """Decision to void games. Those that are already void are skipped."""

    name = "void-games"
    title = _("Void games")
    register_title = ngettext_lazy("%d game voided", "%d games voided")
    button = _("Void")
    skipped = _("Already void (skipped):")

    def apply(self, decision: Decision) -> Effect:
        games = [one for one in decision.asked["game"] if one.voided_at is None]
        summary = void_games(
            games=games,
            by=decision.by,
            at=decision.at,
            reason=decision.text or decision.reason,
            note=decision.note,
        )
        return self.effect(decision, games, summary, "void", "reinstate-games")


@register
class ReinstateGames(OfGames):
    """Decision to reinstate void games, each in its old place. Those that aren't void are skipped."""

    name = "reinstate-games"
    title = _("Reinstate games")
    register_title = ngettext_lazy("%d game reinstated", "%d games reinstated")
    button = _("Reinstate")
    skipped = _("Not void (skipped):")

    def apply(self, decision: Decision) -> Effect:
        games = [one for one in decision.asked["game"] if one.voided_at is not None]
        summary = reinstate_games(games=games, by=decision.by, reason=decision.note or decision.reason)
        return self.effect(decision, games, summary, "counts", "void-games")


@register
class EndGames(OfGames):
    """Decision to end games in progress without a result. Those that have ended are skipped."""

    name = "end-games"
    title = _("End games without a result")
    register_title = ngettext_lazy("%d game ended without a result", "%d games ended without a result")
    button = _("End")
    skipped = _("Already ended (skipped):")
    is_public = False

    def apply(self, decision: Decision) -> Effect:
        """End them unrated: the result is unknown, so no rating moves."""
        games = [one for one in decision.asked["game"] if one.ended_at is None and one.voided_at is None]
        abort_games(games=games, by=decision.by, at=decision.at, reason=decision.note)
        effect = self.effect(decision, games, ReplaySummary(), "ended", "resume-games")
        rated = [str(one.pk) for one in games if one.rated]
        effect.undo = ("resume-games", {"game": [str(one.pk) for one in games], "rated": rated})
        return effect


class ResumeForm(ChosenGamesForm):
    """Form for games, and which of them were rated."""

    rated = SomeOf(Game.objects.order_by("pk"), required=False)


@register
class ResumeGames(OfGames):
    """Decision to resume games that were ended without a result. Those with a result are skipped."""

    name = "resume-games"
    title = _("Set games back to “in progress”")
    register_title = ngettext_lazy("%d game in progress again", "%d games in progress again")
    button = _("Resume")
    skipped = _("Not ended without a result (skipped):")
    is_public = False
    form = ResumeForm

    def apply(self, decision: Decision) -> Effect:
        games = [one for one in decision.asked["game"] if one.ended_unplayed and one.voided_at is None]
        rated = {one.pk for one in decision.asked["rated"]}
        resume_games(games=games, rated=rated, by=decision.by, reason=decision.note)
        return self.effect(decision, games, ReplaySummary(), "in progress", "end-games")


@register
class RateGames(OfGames):
    """RBB 2.1: decision to rate games that were unrated for lack of full membership and are now covered."""

    name = "rate-games"
    title = _("Rate games kept unrated for lack of full membership")
    register_title = ngettext_lazy(
        "%d game rated, previously kept unrated for lack of full membership",
        "%d games rated, previously kept unrated for lack of full membership",
    )
    button = _("Rate")
    skipped = _("Already rated (skipped):")

    def apply(self, decision: Decision) -> Effect:
        games = [one for one in decision.asked["game"] if not one.rated]
        summary = rate_games(games=games, by=decision.by, reason=decision.note or decision.reason)
        effect = self.effect(decision, games, summary, "rated", "unrate-games")
        void = Game.objects.filter(pk__in=[one.pk for one in games], voided_at__isnull=False)
        told = gettext("%s: void, the account of a player is closed.")
        effect.facts += [
            Fact("warnings", f"game {one.pk}", told % game_label(one))
            for one in void.with_names().order_by("pk")
        ]
        effect.undo = ("unrate-games", lacking_parameters((one, one.unrated_reason) for one in games))
        return effect


class UnrateForm(forms.Form):
    """Form for games, grouped by the player without full membership."""

    white = SomeOf(Game.objects.with_names().order_by("ended_at", "pk"), required=False)
    black = SomeOf(Game.objects.with_names().order_by("ended_at", "pk"), required=False)
    both = SomeOf(Game.objects.with_names().order_by("ended_at", "pk"), required=False)

    def clean(self) -> None:
        """Require at least one game."""
        if not any(self.cleaned_data.values()):
            raise ValidationError(_("Choose the games."))


_LACKING: Final = dict(zip(("white", "black", "both"), NOT_FULL, strict=True))
"""Reasons stored with a game, by the player without full membership."""


def lacking_parameters(games: Iterable[tuple[Game, str]]) -> dict[str, list[str]]:
    """Return the parameters of :class:`UnrateGames` for these games, each with its stored reason."""
    listed = list(games)
    found = {name: [str(one.pk) for one, why in listed if why == text] for name, text in _LACKING.items()}
    return {name: keys for name, keys in found.items() if keys}


@register
class UnrateGames(OfGames):
    """RBB 2.1: decision to unrate games that were played without full membership."""

    name = "unrate-games"
    title = _("Make games unrated for lack of full membership")
    register_title = ngettext_lazy(
        "%d game made unrated for lack of full membership",
        "%d games made unrated for lack of full membership",
    )
    button = _("Make unrated")
    form = UnrateForm
    chosen = ("white", "black", "both")

    def apply(self, decision: Decision) -> Effect:
        games = {
            one: why
            for name, why in _LACKING.items()
            for one in decision.asked[name]
            if one.rated or one.waits
        }
        summary = unrate_games(games=games, by=decision.by, reason=decision.note or decision.reason)
        effect = self.effect(decision, list(games), summary, "unrated", "rate-games")
        if any(one.unmet_conditions() for one in games):
            effect.undo = None
        return effect


@register
class CorrectGame(CorrectInput):
    name = "correct-game"
    title = _("Correct a game")
    register_title = _("Game corrected")
    permission = "ratings.change_game"
    model, fields = Game, GAME_FIELDS


@register
class DeleteGames(DeleteInputs):
    """Decision to delete rated games that should never have been entered."""

    name = "delete-games"
    title = _("Delete games")
    register_title = ngettext_lazy("%d game deleted", "%d games deleted")
    permission = "ratings.delete_game"
    model, fields, enters = Game, (*GAME_FIELDS, *DETAIL_FIELDS), "enter-game"

    def apply(self, decision: Decision) -> Effect:
        """Delete them, and say which other reports of them stay void."""
        chosen = [one.pk for one in decision.asked["game"]]
        void = Game.objects.filter(possibly_same__in=chosen, voided_at__isnull=False).exclude(pk__in=chosen)
        told = gettext(
            "Game %(number)d is void as a second report of game %(first)d, which is being deleted. "
            "Reinstate and rate it if it was played."
        )
        facts = [
            Fact(
                "warnings",
                f"game {one.pk} void",
                told % {"number": one.pk, "first": one.possibly_same_id},
            )
            for one in void.order_by("pk")
        ]
        effect = super().apply(decision)
        effect.facts += facts
        return effect


@register
class EnterGame(EnterInput):
    """Decision to enter a game that moves ratings behind the newest ones.

    A game that is the newest of both players is a fact, not a decision.
    """

    name = "enter-game"
    title = _("Enter a game")
    register_title = _("Game entered")
    permission = "ratings.add_game"
    model, fields, deletes = Game, (*GAME_FIELDS, *DETAIL_FIELDS), "delete-games"


def _asked_about(games: list[Game]) -> list[Game]:
    """Return the games about which nobody has decided yet, as now stored; lock them and the first reports."""
    keys = [one.pk for one in games]
    firsts = [one.possibly_same_id for one in games if one.possibly_same_id is not None]
    Game.objects.filter(pk__in=[*keys, *firsts]).lock()
    asked = Game.objects.with_names().to_tell_apart().filter(pk__in=keys)
    return list(
        asked.select_related("possibly_same__white", "possibly_same__black").order_by("ended_at", "pk")
    )


@register
class SameGame(OfGames):
    """Decision that games are second reports of stored ones, which take what they lack."""

    name = "same-game"
    title = _("Same game: keep the first report")
    register_title = ngettext_lazy("%d duplicate report resolved", "%d duplicate reports resolved")
    button = _("Keep the first report")
    skipped = _("Already decided (skipped):")
    asks_reason = False

    def confirm_label(self, effect: Effect) -> str:
        """Say what stays: the games of the effect are those that go."""
        return str(self.button)

    def apply(self, decision: Decision) -> Effect:
        asked = _asked_about(list(decision.asked["game"]))
        # Without its first report, the second is the only one.
        games = [one for one in asked if one.possibly_same_id is not None]
        if not games:
            return self.effect(decision, games, ReplaySummary(), "void", "ask-about-games")
        for one in games:
            add_what_is_missing(one, by=decision.by)
        summary = void_games(
            games=games,
            by=decision.by,
            at=decision.at,
            reason=PublicReason.DUPLICATE,
            note=decision.note or "the same game as an earlier one",
        )
        effect = self.effect(decision, games, summary, "void", "ask-about-games")
        told = gettext("Game %(number)d, the first report, is void: the game won’t count at all.")
        effect.facts += [
            Fact("warnings", f"game {one.pk} void", told % {"number": one.possibly_same_id})
            for one in games
            if one.possibly_same is not None and one.possibly_same.voided_at is not None
        ]
        stays = gettext("The first report stays: game %(number)d, %(game)s.")
        effect.facts += [
            Fact(
                "warnings",
                f"game {key} stays",
                stays % {"number": key, "game": game_label(first)},
                after=f"{first}, {utc_text(first.started_at)}",
            )
            for key, first in {one.possibly_same_id: one.possibly_same for one in games}.items()
            if first is not None
        ]
        return effect


@register
class OtherGame(OfGames):
    """Decision that games are other ones than those that they look like: they are rated."""

    name = "other-game"
    title = _("Different games: rate the second one too")
    register_title = ngettext_lazy("%d game confirmed as separate", "%d games confirmed as separate")
    button = _("Rate")
    skipped = _("Already decided (skipped):")
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        games = _asked_about(list(decision.asked["game"]))
        summary = ReplaySummary()
        if games:
            summary = rate_other_games(games=games, by=decision.by, reason=decision.note or "another game")
        return self.effect(decision, games, summary, "rated", "ask-about-games")


@register
class AskAboutGames(OfGames):
    """Decision that takes one of these back: the games are unrated, and somebody has to decide again."""

    name = "ask-about-games"
    title = _("Ask again whether games are the same")
    register_title = ngettext_lazy(
        "%d possible duplicate reopened",
        "%d possible duplicates reopened",
    )
    button = _("Ask again about")
    skipped = _("No decision to reopen (skipped):")
    asks_reason = False

    def apply(self, decision: Decision) -> Effect:
        asked = list(decision.asked["game"])
        waiting = set(_asked_about(asked))
        games = [one for one in asked if one.possibly_same_id is not None and one not in waiting]
        summary = ReplaySummary()
        settled = [one for one in games if one.voided_at is not None]
        lost = [one for one in settled if take_away_what_was_added(one, by=decision.by)]
        if games:
            summary = ask_about_games(games=games, by=decision.by, reason=decision.note or "decided anew")
        effect = self.effect(decision, games, summary, "unrated", "ask-about-games")
        told = gettext("Game %(number)d loses the details it took from game %(second)d.")
        effect.facts += [
            Fact(
                "warnings",
                f"game {one.possibly_same_id} lost",
                told % {"number": one.possibly_same_id, "second": one.pk},
            )
            for one in lost
        ]
        effect.undo = None
        return effect
