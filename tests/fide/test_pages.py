"""The public pages of FIDE lists, and what other pages say of them."""

import pytest
from django.utils import timezone

from ratings.fide.models import FidePlayer
from ratings.fide.services.announcing import announce
from ratings.formats.frl import FideControl
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType
from ratings.rules.time_controls import Category
from tests.arena import START, member, opening
from tests.fide.office import NOVEMBER, OCTOBER, bring, bring_players, listed, single
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

PLAYERS, LISTS = "/fide/players/", "/fide/lists/"
RAPID, BLITZ, BULLET = Category


def a_list():
    """A member on the list, beside two players who are none."""
    anna = member("anna", name="Berg, Anna", fide_id=1, full_from=None)
    bring_players(
        OCTOBER,
        listed(1, "Berg, Anna", standard=1900, rapid=1850),
        listed(20, "Åberg, Nils", blitz=2100, federation="SWE", title="IM"),
        listed(3, "Zorn, Emil", federation="SWE"),
    )
    return anna


@pytest.fixture(scope="class")
def anna(standing):
    return standing(a_list)


def shown(response):
    return [player.fide_id for player in response.context["table"].page.rows]


def test_players_stand_by_name_with_their_ratings_and_the_member_among_them(client, anna):
    response = client.get(PLAYERS)
    assert is_friendly(response)
    assert shown(response) == [20, 1, 3]
    text = words(response)
    assert "Current list: October 2025 FIDE rating list ." in text
    assert "IM Aberg, Nils 20 SWE 1990 – – 2100 –" in text
    assert "Berg, Anna 1 NOR 1990 1900 1850 – Berg, Anna" in text
    assert f'<a href="{anna.get_absolute_url()}">Berg, Anna</a>' in response.text
    assert 'href="https://ratings.fide.com/profile/20"' in response.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("player=berg", [1]),
        ("player=aberg", [20]),
        ("player=ÅBERG", [20]),
        ("player=3", [3]),
        ("player=4", []),
        ("player=ena", []),
        ("player=anna+berg", [1]),
        ("player=nils+aberg", [20]),
        ("player=berg+a", [1]),
        ("player=berg,+a", [1]),
        ("player=a,+berg", []),
        ("player=anna+zorn", []),
        ("federation=swe", [20, 3]),
        ("federation=SWE&player=z", [3]),
        ("player=" + "9" * 30, []),
        ("player=%25", []),
        ("after=20", [1, 3]),
        ("before=3", [20, 1]),
        ("sort=nonsense", [20, 1, 3]),
        ("sort=name", [20, 1, 3]),
        ("sort=-name", [3, 1, 20]),
        ("sort=-name&after=3", [1, 20]),
        ("sort=-name&before=20", [3, 1]),
        ("sort=-name&federation=SWE", [3, 20]),
    ],
)
def test_players_are_found_by_the_beginning_of_the_name_by_fide_id_and_by_federation(
    client, anna, query, found
):
    assert shown(client.get(f"{PLAYERS}?{query}")) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sort=-standard_rating", [1, 3, 20]),
        ("sort=standard_rating", [20, 3, 1]),
        ("sort=-standard_rating&federation=SWE", [3, 20]),
        ("sort=-rapid_rating&player=b", [1]),
        ("sort=-blitz_rating", [20, 1, 3]),
        ("sort=-blitz_rating&after=20", [1, 3]),
    ],
)
def test_players_are_sorted_by_rating_who_has_none_last(client, anna, query, found):
    FidePlayer.objects.filter(pk=3).update(standard_rating=1800)
    FidePlayer.objects.filter(pk=20).update(standard_rating=None)
    assert shown(client.get(f"{PLAYERS}?{query}")) == found


