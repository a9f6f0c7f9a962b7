"""RBB 3.4: the first ratings of members from the FIDE lists."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.utils import timezone

from members.models import FullMembership, Member
from ratings.fide.models import Determination, FideList, FirstRating
from ratings.fide.services.first_ratings import determine_first_ratings, waiting
from ratings.fide.services.looking_up import look_up_kept_lists
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import OpeningRating
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening, points, rated
from tests.commands import run
from tests.fide.office import bring_players, listed

pytestmark = pytest.mark.django_db

FEBRUARY, MARCH, APRIL = (date(2026, month, 1) for month in (2, 3, 4))
ANNA = listed(1, standard=2000, rapid=1900, blitz=1800)


def determine():
    return determine_first_ratings(at=timezone.now())


def ratings(who):
    return [points(who, category) for category in Category]


def sources(who):
    return [
        (one.opening.category.slug, one.fide_list.period, one.control, one.opening.rating)
        for one in FirstRating.objects.filter(opening__member=who).order_by("opening__category")
    ]


@pytest.mark.parametrize(("row", "expected"), [
    (ANNA, [1900, 1800, 1800]),
    (listed(1, standard=2000, blitz=1800), [2000, 1800, 1800]),
    (listed(1, standard=2000, rapid=1900), [1900, 1900, 1900]),
    (listed(1, standard=2000), [2000, 2000, 2000]),
    (listed(1, blitz=1800), [None, 1800, 1800]),
    (listed(1), [None, None, None]),
    (listed(2, standard=2000), [None, None, None]),
])  # fmt: skip
def test_3_4_a_member_who_joins_gets_the_first_ratings_of_the_list_in_force(row, expected):
    bring_players(MARCH, row)
    who = member(fide_id=1)
    assert ratings(who) == expected
    assert Determination.objects.get().member == who


def test_3_4_an_opening_keeps_list_control_and_number_and_takes_effect_on_joining():
    bring_players(MARCH, ANNA._replace(blitz=listed(1).blitz))
    who = member(fide_id=1)
    assert sources(who) == [
        ("rapid", MARCH, "rapid", Decimal(1900)),
        ("blitz", MARCH, "rapid", Decimal(1900)),
        ("bullet", MARCH, "rapid", Decimal(1900)),
    ]
    first = OpeningRating.objects.get(member=who, category=Category.BLITZ)
    assert (first.effective_at, first.source) == (START, "FIDE rating list 2026-03, rapid")
    assert (first.games, first.previously_unrated) == (0, False)
    assert str(first.first_rating) == "March 2026 FIDE rating list: rapid"


def test_3_10_a_member_rated_by_3_4_never_has_k_40():
    bring_players(MARCH, ANNA)
    who = member(fide_id=1)
    game(who, rated(1800))
    assert points(who) == Decimal(1810)


def test_3_4_somebody_without_fide_id_or_before_any_list_waits():
    without = member()
    early = member(fide_id=1)
    bring_players(MARCH, ANNA)
    assert ratings(early) == ratings(without) == [None, None, None]
    assert list(waiting(at=timezone.now())) == [early]
    done = run("determine_first_ratings")
    assert done.code == 0
    assert "1 member checked: 3 first ratings given, 0 members unrated (RBB 3.5)." in done.out
    assert f"  {early}, Rapid: 1900.00 (FIDE rating list 2026-03, rapid)" in done.out
    assert ratings(early) == [1900, 1800, 1800]
    assert "0 members checked" in run("determine_first_ratings").out


def test_3_4_games_since_joining_are_rated_anew():
    who, other = member(fide_id=1), rated(1800)
    game(who, other, minute=30)
    assert (points(who), points(other)) == (None, 1800)
    bring_players(MARCH, ANNA)
    determine()
    assert (points(who), points(other)) == (1810, 1790)
    assert replay(check=True).differences == 0


def test_3_4_is_applied_once():
    bring_players(MARCH, listed(1))
    who = member(fide_id=1)
    bring_players(APRIL, ANNA)
    assert determine().members == 0
    FullMembership.objects.filter(member=who).update(full_until=at(60))
    FullMembership.objects.create(member=who, full_from=at(120))
    assert ratings(who) == [None, None, None]
    assert Determination.objects.count() == 1


def test_3_4_a_category_with_a_rating_or_an_opening_is_left_alone():
    who = member(fide_id=1)
    opening(who, 1500, Category.BLITZ, minute=5)
    bring_players(MARCH, ANNA)
    determine()
    assert ratings(who) == [1900, 1500, 1800]


def test_3_3_who_fell_through_the_floor_is_not_opened_again():
    who = member(fide_id=1)
    opening(who, 100, Category.BLITZ)
    game(who, rated(100), "0-1")
    OpeningRating.objects.get(member=who)  # still there, its rating lost
    assert points(who) is None
    bring_players(MARCH, ANNA)
    determine()
    assert ratings(who) == [1900, None, 1800]


def test_3_4_must_be_used_also_where_five_games_gave_a_rating_by_3_6():
    who = member(fide_id=1)
    for minute in range(10, 60, 10):
        game(who, rated(1500), "1/2-1/2", minute=minute)
    assert points(who) == 1500
    bring_players(MARCH, ANNA)
    determine()
    # 1800 less 20 times 0.35, 0.35, 0.34, 0.34 and 0.33 (4.2: D 300, 293, 286, 279 and 272 to 1500).
    assert ratings(who) == [1900, Decimal("1765.80"), 1800]


def test_3_4_what_counts_is_the_list_in_force_on_the_day_of_joining():
    who = member(fide_id=1, full_from=None)
    bring_players(MARCH, ANNA)
    FullMembership.objects.bulk_create([FullMembership(member=who, full_from=START)])
    bring_players(APRIL, listed(1, standard=2100, rapid=2100, blitz=2100))
    determine()
    assert ratings(who) == [1900, 1800, 1800]
    assert {one[1] for one in sources(who)} == {MARCH}


def test_3_4_whom_the_list_of_that_day_did_not_rate_is_not_rated_by_a_later_one():
    who = member(fide_id=1, full_from=None)
    bring_players(MARCH, listed(2))
    FullMembership.objects.bulk_create([FullMembership(member=who, full_from=START)])
    bring_players(APRIL, ANNA)
    determine()
    assert ratings(who) == [None, None, None]
    assert Determination.objects.get().fide_id == 1


def test_3_4_where_that_list_is_not_known_to_rate_a_member_they_wait_for_the_worker():
    bring_players(MARCH, ANNA)
    who = member()
    bring_players(APRIL, listed(1, standard=2100, rapid=2100, blitz=2100))
    Member.objects.filter(pk=who.pk).update(fide_id=1)
    determine()
    # Version 0.11.7 gave 2100.00 of the April list.
    assert ratings(who) == [None, None, None]
    told = "Still waiting: March 2026 FIDE list: the worker will look up 1 member in it within the hour."
    assert told in run("determine_first_ratings").out
    look_up_kept_lists()
    determine()
    assert ratings(who) == [1900, 1800, 1800]
    assert {one[1] for one in sources(who)} == {MARCH}


def test_3_4_a_member_of_a_day_before_any_list_waits_until_an_older_list_is_imported():
    who = member(fide_id=1)
    bring_players(APRIL, listed(1, standard=2100))
    done = run("determine_first_ratings")
    told = "March 2026 FIDE list is missing (1 member waiting): import it."
    assert f"Still waiting: {told}" in done.out
    assert ratings(who) == [None, None, None]
    bring_players(FEBRUARY, ANNA)
    assert determine().members == 1
    assert ratings(who) == [1900, 1800, 1800]


def test_3_4_nobody_who_never_was_a_full_member_gets_a_rating():
    bring_players(MARCH, ANNA)
    who = member(fide_id=1, full_from=None)
    determine()
    assert ratings(who) == [None, None, None]
    later = datetime(9000, 1, 1, tzinfo=UTC)
    FullMembership.objects.create(member=who, full_from=later)
    assert not Determination.objects.exists()


def test_3_4_a_span_that_is_over_when_it_is_entered_gives_what_it_gave_while_it_lasted():
    bring_players(MARCH, ANNA)
    who = member(fide_id=1, full_from=None)
    FullMembership.objects.create(member=who, full_from=START, full_until=at(60))
    assert ratings(who) == [1900, 1800, 1800]


def test_3_4_who_was_looked_up_under_a_wrong_fide_id_for_nothing_is_looked_up_again():
    bring_players(MARCH, ANNA)
    who = member(fide_id=11)
    assert ratings(who) == [None, None, None]
    Member.objects.filter(pk=who.pk).update(fide_id=1)
    assert determine().members == 1
    assert ratings(who) == [1900, 1800, 1800]
    Member.objects.filter(pk=who.pk).update(fide_id=12)
    assert determine().members == 0


def test_3_4_needs_a_list_of_every_control():
    bring_players(MARCH, ANNA)
    FideList.objects.update(control="rapid")
    who = member(fide_id=1)
    assert ratings(who) == [None, None, None]
    assert not Determination.objects.exists()


def test_a_fixture_that_is_loaded_asks_no_list():
    bring_players(MARCH, ANNA)
    who = member(fide_id=1, full_from=None)
    FullMembership(member=who, full_from=START, pk=9).save_base(raw=True)
    assert list(waiting(at=timezone.now())) == [who]
