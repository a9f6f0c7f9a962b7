"""Two accounts of one person become one, and are two again (decision 0113)."""

from decimal import Decimal
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from members.former import FormerName, Merge
from members.models import AccountClosure, FullMembership, Member
from ratings.formats.csv_rows import read_rows
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from ratings.rbb.ledger.openings import COLUMNS, import_openings
from ratings.rbb.ledger.replay import replay
from ratings.rbb.memberships import change_spans
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, Rating, RatingChange
from ratings.rbb.relations.games import SAME_PERSON, dumped
from ratings.rbb.relations.members import joined
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import adjustment, at, game, member, opening, points, projections, rated
from tests.audits import mend
from tests.rbb.closing import close, reopen
from tests.rbb.test_decisions import OfTheLedger

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
    told_by_number = {"game": "ratings.Game players", "openingrating": "ratings.OpeningRating member"}

    def asked(self):
        return {"keep": [str(self.anna.pk)], "other": [self.carl.username]}


class TestUnmergeMembers(OfTheLedger):
    kind = "unmerge-members"
    told_by_number = {"game": "ratings.Game players", "openingrating": "ratings.OpeningRating member"}

    def asked(self):
        merged(self.anna, self.carl)
        return {"merge": [str(self.carl.pk)]}

    def disturb(self):
        game(self.anna, self.bob, "0-1", minute=15)


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
    assert any("This one counts: Berg, Anna, Blitz: 1800" in fact.label for fact in done.facts)


@pytest.mark.parametrize("played", [False, True])
@pytest.mark.parametrize(("mine", "theirs"), [(1800, 1500), (1500, 1800), (1600, 1600)])
@pytest.mark.parametrize("is_older", [True, False])
def test_of_two_openings_of_one_moment_the_higher_counts_and_the_other_is_not_applied(
    db, mine, theirs, is_older, played
):
    """3.4, amended for merges: the earlier moment, then the higher rating, then the key."""
    first, second = rated(mine if is_older else theirs), rated(theirs if is_older else mine)
    keep, other = (first, second) if is_older else (second, first)
    if played:
        game(keep, rated(1700), minute=10)
    before = books()
    done = merged(keep, other)
    lines = RatingChange.objects.filter(opening__member=keep).order_by("pk")
    applied = {one.opening.rating: one.reason for one in lines if one.reason != Reason.OPENING_NOT_APPLIED}
    assert applied == {max(mine, theirs): Reason.OPENING}
    if mine == theirs:
        assert [one.reason for one in lines] == [Reason.OPENING, Reason.OPENING_NOT_APPLIED]
    assert lines.count() == 2
    (told,) = (fact.label for fact in done.facts if "This one counts" in fact.label)
    assert f", Blitz: {max(mine, theirs)}.00 " in told
    assert replay(check=True).differences == 0
    # Taking the ledger down and building it up gives the same bytes.
    ledger = projections()
    RatingChange.objects.filter(game=None).update(change=1)
    replay()
    assert projections() == ledger
    taken_apart(other)
    assert books() == before


@pytest.mark.parametrize("act", ["delete", "lower", "raise"])
def test_what_becomes_of_one_of_two_openings_of_a_moment_decides_about_the_other(db, act):
    keep, other = rated(1500), rated(1800)
    merged(keep, other)
    lower, higher = OpeningRating.objects.order_by("rating")
    one, rating = {"delete": (higher, 0), "lower": (higher, 1400), "raise": (lower, 1900)}[act]
    if act == "delete":
        one.delete()
    else:
        one.rating = rating
        one.save()
    assert points(keep) == max(OpeningRating.objects.values_list("rating", flat=True))
    assert RatingChange.objects.get(reason=Reason.OPENING).opening.rating == points(keep)
    assert replay(check=True).differences == 0


def test_an_opening_of_an_account_that_was_merged_is_taken_from_a_file_before_the_merge_and_after(two):
    keep, other, _third = two

    def imported():
        rows = [f"{one.username},rapid,{rating},2026-03-01" for one, rating in ((keep, 1500), (other, 1900))]
        file = BytesIO("\n".join(["username,category,rating,effective_at", *rows]).encode())
        return import_openings(
            rows=read_rows(file, required=COLUMNS), source="ratings.csv", sha256="", at=timezone.now()
        )

    with transaction.atomic():
        imported()
        merged(keep, other)
        lines = [
            *RatingChange.objects.filter(category=Category.RAPID).values_list("before", "after", "reason")
        ]
        transaction.set_rollback(True)
    merged(keep, other)
    assert (imported().stored, imported().already_there) == (2, 2)
    assert points(keep, Category.RAPID) == 1900
    late = RatingChange.objects.filter(member=keep, category=Category.RAPID)
    assert [*late.values_list("before", "after", "reason")] == lines
    assert len(lines) == 2
    assert replay(check=True).differences == 0