def test_only_players_of_few_rows_are_sorted_by_rating_and_a_longer_list_says_so(client, anna, monkeypatch):
    told = "This list is too long to sort by rating. Filter by federation or name first."
    monkeypatch.setattr("foa.web.listing.SORTED_AT_MOST", 2)
    page = client.get(f"{PLAYERS}?sort=-blitz_rating")
    assert shown(page) == [20, 1, 3]
    assert told in words(page)
    assert 'href="?sort=-blitz_rating"' not in page.text
    for filters, found in (("federation=SWE", [20, 3]), ("player=b", [1])):
        page = client.get(f"{PLAYERS}?{filters}&sort=-blitz_rating")
        assert shown(page) == found
        assert told not in words(page)


def test_the_players_of_a_file_are_by_name_however_the_page_is_sorted(client, anna):
    lines = b"".join(client.get(f"{PLAYERS}?sort=-standard_rating&format=csv")).decode().splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == ["20", "1", "3"]


@pytest.mark.parametrize("page", [PLAYERS, LISTS])
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("after=x", 400),
        ("after=999", 404),
        ("before=" + "9" * 30, 404),
        ("player=%00", 400),
        ("federation=LONG&control=x", 400),
        ("player=" + "x" * 101 + "&control=" + "x" * 101, 400),
        ("format=exe", 400),
    ],
)
def test_an_address_that_makes_no_sense_is_answered_in_words(client, anna, page, query, status):
    response = client.get(f"{page}?{query}")
    assert response.status_code == status
    assert is_friendly(response)


def test_a_search_for_players_that_finds_nobody_says_what_to_search_for(client, anna):
    told = "Search for a family name or its beginning, a full name such as “Anna Berg”, or a FIDE ID."
    assert f"Nothing found. {told}" in words(client.get(f"{PLAYERS}?player=anna"))
    for query in ("player=anna+berg", "player=be", "player=1", "federation=POL"):
        page = words(client.get(f"{PLAYERS}?{query}"))
        assert told not in page
        # Searched words aren't one player: the page still says which list it is.
        assert "Showing only" not in page
        assert "Current list: October 2025 FIDE rating list ." in page


def test_an_office_without_lists_says_so(client):
    assert "No FIDE rating list has been imported yet." in words(client.get(PLAYERS))
    assert "Nothing found." in words(client.get(LISTS))


def test_players_leave_as_files_with_the_filters_of_the_page(client, anna):
    response = client.get(f"{PLAYERS}?federation=NOR&format=csv")
    assert b"".join(response).decode() == (
        "fide_id,name,title,federation,birth_year,standard,rapid,blitz,flag\r\n"
        '1,"Berg, Anna",,NOR,1990,1900,1850,,\r\n'
    )
    assert (
        b"".join(client.get(f"{LISTS}?format=csv")).decode().splitlines()[1].startswith("2025-10,,3,0,3,0,0,")
    )


def test_a_page_of_players_takes_as_many_statements_for_fifty_as_for_three(client, anna):
    few = queries(client, PLAYERS)
    FidePlayer.objects.bulk_create(
        FidePlayer(fide_id=number, name=f"Player {number}", folded=f"PLAYER {number}")
        for number in range(100, 160)
    )
    member("more", fide_id=100)
    assert queries(client, PLAYERS) == few <= 6


def test_the_lists_say_what_each_changed_and_which_is_in_force_for_what(client, anna):
    response = client.get(LISTS)
    assert is_friendly(response)
    assert "October 2025 all three in force 3 0 3 0 0 " in words(response)
    rapid = single(FideControl.RAPID, NOVEMBER, listed(1, "Berg, Anna", rapid=1862))
    bring(NOVEMBER, rapid, control=FideControl.RAPID, force=True)
    text = words(client.get(LISTS))
    assert "November 2025 Rapid in force: Rapid 1 0 0 1 0 " in text
    assert "October 2025 all three in force: Standard, Blitz 3 0 3 0 0 " in text
    told = words(client.get(PLAYERS))
    assert "Current list: October 2025 FIDE rating list ; November 2025 FIDE rating list, rapid ." in told
    rows = client.get(f"{LISTS}?control=blitz").context["table"].page.rows
    assert [f"{row.period:%Y-%m}" for row in rows] == ["2025-10"]


