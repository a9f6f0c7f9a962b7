"""Decisions about games that are possibly a stored one: one game told twice, or two games."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foa.said import gettext
from foa.text import utc_text
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact
from ratings.office.models import PublicReason
from ratings.rbb.decisions.games import OfGames, game_label
from ratings.rbb.ledger.corrections import ask_about_games, rate_other_games, void_games
from ratings.rbb.ledger.known_games import add_what_is_missing, take_away_what_was_added
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models import Game


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
    register_title = ngettext_lazy("%d second report of a game settled", "%d second reports of games settled")
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
    title = _("Two games: rate the second, too")
    register_title = ngettext_lazy("%d game told apart", "%d games told apart")
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
        "Asked again whether %d game is the same as another",
        "Asked again whether %d games are the same as others",
    )
    button = _("Ask again about")
    skipped = _("Nothing was decided about these (skipped):")
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
        told = gettext("Game %(number)d loses what it was given from game %(second)d.")
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
