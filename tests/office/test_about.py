"""The page “About”, which the office may write itself, and the line that a demo has on every page."""

import re

import pytest
from django.conf import settings as site
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.management import call_command
from django.urls import reverse

from ratings.office.about import as_html
from ratings.office.models import AboutText, Demo
from tests.arena import START, member
from tests.pages import words

pytestmark = pytest.mark.django_db

DEMO = "This is a demo site: all people, games and FIDE IDs are invented."


@pytest.fixture
def officer(client):
    user = User.objects.create_user("officer", is_staff=True)
    user.groups.add(Group.objects.get(name="Rating officers"))
    client.force_login(user)
    return user


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        (
            "en",
            ["What we do", "Who we are", "How to join", "Contact", "Privacy", "Licence"],
        ),
        (
            "pl",
            ["Co to jest", "Kto prowadzi biuro", "Jak dołączyć", "Kontakt", "Prywatność", "Licencja"],
        ),
    ],
)
def test_an_office_that_never_wrote_one_has_a_whole_page_in_each_language(
    client, settings, language, headings
):
    settings.ARENA_NAME = "Chess & Friends"
    page = client.get("/about/", headers={"accept-language": language}).text
    places = [page.index(f"<h2>{heading}</h2>") for heading in headings]
    assert places == sorted(places)
    assert "Chess &amp; Friends" in page
    assert "{{" not in page
    assert "{%" not in page
    assert set(dict(site.LANGUAGES)) == {"en", "pl"}


def test_every_link_of_the_text_that_comes_with_the_software_leads_somewhere(client):
    page = client.get("/about/").text
    links = set(re.findall(r'href="(/[^"]*)"', page[page.index('class="prose"') : page.index("</main>")]))
    assert {"/lists/", "/how-ratings-work/", "/register/", "/login/", "/account/"} <= links
    for link in links:
        assert client.get(link).status_code in {200, 302}, link


def test_it_has_the_offices_address_but_not_the_one_that_comes_with_the_software(client, settings):
    assert "mailto:" not in client.get("/about/").text
    settings.DEFAULT_FROM_EMAIL = "Rating office <office@ratings.example>"
    assert '<a href="mailto:office@ratings.example">office@ratings.example</a>' in client.get("/about/").text


def test_the_offices_own_text_takes_its_place_in_its_language_alone(client):
    AboutText.objects.create(language="en", text="## We\n\nFour people in *Lausanne*.")
    page = client.get("/about/").text
    assert "<h2>We</h2>\n<p>Four people in <em>Lausanne</em>.</p>" in page
    assert "What we do" not in page
    assert "Co to jest" in client.get("/about/", headers={"accept-language": "pl"}).text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("a <b onclick='x'>b</b>", "<p>a &lt;b onclick='x'&gt;b&lt;/b&gt;</p>"),
        ("[x](javascript:alert(1))", "<p><a>x</a></p>"),
        ("[x](JavaScript&#58;alert(1))", "<p><a>x</a></p>"),
        ("[x][1]\n\n[1]: data:text/html,x", "<p><a>x</a></p>"),
        ("![x](https://elsewhere.example/x.png)", "<p>![x](https://elsewhere.example/x.png)</p>"),
        ("[x](https://fide.com)", '<p><a href="https://fide.com">x</a></p>'),
        ("[x](mailto:a@b.example)", '<p><a href="mailto:a@b.example">x</a></p>'),
        ("[x](/lists/)", '<p><a href="/lists/">x</a></p>'),
    ],
)
def test_nothing_in_a_text_runs_or_is_loaded_from_elsewhere(text, html):
    assert as_html(text) == html


def test_officers_write_it_from_the_text_that_stands_and_its_history_says_who(client, officer):
    assert reverse("admin:office_abouttext_add") in client.get("/about/").text
    form = client.get("/admin/office/abouttext/add/?language=pl").text
    assert "## Co to jest" in form
    client.post("/admin/office/abouttext/add/", {"language": "en", "text": "First."})
    own = AboutText.objects.get()
    own_page = reverse("admin:office_abouttext_change", args=(own.pk,))
    assert own_page in client.get("/about/").text
    assert "First." in client.get("/about/").text
    assert [(row.history_user, row.text) for row in own.history.all()] == [(officer, "First.")]


def test_nobody_else_is_led_to_the_admin(client):
    assert "abouttext" not in client.get("/about/").text
    client.force_login(User.objects.create_user("clerk", is_staff=True))
    assert "abouttext" not in client.get("/about/").text
    assert client.get("/admin/office/abouttext/add/").status_code == 403


def test_every_page_links_to_it(client):
    for address in ("/", "/members/", "/nowhere/"):
        assert '<a href="/about/">About</a>' in client.get(address).text


def test_only_a_demo_says_on_every_page_that_its_people_are_invented(client):
    assert DEMO not in words(client.get("/"))
    Demo.objects.create(loaded_at=START)
    cache.clear()
    who = member()
    for address in ("/", "/about/", who.get_absolute_url(), "/nowhere/", "/login/"):
        assert DEMO in words(client.get(address)), address


def test_invented_fide_ids_lead_to_nobody_at_fide(client):
    who = member(fide_id=90000001)
    assert "https://ratings.fide.com/profile/90000001" in client.get(who.get_absolute_url()).text
    Demo.objects.create(loaded_at=START)
    cache.clear()
    page = client.get(who.get_absolute_url())
    assert "FIDE ID 90000001" in words(page)
    assert "ratings.fide.com" not in page.text


def test_a_database_that_has_members_never_becomes_a_demo():
    member()
    call_command("load_demo")
    assert not Demo.objects.exists()
