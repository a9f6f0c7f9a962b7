"""The decisions about the arena’s ratings, each run through what holds for every kind."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import ClassVar

import pytest

from members.models import AccountClosure
from ratings.rbb.closures import close_account
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import ADJUSTMENT_FIELDS, OPENING_FIELDS, parameters_of
from ratings.rbb.ledger.corrections import abort_games, rate_other_games, void_games
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import (
    ArenaEvent,
    Game,
    OpeningRating,
    OtbAdjustment,
    RatingChange,
    RatingList,
    RuleEdition,
)
from ratings.rules.time_controls import Category
from tests.arena import at, game, rated
from tests.decisions import DecisionCase, decided, undo
from tests.pages import words


class OfTheLedger(DecisionCase):
    """Three members and two games; what is between them decides what each decision moves."""

    def arrange(self):
        self.anna, self.bob, self.carl = rated(1800), rated(1700), rated(1600)
        self.first = game(self.anna, self.bob, "1-0", minute=10)
        game(self.bob, self.carl, "0-1", minute=20)
        return self.asked()

    def asked(self):
        return {"game": [str(self.first.pk)]}

    def disturb(self):
        """A result that comes late moves other ratings along."""
        game(self.anna, self.carl, "0-1", minute=15)

    def state(self):
        """All that a decision about inputs may alter; keys may differ after something is entered again."""
        games = Game.objects.order_by("ended_at", "white", "black")
        lines = RatingChange.objects.order_by("member", "occurred_at", "reason", "after")
        return [
            [(one.white, one.black, one.result, one.voided_at is None) for one in games],
            list(
                OpeningRating.objects.order_by("effective_at", "member", "rating").values_list(
                    "member", "rating"
                )
            ),
            list(OtbAdjustment.objects.order_by("member").values_list("member", "change")),
            list(lines.values_list("member", "before", "after")),
        ]


class TestVoidGames(OfTheLedger):
    kind = "void-games"
    shows_mechanism = True


class OfGamesToldTwice(OfTheLedger):
    """The first game came again under another id; the second report isn’t rated."""

    def arrange(self):
        super().arrange()
        told = {"started_at": self.first.started_at, "ended_at": self.first.ended_at}
        self.again = game(self.anna, self.bob, "1-0", **told)
        assert self.again.possibly_same == self.first
        return {"game": [str(self.again.pk)]}

    def state(self):
        waiting = Game.objects.to_tell_apart().values_list("possibly_same", flat=True)
        return [*super().state(), list(waiting)]


class TestSameGame(OfGamesToldTwice):
    kind = "same-game"

    def disturb(self):
        """Somebody says that they are two games. A result of others would change nothing."""
        rate_other_games(games=[self.again], by=None, reason="Two games")


class TestOtherGame(OfGamesToldTwice):
    kind = "other-game"


class TestAskAboutGames(OfGamesToldTwice):
    """Somebody said that they are two games; the officer wants to decide that again."""

    kind = "ask-about-games"
    undoable = False

    def arrange(self):
        asked = super().arrange()
        rate_other_games(games=[self.again], by=None, reason="Two games")
        return asked


class TestReinstateGames(OfTheLedger):
    kind = "reinstate-games"

    def asked(self):
        void_games(games=[self.first], by=None, reason="error", at=at(500))
        return super().asked()


class TestCorrectGame(OfTheLedger):
    kind = "correct-game"

    def asked(self):
        return {**parameters_of(self.first, GAME_FIELDS), "game": [str(self.first.pk)], "result": ["0-1"]}


class TestDeleteGames(OfTheLedger):
    kind = "delete-games"


class TestEnterGame(OfTheLedger):
    kind = "enter-game"

    def asked(self):
        entered = parameters_of(self.first, GAME_FIELDS)
        self.first.delete()
        return entered


class TestEndGames(OfTheLedger):
    """Two games in progress, of which one was rated, and one that has ended."""

    kind = "end-games"
    is_public = False

    def asked(self):
        self.open = [
            game(self.anna, self.carl, "", minute=40, ended_at=None),
            game(
                self.bob, self.carl, "", minute=40, ended_at=None, rated=False, unrated_reason="casual game"
            ),
        ]
        return {"game": [str(one.pk) for one in (*self.open, self.first)]}

    def disturb(self):
        """The server tells how one of them ended."""
        one = self.open[1]
        one.result, one.termination, one.ended_at = "1-0", "normal", at(70)
        one.save()

    def state(self):
        ends = Game.objects.order_by("pk").values_list("pk", "termination", "rated", "unrated_reason")
        return [*super().state(), list(ends), list(Game.objects.in_progress().order_by("pk"))]


class TestResumeGames(TestEndGames):
    kind = "resume-games"

    def asked(self):
        asked = super().asked()
        abort_games(games=self.open, by=None, at=at(60), reason="forgotten")
        self.open[1].refresh_from_db()
        return {**asked, "rated": [str(self.open[0].pk)]}


@pytest.mark.django_db
def test_a_game_that_was_deleted_by_mistake_comes_back_with_all_that_its_server_told():
    event = ArenaEvent.objects.create(external_id="arena/spring", name="Spring Cup")
    details = {"event": event, "round": "3", "url": "https://arena.example/7", "termination_word": "Time"}
    played = game(rated(1800), rated(1700), **details)
    casual = {"rated": False, "unrated_reason": "variant", "variant": "chess960"}
    other = game(played.white, played.black, minute=20, **details, **casual)
    for one in (played, other):
        before = Game.objects.filter(pk=one.pk).values()
        told = [{name: value for name, value in row.items() if name != "id"} for row in before]
        undo(decided("delete-games", game=[str(one.pk)]))
        stored = Game.objects.latest("pk")
        assert [{**row, **told[0]} for row in Game.objects.filter(pk=stored.pk).values()] == list(
            Game.objects.filter(pk=stored.pk).values()
        )


class TestCloseAccount(OfTheLedger):
    """Anna's account, from after the first game on; that game is from before and becomes void with it."""

    kind = "close-account"

    def asked(self):
        return {
            "member": [str(self.anna.pk)],
            "closed_from": ["2026-03-01T00:12"],
            "category": ["fair-play"],
            "games": ["all"],
            "since": ["2026-03-01"],
        }

    def state(self):
        closures = AccountClosure.objects.order_by("pk").values_list("member", "closed_from", "category")
        return [*super().state(), list(closures)]


