"""Players of the FIDE list in the search of the site and in the suggestions of their list."""

import pytest
from django.urls import reverse

from tests.arena import member
from tests.fide.office import OCTOBER, bring_players, listed
from tests.pages import words

pytestmark = pytest.mark.django_db


def test_players_who_are_not_members_are_found_by_name_and_fide_id(client):
    member("anna", name="Berg, Anna", fide_id=1500001, full_from=None)
    bring_players(
        OCTOBER,
        listed(1500001, "Berg, Anna", standard=1900),
        listed(1500020, "Bergman, Nils", standard=2100, federation="SWE", title="IM"),
    )
    for text in ("bergm", "nils bergman", "Бергман", "1500020"):
        page = client.get("/search/", {"q": text})
        assert "FIDE list IM Bergman, Nils FIDE ID 1500020 · Standard 2100" in words(page), text
        assert f'href="{reverse("otb:player", args=[1500020])}"' in page.text
    for text, is_told in (("be", True), ("ber", False)):
        page = words(client.get("/search/", {"q": text}))
        assert ("Bergman, Nils" in page) != is_told
        assert ("To search the FIDE list as well, type at least three letters." in page) == is_told
    page = words(client.get("/search/", {"q": "berg"}))
    assert page.index("Berg, Anna anna") < page.index("Bergman, Nils")
    assert page.count("Berg, Anna") == 1


def test_the_filter_of_the_fide_list_suggests_its_players_members_or_not_with_their_ratings(client):
    member("anna", name="Berg, Anna", fide_id=1500001, full_from=None)
    bring_players(
        OCTOBER,
        listed(1500001, "Berg, Anna", standard=1900, blitz=1850),
        listed(1500020, "Bergman, Nils", federation="SWE", title="IM"),
    )
    assert 'data-suggest="/search/suggestions/?of=fide_players"' in client.get("/fide/players/").text
    page = client.get("/search/suggestions/", {"q": "berg", "of": "fide_players"})
    assert words(page).endswith(
        "Berg, Anna FIDE ID 1500001 · Standard 1900 · Blitz 1850 IM Bergman, Nils FIDE ID 1500020"
    )
    assert f'href="{reverse("otb:player", args=[1500001])}"' in page.text
