"""What a link to the site shows elsewhere: a picture, descriptions, robots.txt and the sitemap."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from ratings.rbb.lists.publishing import publish
from ratings.rbb.views.sitemap import MembersSitemap
from ratings.rules.time_controls import Category
from tests.arena import at, member, opening

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
    assert 'content="Live and published ratings, games and titles of Berg, Anna' in page


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
