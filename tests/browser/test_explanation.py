"""Why a rating changed, as people see it."""

import pytest
from playwright.sync_api import expect

from ratings.rbb.models import Rating
from ratings.rules.time_controls import Category

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_calculation_is_seen_without_scrolling_and_every_step_on_demand(
    page, live_server, arena, complaints
):
    page.set_viewport_size({"width": 1280, "height": 800})
    rating = Rating.objects.get(member=arena.anna, category=Category.BLITZ)
    page.goto(f"{live_server.url}/changes/{rating.last_change_id}/")
    expect(page.get_by_text("Rn = Ro + K × ΔR")).to_be_in_viewport()
    expect(page.get_by_text("change in points")).to_be_in_viewport()
    before = page.get_by_text("rating before the game: Ro =")
    expect(before).to_be_hidden()
    page.get_by_text("Show all 9 steps").click()
    expect(before).to_be_visible()
    assert not complaints
