"""The audit of what the office calculates: lists, ledger, and inputs that are there twice."""

import hashlib
from datetime import UTC, datetime

import pytest

from ratings.office.audit import check_of
from ratings.office.decision_types import kind_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingChange, RatingList
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, projections, rated
from tests.audits import sql
from tests.decisions import DecisionCase, decide, page_of, staff_login

pytestmark = pytest.mark.django_db

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
CHECKS = ("list-checksums", "ledger", "openings-twice")


def found():
    """What the checks of this file find, as people read it."""
    return [(name, one.key, one.text % one.words) for name in CHECKS for one in check_of(name).find()]


def mends(name):
    """What would mend the only finding of a check."""
    (finding,) = check_of(name).find()
    return finding.mends


def two_members():
    """Anna beats Bob, 1610.00 and 1590.00, on the published list of April."""
    anna, bob = member("anna"), member("bob")
    for who in (anna, bob):
        opening(who, 1600)
    game(anna, bob)
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    return anna, bob


@pytest.fixture(scope="class")
def two(standing):
    return standing(two_members)


def test_nothing_is_found_where_nothing_is_wrong(two):
    game(*two, minute=20)
    assert found() == []


def test_a_line_of_a_list_that_was_changed_is_found_and_a_revision_mends_it(two):
    published = RatingList.objects.get()
    sql("UPDATE ratings_ratinglistentry SET rating = 170000 WHERE member_id = %s", two[1].pk)
    text = "blitz 2026-04, revision 1: its lines don’t match its checksum. "
    text += "They were changed after it was published."
    assert found() == [("list-checksums", f"list {published.pk}", text)]
    kind, parameters = mends("list-checksums")
    assert (kind, parameters) == (
        "publish-lists",
        {"month": ["2026-04"], "category": ["blitz"], "revise": ["on"]},
    )
    assert kind_of(kind).bind(parameters).is_valid()


def test_a_name_or_a_checksum_that_was_changed_is_found_and_nothing_mends_it(two):
    sql("UPDATE ratings_ratinglistentry SET username = 'eve' WHERE member_id = %s", two[1].pk)
    assert [name for name, _key, _text in found()] == ["list-checksums"]
    assert mends("list-checksums") is None
    sql("UPDATE ratings_ratinglistentry SET username = 'bob' WHERE member_id = %s", two[1].pk)
    assert found() == []
    sql("UPDATE ratings_ratinglist SET checksum = %s", "0" * 64)
    assert [name for name, _key, _text in found()] == ["list-checksums"]


def test_how_a_line_adds_up_is_in_its_checksum(two):
    sql("UPDATE ratings_ratinglistentry SET late_games = 1 WHERE member_id = %s", two[0].pk)
    assert [name for name, _key, _text in found()] == ["list-checksums"]


def test_a_list_of_an_earlier_version_is_held_against_the_checksum_that_it_has(two):
    """Its columns end with k."""
    sql("UPDATE ratings_ratinglist SET layout = 1")
    assert [name for name, _key, _text in found()] == ["list-checksums"]
    file = (
        "rank,username,fide_id,name,title,federation,rating,games,previous,change,period_games,k\r\n"
        "1,anna,,,,,1610,1,,,1,20\r\n2,bob,,,,,1590,1,,,1,20\r\n"
    )
    sql("UPDATE ratings_ratinglist SET checksum = %s", hashlib.sha256(file.encode()).hexdigest())
    assert found() == []


def test_rows_that_the_games_do_not_give_are_found_by_category_and_a_replay_mends_them(two, worker):
    row = RatingChange.objects.get(member=two[0], game__isnull=False)
    sql("UPDATE ratings_ratingchange SET after = 171000 WHERE id = %s", row.pk)
    sql("DELETE FROM ratings_rating WHERE member_id = %s", two[1].pk)
    ((name, key, text),) = found()
    assert (name, key) == ("ledger", "blitz")
    assert text == (
        "blitz: ledger rows and ratings that don’t match the games, starting ratings and adjustments: 2. The "
        f"first: blitz: ledger: row {row.pk} of member {two[0].pk}: after is 171000, should be 161000"
    )
    kind, parameters = mends("ledger")
    officer = staff_login("officer", kind)
    assert decide(officer, page_of(kind), parameters).status_code == 302


def test_a_game_that_was_changed_behind_the_back_of_the_office_is_found(two):
    sql("UPDATE ratings_game SET result = '0-1'")
    ((name, key, text),) = found()
    assert (name, key) == ("ledger", "blitz")
    assert (
        "that don’t match the games, starting ratings and adjustments: 4. The first: blitz: ledger: " in text
    )


def test_an_opening_that_is_entered_twice_is_found_and_another_one_is_not(two):
    anna, bob = two
    opening(anna, 1700, minute=30)
    opening(bob, 1600, Category.RAPID)
    assert found() == []
    second = opening(anna, 1600, minute=40)
    first = anna.opening_ratings.earliest("pk")
    assert found() == [
        (
            "openings-twice",
            f"openingrating {second.pk}",
            f"anna, blitz: the starting rating of 1600.00 (test) was entered twice, as {first.pk} and as "
            f"{second.pk}, for the same time: 2026-03-01T00:40:00Z.",
        )
    ]
    kind, parameters = mends("openings-twice")
    assert kind_of(kind).bind(parameters).is_valid()


class TestReplayLedger(DecisionCase):
    kind = "replay-ledger"
    undoable = False

    def arrange(self):
        anna, bob = rated(1600), rated(1600)
        self.played = game(anna, bob)
        sql("UPDATE ratings_rating SET rating = 170000 WHERE member_id = %s", anna.pk)
        return {"category": ["blitz"]}

    def disturb(self):
        sql("UPDATE ratings_game SET result = '0-1' WHERE id = %s", self.played.pk)

    def state(self):
        return projections()
