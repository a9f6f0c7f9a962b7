"""The decisions about the arena's ratings."""

from ratings.models import Game, OpeningRating, OtbAdjustment, RatingChange
from tests.arena import game, rated
from tests.decisions import DecisionCase


def ledger():
    """All that a decision about inputs may alter."""
    return [
        list(Game.objects.order_by("pk").values_list("pk", "result", "void_reason", "ended_at")),
        list(OpeningRating.objects.order_by("effective_at", "member").values_list("member", "rating")),
        list(OtbAdjustment.objects.order_by("effective_at", "member").values_list("member", "change")),
        list(RatingChange.objects.order_by("member", "occurred_at").values_list("member", "before", "after")),
    ]


class OfTheLedger(DecisionCase):
    """Three members and three games."""

    def arrange(self):
        self.anna, self.bob, self.carl = rated(1800), rated(1700), rated(1600)
        self.first = game(self.anna, self.bob, "1-0", minute=10)
        game(self.bob, self.carl, "0-1", minute=20)
        return self.asked()

    def disturb(self):
        game(self.anna, self.carl, "0-1", minute=15)

    def state(self):
        return ledger()


class TestVoidGames(OfTheLedger):
    kind = "void-games"

    def asked(self):
        return {"game": [str(self.first.pk)]}
