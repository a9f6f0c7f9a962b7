"""What lists say of their months together: the review of a month, and the records of the arena."""

from datetime import UTC, date, datetime

import pytest

from ratings.models import ListReview, RatingList
from ratings.rules.time_controls import Category
from ratings.services.ledger.corrections import void_games
from ratings.services.lists.publishing import publish
from ratings.services.lists.records import all_records
from ratings.services.lists.report import keep_reviews, report, review_of
from ratings.upkeep import review_lists
from tests.arena import at, game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

APRIL, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5, 6))
DAY = 24 * 60
"""Minutes."""


def freeze(month):
    return publish(category=Category.BLITZ, month=month, at=month)[0]


def an_arena():
    """In April Bob beats Anna, who is rated 300 higher, and then loses twice to Carl on one day."""
    people = {name: member(name, name=name.title()) for name in ("anna", "bob", "carl")}
    for who, points in zip(people.values(), (1900, 1600, 1700), strict=True):
        opening(who, points)
    game(people["anna"], people["carl"], "1/2-1/2", minute=10)
    freeze(APRIL)
    people["upset"] = game(people["bob"], people["anna"], minute=35 * DAY)
    for minute in (10, 20):
        game(people["carl"], people["bob"], minute=40 * DAY + minute)
    people["may"] = freeze(MAY)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def test_a_review_names_who_played_most_and_the_day_with_most_games(arena):
    found = report(arena["may"])
    assert [(entry.username, entry.period_games) for entry in found.active] == [
        ("bob", 3),
        ("carl", 2),
        ("anna", 1),
    ]
    assert found.busiest == (at(40 * DAY).date(), 2)


def test_an_upset_is_a_win_against_a_higher_rating_by_the_difference(arena):
    """Carl's wins are none: Bob had fewer points. Draws are none either."""
    assert [(line.member.username, line.opponent.username) for line in report(arena["may"]).upsets] == [
        ("bob", "anna")
    ]
    ((key, higher),) = review_of(arena["may"])["upsets"]
    # Draw with 200 points more: Table 4.2, .76, so 20 × −.26: Anna 1894.80, and Bob 1600.
    assert higher == 294_80
    assert key == report(arena["may"]).upsets[0].pk


def test_the_worker_keeps_reviews_once_and_they_say_the_same(arena):
    fresh = review_of(arena["may"])
    review_lists(MAY)
    assert ListReview.objects.count() == 2
    assert keep_reviews() == 0
    assert ListReview.objects.get(pk=arena["may"].pk).figures == {
        **fresh,
        "upsets": [list(pair) for pair in fresh["upsets"]],
    }


def test_an_upset_whose_game_is_void_is_no_longer_named(arena):
    keep_reviews()
    void_games(games=[arena["upset"]], by=None, reason="engine", at=JUNE)
    assert report(arena["may"]).upsets == []
    assert all_records()[0].upsets == []


def test_records_come_from_all_reviews(arena):
    assert all_records()[0].highest == []
    keep_reviews()
    (blitz,) = all_records()
    assert blitz.category is Category.BLITZ
    assert [(row.member.username, row.peak) for row in blitz.highest][:1] == [("anna", 1900)]
    assert [line.member.username for line in blitz.upsets] == ["bob"]
    assert [(one.month, one.period_games) for one in blitz.months] == [
        (date(2026, 5, 1), 3),
        (date(2026, 4, 1), 1),
    ]
    assert blitz.busiest == (at(40 * DAY).date(), 2)


@pytest.mark.rendered
class TestPages:
    def test_a_month_is_told_with_the_months_around_it(self, client, arena):
        page = words(client.get("/months/2026-04/"))
        assert "April 2026 in review" in page
        assert "3 rated games." in page
        assert "Bob 1600 beat Anna 1895" in page
        assert 'href="/months/2026-03/"' in client.get("/months/2026-04/").content.decode()
        assert 'href="/months/2026-04/"' in client.get("/months/2026-03/").content.decode()

    def test_a_month_that_is_not_over_is_not_found(self, client, arena):
        answer = client.get("/months/2026-05/")
        assert answer.status_code == 404
        assert is_friendly(answer)

    def test_both_pages_are_also_json(self, client, arena):
        keep_reviews()
        month = client.get("/months/2026-04/?format=json").json()
        assert month["games"] == 3
        blitz = month["categories"]["blitz"]
        assert blitz["upsets"][0]["opponent_rating"] == "1894.80"
        assert blitz["busiest"] == {"day": "2026-04-10", "games": 2}
        records = client.get("/records/?format=json").json()["blitz"]
        assert records["highest"][0]["rating"] == 1900
        assert records["months"][0] == {"month": "2026-04", "games": 3}

    def test_records_say_who_and_when(self, client, arena):
        keep_reviews()
        page = words(client.get("/records/"))
        assert "Highest ratings ever Anna 1900" in page
        assert "Busiest day" in page

    def test_a_month_takes_the_same_queries_whatever_happened_in_it(self, client, arena):
        keep_reviews()
        found = queries(client, "/months/2026-04/")
        for number in range(9):
            game(member(), arena["bob"], minute=62 * DAY + number)
        publish(category=Category.BLITZ, month=JUNE, at=JUNE)
        keep_reviews()
        assert RatingList.objects.count() == 3
        assert queries(client, "/months/2026-05/") <= found
