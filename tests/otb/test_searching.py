"""Tournaments in the search of the site, and what the filters over the board suggest."""

import re
from datetime import date

import pytest

from ratings.otb.models import Tournament
from ratings.rules.b02.lists import Lists
from ratings.rules.b02.time_controls import Chapter
from tests.arena import member
from tests.otb.test_list_pages import entry, publish
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


def suggested(client, address, text):
    """The suggestions for a text typed into the filter of a list."""
    (suggest,) = re.findall(r'data-suggest="([^"]+of=[^"]+)"', client.get(address).text)
    return client.get(f"{suggest}&q={text}")


def test_the_filter_of_tournaments_suggests_tournaments_alone(client):
    member("oslo", name="Oslo, Anna")
    day = date(2026, 3, 1)
    open_ = Tournament.objects.create(name="New Year Open", city="Oslo", first_day=day, last_day=day)
    page = suggested(client, "/fide/tournaments/", "oslo")
    assert words(page).endswith("New Year Open Oslo · 1 Mar 2026")
    assert f'href="{open_.get_absolute_url()}"' in page.text
    assert "Anna" not in words(page)


def test_the_filter_of_a_list_suggests_players_of_the_latest_lists_with_their_ratings(client):
    earlier, march = publish(date(2026, 2, 1)), publish(date(2026, 3, 1))
    rapid = publish(date(2026, 3, 1), chapter=Chapter.RAPID)
    entry(earlier, 1, "Berg, Anna", 1900)
    entry(march, 1, "Berg, Anna", 1950, title="WIM")
    entry(rapid, 1, "Berg, Anna", 1870, title="WIM")
    entry(rapid, 2, "Bergman, Nils", 1700, federation="SWE")
    entry(earlier, 3, "Berger, Left", 1800)
    for address in (earlier.get_absolute_url(), march.get_absolute_url()):
        page = suggested(client, address, "berg")
        assert words(page).endswith(
            "WIM Berg, Anna FIDE ID 1000001 · Standard 1950 · Rapid 1870 "
            "Bergman, Nils FIDE ID 1000002 · Rapid 1700"
        )
        assert 'href="/fide/players/1000001/"' in page.text
    assert "Berg, Anna" in words(suggested(client, march.get_absolute_url(), "1000001"))


def test_a_name_that_no_list_publishes_is_not_suggested(client):
    march = publish(date(2026, 3, 1))
    entry(march, 1, "Berg, Anna", 1900, Lists.NOWHERE)
    entry(march, 2, "Berg, Bodil", None, Lists.TITLED, title="CM")
    page = words(suggested(client, march.get_absolute_url(), "berg"))
    assert page.endswith("CM Berg, Bodil FIDE ID 1000002 · Standard –")
    assert "Berg, Anna" not in page


def test_without_a_list_there_is_nothing_to_suggest(client):
    assert words(client.get("/search/suggestions/", {"q": "berg", "of": "board_players"})) == "Nothing found."
