"""The pages of news: private, also JSON, and as quick for many as for few."""

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client

from ratings.desk.services.cases import answer
from ratings.notices.models import FeedAddress, Follow, Notice, NoticeType
from ratings.notices.services.choosing import MOST_FOLLOWED, choose, feed_token, follow, stop_mail
from ratings.notices.services.telling import tell_all
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import START, member
from tests.decisions import decided
from tests.desk.cases import arranged, claimed, login
from tests.notices.test_telling import NOON, people, publish_april  # noqa: F401
from tests.pages import is_friendly, queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


@pytest.fixture
def anna(people, client):  # noqa: F811
    client.force_login(people[0].user)
    return people[0]


def answered(who, number):
    """A notice of an answer of the office, not stored yet."""
    ways = {"page": True, "feed": True, "mail": False}
    return Notice(member=who, kind=NoticeType.CASE, key=number, at=NOON, address="/cases/1/", **ways)


def test_the_page_says_what_happened_and_leads_there(anna, client):
    publish_april()
    tell_all(NOON)
    page = client.get("/news/mine/")
    assert "Your rating on the April 2026 blitz list" in words(page)
    (said,) = client.get("/news/mine/?format=json").json()["news"]
    assert said["kind"] == "list"
    assert said["address"] in page.text


def test_the_header_counts_what_is_new_until_it_is_read(anna, client):
    assert "new notification" not in client.get("/members/").text
    publish_april()
    tell_all(NOON)
    number = Notice.objects.filter(member=anna, page=True).count()
    assert f'aria-label="{number} new notification' in client.get("/members/").text
    # A program that asks for them reads nothing.
    client.get("/news/mine/?format=json")
    assert f'aria-label="{number} new notification' in client.get("/members/").text
    page = client.get("/news/mine/").text
    assert page.count('class="new"') == number
    assert "new notification" not in page
    assert 'class="new"' not in client.get("/news/mine/").text
    assert Notice.objects.exclude(member=anna).filter(read_at=None).exists() == (
        Notice.objects.exclude(member=anna).exists()
    )


def test_only_what_is_wanted_on_the_page_is_there(anna, client):
    choose(anna, {("list", "feed")})
    publish_april()
    tell_all(NOON)
    assert client.get("/news/mine/?format=json").json()["news"] == []


def test_a_page_has_fifty_and_the_next_ones_are_behind_them(anna, client):
    Notice.objects.bulk_create(answered(anna, number) for number in range(60))
    first = client.get("/news/mine/?format=json").json()
    second = client.get(f"/news/mine/?format=json&before={first['before']}").json()
    assert [len(first["news"]), len(second["news"]), second["before"]] == [50, 10, None]
    assert client.get("/news/mine/?before=x").status_code == 400
    assert client.get("/news/mine/?before=" + "9" * 30).status_code == 400


def test_news_of_one_list_or_of_fifty_take_the_same_statements(anna, client):
    published = publish_april()
    tell_all(NOON)
    few = queries(client, "/news/mine/")
    line = published.entries.first()
    Notice.objects.bulk_create(
        Notice(member=anna, kind=NoticeType.LIST, key=line.pk, at=NOON, page=True, feed=True, mail=True)
        for _ in range(40)
    )
    assert queries(client, "/news/mine/") == few


def test_an_answer_of_the_office_is_news_and_is_mailed_by_the_desk_alone(
    django_capture_on_commit_callbacks, mailoutbox
):
    players = arranged()
    officer = login("officer", "Rating officers")
    case = claimed(players, officer)
    choose(players.white, {("case", "page"), ("case", "mail")})
    with django_capture_on_commit_callbacks(execute=True):
        answer(case, by=officer.user, text="We look into it.", at=START, link="x")
    assert [mail.subject for mail in mailoutbox] == [f"Case {case.pk}: you have a reply"]
    notice = Notice.objects.get()
    assert (notice.member, notice.mail, notice.feed) == (players.white, False, False)
    page = words(players.anna.get("/news/mine/"))
    assert f"Case {case.pk}: you have a reply" in page
    assert "We look into it" not in page


@pytest.mark.parametrize("stop", [lambda who: choose(who, {("case", "page")}), stop_mail])
def test_answers_are_not_mailed_to_who_chose_so_and_unsubscribing_stops_the_daily_mail_alone(
    stop, django_capture_on_commit_callbacks, mailoutbox
):
    players = arranged()
    officer = login("officer", "Rating officers")
    case = claimed(players, officer)
    stop(players.white)
    with django_capture_on_commit_callbacks(execute=True):
        answer(case, by=officer.user, text="We look into it.", at=START, link="x")
    assert len(mailoutbox) == (stop is stop_mail)
    assert Notice.objects.get().page