class TestReopenAccount(TestCloseAccount):
    kind = "reopen-account"
    undoable = False

    def asked(self):
        closure = AccountClosure(
            member=self.anna,
            closed_from=at(12),
            games_since=at(0),
            category="fair-play",
            decided_at=at(500),
        )
        close_account(closure=closure, opponents=[], by=None)
        return {"closure": [str(closure.pk)]}

    def disturb(self):
        game(self.bob, self.carl, "0-1", minute=15)


class OfAnOpening(OfTheLedger):
    """The starting rating of the first member."""

    def opening(self):
        return OpeningRating.objects.get(member=self.anna)


class TestEnterOpening(OfAnOpening):
    kind = "enter-opening"

    def asked(self):
        entered = parameters_of(self.opening(), OPENING_FIELDS)
        self.opening().delete()
        return entered


class TestCorrectOpening(OfAnOpening):
    kind = "correct-opening"

    def asked(self):
        asked = parameters_of(self.opening(), OPENING_FIELDS)
        return {**asked, "openingrating": [str(self.opening().pk)], "rating": ["1900.00"]}


class TestDeleteOpenings(OfAnOpening):
    kind = "delete-openings"

    def asked(self):
        return {"openingrating": [str(self.opening().pk)]}


class OfAnAdjustment(OfTheLedger):
    """An over-the-board change of the first member, between the two games."""

    def adjustment(self):
        return OtbAdjustment(
            member=self.anna,
            category=Category.BLITZ,
            period=date(2026, 3, 1),
            change=Decimal("12.50"),
            effective_at=at(12),
            source="by hand",
        )


class TestEnterAdjustment(OfAnAdjustment):
    kind = "enter-adjustment"

    def asked(self):
        return parameters_of(self.adjustment(), ADJUSTMENT_FIELDS)


class TestCorrectAdjustment(OfAnAdjustment):
    kind = "correct-adjustment"

    def asked(self):
        adjustment = self.adjustment()
        adjustment.save()
        asked = parameters_of(adjustment, ADJUSTMENT_FIELDS)
        return {**asked, "otbadjustment": [str(adjustment.pk)], "change": ["-3.00"]}


class TestDeleteAdjustments(OfAnAdjustment):
    kind = "delete-adjustments"

    def asked(self):
        adjustment = self.adjustment()
        adjustment.save()
        return {"otbadjustment": [str(adjustment.pk)]}


class TestPublishLists(OfTheLedger):
    kind = "publish-lists"
    shows_mechanism = True
    undoable = False

    def asked(self):
        return {"month": ["2026-04"], "category": ["rapid", "blitz", "bullet"]}

    def state(self):
        return list(
            RatingList.objects.order_by("pk").values_list("month", "category", "revision", "checksum")
        )


class TestRevisingLists(TestPublishLists):
    """A revision of a list that a late result has changed."""

    def asked(self):
        asked = super().asked()
        for category in Category:
            publish(category=category, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(100_000))
        game(self.carl, self.anna, "1-0", minute=17)
        return {**asked, "revise": ["on"]}


class TestReviseLists(TestRevisingLists):
    """Exactly the lists that are named."""

    kind = "revise-lists"
    shows_mechanism = False

    def asked(self):
        super().asked()
        return {"list": [str(RatingList.objects.latest_of(Category.BLITZ).pk)]}

    @pytest.mark.rendered
    def test_a_list_that_was_revised_meanwhile_is_refused_by_its_name(self, officer):
        self.confirmed(officer)
        page = officer.get(self.address(), self.parameters)
        assert "Blitz April 2026, revision 1 has been replaced by a later revision." in words(page)


class OfEditions(OfTheLedger):
    """Blitz has another K from before the first game on."""

    rules: ClassVar[dict[str, list[str]]] = {
        "since": ["2026-03-01"],
        "toml": ['[[k.rule]]\nk = 15\ncategory = "blitz"\nrating_from = 1750\n'],
    }

    def state(self):
        return [*super().state(), list(RuleEdition.objects.values_list("since", "toml"))]


class TestPutIntoForce(OfEditions):
    kind = "put-edition-into-force"

    def asked(self):
        return self.rules


class TestWithdrawEdition(OfEditions):
    kind = "withdraw-edition"

    def asked(self):
        with deferred():
            RuleEdition(since=date(2026, 3, 1), toml=self.rules["toml"][0]).save()
        return {"since": self.rules["since"]}
