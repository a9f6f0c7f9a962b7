"""Two accounts of one person become one, and are two again (decision 0113)."""

from datetime import date
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from members.former import FormerName, Merge
from members.models import AccountClosure, FullMembership, Member
from ratings.models import Game, OpeningRating, OtbAdjustment, Rating, RatingChange
from ratings.office import merging
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import replay
from ratings.services.merging import merge_members, unmerge_members
from ratings.services.merging.parts import SAME_PERSON
from ratings.services.merging.spans import joined
from tests.arena import at, game, member, opening, points, projections, rated
from tests.ratings.test_decisions import OfTheLedger

NOW = at(60 * 24 * 60)


def merged(keep, other):
    return merge_members(member=keep, other=other, at=NOW)


def taken_apart(other):
    return unmerge_members(merge=Merge.objects.get(other=other), at=NOW)


def books():
    """All inputs and projections, byte for byte."""
    models = (Member, FullMembership, Game, OpeningRating, OtbAdjustment, FormerName, Merge)
    return [list(model._base_manager.order_by("pk").values_list()) for model in models] + projections()


class TestMergeMembers(OfTheLedger):
    kind = "merge-members"

    def asked(self):
        return {"keep": [str(self.anna.pk)], "other": [self.carl.username]}


class TestUnmergeMembers(OfTheLedger):
    kind = "unmerge-members"

    def asked(self):
        merged(self.anna, self.carl)
        return {"merge": [str(self.carl.pk)]}

    def disturb(self):
        game(self.anna, self.bob, "0-1", minute=15)


@pytest.mark.django_db
def test_every_relation_to_a_member_has_somebody_who_says_what_becomes_of_it():
    assert set(merging.relations_to(Member)) == merging.registered()


def test_a_relation_that_nobody_has_registered_makes_a_merge_refuse(monkeypatch, db):
    keep, other = member(), member()
    monkeypatch.delitem(merging._PARTS, "league.Player.member")
    with pytest.raises(
        ValidationError,
        match=r"not defined what happens to league\.Player\.member\.",
    ):
        merged(keep, other)


def two_accounts():
    """Two accounts of one person, and somebody whom both played."""
    keep, other, third = member("anna", name="Berg, Anna"), member("otto"), member("paula")
    for who, rating in ((keep, 1800), (third, 1700)):
        opening(who, rating)
    opening(other, 1500, minute=1)
    game(keep, third, "1-0", minute=10)
    game(other, third, "1-0", minute=20)
    game(third, other, "1/2-1/2", minute=30)
    return keep, other, third


@pytest.fixture(scope="class")
def two(standing):
    return standing(two_accounts)


def test_the_ledger_is_that_of_all_games(two):
    keep, other, _third = two
    done = merged(keep, other)
    assert RatingChange.objects.filter(member=keep).count() == 5
    assert not RatingChange.objects.filter(member=other).exists()
    assert not Rating.objects.filter(member=other).exists()
    assert {(one.member_id, one.after is None) for one in done.replayed.moved} >= {(other.pk, True)}
    assert replay(check=True).differences == 0


def test_of_two_openings_the_earlier_counts(two):
    keep, other, _third = two
    done = merged(keep, other)
    first = RatingChange.objects.filter(member=keep).earliest("occurred_at", "pk")
    assert (first.after, keep.opening_ratings.count()) == (Decimal("1800.00"), 2)
    assert any("The earlier one counts" in fact.label for fact in done.facts)


def test_of_two_openings_of_one_moment_that_of_the_member_stays(db):
    keep, other = rated(1800), rated(1500)
    before = books()
    done = merged(keep, other)
    assert points(keep) == Decimal("1800.00")
    assert OpeningRating.objects.count() == 1
    assert any(f"That of {keep} stays" in fact.label for fact in done.facts)
    taken_apart(other)
    assert books() == before


def test_an_adjustment_of_one_list_period_counts_once(two):
    keep, other, _third = two
    for who, change in ((keep, 10), (other, 20)):
        OtbAdjustment.objects.create(
            member=who,
            category=Category.BLITZ,
            period=date(2026, 3, 1),
            change=change,
            effective_at=at(5),
            source="test",
        )
    before = books()
    merged(keep, other)
    assert [one.change for one in keep.otb_adjustments.all()] == [Decimal("10.00")]
    taken_apart(other)
    assert books() == before


def test_games_against_each_other_become_unrated_and_rated_again(two):
    keep, other, _third = two
    own = game(keep, other, "0-1", minute=40)
    before = books()
    done = merged(keep, other)
    own.refresh_from_db()
    assert (own.rated, own.unrated_reason) == (False, SAME_PERSON)
    assert any("The game becomes unrated" in fact.label for fact in done.facts)
    taken_apart(other)
    own.refresh_from_db()
    assert (own.rated, own.unrated_reason) == (True, "")
    assert books() == before


def test_spans_that_touch_or_overlap_become_one():
    one, two, three, four, five = (at(minute) for minute in range(5))
    assert joined([(three, five), (one, two), (two, three)]) == [(one, five)]
    assert joined([(one, three), (two, None), (four, five)]) == [(one, None)]
    assert joined([(one, two), (four, five)]) == [(one, two), (four, five)]


def test_different_fide_ids_are_two_people(db):
    keep, other = member(fide_id=1), member(fide_id=2)
    with pytest.raises(ValidationError, match=r"different FIDE IDs: 1 .* and 2 "):
        merged(keep, other)
    assert not Merge.objects.exists()


