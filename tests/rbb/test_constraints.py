"""What the database itself refuses, also when nobody asked clean()."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from members.models import FullMembership, Member
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import (
    Game,
    OpeningRating,
    OtbAdjustment,
    Rating,
    RatingChange,
    RatingList,
    RatingListEntry,
    TimeControl,
)
from ratings.rbb.models.lists import entry_id
from ratings.rules.time_controls import Category
from tests.arena import at, control, game, member, opening, projections, rated

pytestmark = pytest.mark.django_db


def refused(name):
    """The database refuses; a check says by its name which, a unique constraint on PostgreSQL only."""
    return pytest.raises(IntegrityError, match=name)


def by_name(name):
    """SQLite names the columns of a unique constraint, not the constraint."""
    return name if connection.vendor == "postgresql" else "UNIQUE constraint failed"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"started_at": at(11)}, "game_ends_after_start"),
        ({"result": ""}, "game_ends_with_result"),
        ({"ended_at": None}, "game_ends_with_result"),
        ({"voided_at": at(20)}, "game_void_says_why"),
    ],
)
def test_a_game_that_contradicts_itself_is_not_stored_past_clean(changes, name):
    played = game(rated(1600), rated(1600))
    before = projections()
    for field, value in changes.items():
        setattr(played, field, value)
    with refused(name), transaction.atomic():
        played.save_base()
    assert projections() == before


def test_a_game_against_oneself_is_not_stored_past_clean():
    anna = rated(1600)
    against_herself = Game(
        white=anna, black=anna, time_control=control("180+2"), result="1-0", started_at=at(5), ended_at=at(9)
    )
    before = projections()
    with refused("game_white_is_not_black"), transaction.atomic():
        against_herself.save_base()
    assert projections() == before


def test_an_external_id_names_one_game_and_empty_ones_none():
    anna, bob = member(), member()
    game(anna, bob, external_id="a")
    game(anna, bob, external_id="", minute=11)
    game(anna, bob, external_id="", minute=12)
    with refused(r"ratings_game\W+external_id|ratings_game_external_id"), transaction.atomic():
        game(anna, bob, external_id="a", minute=13)
    assert Game.objects.filter(external_id=None).count() == 2


def test_an_opening_rating_under_the_floor_is_not_stored():
    low = OpeningRating(
        member=member(), category=Category.BLITZ, rating=Decimal("99.99"), effective_at=at(0), source="x"
    )
    with pytest.raises(ValidationError, match=r"RBB 3\.2"):
        low.validate_constraints()
    with refused("opening_rating_floor"), transaction.atomic():
        low.save()
    assert opening(member(), "100.00").pk


def test_a_member_has_one_adjustment_for_a_list():
    anna = rated(1600)
    facts = {"member": anna, "category": Category.BLITZ, "period": at(0).date(), "source": "x"}
    OtbAdjustment.objects.create(**facts, change=5, effective_at=at(1))
    with refused(by_name("otb_adjustment_unique")), transaction.atomic():
        OtbAdjustment.objects.create(**facts, change=5, effective_at=at(2))


def test_bullet_has_no_adjustment_in_the_database_either():
    bullet = OtbAdjustment(
        member=rated(1600, Category.BULLET),
        category=Category.BULLET,
        period=at(0).date(),
        change=5,
        effective_at=at(5),
        source="x",
    )
    before = projections()
    with refused("otb_adjustment_never_bullet"), deferred():
        OtbAdjustment.objects.bulk_create([bullet])
    assert projections() == before


@pytest.mark.parametrize("links", [{"opening_id": 1}, {"game_id": None}])
def test_a_line_of_the_ledger_is_about_one_event(links):
    played = game(rated(1600), rated(1600))
    with refused("change_has_one_event"), transaction.atomic():
        RatingChange.objects.of_game(played).update(**links)


def test_a_member_stands_once_in_a_category():
    standing = Rating.objects.get(member=rated(1600))
    standing.pk += 1_000_000
    with refused(by_name("rating_unique")), transaction.atomic():
        standing.save(force_insert=True)


def test_a_control_stands_once():
    with refused(by_name("time_control_unique")), transaction.atomic():
        TimeControl.objects.create(initial=180, increment=2)


def test_a_list_is_published_once_and_has_a_line_for_a_position_and_a_member():
    facts = {
        "category": Category.BLITZ,
        "month": at(0).date(),
        "as_of": at(0),
        "published_at": at(0),
        "members": 1,
    }
    published = RatingList.objects.create(**facts)
    with refused(by_name("rating_list_unique")), transaction.atomic():
        RatingList.objects.create(**facts)
    line = {"rating_list": published, "rank": 1, "rating": 1600, "games": 0}
    first, second = entry_id(published.pk, 1), entry_id(published.pk, 2)
    anna, bob = member(), member()
    RatingListEntry.objects.create(**line, pk=first, position=1, member=anna)
    with refused(by_name("list_entry_position")), transaction.atomic():
        RatingListEntry.objects.create(**line, pk=second, position=1, member=bob)
    with refused(by_name("list_entry_member")), transaction.atomic():
        RatingListEntry.objects.create(**line, pk=second, position=2, member=anna)


@pytest.mark.parametrize(
    "fields", [{"month": None}, {"federation": "NOR"}, {"month": None, "federation": "NOR"}]
)
def test_a_list_is_that_of_a_month_or_requested_by_a_member(fields):
    facts = {
        "category": Category.BLITZ,
        "month": at(0).date(),
        "as_of": at(0),
        "published_at": at(0),
        "members": 1,
    }
    with refused("rating_list_of_a_month_or_requested"), transaction.atomic():
        RatingList.objects.create(**facts | fields)


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ((at(10), at(10)), "full_membership_from_before_until"),
        ((at(10), at(9)), "full_membership_from_before_until"),
        ((at(0), at(9)), "full_membership_one_from"),
        ((at(10), None), "full_membership_one_open_end"),
    ],
)
def test_a_span_of_full_membership_that_cannot_be_is_not_stored_past_clean(span, name):
    anna = member()
    again = FullMembership(member=anna, full_from=span[0], full_until=span[1])
    with refused(name if "before" in name else by_name(name)), transaction.atomic():
        FullMembership.objects.bulk_create([again])


@pytest.mark.parametrize("span", [(at(-5), None), (at(-5), at(1)), (at(25), at(30)), (at(3), at(5))])
def test_spans_of_a_member_do_not_overlap(span):
    anna = member(full_from=None)
    FullMembership.objects.create(member=anna, full_from=at(0), full_until=at(10))
    FullMembership.objects.create(member=anna, full_from=at(20), full_until=None)
    with pytest.raises(ValidationError, match="This period overlaps"):
        FullMembership.objects.create(member=anna, full_from=span[0], full_until=span[1])
    assert anna.full_memberships.count() == 2


def test_spans_may_touch():
    anna = member(full_from=None)
    FullMembership.objects.create(member=anna, full_from=at(10), full_until=at(20))
    FullMembership.objects.create(member=anna, full_from=at(20))
    FullMembership.objects.create(member=anna, full_from=at(0), full_until=at(10))
    assert [Member.objects.full(at=at(minute)).count() for minute in (-1, 0, 10, 20)] == [0, 1, 1, 1]


def test_usernames_and_fide_ids_are_taken_once():
    member("anna", fide_id=1)
    for facts in ({"username": "anna"}, {"username": "bob", "fide_id": 1}):
        with refused("members_member"), transaction.atomic():
            Member.objects.create(**facts)


def test_a_member_with_a_history_cannot_be_deleted():
    anna, bob = rated(1600), member()
    game(anna, bob, rated=False)
    for who in (anna, bob):
        with pytest.raises(IntegrityError), transaction.atomic():
            who.delete()
    assert Member.objects.count() == 2
