"""Visitors get a kept page while nothing in the database has changed, and never an old one."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count, repeat
from threading import Event, Semaphore

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from foa.web import caching
from members.models import FullMembership, Member
from ratings.models import Game, RatingChange
from ratings.rules.time_controls import Category
from ratings.services.ledger.replay import deferred
from ratings.services.lists.publishing import publish
from tests.arena import game, member, rated

pytestmark = pytest.mark.django_db(transaction=True)

MAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def played():
    """A rated game of two members."""
    return game(rated(1600), rated(1500))


@pytest.fixture
def published(played):
    """A list of two members."""
    return publish(category=Category.BLITZ, month=MAY, at=MAY)[0]


def asked(client, address):
    """How many statements a page takes, and the page."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
    assert response.status_code == 200
    return len(captured), response


def said(response):
    """What a page says, without the request that an error page names."""
    return response.status_code, response.content.replace(response["X-Request-ID"].encode(), b"")


def public(played):
    """An address of every kind of page that is kept."""
    line = RatingChange.objects.filter(game=played)[0]
    return [
        "/",
        "/ratings/blitz/",
        "/members/",
        "/games/",
        "/changes/",
        "/lists/",
        "/register/",
        played.get_absolute_url(),
        line.get_absolute_url(),
        f"{line.get_absolute_url()}?format=json",
        played.white.get_absolute_url(),
    ]


def test_the_second_visitor_costs_the_database_nothing(played, published, nothing_committed):
    for address in [*public(played), published.get_absolute_url()]:
        made, first = asked(Client(), address)
        kept, second = asked(Client(), address)
        assert (made > 0, kept) == (True, 0), address
        assert first.content == second.content
        assert first["Cache-Control"] == second["Cache-Control"] == "no-cache"
        assert first.headers.pop("X-Request-ID") != second.headers.pop("X-Request-ID")
        assert first.headers == second.headers
        assert "default-src 'self'" in second["Content-Security-Policy"]


def test_a_browser_that_has_the_page_gets_304(played):
    first = Client().get("/")
    again = Client(headers={"if-none-match": first["ETag"]}).get("/")
    assert (again.status_code, again.content) == (304, b"")
    rename(played)
    changed = Client(headers={"if-none-match": first["ETag"]}).get("/")
    assert changed.status_code == 200
    assert "Another, Name" in changed.text


def test_a_page_made_again_is_not_modified_if_it_says_the_same(played):
    """As by a new version of the software: the mark is that of the content, not of a moment or a process."""
    first = Client().get("/")
    cache.clear()
    assert Client(headers={"if-none-match": first["ETag"]}).get("/").status_code == 304


def test_a_commit_that_changes_nothing_on_a_page_costs_no_page_that_is_compressed(played):
    """What is compressed is padded by a random length; the mark is that of the content."""
    browser = {"accept-encoding": "gzip"}
    member("dora")
    first = Client(headers=browser).get("/lists/")
    assert first["Content-Encoding"] == "gzip"
    assert first["ETag"].startswith('W/"')
    for number in range(3):
        rename(played)
        member(f"another-{number}")
        again = Client(headers={**browser, "if-none-match": first["ETag"]}).get("/lists/")
        assert (again.status_code, again.content) == (304, b"")


def save(played):
    game(played.black, played.white, minute=9)


def void(played):
    played.voided_at, played.void_reason = played.ended_at, "test"
    played.save()


def rename(played):
    Member.objects.filter(pk=played.white_id).update(name="Another, Name")


def federation(played):
    played.white.federation = "POL"
    played.white.save()


def publication(played):
    publish(category=Category.BLITZ, month=MAY, at=MAY)


def membership(played):
    FullMembership.objects.filter(member=played.white).update(full_until=MAY + timedelta(days=900))


def by_hand(played):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ratings_rating SET rating = 200000 WHERE member_id = %s", [played.white_id])


def many_at_once(played):
    with deferred():
        Game.objects.filter(pk=played.pk).delete()


WRITES = (rename, federation, membership, publication, save, void, by_hand, many_at_once)


@pytest.mark.long
def test_no_page_is_old_after_any_write(played):
    """Each page is the one that is made anew, for every visitor after the write has been committed."""
    addresses = public(played)
    for write in WRITES:
        before = [said(Client().get(address)) for address in addresses]
        state = caching.state_of_data()
        write(played)
        assert caching.state_of_data() != state, write
        after = [Client().get(address) for address in addresses]
        cache.clear()
        for address, response in zip(addresses, after, strict=True):
            made = Client().get(address)
            assert said(response) == said(made), address
        assert before != [said(response) for response in after], write


@pytest.mark.skipif("connection.vendor == 'postgresql'", reason="the suite's other workers commit there")
def test_the_state_stays_while_nothing_is_committed(played):
    state = caching.state_of_data()
    Client().get("/")
    assert caching.state_of_data() == state


def test_what_is_rolled_back_leaves_the_right_page(played):
    before = Client().get("/members/").content
    try:
        with transaction.atomic():
            rename(played)
            assert caching.state_of_data() is None
            assert "Another, Name" in Client().get("/members/").text
            raise RuntimeError
    except RuntimeError:
        pass
    assert Client().get("/members/").content == before


