"""What a link to the site shows elsewhere: pictures, descriptions, robots.txt and the sitemap."""

from datetime import UTC, datetime
from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image

from foa.web.picture import Card, drawn
from ratings.rules.time_controls import Category
from ratings.services.lists.publishing import publish
from ratings.views import sitemap
from tests.arena import at, member, opening
from tests.pages import queries

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


def card_of(monkeypatch, client, address):
    """The words that a picture is drawn from."""
    cards = []
    monkeypatch.setattr("ratings.views.social.drawn", lambda card: cards.append(card) or b"")
    assert client.get(address, headers={"accept-language": "pl"}).status_code == 200
    return cards[0]


def test_a_profile_has_a_picture_of_its_own_and_says_so(anna, client):
    address = f"/members/{anna.pk}/card.png"
    page = client.get(anna.get_absolute_url()).content.decode()
    assert f'<meta property="og:image" content="http://testserver{address}">' in page
    assert 'content="Live and published ratings, games and titles of Berg, Anna' in page
    picture = client.get(address)
    assert picture["Content-Type"] == "image/png"
    assert len(picture.content) < 60_000
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)


def test_the_picture_of_a_profile_says_name_title_federation_and_live_ratings_in_english(
    anna, client, monkeypatch
):
    card = card_of(monkeypatch, client, f"/members/{anna.pk}/card.png")
    assert (card.heading, card.badge, card.about) == ("Berg, Anna", "WGM", "Norway")
    assert card.figures == [("Rapid", "–"), ("Blitz", "1800"), ("Bullet", "–")]


def test_the_picture_of_a_list_says_its_month_its_size_and_its_highest_rating(april, client, monkeypatch):
    card = card_of(monkeypatch, client, f"{april.get_absolute_url()}card.png")
    assert card.heading == "Blitz, April 2026"
    assert card.figures == [("Members", "1"), ("Games", "0"), ("Highest", "1800")]
    assert f"{april.get_absolute_url()}card.png" in client.get(april.get_absolute_url()).content.decode()


def test_a_picture_is_drawn_again_only_when_its_words_change(anna, client, monkeypatch):
    address = f"/members/{anna.pk}/card.png"
    first = client.get(address)
    assert first["Cache-Control"] == "public, max-age=3600"
    monkeypatch.setattr("ratings.views.social.drawn", lambda card: b"another")
    asked = {"if-none-match": first["ETag"]}
    assert client.get(address, headers=asked).status_code == 304
    assert client.get(address).content == first.content
    anna.title = "IM"
    anna.save()
    assert client.get(address, headers=asked).content == b"another"


def test_a_long_name_and_letters_that_the_font_lacks_fit_into_a_picture():
    # ễ and ị lose what Inter's part lacks; Cyrillic has nothing left.
    assert drawn(Card("Nguyễn, Thị", "", "", [])) == drawn(Card("Nguyen, Thi", "", "", []))
    assert drawn(Card("Ж", "", "", [])) == drawn(Card("?", "", "", []))
    assert len(drawn(Card("W" * 200, "W" * 200, "WGM", [("Rapid", "3000")] * 3))) < 60_000


def test_nobody_has_no_picture(anna, client):
    assert client.get("/members/99999/card.png").status_code == 404
    assert client.get("/lists/blitz/1999-01/1/card.png").status_code == 404


def locations(response):
    assert response["Content-Type"] == "application/xml"
    return [
        one.text.removeprefix("http://testserver")
        for one in ElementTree.fromstring(response.content).iter()
        if one.text
    ]


def test_robots_read_pages_once_and_find_the_sitemap(client):
    text = client.get("/robots.txt").text
    assert "Disallow: /admin/\n" in text
    assert "Disallow: /*?\n" in text
    assert "Sitemap: http://testserver/sitemap.xml\n" in text


def test_the_sitemap_has_pages_lists_and_members_in_pieces_by_key(april, anna, client, monkeypatch):
    monkeypatch.setattr(sitemap, "PIECE", 1)
    last = member("boris")
    pieces = locations(client.get("/sitemap.xml"))
    assert pieces[0] == "/sitemap-pages.xml"
    assert pieces[-1] == f"/sitemap-members-{last.pk}.xml"
    assert len(pieces) == last.pk + 2
    assert locations(client.get(f"/sitemap-members-{anna.pk}.xml")) == [anna.get_absolute_url()]
    assert client.get(f"/sitemap-members-{last.pk + 1}.xml").status_code == 404
    pages = locations(client.get("/sitemap-pages.xml"))
    assert {"/", "/ratings/bullet/", "/lists/blitz/2026-04/", "/fide/tournaments/", "/league/"} <= set(pages)
    assert all(client.get(page, follow=True).status_code == 200 for page in pages)


def test_a_piece_of_the_sitemap_asks_the_database_once_however_many_it_has(anna, client):
    before = queries(client, "/sitemap-members-0.xml")
    for name in "bcdef":
        member(name)
    assert queries(client, "/sitemap-members-0.xml") == before


def test_the_icon_is_where_browsers_look_for_it(client):
    assert client.get("/favicon.ico")["Location"] == "/static/foa/favicon.ico"
