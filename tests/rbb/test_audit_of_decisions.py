"""The audit of decisions: what an applied change set says stands, unless something came later."""

import os
import random
from contextlib import suppress

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from members.models import AccountClosure, Member
from ratings.office.audit import audit
from ratings.office.models import AuditFinding, ChangeSet
from ratings.rbb.decisions.games import GAME_FIELDS, lacking_parameters
from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import START, at, game, rated
from tests.audits import sql
from tests.decisions import decided, undo
from tests.histories import at_most
from tests.rbb.closing import asked

EXAMPLES = int(os.environ.get("DECISION_EXAMPLES", at_most(15)))


def found():
    """What the check finds now."""
    audit(only=["decisions-carried-out"])
    rows = AuditFinding.objects.filter(is_there=True).order_by("key")
    return [one.text % one.words for one in rows]


@pytest.fixture
def games(db):
    anna, bob = rated(1600), rated(1700)
    return [game(anna, bob, minute=minute) for minute in (10, 20, 30)]


def keys(games):
    return [str(one.pk) for one in games]


class TestWhatIsFound:
    def test_a_game_that_a_void_has_left_out_and_the_mend_voids_it(self, games):
        done = decided("void-games", game=keys(games[:2]))
        # As 0.11.7 did: the decision names it, and neither the game nor its history knows of it.
        sql("UPDATE ratings_game SET voided_at = NULL, void_reason = '' WHERE id = %s", games[0].pk)
        sql("DELETE FROM ratings_historicalgame WHERE id = %s", games[0].pk)
        assert found() == [f"Decision #{done.pk} voided {games[0]} (game {games[0].pk}), but it isn’t void."]
        mends = AuditFinding.objects.get().mends
        decided(mends["kind"], **mends["parameters"])
        assert found() == []

    def test_a_game_that_counts_again_without_a_word(self, games):
        decided("void-games", game=keys(games[:1]))
        sql("UPDATE ratings_game SET voided_at = NULL, void_reason = '' WHERE id = %s", games[0].pk)
        assert len(found()) == 1

    def test_games_that_were_not_reinstated_rated_or_unrated(self, games):
        first, second, third = games
        undo(decided("void-games", game=keys([first])))
        rates = decided("unrate-games", both=keys([second, third]))
        undo(rates)
        decided("unrate-games", both=keys([third]))
        assert found() == []
        sql("UPDATE ratings_game SET voided_at = %s, void_reason = 'x' WHERE id = %s", at(90), first.pk)
        sql(
            "UPDATE ratings_game SET rated = %s, unrated_reason = %s WHERE id = %s",
            False,
            NOT_FULL[2],
            second.pk,
        )
        sql("UPDATE ratings_game SET rated = %s, unrated_reason = '' WHERE id = %s", True, third.pk)
        assert [text.partition(", but ")[2] for text in found()] == [
            "it is void.",
            "it is unrated.",
            "it is rated.",
        ]

    def test_games_of_a_closure_that_it_left_out_and_a_closure_that_is_gone(self, games):
        anna = games[0].white
        done = decided("close-account", **asked(anna))
        sql("UPDATE ratings_game SET voided_at = NULL, void_reason = '' WHERE id = %s", games[1].pk)
        assert found() == [f"Decision #{done.pk} voided {games[1]} (game {games[1].pk}), but it isn’t void."]
        closure = AccountClosure.objects.get()
        sql("DELETE FROM members_accountclosure WHERE id = %s", closure.pk)
        assert f"Decision #{done.pk} entered accountclosure {closure.pk}" in "".join(found())

    def test_an_input_that_is_not_there_and_one_that_is_still_there(self, games):
        values = parameters_of(OpeningRating.objects.first(), OPENING_FIELDS)
        entered = decided(
            "enter-opening", **{**values, "category": ["1"], "effective_at": ["2026-03-01T00:00:00Z"]}
        )
        opening = OpeningRating.objects.latest("pk")
        assert found() == []
        sql("DELETE FROM ratings_rating WHERE member_id = %s AND category = 1", opening.member_id)
        sql("DELETE FROM ratings_ratingchange WHERE opening_id = %s", opening.pk)
        sql("DELETE FROM ratings_openingrating WHERE id = %s", opening.pk)
        (told,) = found()
        assert told.startswith(f"Decision #{entered.pk} entered openingrating {opening.pk}")

    def test_a_correction_that_is_not_there(self, games):
        first = games[0]
        values = parameters_of(first, GAME_FIELDS) | {"result": ["0-1"]}
        done = decided("correct-game", game=[str(first.pk)], **values)
        assert found() == []
        sql("UPDATE ratings_game SET result = '1-0' WHERE id = %s", first.pk)
        first.refresh_from_db()
        assert found() == [
            f"Decision #{done.pk} corrected {first} (game {first.pk}), setting result to “0-1”. It "
            "now has a different value."
        ]

    def test_a_merge_that_is_not_there(self, games):
        keep, other = rated(1500), rated(1550)
        done = decided("merge-members", keep=[str(keep.pk)], other=[other.username])
        assert found() == []
        sql("UPDATE members_member SET merged_into_id = NULL WHERE id = %s", other.pk)
        assert len(found()) == 1
        sql("UPDATE members_member SET merged_into_id = %s WHERE id = %s", keep.pk, other.pk)
        undo(done)
        assert found() == []


