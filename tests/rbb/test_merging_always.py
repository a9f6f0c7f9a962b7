"""Whatever two accounts have, a merge that is taken back leaves every row as it was, byte for byte.

``MERGE_EXAMPLES=1000`` asks a thousand random arenas; the suite asks a few dozen.
"""

import os
import random
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from members.former import FormerName, Merge
from members.models import AccountClosure, FullMembership, Member
from ratings.fide.models import Determination
from ratings.league.models import League, Player
from ratings.office.relations import relations_to
from ratings.rbb.audit.games import games_of_closed_accounts
from ratings.rbb.closures import close_account
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, START, adjustment, at, control, projections
from tests.histories import at_most

pytestmark = [pytest.mark.long]

EXAMPLES = int(os.environ.get("MERGE_EXAMPLES", at_most(25)))
DAYS = 100
NOW = at(60 * 24 * (DAYS + 30))
MONTH = START.replace(month=5)


def books():
    """Every row that refers to a member, and members themselves, as the database has them."""
    models = [Member, Game, *sorted({one.rpartition(".")[0] for one in relations_to(Member)})]
    found = {}
    for model in models:
        rows = (Member._meta.apps.get_model(model) if isinstance(model, str) else model)._base_manager
        # Notes about replays tell of this merge too; ledger rows name the entry that told of them.
        if model in ("ratings.RecalculatedLine", "ratings.LateLine", "ratings.RatingChange"):
            continue
        # The words of names are written anew with the names, under new keys.
        if model == "members.NameWord":
            found[model] = sorted(rows.values_list("member", "word"))
        else:
            found[str(model)] = list(rows.order_by("pk").values_list())
    return {**found, "ledger": projections()}


def moment(dice):
    return START + timedelta(hours=dice.randrange(1, DAYS * 24, 6))


def spans(dice):
    """Full since some day, with a gap or without an end."""
    begin = START - timedelta(days=dice.randrange(1, 40))
    if dice.random() < 0.5:
        return [(begin, None)]
    end = begin + timedelta(days=dice.randrange(20, 90))
    return [(begin, end), (end + timedelta(days=dice.randrange(1, 20)), None)][: dice.randrange(1, 3)]


def person(dice, number):
    one = Member.objects.create(
        username=f"p{number}",
        name=dice.choice(["", f"Name {number}"]),
        federation=dice.choice(["", "NOR", "POL"]),
        birth_year=dice.choice([None, 1990]),
        title=dice.choice(["", "FM"]),
    )
    if dice.random() < 0.3:
        one.user = User.objects.create(username=f"login{number}")
    if dice.random() < 0.3:
        Member.objects.filter(pk=one.pk).update(username=f"was{number}")
        one.refresh_from_db()
    one.save()
    rows = [FullMembership(member=one, full_from=begin, full_until=end) for begin, end in spans(dice)]
    FullMembership.objects.bulk_create(rows)
    return one


def close(dice, people):
    """Close somebody's account, with games from before, against some or all."""
    since, begin, until = sorted(moment(dice) for _ in range(3))
    who = dice.choice(people)
    closure = AccountClosure(
        member=who,
        closed_from=begin,
        closed_until=until + timedelta(hours=1),
        category="fair-play",
        games_since=since,
        decided_at=NOW,
    )
    others = [one for one in people if one != who]
    close_account(closure=closure, opponents=dice.sample(others, dice.randrange(3)), by=None)


def arena(dice):
    """A few people with some of everything; two of them are one person."""
    people = [person(dice, number) for number in range(5)]
    if dice.random() < 0.5:
        Member.objects.filter(pk=dice.choice(people[:2]).pk).update(fide_id=1503014)
    with deferred():
        for who in people:
            for category in dice.sample(list(Category), dice.randrange(3)):
                OpeningRating.objects.create(
                    member=who,
                    category=category,
                    rating=dice.randrange(100, 2400),
                    effective_at=dice.choice([START, moment(dice)]),
                    source="test",
                )
            for period in dice.sample(["2026-03-01", "2026-04-01"], dice.randrange(3)):
                adjustment(who, dice.randrange(-80, 80), period=period, effective_at=moment(dice))
        for number in range(dice.randrange(30)):
            white, black = dice.sample(people, 2)
            ended = moment(dice)
            one = Game(
                white=white,
                black=black,
                result=dice.choice(Game.Result.values),
                time_control=control(CONTROL[dice.choice([Category.BLITZ] * 3 + list(Category))]),
                started_at=ended,
                ended_at=ended,
                external_id=f"game{number}",
            )
            one.rated = not one.unmet_conditions()
            one.unrated_reason = "" if one.rated else "White was not a full member"
            if dice.random() < 0.1:
                one.voided_at, one.void_reason = NOW - timedelta(days=1), "error"
            one.save()
    if dice.random() < 0.7:
        close(dice, people)
    if dice.random() < 0.5:
        publish(category=Category.BLITZ, month=MONTH, at=MONTH)
    league = League.objects.create(name="Amateurs")
    for who in dice.sample(people[:3], dice.randrange(4)):
        Player.objects.create(league=league, name=who.username, member=who)
    for who in dice.sample(people[:2], dice.randrange(3)):
        Determination.objects.create(member=who, fide_id=7, determined_at=START)
    return people


class TestMergeAndBack(TestCase):
    """Hypothesis rolls each arena back."""

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.integers(min_value=0, max_value=2**32))
    def test_a_merge_that_is_taken_back_leaves_every_row_as_it_was(self, seed):
        keep, other, third, *_others = arena(random.Random(seed))
        before = books()
        merge_members(member=keep, other=other, at=NOW)
        assert before != books()
        assert replay(check=True).differences == 0
        assert not list(games_of_closed_accounts())
        assert not FormerName.objects.filter(member=other).exists()
        # Whoever took an account in takes it along into another.
        once = books()
        merge_members(member=third, other=keep, at=NOW)
        unmerge_members(merge=Merge.objects.get(other=keep), at=NOW)
        assert books() == once
        unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
        assert books() == before