def test_fide_data_and_login_go_to_who_has_none_and_come_back(db):
    login = User.objects.create_user("otto")
    keep, other = member(birth_year=1990), member(fide_id=7, federation="NOR", birth_year=1991, user=login)
    before = books()
    done = merged(keep, other)
    keep.refresh_from_db()
    assert (keep.fide_id, keep.federation, keep.birth_year, keep.user) == (7, "NOR", 1990, login)
    assert any("1990 stays; the other account has 1991" in fact.label for fact in done.facts)
    taken_apart(other)
    assert books() == before


def test_a_merge_stays_where_somebody_else_has_the_fide_id_since(db):
    keep, other = member(), member(fide_id=7)
    merged(keep, other)
    Member.objects.filter(pk=keep.pk).update(fide_id=None)
    member("paula", fide_id=7)
    with pytest.raises(ValidationError, match="paula has the FIDE ID of"):
        taken_apart(other)


def test_what_came_since_the_merge_stays_with_who_stayed(two):
    keep, other, third = two
    merged(keep, other)
    new = game(keep, third, "0-1", minute=50)
    gone = Game.objects.filter(white=keep, ended_at=at(20)).get()
    gone.delete()
    done = taken_apart(other)
    new.refresh_from_db()
    assert (new.white, new.rated) == (keep, True)
    assert Game.objects.filter(black=other).count() == 1
    assert any("1 changed hands since" in fact.label for fact in done.facts)
    assert replay(check=True).differences == 0


def test_a_game_since_that_only_the_other_account_was_a_full_member_for_becomes_unrated(db):
    third = rated(1700)
    keep, other = member("anna", full_from=None), member("otto")
    FullMembership.objects.create(member=keep, full_from=at(-500), full_until=at(1))
    merged(keep, other)
    new = game(keep, third, minute=50)
    taken_apart(other)
    new.refresh_from_db()
    assert (new.rated, new.unrated_reason) == (False, NOT_FULL[0])


def test_whoever_was_merged_is_nobody_any_more_but_is_found_by_the_old_names(two, client):
    keep, other, third = two
    address = other.get_absolute_url()
    merged(keep, other)
    assert list(Member.objects.order_by("pk")) == [keep, third]
    assert Member.objects.called("otto") == keep
    assert list(Member.objects.matching("ott")) == [keep]
    for page in ("", "history/", "against/", "first-rating/rapid/"):
        answer = client.get(f"{address}{page}?x=1")
        assert answer.status_code == 301
        assert answer["Location"] == f"{keep.get_absolute_url()}{page}?x=1"
    answer = client.get(f"{third.get_absolute_url()}against/{other.pk}/")
    assert answer["Location"] == f"{third.get_absolute_url()}against/{keep.pk}/"
    assert client.get(f"{keep.get_absolute_url()}against/{other.pk}/").status_code == 404
    assert client.get("/members/999999/").status_code == 404
    with pytest.raises(ValidationError, match="still leads to them"):
        member("otto")


def test_a_member_does_not_take_the_username_of_an_account_merged_into_them(two):
    keep, other, _third = two
    merged(keep, other)
    keep.refresh_from_db()
    keep.username = "otto"
    with pytest.raises(ValidationError, match="merged into this one"):
        keep.full_clean()


def test_histories_say_what_a_merge_did(two):
    keep, other, _third = two
    officer = User.objects.create_user("officer")
    merge_members(member=keep, other=other, at=NOW, by=officer, note="same person")
    row = Game.objects.get(ended_at=at(20)).history.latest()
    assert (row.white, row.history_user, row.history_change_reason) == (keep, officer, "same person")
    assert other.history.latest().merged_into == keep


def test_a_chain_of_merges_leads_to_the_last_and_is_taken_back_from_there(db, client):
    first, second, third = member(), member(), member()
    merged(second, first)
    merged(third, Member.objects.get(pk=second.pk))
    assert client.get(first.get_absolute_url())["Location"] == third.get_absolute_url()
    with pytest.raises(ValidationError, match="Take that back first"):
        taken_apart(first)
    taken_apart(second)
    taken_apart(first)
    assert Member.objects.count() == 3


def closed(who, since, until=None):
    return AccountClosure.objects.create(
        member=who,
        closed_from=at(since),
        closed_until=until and at(until),
        category="request",
        decided_at=at(since),
    )


def test_closures_of_the_other_account_hold_for_the_member_and_go_back(two):
    keep, other, third = two
    closure = closed(other, 100, 200)
    merged(keep, other)
    closure.refresh_from_db()
    assert closure.member == keep
    with pytest.raises(ValidationError, match="is closed for rated play"):
        game(keep, third, minute=150)
    unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
    closure.refresh_from_db()
    assert closure.member == other
    game(keep, third, minute=150)


def test_a_member_with_rated_games_in_a_closure_of_the_other_account_is_not_merged(two):
    keep, other, third = two
    game(keep, third, minute=150)
    closed(other, 100, 200)
    with pytest.raises(ValidationError, match="has 1"):
        merged(keep, other)
    assert AccountClosure.objects.get().member == other


def test_two_closures_of_one_time_are_not_merged(two):
    keep, other, _third = two
    closed(keep, 100, 200)
    closed(other, 150)
    with pytest.raises(ValidationError, match="Both accounts are closed at the same time"):
        merged(keep, other)
