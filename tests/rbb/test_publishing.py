"""RBB 1.4: the lists of a month, frozen."""

from decimal import Decimal

import pytest

from ratings.office.models import ChangeSet
from ratings.rbb.decisions import lists
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, projections
from tests.commands import run

pytestmark = pytest.mark.django_db

APRIL = 31 * 24 * 60
"""Minutes from the START of the arena, in March, to the first moment of April."""


def an_arena():
    """Two members; a game that ended with March, one a second later."""
    anna, bob = member("anna", name="Berg"), member("bob", name="Abel")
    for who in (anna, bob):
        opening(who, 1600)
    game(anna, bob, minute=10)
    game(anna, bob, minute=APRIL)
    game(anna, bob, minute=APRIL + 1 / 60)
    return anna, bob


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def entries(published):
    return list(
        published.entries.order_by("position").values_list(
            "position", "rank", "member__username", "rating", "games"
        )
    )


def test_a_list_is_the_state_at_the_first_moment_of_its_month(arena):
    done = run("publish_list", "--month", "2026-04")
    assert done == (
        0,
        f"Change set {ChangeSet.objects.get().for_staff}\n"
        "Rapid April 2026, revision 1: 0 members.\n"
        "Blitz April 2026, revision 1: 2 members.\n"
        "Bullet April 2026, revision 1: 0 members.\n",
        "",
    )
    # 1610.00, then D = 20: H 0.53, so 9.40 more.
    assert entries(RatingList.objects.get(category=Category.BLITZ)) == [
        (1, 1, "anna", Decimal("1619.40"), 2),
        (2, 2, "bob", Decimal("1580.60"), 2),
    ]


def test_equal_displayed_ratings_share_a_rank_in_the_order_of_names(arena):
    run("publish_list", "--month", "2026-03")
    assert [line[:3] for line in entries(RatingList.objects.get(category=Category.BLITZ))] == [
        (1, 1, "bob"),
        (2, 1, "anna"),
    ]


def test_publishing_a_month_again_changes_nothing_even_if_ratings_have_changed_since(arena):
    run("publish_list", "--month", "2026-04")
    before = list(RatingList.objects.values_list()), list(RatingListEntry.objects.values_list())
    opening(member(), 1700)
    game(*arena, "0-1", minute=20)
    done = run("publish_list", "--month", "2026-04")
    assert done.code == 0
    assert done.out.count("already published on ") == 3
    assert (list(RatingList.objects.values_list()), list(RatingListEntry.objects.values_list())) == before


def test_the_checksum_tells_lists_apart_and_a_rebuild_does_not_change_it(arena):
    run("publish_list", "--month", "2026-04")
    first = RatingList.objects.get(category=Category.BLITZ).checksum
    RatingList.objects.all().delete()
    replay()
    run("publish_list", "--month", "2026-04")
    assert RatingList.objects.get(category=Category.BLITZ).checksum == first
    RatingList.objects.all().delete()
    game(*arena, "0-1", minute=20)
    run("publish_list", "--month", "2026-04")
    assert RatingList.objects.get(category=Category.BLITZ).checksum != first
    assert len(first) == 64


def test_publishing_leaves_ratings_alone(arena):
    before = projections()
    run("publish_list", "--month", "2026-04")
    assert projections() == before


@pytest.mark.parametrize(
    ("month", "message"),
    [
        ("2999-01", "January 2999 has not started. Its lists show the ratings on its first day."),
        ("2026-13", "“2026-13” isn’t a month such as 2026-03."),
        ("April", "“April” isn’t a month such as 2026-03."),
        ("2026-04-01", "“2026-04-01” isn’t a month such as 2026-03."),
        ("", "This field is required."),
    ],
)
def test_a_month_that_cannot_be_published_is_refused(month, message):
    assert run("publish_list", "--month", month) == (1, "", message)
    assert not RatingList.objects.exists()


def test_either_all_lists_of_a_month_are_published_or_none(arena, monkeypatch):
    publish = lists.publish

    def fails(*, category, **options):
        if category is Category.BULLET:
            raise KeyboardInterrupt
        return publish(category=category, **options)

    monkeypatch.setattr(lists, "publish", fails)
    assert run("publish_list", "--month", "2026-04") == (
        130,
        "",
        "Interrupted. Nothing was stored.",
    )
    assert not RatingList.objects.exists()
    assert at(APRIL).month == 4
