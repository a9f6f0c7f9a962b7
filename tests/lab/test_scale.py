"""The scale of a month: its parts are the change of the sum of all ratings, to the hundredth."""

import random
import re
from datetime import date
from decimal import Decimal
from html import unescape
from itertools import pairwise

import pytest
from django.core.cache import cache
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from members.models import AccountClosure
from ratings.lab.scale import flows
from ratings.rbb.closures import reopen_account
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, OpeningRating, Rating
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import adjustment, at, game, member, opening
from tests.decisions import decided
from tests.histories import at_most
from tests.pages import words
from tests.rbb.closing import close as close_by_decision
from tests.rbb.test_merging_always import NOW, arena, close

APRIL = date(2026, 4, 1)
DAY = 24 * 60


def correct(dice, people):
    """Void a game, close an account or reopen it, or correct an opening; or nothing."""
    games = list(Game.objects.counting().order_by("pk"))
    closed = AccountClosure.objects.first()
    what = dice.randrange(5)
    if what == 0 and games:
        void_games(games=[dice.choice(games)], by=None, reason="error", at=NOW)
    if what == 1 and closed:
        reopen_account(closure=closed, by=None, note="")
    if what == 2 and not closed:
        close(dice, people)
    if what == 3:
        opening = OpeningRating.objects.order_by("pk").last()
        with deferred():
            if opening:
                opening.rating += 10
                opening.save()


class TestAnyHistory(TestCase):
    """Hypothesis rolls each office back."""

    @pytest.mark.long
    @settings(max_examples=at_most(15), deadline=None)
    @given(st.integers(min_value=0, max_value=2**32))
    def test_the_parts_are_the_change_and_months_follow_each_other(self, seed):
        cache.clear()  # what was rolled back had the same keys
        dice = random.Random(seed)
        people = arena(dice)
        for month in dice.sample(range(3, 8), dice.randrange(6)):
            publish(category=Category.BLITZ, month=at(0).replace(month=month), at=NOW)
            correct(dice, people)
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
    assert [(part.number, part.change) for part in blitz.parts] == [
        (1, Decimal("10.00")),
        (1, Decimal("-20.00")),
        (1, Decimal("1522.00")),
        (2, Decimal("2100.00")),
        (1, Decimal("12.00")),
        (1, Decimal("-100.00")),
        (0, Decimal("0.00")),
        (0, Decimal("0.00")),
    ]
    assert (blitz.after.members, blitz.after.total) == (4, Decimal("6524.00"))
    assert blitz.after.mean == Decimal("1631.00")


@pytest.mark.django_db
def test_the_page_shows_each_month_and_no_other(client):
    month_of_everything()
    shown = client.get("/lab/scale/2026-04/")
    said = words(shown)
    assert "The rating scale in April 2026" in said
    assert "New players’ games at K = 40 1 −20.00" in said
    assert "All ratings after (mean 1631.00) 4 6,524.00" in said
    for what in (f"reason={Reason.RATED.value}&amp;k=40", f"reason={Reason.OPENING.value}"):
        assert f"/changes/?category=blitz&amp;{what}&amp;month=2026-04-01&amp;since=2026-04-01" in shown.text
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


def a_closed_account():
    """K = 40 games in March, on the April list: Boris loses to Anna, Dora to Carla. Then neither counts."""
    anna, boris, carla, dora = (member(name) for name in ("anna", "boris", "carla", "dora"))
    for who in (anna, carla):
        opening(who, 1500)
    for who in (boris, dora):
        opening(who, 1500, previously_unrated=True)
    game(anna, boris, minute=10)
    other = game(carla, dora, minute=3 * DAY)
    publish(category=Category.BLITZ, month=at(0).replace(month=4), at=at(31 * DAY))
    close_by_decision(anna)
    decided("void-games", note="error", public_reason="error", game=[str(other.pk)])
    publish(category=Category.BLITZ, month=at(0).replace(month=5), at=at(61 * DAY))
    game(carla, dora, minute=70 * DAY)


@pytest.mark.django_db
def test_closures_and_corrections_are_the_difference_between_lists_and_ledger(client):
    """1510 + 1480 twice on the April list, 4 × 1500 on that of May: half of the 20 points by the closure."""
    a_closed_account()
    march, april, may = (flows(date(2026, month, 1))[Category.BLITZ - 1] for month in (3, 4, 5))
    assert (april.before.total, april.after.total, april.change) == (5980, 6000, 20)
    assert [(part.number, part.change) for part in april.parts[-2:]] == [(2, 10), (2, 10)]
    # Both games are missing in the ledger of March, and in its list's sum they aren't.
    assert [(part.number, part.change) for part in march.parts] == [(0, 0)] * 6 + [(2, -10), (2, -10)]
    assert (march.after, march.before.published) == (april.before, None)
    assert [part.change for part in may.parts[-2:]] == [0, 0]
    shown = client.get("/lab/scale/2026-04/blitz/corrections/")
    said = words(shown)
    # Whose account was closed would be told by a decision beside the names of both.
    assert "boris +20.00 0.00 +20.00 Correction" in said
    assert "anna −10.00 0.00 −10.00 Correction" in said
    assert "closed" not in said
    assert re.search(r"carla −10.00 0.00 −10.00 #\d+: 1 game voided", said)
    assert "Since the April 2026 list Since the May 2026 list" in said
    assert 'href="/lab/scale/2026-04/blitz/corrections/"' in client.get("/lab/scale/2026-04/").text
    page = words(client.get("/lab/scale/2026-05/blitz/corrections/"))
    assert "No rating on these lists has been corrected." in page


@pytest.mark.django_db
def test_each_part_opens_its_own_lines(client):
    """What happens at the last midnight of a month is on its list, and so in this month."""
    month_of_everything()
    opening(member("first"), 1000, minute=31 * DAY)
    opening(member("last"), 1000, minute=61 * DAY)
    links = re.findall(r'href="(/changes/\?category=blitz&[^"]+)"', client.get("/lab/scale/2026-04/").text)
    lines = [b"".join(client.get(f"{unescape(link)}&format=csv")).count(b"\n") - 1 for link in links]
    assert lines == [1, 1, 1, 3, 1, 1] == [part.number for part in flows(APRIL)[Category.BLITZ - 1].parts[:6]]
