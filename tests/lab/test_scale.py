"""The scale of a month: its parts are the change of the sum of all ratings, to the hundredth."""

import random
from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from django.core.cache import cache
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from ratings.lab.scale import flows
from ratings.rbb.models import Rating
from ratings.rules.time_controls import Category
from tests.arena import adjustment, game, member, opening
from tests.histories import at_most
from tests.pages import words
from tests.rbb.test_merging_always import arena

APRIL = date(2026, 4, 1)
DAY = 24 * 60


class TestAnyHistory(TestCase):
    """Hypothesis rolls each office back."""

    @pytest.mark.long
    @settings(max_examples=at_most(15), deadline=None)
    @given(st.integers(min_value=0, max_value=2**32))
    def test_the_parts_are_the_change_and_months_follow_each_other(self, seed):
        cache.clear()  # what was rolled back had the same keys
        arena(random.Random(seed))
        months = [flows(date(2026, month, 1)) for month in range(2, 8)]
        for before, after in pairwise(months):
            for one, next_one in zip(before, after, strict=True):
                assert one.change == sum(part.change for part in one.parts)
                assert one.after == next_one.before
        for flow in months[-1]:
            ratings = Rating.objects.filter(category=flow.category, rating__isnull=False)
            assert flow.after.total == sum(ratings.values_list("rating", flat=True))


def month_of_everything():
    """Every part in blitz in April, with round numbers."""
    anna, boris, carla = (member(name) for name in ("anna", "boris", "carla"))
    opening(anna, 1500)
    opening(boris, 1500, previously_unrated=True)
    opening(member("dora"), 2000, minute=40 * DAY)
    game(anna, boris, "1-0", minute=40 * DAY)
    adjustment(anna, 12, minute=41 * DAY)
    for number in range(5):
        game(carla, anna, "1/2-1/2", minute=42 * DAY + number)
    adjustment(member("erik"), 50, minute=41 * DAY)
    low = member("fritz")
    opening(low, 100, minute=40 * DAY)
    adjustment(low, -1, minute=43 * DAY)


@pytest.mark.django_db
def test_each_part_has_its_lines_and_points():
    month_of_everything()
    blitz = flows(APRIL)[Category.BLITZ - 1]
    assert (blitz.before.members, blitz.before.total, blitz.before.mean) == (2, Decimal(3000), Decimal(1500))
    assert [(part.lines, part.change) for part in blitz.parts] == [
        (1, Decimal("10.00")),
        (1, Decimal("-20.00")),
        (1, Decimal("1522.00")),
        (2, Decimal("2100.00")),
        (1, Decimal("12.00")),
        (1, Decimal("-100.00")),
    ]
    assert (blitz.after.members, blitz.after.total) == (4, Decimal("6524.00"))
    assert blitz.after.mean == Decimal("1631.00")


@pytest.mark.django_db
def test_the_page_shows_each_month_and_no_other(client):
    month_of_everything()
    shown = client.get("/lab/scale/2026-04/")
    said = words(shown)
    assert "The rating scale in April 2026" in said
    assert "Games, at K = 40 of members who were unrated 1 −20.00" in said
    assert "All ratings after (mean 1631.00) 4 6524.00" in said
    assert "/changes/?category=blitz&amp;kind=opening&amp;since=2026-04-01&amp;until=2026-04-30" in shown.text
    assert 'href="/lab/scale/2026-03/"' in shown.text
    assert client.get("/lab/scale/").status_code == 200
    assert client.get("/lab/scale/2026-02/").status_code == 404
    assert client.get("/lab/scale/2126-02/").status_code == 404
    assert 'href="/lab/scale/"' in client.get("/lists/").text


@pytest.mark.django_db
def test_a_correction_is_seen_at_once():
    month_of_everything()
    assert flows(APRIL)[Category.BLITZ - 1].parts[1].change == -20
    game(*(member(name) for name in ("g", "h")), minute=44 * DAY)
    opening(member("late"), 1000, minute=45 * DAY)
    assert flows(APRIL)[Category.BLITZ - 1].parts[3].change == 3100


@pytest.mark.django_db
def test_an_office_without_ratings_has_an_empty_scale(client):
    assert "All ratings after 0 0.00" in words(client.get("/lab/scale/"))