class TestWhatIsNotFound:
    def test_what_somebody_changed_later_without_a_decision(self, games):
        last = games[-1]
        decided("unrate-games", both=keys([last]))
        last.refresh_from_db()
        last.rated, last.unrated_reason = True, ""
        last.save()
        assert found() == []

    def test_games_that_were_deleted_and_entered_again(self, games):
        done = decided("delete-games", game=keys(games[:1]))
        undo(done)
        assert found() == []

    def test_the_statements_are_the_same_for_many_games(self, games, django_assert_num_queries):
        decided("void-games", game=keys(games))
        found()
        with django_assert_num_queries(12):
            audit(only=["decisions-carried-out"])
        anna, bob = rated(1600), rated(1700)
        many = [game(anna, bob, minute=minute) for minute in range(40, 80)]
        change_set = ChangeSet.objects.get()
        change_set.parameters["game"] += keys(many)
        change_set.save()
        sql("UPDATE ratings_game SET voided_at = %s, void_reason = 'x'", at(90))
        with django_assert_num_queries(12):
            audit(only=["decisions-carried-out"])
        assert found() == []


STEPS = (
    *("void", "reinstate", "unrate", "rate", "correct", "delete", "close", "reopen", "spans", "merge"),
    *("opening", "direct", "undo", "undo"),
)


class Deciding:
    """Decisions by chance, about whatever is there."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        people = [rated(1500 + 20 * number) for number in range(5)]
        for number in range(14):
            white, black = self.dice.sample(people, 2)
            game(white, black, self.dice.choice(["1-0", "0-1"]), minute=10 + 10 * number)

    def some(self, games):
        found = list(games.order_by("pk"))
        return self.dice.sample(found, min(len(found), self.dice.randrange(1, 5)))

    def step(self):
        """One decision, done or refused; what was done can be taken back."""
        name = self.dice.choice(STEPS)
        with suppress(ValidationError):
            getattr(self, name)()

    def void(self):
        decided("void-games", game=keys(self.some(Game.objects)))

    def reinstate(self):
        decided("reinstate-games", game=keys(self.some(Game.objects.filter(voided_at__isnull=False))))

    def unrate(self):
        chosen = self.some(Game.objects.filter(rated=True))
        decided("unrate-games", **lacking_parameters((one, self.dice.choice(NOT_FULL)) for one in chosen))

    def rate(self):
        decided("rate-games", game=keys(self.some(Game.objects.filter(unrated_reason__in=NOT_FULL))))

    def correct(self):
        (one, *_more) = self.some(Game.objects)
        values = parameters_of(one, GAME_FIELDS) | {"result": [self.dice.choice(["1-0", "1/2-1/2", "0-1"])]}
        decided("correct-game", game=[str(one.pk)], **values)

    def delete(self):
        decided("delete-games", game=keys(self.some(Game.objects)[:1]))

    def close(self):
        decided("close-account", **asked(self.dice.choice(list(Member.objects.all()))))

    def reopen(self):
        closures = list(AccountClosure.objects.all())
        if closures:
            decided("reopen-account", closure=[str(self.dice.choice(closures).pk)])

    def spans(self):
        who = self.dice.choice(list(Member.objects.all()))
        begin = self.dice.choice([START, at(55), at(95)])
        decided(
            "change-membership", member=[str(who.pk)], span=span_texts([(begin, None)]), rate_games=["on"]
        )

    def merge(self):
        members = list(Member.objects.all())
        if len(members) < 2:
            return
        keep, other = self.dice.sample(members, 2)
        decided("merge-members", keep=[str(keep.pk)], other=[other.username])

    def opening(self):
        openings = list(OpeningRating.objects.all())
        if self.dice.random() < 0.5:
            decided("delete-openings", openingrating=[str(self.dice.choice(openings).pk)])
        else:
            one = self.dice.choice(openings)
            values = parameters_of(one, OPENING_FIELDS) | {"rating": [str(self.dice.randrange(1500, 1700))]}
            decided("correct-opening", openingrating=[str(one.pk)], **values)

    def direct(self):
        """What somebody changes of the newest game, which is no decision."""
        one = Game.objects.order_by("-ended_at", "-pk").first()
        one.result = self.dice.choice(["1-0", "0-1"])
        one.save()

    def undo(self):
        done = list(ChangeSet.objects.filter(undo__isnull=False, undone_by=None).order_by("pk"))
        if done:
            undo(self.dice.choice(done[-6:]))


@pytest.mark.long
class TestByChance(TestCase):
    @settings(max_examples=EXAMPLES)
    @given(st.integers(0, 2**32))
    def test_nothing_is_found_whatever_was_decided_and_one_game_left_out_is(self, seed):
        deciding = Deciding(seed)
        for _step in range(25):
            deciding.step()
        assert found() == []
        assert replay(check=True).differences == 0
        named = {
            key
            for one in ChangeSet.objects.applied().filter(kind="void-games")
            for key in one.parameters["game"]
        }
        changed = Game.objects.filter(voided_at__isnull=False, pk__in=named).first()
        if changed is not None:
            Game.history.filter(id=changed.pk).delete()
            sql("UPDATE ratings_game SET voided_at = NULL, void_reason = '' WHERE id = %s", changed.pk)
            assert any(f"(game {changed.pk}), but it isn’t void." in told for told in found())
