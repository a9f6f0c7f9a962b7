"""What a link to the site shows elsewhere: a picture, descriptions, robots.txt and the sitemap."""

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingChange
from ratings.rbb.views.sitemap import MembersSitemap
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


@pytest.fixture
def anna(db):
    who = member("anna", name="Berg, Anna", federation="NOR", title="WGM")
    opening(who, "1799.60", Category.BLITZ)
    return who


@pytest.fixture
def april(anna):
    published, _new = publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    return published


def test_a_link_shows_what_it_leads_to_and_one_picture(anna, client):
    page = client.get(anna.get_absolute_url()).text
    assert '<meta property="og:image" content="http://testserver/static/foa/social.png">' in page
    assert 'content="Berg, Anna: blitz 1800"' in page


def shared(client, address):
    """What a link to a page tells, by the names of Open Graph; and the address that it names."""
    page = client.get(address).text
    told = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
    return told, re.search(r'<link rel="canonical" href="([^"]*)">', page)[1]


def test_a_link_to_a_change_tells_what_happened(client, anna):
    bert = member("bert", name="Vik, Bert")
    opening(bert, 2391, Category.BLITZ)
    played = game(anna, bert)
    lines = {line.member_id: line for line in RatingChange.objects.filter(game=played)}
    told, address = shared(client, f"{lines[anna.pk].get_absolute_url()}?a=b")
    # RBB 4.2: who is 591 points lower has PD 0.02; 0.98 × 20 = 19.60 makes 1819.20 of 1799.60.
    assert told["title"] == "Berg, Anna 1800 → 1819 after beating Vik, Bert 2391"
    assert told["url"] == address == f"http://127.0.0.1:8000{lines[anna.pk].get_absolute_url()}"
    assert told["description"].startswith("Why the rating of Berg, Anna changed")
    told, _address = shared(client, lines[bert.pk].get_absolute_url())
    assert " after losing to Berg, Anna 1800" in told["title"]
    told, _address = shared(client, played.get_absolute_url())
    assert told["title"] == "Berg, Anna – Vik, Bert 1-0"


def test_a_link_to_a_member_tells_their_ratings_and_what_moved_lately(client, anna):
    """RBB 3.9.2: 1799.60 + 20 × (1 − 0.50), D = 0.40."""
    lately = timezone.now() - timedelta(hours=1)
    bert = member("bert", name="Vik, Bert")
    told, _address = shared(client, bert.get_absolute_url())
    assert (
        told["description"]
        == "Live and published ratings, games and titles of Vik, Bert in FIDE Online Arena."
    )
    opening(bert, "1800.00", Category.BLITZ)
    game(anna, bert, started_at=lately - timedelta(minutes=5), ended_at=lately)
    told, _address = shared(client, anna.get_absolute_url())
    assert told["description"] == "Berg, Anna: blitz 1810 (+10.00 in 30 days)"
    told, _address = shared(client, f"{anna.get_absolute_url()}games/")
    assert told["description"] == "Berg, Anna: blitz 1810 (+10.00 in 30 days)"


def test_a_link_to_a_list_tells_who_is_first_and_one_to_its_report_who_gained_most(client, anna, april):
    told, _address = shared(client, april.get_absolute_url())
    assert told["description"].endswith(" to download or print. · 1. Berg, Anna 1800")
    bert = member("bert", name="Vik, Bert")
    opening(bert, "1800.00", Category.BLITZ, minute=50_000)
    game(anna, bert, minute=50_010)
    may, _new = publish(category=Category.BLITZ, month=datetime(2026, 5, 1, tzinfo=UTC), at=at(90_000))
    told, _address = shared(client, f"{may.get_absolute_url()}report/")
    assert told["description"] == "Blitz, May 2026 list · Biggest gains · Berg, Anna +10.00"
    told, _address = shared(client, "/months/2026-04/")
    assert told["description"] == "April 2026 in review · Biggest gains · Blitz: Berg, Anna +10.00"


def test_a_link_to_a_page_without_a_description_of_its_own_tells_its_title(client, anna):
    told, _address = shared(client, "/records/")
    assert told["description"].startswith("Records. Live ratings and official lists of")


def test_the_arena_has_the_name_that_its_operator_gave_it(client, anna, settings):
    settings.ARENA_NAME = "Chess & Friends"
    told, _address = shared(client, "/")
    assert told["site_name"] == "Chess &amp; Friends · Rating office"
    assert told["title"] == "Chess &amp; Friends ratings"
    for address in ("/", anna.get_absolute_url(), "/members/", "/members/anna/card/"):
        page = client.get(address).text
        assert "FIDE Online Arena" not in page, address
        assert "Chess &amp; Friends" in page, address


def locations(response):
    assert response["Content-Type"] == "application/xml"
    return [
        one.text.removeprefix("http://testserver")
        for one in ElementTree.fromstring(response.content).iter()
        if one.text and one.text.strip()
    ]


def test_robots_read_pages_once_and_find_the_sitemap(client):
    text = client.get("/robots.txt").text
    assert "Disallow: /admin/\n" in text
    assert "Disallow: /*?\n" in text
    assert "Sitemap: http://testserver/sitemap.xml\n" in text


@pytest.mark.needs("league", "otb")
def test_the_sitemap_has_pages_lists_and_members_in_pieces(april, anna, client, monkeypatch):
    monkeypatch.setattr(MembersSitemap, "limit", 1)
    boris = member("boris")
    pieces = locations(client.get("/sitemap.xml"))
    assert pieces == ["/sitemap-pages.xml", "/sitemap-members.xml", "/sitemap-members.xml?p=2"]
    assert locations(client.get(pieces[1])) == [anna.get_absolute_url()]
    assert locations(client.get(pieces[2])) == [boris.get_absolute_url()]
    assert client.get("/sitemap-members.xml?p=3").status_code == 404
    assert client.get("/sitemap-games.xml").status_code == 404
    pages = locations(client.get("/sitemap-pages.xml"))
    assert {"/", "/ratings/bullet/", "/lists/blitz/2026-04/", "/fide/tournaments/", "/league/"} <= set(pages)
    assert all(client.get(page, follow=True).status_code == 200 for page in pages)


def test_the_icon_is_where_browsers_look_for_it(client):
    assert client.get("/favicon.ico")["Location"] == "/static/foa/favicon.ico"
