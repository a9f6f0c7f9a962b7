"""The Atom feed for everybody."""

from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User

from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import START, at, member, rated

pytestmark = pytest.mark.django_db

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def entries(client, **headers):
    feed = ElementTree.fromstring(client.get("/news/atom.xml", headers=headers).content)
    return {
        entry.find("a:link", ATOM).get("href"): (
            entry.findtext("a:title", namespaces=ATOM),
            entry.findtext("a:id", namespaces=ATOM),
            entry.findtext("a:summary", namespaces=ATOM),
        )
        for entry in feed.findall("a:entry", ATOM)
    }


@pytest.fixture
def listed(settings):
    settings.SITE_URL = "https://ratings.example"
    rated(1800)
    return publish(category=Category.BLITZ, month=START, at=START)


def closed(who, by):
    decide_at_once(
        Proposal(
            kind=kind_of("close-account"),
            parameters={
                "member": [str(who.pk)],
                "closed_from": ["2026-03-01T12:00:00Z"],
                "category": ["fair-play"],
                "games": ["keep"],
            },
            by=by,
            note="cheated with an engine",
        )
    )


def test_it_has_lists_months_and_decisions_with_addresses_of_the_site_and_lasting_ids(listed, client):
    found = entries(client, host="localhost")
    assert found["https://ratings.example/lists/blitz/2026-03/1/"] == (
        "March 2026 lists: Blitz",
        "tag:ratings.example,2026:/lists/blitz/2026-03/1/",
        "",
    )
    assert found["https://ratings.example/months/2026-02/"] == (
        "February 2026 in review",
        "tag:ratings.example,2026:/months/2026-02/",
        "",
    )
    assert client.get("/months/2026-02/").status_code == 200


def test_the_lists_of_a_month_are_one_piece_of_news_and_those_revised_another(listed, client):
    rated(1800, Category.RAPID)
    publish(category=Category.RAPID, month=START, at=START)
    rated(1700)
    publish(category=Category.BLITZ, month=START, at=at(60), revise=True)
    titles = {address: title for address, (title, _id, _why) in entries(client).items()}
    assert titles["https://ratings.example/lists/rapid/2026-03/1/"] == "March 2026 lists: Rapid, Blitz"
    assert titles["https://ratings.example/lists/blitz/2026-03/2/"] == "March 2026 lists, revision 2: Blitz"


def test_it_names_neither_who_is_accused_nor_who_decided(listed, client):
    officer = User.objects.create_superuser("the.officer")
    accused = member("the.accused", name="Accused, Anna")
    closed(accused, officer)
    decision = ChangeSet.objects.get()
    title, _id, _why = entries(client)[f"https://ratings.example{decision.get_absolute_url()}"]
    assert title == str(decision)
    text = client.get("/news/atom.xml").text.lower()
    for secret in ("accused", "officer", "engine"):
        assert secret not in text


def test_who_has_it_already_gets_304(listed, client):
    first = client.get("/news/atom.xml")
    assert first.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    for headers in (
        {"if-none-match": first.headers["ETag"]},
        {"if-modified-since": first.headers["Last-Modified"]},
    ):
        assert client.get("/news/atom.xml", headers=headers).status_code == 304
    publish(category=Category.RAPID, month=START, at=START.replace(minute=1))
    assert client.get("/news/atom.xml", headers={"if-none-match": first.headers["ETag"]}).status_code == 200


def test_every_page_leads_to_it(listed, client):
    for address in ("/", "/members/", "/news/"):
        assert 'type="application/atom+xml" title="News" href="/news/atom.xml"' in client.get(address).text


def test_it_speaks_the_language_of_who_asks(listed, client):
    feed = client.get("/news/atom.xml", headers={"accept-language": "pl"})
    assert 'xml:lang="pl"' in feed.text


def test_the_page_shows_equal_decisions_of_a_day_together(client):
    officer = User.objects.create_superuser("the.officer")
    for name in ("anna", "bert"):
        closed(member(name), officer)
    latest, earlier = ChangeSet.objects.order_by("-pk")
    page = client.get("/news/").text
    assert f">{latest}</a>, <a" in page
    assert f">#{earlier.pk}</a>" in page
    assert str(earlier) not in page
