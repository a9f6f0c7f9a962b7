"""Tournaments in the search of the site."""

from datetime import date

import pytest

from ratings.otb.models import Tournament
from tests.arena import member
from tests.pages import words

pytestmark = pytest.mark.django_db


def test_half_of_its_name_finds_a_tournament_the_latest_first(client):
    for year in (2025, 2026):
        day = date(year, 3, 1)
        Tournament.objects.create(
            name=f"Memoriał Łódź {year}", city="Łódź", federation="POL", first_day=day, last_day=day
        )
    for text in ("memor", "lodz mem", "Мемориал"):
        page = client.get("/search/", {"q": text})
        found = words(page).partition("Over-the-board tournaments ")[2]
        assert found.startswith("Memoriał Łódź 2026 Łódź · 1 Mar 2026 Memoriał Łódź 2025"), text
        assert f'href="{Tournament.objects.get(first_day=day).get_absolute_url()}"' in page.text
    assert "Memoriał" not in words(client.get("/search/", {"q": "m"}))


def test_a_tournament_is_found_by_its_place(client):
    day = date(2026, 3, 1)
    Tournament.objects.create(name="New Year Open", city="Oslo", first_day=day, last_day=day)
    for text in ("oslo", "open osl"):
        assert "New Year Open" in words(client.get("/search/", {"q": text})), text


def test_what_matches_comes_before_members_who_are_only_similar(client):
    member("anna", name="Springer, Anna")
    day = date(2026, 3, 1)
    Tournament.objects.create(name="Sprinter Open", first_day=day, last_day=day)
    page = words(client.get("/search/", {"q": "sprinter"}))
    assert page.index("Sprinter Open") < page.index("Did you mean:") < page.index("Springer, Anna")