def test_a_list_that_was_announced_leads_to_its_changes(client):
    anna = member("anna", fide_id=1)
    opening(anna, 1500, RAPID)
    bring_players(OCTOBER, listed(1, rapid=1800))
    bring_players(NOVEMBER, listed(1, rapid=1812))
    now = timezone.now()
    announce(period=NOVEMBER, at=now)
    response = client.get(LISTS)
    address = f"/changes/?kind=adjustment&amp;since={now:%Y-%m-%d}&amp;until={now:%Y-%m-%d}"
    assert f'<a href="{address}">1 change</a>' in response.text
    assert "+12.00" in words(client.get(address.replace("&amp;", "&")))


def test_the_profile_shows_what_the_lists_in_force_say_and_that_it_is_of_fide(client, anna):
    address = f"{anna.get_absolute_url()}over-the-board/"
    assert (
        "FIDE ratings Standard 1900 October 2025 Rapid 1850 October 2025 Blitz – October 2025"
        " Published by FIDE, separate from the arena’s ratings." in words(client.get(address))
    )
    assert client.get(f"{address}?format=json").json()["over_the_board"]["fide"]["ratings"][0] == {
        "control": "Standard",
        "slug": "standard",
        "rating": 1900,
        "period": "2025-10-01",
    }
    assert client.get("/api/v1/members/anna/over-the-board").json()["fide"] == {
        "fide_id": 1,
        "ratings": [
            {"control": "standard", "rating": 1900, "period": "2025-10-01"},
            {"control": "rapid", "rating": 1850, "period": "2025-10-01"},
            {"control": "blitz", "rating": None, "period": "2025-10-01"},
        ],
    }
    assert "FIDE ratings" not in words(client.get(f"{address}?as_of=2026-03-02"))
    for who in (member(fide_id=999), member()):
        nothing = words(client.get(f"{who.get_absolute_url()}over-the-board/"))
        assert "No FIDE rating, tournament or league." in nothing


def test_3_4_the_explanation_of_a_first_rating_names_list_control_and_number(client):
    bring_players(OCTOBER, listed(1, standard=1900))
    anna = member("anna", name="Berg, Anna", fide_id=1, full_from=START)
    line = RatingChange.objects.of_kind(EventType.OPENING).get(member=anna, category=RAPID)
    response = client.get(line.get_absolute_url())
    assert (
        "The October 2025 FIDE list has a standard rating of 1900. For rapid, the first available rating is"
        " used, in this order: rapid, standard." in words(response)
    )
    assert f'href="{LISTS}"' in response.text
    steps = {step["name"]: step for step in client.get(f"/api/v1/explanations/{line.pk}").json()["steps"]}
    assert steps["first_rating"]["values"] == {"period": "2025-10", "control": "standard", "rating": 1900}


def test_3_15_the_explanation_of_an_announced_change_names_both_lists_and_ratings(client):
    anna = member("anna", fide_id=1)
    opening(anna, 1500, BLITZ)
    bring_players(OCTOBER, listed(1, blitz=1812))
    bring_players(NOVEMBER, listed(1, blitz=1800, games=7))
    announce(period=NOVEMBER, at=timezone.now())
    line = RatingChange.objects.of_kind(EventType.ADJUSTMENT).get()
    assert (
        "FIDE published a blitz rating of 1812 in October 2025 and of 1800 in November 2025, after 7 rated"
        " games: 1800 − 1812 = −12." in words(client.get(line.get_absolute_url()))
    )


def test_an_opening_from_elsewhere_names_no_list(client):
    anna = member("anna")
    opening(anna, 1500, BLITZ)
    line = RatingChange.objects.of_kind(EventType.OPENING).get()
    response = client.get(line.get_absolute_url())
    assert "FIDE list has a" not in words(response)
    assert LISTS not in response.text