def test_a_page_made_while_somebody_commits_is_made_again(played, monkeypatch):
    """The state is read before the page: at worst a page is new and kept under an old state."""
    sequence = iter(["old", "new", "new"])
    monkeypatch.setattr(caching, "state_of_data", lambda: next(sequence))
    assert "Another, Name" not in Client().get("/members/").text
    rename(played)
    assert "Another, Name" in Client().get("/members/").text
    assert asked(Client(), "/members/")[0] == 0


def visit(page, monkeypatch, states):
    """How the middleware answers one visitor whose page is in work, and five who come meanwhile.

    ``page`` makes the answer from the number of times that it has been made.
    """
    in_work, finished, came, numbers = Semaphore(0), Event(), Semaphore(0), count(1)

    def state_of_data():
        came.release()
        return next(states)

    def make(request):
        request.META["foa.same_for_visitors"] = True
        in_work.release()
        finished.wait(10)
        return page(next(numbers))

    monkeypatch.setattr(caching, "state_of_data", state_of_data)
    answer = caching.keep_for_visitors(make)
    with ThreadPoolExecutor(6) as threads:
        visits = [threads.submit(answer, RequestFactory().get("/"))]
        assert in_work.acquire(timeout=10)
        visits += [threads.submit(answer, RequestFactory().get("/")) for _ in range(5)]
        for _ in range(6):
            assert came.acquire(timeout=10)
        finished.set()
        return [visit.result(10).text for visit in visits]


def test_visitors_who_come_while_their_page_is_made_share_it(monkeypatch):
    assert visit(lambda number: HttpResponse(f"{number}"), monkeypatch, repeat("same")) == ["1"] * 6


def test_after_a_commit_they_share_the_next_one_that_is_begun(monkeypatch):
    """The page in work may lack what was committed before they came. There is another commit before each."""
    states = map(str, count())
    assert visit(lambda number: HttpResponse(f"{number}"), monkeypatch, states) == ["1", *["2"] * 5]


def test_what_may_not_be_kept_is_made_for_each(monkeypatch):
    found = visit(lambda number: HttpResponse(f"{number}", status=404), monkeypatch, repeat("same"))
    assert sorted(found) == ["1", "2", "3", "4", "5", "6"]


def test_each_address_language_and_host_has_a_page_of_its_own(published):
    address = published.get_absolute_url()
    english = asked(Client(), address)[1].content
    polish_visitor = Client(headers={"accept-language": "pl"})
    count, polish = asked(polish_visitor, address)
    assert count > 0
    assert polish.content != english
    assert asked(polish_visitor, address)[1].content == polish.content
    assert asked(Client(), address)[1].content == english
    assert asked(Client(), f"{address}?sex=F")[1].content != english
    assert Client(headers={"host": "elsewhere.example"}).get(address).status_code == 400


def test_a_visitor_who_chooses_a_language_gets_the_page_in_it(played):
    visitor = Client()
    english = visitor.get("/").text
    visitor.post("/language/set/", {"language": "pl", "next": "/"})
    assert visitor.get("/").text != english
    assert 'lang="pl"' in visitor.get("/").text


def test_json_and_page_of_one_address_are_two(played):
    address = played.get_absolute_url()
    assert Client().get(address)["Content-Type"].startswith("text/html")
    asks_for_json = Client(headers={"accept": "application/json"})
    assert asks_for_json.get(address).json()["id"] == played.pk
    assert Client().get(address)["Content-Type"].startswith("text/html")


def test_whoever_is_logged_in_gets_a_page_of_their_own(published):
    own = Client()
    own.force_login(get_user_model().objects.create_user("anna"))
    address = published.get_absolute_url()
    visitor = asked(Client(), address)[1]
    count, page = asked(own, address)
    assert count > 0
    assert "Log out" in page.text
    assert "ETag" not in page
    assert "Log out" not in visitor.text
    assert "Log out" not in asked(Client(), address)[1].text
    own.get(address, headers={"if-none-match": visitor["ETag"]})
    assert own.get(address, headers={"if-none-match": visitor["ETag"]}).status_code == 200


def test_a_download_and_a_wrong_address_are_not_kept(published):
    address = published.get_absolute_url()
    for query, status in (("format=csv", 200), ("position=x", 400)):
        for _ in range(2):
            with CaptureQueriesContext(connection) as captured:
                response = Client().get(f"{address}?{query}")
                b"".join(response)
            assert response.status_code == status
            assert [each for each in captured if "pg_current_snapshot" not in each["sql"]]


def test_pages_with_forms_are_not_kept():
    tokens = {Client().get("/login/").context["csrf_token"] for _ in range(2)}
    assert len(set(map(str, tokens))) == 2


def test_time_alone_makes_a_page_again_after_a_minute(played, monkeypatch):
    kept = {}
    monkeypatch.setattr(caching.cache, "set", lambda key, value, seconds: kept.update({key: seconds}))
    member("dora")
    Client().get("/members/")
    assert [seconds for key, seconds in kept.items() if key.startswith("page:")] == [60]