def test_a_member_follows_and_stops_from_the_profile(anna, people, client):  # noqa: F811
    clara = people[2]
    button = f'action="/news/following/{clara.pk}/"'
    assert button in client.get(clara.get_absolute_url()).text
    assert button not in client.get(anna.get_absolute_url()).text
    client.post(f"/news/following/{clara.pk}/")
    assert "Unfollow" in words(client.get(clara.get_absolute_url()))
    assert f"Stop following {clara}" in client.get("/news/following/").text
    (said,) = client.get("/news/following/?format=json").json()["following"]
    assert (said["username"], said["ratings"]["rapid"]) == (clara.username, None)
    client.post(f"/news/following/{clara.pk}/", {"stop": ""})
    assert not Follow.objects.exists()


@pytest.mark.parametrize("said", [{}, {"stop": ""}])
def test_following_and_stopping_lead_back_to_the_page_of_the_button_alone(anna, people, client, said):  # noqa: F811
    clara = people[2]
    address, here = f"/news/following/{clara.pk}/", f"{clara.get_absolute_url()}games/?result=win"
    assert client.post(address, {**said, "next": here}).url == here
    for elsewhere in ("https://example.com/", "//example.com", "javascript:alert(1)", ""):
        assert client.post(address, {**said, "next": elsewhere}).url == "/news/following/"


def test_a_refusal_to_follow_is_said_on_the_page_of_the_button(anna, people, client, monkeypatch):  # noqa: F811
    monkeypatch.setattr("ratings.notices.services.choosing.MOST_FOLLOWED", 0)
    here = people[2].get_absolute_url()
    page = client.post(f"/news/following/{people[2].pk}/", {"next": here}, follow=True)
    assert page.redirect_chain == [(here, 302)]
    assert "You already follow 0 members" in words(page)


def test_visitors_see_no_button(people, client):  # noqa: F811
    assert "/news/following/" not in client.get(people[0].get_absolute_url()).text


def test_nobody_follows_themselves_or_too_many(anna, people, client, monkeypatch):  # noqa: F811
    client.post(f"/news/following/{anna.pk}/")
    assert "You can’t follow yourself." in words(client.get("/news/following/"))
    monkeypatch.setattr("ratings.notices.services.choosing.MOST_FOLLOWED", 1)
    follow(anna, people[1], at=NOON)
    client.post(f"/news/following/{people[2].pk}/")
    assert "You already follow 1 member" in words(client.get("/news/following/"))
    assert MOST_FOLLOWED == 500


def test_choices_are_kept_and_shown(anna, client):
    client.post("/news/choices/", {"told": ["list-mail", "case-page", "case-mail", "nonsense", "x-y"]})
    page = client.get("/account/").text
    assert 'value="list-mail" checked' in page
    assert 'value="list-page" checked' not in page
    assert 'value="case-page" checked' in page


def test_the_feed_is_for_who_knows_its_address(anna, client):
    publish_april()
    tell_all(NOON)
    address = f"/news/feed/{feed_token(anna)}/"
    assert site.SITE_URL + address in client.get("/account/").text
    stranger = Client()
    feed = stranger.get(address)
    assert feed.headers["Content-Type"].startswith("application/atom+xml")
    assert "Your rating on the April 2026 blitz list" in feed.text
    assert feed.headers["Cache-Control"] == "private, max-age=300"
    client.post("/news/feed/new/")
    assert stranger.get(address).status_code == 404
    assert stranger.get(f"/news/feed/{feed_token(anna)}/").status_code == 200


@pytest.mark.parametrize("token", ["x", "1-1:x", "-:x"])
def test_a_made_up_feed_is_nobodys(anna, client, token):
    FeedAddress.objects.create(member=anna)
    assert client.get(f"/news/feed/{token}/").status_code == 404
    other = signing.Signer(salt="notices.unsubscribe").sign(f"{anna.pk}-1")
    assert client.get(f"/news/feed/{other}/").status_code == 404


def test_a_login_without_a_member_is_told_what_to_do(client):
    client.force_login(User.objects.create_user("somebody"))
    assert client.get("/news/mine/").status_code == 404
    assert "Notify me about" not in words(client.get("/account/"))


def test_a_member_sees_only_their_own(anna, client):
    boris = member("boris2", user=User.objects.create_user("boris2"))
    answered(boris, 1).save()
    assert client.get("/news/mine/?format=json").json()["news"] == []


def test_news_for_everybody_has_lists_and_decisions_and_names_no_cheater(client):
    cheater = member("cheat", name="Novak, Eva")
    publish(category=Category.BLITZ, month=START, at=START)
    decided(
        "close-account",
        member=[str(cheater.pk)],
        closed_from=["2026-03-02T00:00:00Z"],
        category=["fair-play"],
        games=["keep"],
    )
    page = client.get("/news/")
    assert is_friendly(page)
    assert "March 2026 lists: Blitz" in words(page)
    assert "Account closed Fair play" in words(page)
    assert str(cheater) not in page.text
    assert cheater.username not in page.text
