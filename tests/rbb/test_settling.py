"""How settled a rating is, by how much those of members with as many games moved later."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.report import keep_reviews
from ratings.rbb.lists.settling import keep_spreads, settled, spreads
from ratings.rbb.models import ListReview, RatingChange
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.pages import words

MONTH = datetime(2026, 5, 1, tzinfo=UTC)


def line(number, who, games, rating, reason=Reason.RATED):
    """A line of the ledger in blitz after so many games."""
    return RatingChange(
        id=change_id(EventType.GAME, number),
        member_id=who,
        game_id=number,
        category=Category.BLITZ,
        occurred_at=at(number),
        before=Decimal(1500),
        after=Decimal(rating),
        reason=reason,
        games=games,
        previously_unrated=False,
        first_half_points=0,
        first_opponents=0,
    )


def twenty_members(first=1000):
    """Member n has 1500 points after 10 games and 1500 ± n after 40, but nobody plays 60."""
    rows = []
    for n in range(1, 21):
        rows.append(line(first + 3 * n, 1000 + n, 10, 1500))
        rows.append(line(first + 3 * n + 1, 1000 + n, 40, 1500 + n * (-1) ** n))
        # A game against an unrated opponent isn't a game more.
        rows.append(line(first + 3 * n + 2, 1000 + n, 40, 1900, reason=Reason.OPPONENT_UNRATED))
    RatingChange.objects.bulk_create(rows)


@pytest.mark.django_db
def test_half_of_the_members_moved_by_the_median_or_less():
    """1, 2, …, 20 points: the median is 10.5."""
    twenty_members()
    assert spreads(Category.BLITZ, MONTH) == [(10, 20, 1050)]
    assert spreads(Category.RAPID, MONTH) == []
    # The last member's second line isn't known yet.
    assert spreads(Category.BLITZ, at(1060)) == []


@pytest.mark.pure
def test_a_rating_is_as_settled_as_those_with_as_many_games():
    found = [[10, 20, 5001], [20, 20, 5000], [50, 30, 3000], [100, 40, 50]]
    told = {games: settled(found, games) for games in (9, 10, 19, 20, 29, 50, 100, 199)}
    assert {games: (str(one.words), one.points) for games, one in told.items()} == {
        9: ("not settled yet", None),
        10: ("still changing a lot", 51),
        19: ("still changing a lot", 51),
        20: ("fairly settled", 50),
        29: ("fairly settled", 50),
        50: ("settled", 30),
        100: ("settled", 1),
        199: ("settled", 1),
    }
    # Too few members tell.
    assert settled(found, 30) is settled(found, 200) is settled(None, 10) is None
    assert settled(None, 9).points is None


@pytest.mark.django_db
def test_a_members_page_says_how_settled_each_rating_is(client):
    anna, boris = member("anna"), member("boris")
    opening(anna, 1500, games=12)
    opening(boris, 1500)
    game(anna, boris, minute=5)
    publish(category=Category.BLITZ, month=MONTH, at=MONTH)
    twenty_members()
    keep_reviews()
    keep_spreads()
    assert ListReview.objects.get().figures["spreads"] == [[10, 20, 1050]]
    told = "settled half of the members with this many games changed by at most 11 points over their next"
    assert f"Stability {told} 30 games" in words(client.get(f"/members/{anna.pk}/"))
    said = words(client.get(f"/members/{boris.pk}/"))
    assert "Stability not settled yet fewer than 10 rated games" in said
    before = words(client.get(f"/members/{anna.pk}/?as_of=2026-04-01"))
    assert "Stability" not in before


@pytest.mark.django_db
def test_spreads_are_counted_once_for_each_list():
    publish(category=Category.BLITZ, month=MONTH, at=MONTH)
    keep_reviews()
    keep_spreads()
    twenty_members()
    keep_spreads()
    assert ListReview.objects.get().figures["spreads"] == []
