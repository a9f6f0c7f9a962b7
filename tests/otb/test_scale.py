"""B.02 10.3, 12.3: the report of a list."""

from datetime import date
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.scales import scales
from ratings.otb.services.scale import ManyGames, scale_report
from tests.backoffice import admin_page
from tests.otb.test_periods import (
    ID,
    NOVEMBER,
    SEPTEMBER,
    TWO_ROUNDS,
    before_january,
    close,
    received,
    september,
)
from tests.pages import words

__all__ = ["september"]

pytestmark = pytest.mark.django_db

JANUARY = date(2026, 1, 1)


def address(list_day):
    return reverse("otb:report", args=(list_day, OtbList.objects.latest_of(list_day).revision))


def closing():
    """The warnings of closing the period of November."""
    by = User.objects.create_user("officer", is_staff=True, is_superuser=True)
    proposal = Proposal(kind=kind_of("close-period"), parameters={"until": ["2025-11-01"]}, by=by)
    return preview(proposal)


def test_10_3_the_drift_is_over_everybody_who_is_rated_on_both_lists():
    """test_periods: -7, +1, +13 and -8 for the four who played, 0 for the others of twenty.

    (-7 + 1 + 13 - 8) / 4 = -0.25, and / 20 = -0.05. Before: 2000 + 1900 + 2100 + 2450 + 1205 + 1210 + 1700 +
    1800 + 3 × 2220 + 5 × 2150 + 4 × 2200 = 40 575, / 20 = 2028.75; after 40 574, / 20 = 2028.70.
    """
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    report = scale_report(OtbList.objects.latest_of(NOVEMBER))
    drift = report.drift
    assert (drift.stayed, drift.played, drift.new, drift.gone) == (20, 4, 0, 0)
    assert (drift.mean_change, drift.mean_change_of_played) == (Decimal("-0.05"), Decimal("-0.25"))
    assert (drift.mean_before, drift.mean_after) == (Decimal("2028.75"), Decimal("2028.70"))
    assert report.previous == OtbList.objects.latest_of(SEPTEMBER)


def test_10_3_new_players_and_delisted_ones_are_told_apart():
    """8.34: the new player is published with 2199. Number 5, 1205, loses to 1210: 15 × -0.49 is -7.35."""
    before_january()
    received([5, 6], [[(1, 2, "0")]], date(2025, 11, 20), "Small", registered_on=date(2025, 5, 1))
    close(JANUARY)
    drift = scale_report(OtbList.objects.latest_of(JANUARY)).drift
    assert (drift.new, drift.mean_new) == (1, Decimal("2199.00"))
    assert (drift.gone, drift.mean_gone) == (1, Decimal("1205.00"))


def test_10_3_the_first_list_follows_none(client):
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    assert scale_report(OtbList.objects.latest_of(SEPTEMBER)) is None
    assert "This is the first list, so it can’t be compared with an earlier one." in words(
        client.get(address(SEPTEMBER))
    )


@pytest.mark.parametrize(("games", "warned"), [(50, False), (51, True)])
def test_12_3_a_player_with_k_15_and_more_than_50_games_is_warned_of(games, warned):
    received([1, 2], [[(1, 2, "=")]] * games, date(2025, 9, 10))
    effect = closing()
    told = "has 51 rated games. With K = 15, a rating stays reliable up to 50 games in a period (B.02 12.3)."
    assert [fact.key for fact in effect.warnings if told in fact.label] == (
        [f"games of {ID + 1}", f"games of {ID + 2}"] if warned else []
    )
    close(NOVEMBER)
    found = scale_report(OtbList.objects.latest_of(NOVEMBER)).many_games
    assert found == (
        (
            ManyGames(ID + 1, "Player, Number 1", 15, 51, 50),
            ManyGames(ID + 2, "Player, Number 2", 15, 51, 50),
        )
        if warned
        else ()
    )


def test_12_3_k_is_the_one_that_was_used_in_the_period():
    """Number 7 has K 40 of FIDE’s list, so 19 games are too many; the list of November gives them 25."""
    received([7, 1], [[(1, 2, "=")]] * 19, date(2025, 9, 10))
    close(NOVEMBER)
    (found,) = scale_report(OtbList.objects.latest_of(NOVEMBER)).many_games
    assert (found.fide_id, found.k, found.games, found.most) == (ID + 7, 40, 19, 18)


def test_the_report_of_a_list_is_a_page_that_the_list_and_the_admin_lead_to(client, admin_client):
    received([1, 2], [[(1, 2, "=")]] * 51, date(2025, 9, 10))
    close(NOVEMBER)
    otb_list = OtbList.objects.latest_of(NOVEMBER)
    page = client.get(address(NOVEMBER))
    assert "Average change of players on both lists 20" in words(page)
    assert "Player, Number 1 15 51 50" in words(page)
    assert address(NOVEMBER) in client.get(otb_list.get_absolute_url()).text
    assert address(NOVEMBER) in admin_client.get(admin_page(otb_list)).text
    assert Client().get(reverse("otb:report", args=(NOVEMBER, 9))).status_code == 404
    assert OtbListEntry.objects.filter(otb_list=otb_list).count() == 21


def test_10_3_each_list_has_mean_median_and_quantiles(september):
    """The twenty of September: two of them end 1, 7, 8 and 13 points elsewhere."""
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    (standard,) = scales()
    first, second = standard.find()
    assert (standard.slug, first.label, second.label) == ("otb-standard", "1 Sep 2025", "1 Nov 2025")
    assert (first.players, first.mean, first.entrants) == (20, Decimal("2028.75"), None)
    assert (second.players, second.mean) == (20, Decimal("2028.70"))
    assert (first.median, first.quantiles) == (2150, (1210, 1900, 2200, 2220))
    assert (second.entrants, second.leavers) == (0, 0)