def test_the_audit_finds_an_opening_that_an_earlier_version_lost_with_a_merge(db):
    keep, other = rated(1500), rated(1800)
    merged(keep, other)
    # As 0.11.7 left it: the row of the other account is gone, and kept with the merge.
    merge = Merge.objects.get()
    (key,) = merge.kept["Openings"]["moved"]
    row = OpeningRating.objects.get(pk=key)
    row.member = other
    merge.kept["Openings"] = {"moved": [], "gone": [[dumped(row)]]}
    merge.save()
    row.delete()
    audit(only=["openings-lost"])
    finding = AuditFinding.objects.get(is_there=True)
    assert (finding.text % finding.words).startswith(f"{other.username} was merged into {keep}")
    mend()
    assert (points(keep), points(other)) == (1500, 1800)
    merged(Member.objects.get(pk=keep.pk), Member.objects.get(pk=other.pk))
    assert points(keep) == 1800
    audit(only=["openings-lost", "ledger"])
    assert not AuditFinding.objects.filter(is_there=True).exists()


def test_an_adjustment_of_one_list_period_counts_once(two):
    keep, other, _third = two
    for who, change in ((keep, 10), (other, 20)):
        adjustment(who, change)
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
    assert any("so the game becomes unrated" in fact.label for fact in done.facts)
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
    assert any("1990 is kept; the other account has 1991" in fact.label for fact in done.facts)
    taken_apart(other)
    assert books() == before


def test_a_merge_stays_where_somebody_else_has_the_fide_id_since(db):
    keep, other = member(), member(fide_id=7)
    merged(keep, other)
    Member.objects.filter(pk=keep.pk).update(fide_id=None)
    member("paula", fide_id=7)
    with pytest.raises(ValidationError, match=f"paula now has {other.username}’s FIDE ID"):
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
    assert any("1 reassigned since the merge" in fact.label for fact in done.facts)
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
    with pytest.raises(ValidationError, match="Reverse that merge first"):
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
    late = game(keep, third, minute=150)
    assert Game.objects.get(pk=late.pk).voided_at == closure.decided_at
    unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
    closure.refresh_from_db()
    assert closure.member == other
    assert Game.objects.get(pk=late.pk).counts


def test_games_of_the_member_in_a_closure_of_the_other_account_are_void_until_it_is_taken_back(two):
    keep, other, third = two
    played = game(keep, third, minute=150)
    game(keep, third, minute=250)
    closed(other, 100, 200)
    before = books()
    merged(keep, other)
    void = Game.objects.get(voided_at__isnull=False)
    assert (void, void.voided_at, void.void_reason) == (played, at(100), "request")
    assert replay(check=True).differences == 0
    unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
    assert books() == before


def test_games_against_an_opponent_of_a_closure_are_void_under_the_name_that_stays(two):
    keep, other, third = two
    played = game(keep, third, minute=50)
    closure = closed(third, 100)
    closure.games_since, closure.note = at(45), "engine"
    closure.save()
    closure.opponents.set([other])
    before = books()
    merged(keep, other)
    assert Game.objects.get(pk=played.pk).void_note == "engine"
    unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
    assert books() == before


@pytest.mark.parametrize("is_first", [True, False])
def test_a_game_that_goes_back_is_void_by_the_closure_that_still_takes_it_out(two, is_first):
    keep, other, third = two
    played = game(other, third, minute=150)
    merged(keep, other)
    whose = [keep, third] if is_first else [third, keep]
    for number, who in enumerate(whose):
        close(who, games="keep", since="", closed_from=f"2026-03-01T00:3{number}")
    taken_apart(other)
    assert Game.objects.get(pk=played.pk).voided_at == AccountClosure.objects.get(member=third).decided_at
    reopen(third)
    assert Game.objects.get(pk=played.pk).counts
    assert replay(check=True).differences == 0


def test_a_game_that_goes_back_from_a_closure_without_full_membership_is_unrated_for_that(two):
    keep, other, third = two
    played = game(other, third, minute=150)
    merged(keep, other)
    close(keep, games="keep", since="")
    change_spans(member=third, spans=[])
    taken_apart(other)
    facts = Game.objects.values_list("voided_at", "rated", "unrated_reason")
    assert facts.get(pk=played.pk) == (None, False, NOT_FULL[1])


def test_two_closures_of_one_time_are_not_merged(two):
    keep, other, _third = two
    closed(keep, 100, 200)
    closed(other, 150)
    with pytest.raises(ValidationError, match="Both accounts are closed at the same time"):
        merged(keep, other)
