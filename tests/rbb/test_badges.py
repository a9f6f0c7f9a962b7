"""Badges and cards with a member’s ratings, for other sites."""

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from members.models import AccountClosure, Member
from ratings.rules.time_controls import Category
from tests.arena import at, member, opening

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

HOSTILE = "a\"'<b>&amp;]*(x)"


@pytest.fixture
def anna(db):
    who = member("anna", name="Berg, Anna", title="WGM")
    opening(who, "1799.60", Category.BLITZ)
    return who


class Tags(HTMLParser):
    """The attributes of each tag, as a browser has them."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def codes_of(client, who, query=""):
    """What a profile offers to copy, by the names of the fields."""
    page = client.get(f"{who.get_absolute_url()}{query}").content.decode()
    return {
        attrs["id"]: attrs["value"]
        for tag, attrs in Tags(page).found
        if tag == "input" and "readonly" in attrs
    }


def words(response):
    """The texts of a badge."""
    assert response["Content-Type"] == "image/svg+xml"
    root = ElementTree.fromstring(response.content)
    return [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_badge_has_the_username_and_the_displayed_rating(client, anna):
    # RBB 3.12: 1799.60 is shown as 1800.
    assert words(client.get("/members/anna/badge.svg?category=blitz")) == ["anna", "blitz 1800"]
    assert words(client.get("/members/anna/badge.svg?category=rapid")) == ["anna", "rapid unrated"]
    assert words(client.get("/members/anna/badge.svg")) == ["anna", "rapid – · blitz 1800 · bullet –"]


def test_a_badge_and_a_card_are_in_english_whoever_asks(client, anna):
    for address in ("/members/anna/badge.svg?category=rapid", "/members/anna/card/?category=rapid"):
        answer = client.get(address, headers={"accept-language": "pl"})
        assert "unrated" in answer.content.decode()
        assert answer["Content-Language"] == "en"


@pytest.mark.parametrize("what", ["badge.svg", "card/"])
def test_others_keep_it_for_five_minutes_and_ask_whether_it_has_changed(client, anna, what):
    first = client.get(f"/members/anna/{what}")
    assert first["Cache-Control"] == "public, max-age=300"
    assert not first.cookies
    again = client.get(f"/members/anna/{what}", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again["Cache-Control"]) == (304, "public, max-age=300")
    opening(anna, "1500.00", Category.RAPID)
    assert client.get(f"/members/anna/{what}", headers={"if-none-match": first["ETag"]}).status_code == 200


@pytest.mark.parametrize("what", ["badge.svg", "card/"])
def test_unknown_members_and_categories_are_not_found(client, anna, what):
    assert client.get(f"/members/nobody/{what}").status_code == 404
    assert client.get(f"/members/anna/{what}?category=standard").status_code == 404


@pytest.mark.parametrize("what", ["badge.svg", "card/"])
def test_a_former_username_and_another_spelling_lead_to_the_member(client, anna, what):
    anna.username = "anna-berg"
    anna.save()
    for old in ("anna", "ANNA", "Anna-Berg"):
        answer = client.get(f"/members/{old}/{what}?category=blitz")
        assert (answer.status_code, answer["Location"]) == (302, f"/members/anna-berg/{what}?category=blitz")


def test_of_two_old_usernames_that_differ_in_case_alone_each_has_a_badge(client, anna):
    other = member("bert")
    Member.objects.filter(pk=other.pk).update(username="Anna", username_key="anna")
    for name in ("anna", "Anna"):
        assert words(client.get(f"/members/{name}/badge.svg?category=bullet"))[0] == name


@pytest.mark.parametrize(
    "username", [HOSTILE, "a/b", "5", "żółw", "ひらがな", "a b", "x" * 150, "card", "a%2Fb?c#d"]
)
def test_any_username_is_shown_as_text(client, username):
    who = member("x")
    Member.objects.filter(pk=who.pk).update(username=username, username_key=username.casefold())
    codes = codes_of(client, who)
    (link, image) = Tags(codes["badge-html"]).found
    assert link == ("a", {"href": f"http://testserver{who.get_absolute_url()}"})
    assert image[1]["alt"] == f"Ratings of {username}"
    (name, *_rest) = words(client.get(image[1]["src"]))
    assert name == (username if len(username) <= 40 else f"{username[:39]}…")
    ((_tag, frame),) = Tags(codes["card-html"]).found
    framed = client.get(frame["src"])
    assert framed.status_code == 200
    assert "<b>" not in framed.content.decode()
    assert codes["badge-markdown"].endswith(f"](http://testserver{who.get_absolute_url()})")
    assert "<" not in codes["badge-markdown"].replace("\\<", "")


def test_the_card_alone_may_be_framed_and_knows_nobody(client, anna, django_user_model):
    client.force_login(django_user_model.objects.create_user("somebody"))
    card = client.get("/members/anna/card/")
    assert "X-Frame-Options" not in card
    assert "frame-ancestors *" in card["Content-Security-Policy"]
    assert "default-src 'self'" in card["Content-Security-Policy"]
    assert card["Cache-Control"] == "public, max-age=300"
    text = card.content.decode()
    assert "somebody" not in text
    assert "csrf" not in text
    assert "Berg, Anna" in text
    assert not card.cookies
    for other in (anna.get_absolute_url(), "/members/anna/badge.svg", "/members/nobody/card/"):
        answer = client.get(other)
        assert answer["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


def test_a_closed_account_has_its_ratings_and_no_word_about_it(client, anna):
    closure = AccountClosure(member=anna, closed_from=at(1), category="fair-play", decided_at=at(2))
    closure.save()
    for what in ("badge.svg", "card/"):
        text = client.get(f"/members/anna/{what}").content.decode().lower()
        assert "1800" in text
        assert "fair" not in text
        assert "closed" not in text


def test_a_look_back_offers_nothing_to_copy(client, anna):
    assert codes_of(client, anna).keys() == {"badge-html", "badge-markdown", "card-html"}
    assert not codes_of(client, anna, "?as_of=2026-03-01T12:00:00Z")
