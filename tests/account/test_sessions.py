"""Where somebody is logged in: shown to them and to superusers, ended by either."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user
from django.contrib.auth.models import Group
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from foa.account.sessions import SessionStore, browser, places
from foa.models import Session
from ratings.office.upkeep import delete_expired_sessions
from tests.account.people import account, app_of, log_in
from tests.pages import words

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.0 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
)


@pytest.fixture
def elsewhere(client_factory):
    """A phone at which anna is logged in."""
    client = client_factory(headers={"User-Agent": SAFARI}, REMOTE_ADDR="203.0.113.9")
    log_in(client)
    return client


@pytest.fixture
def anna(client):
    return account()


def only_reference(user, client):
    (other,) = [one for one in places(user, client.session.session_key) if not one.is_this]
    return other.reference


def test_each_session_shows_since_when_with_what_and_from_where(client, anna, elsewhere):
    log_in(client)
    page = words(client.get("/account/"))
    assert "Safari, iOS 203.0.113.9" in page
    assert "127.0.0.1 this session" in page
    assert elsewhere.session.session_key not in page


def test_one_session_is_ended_and_the_others_stay(client, anna, elsewhere, client_factory):
    third = client_factory()
    log_in(third)
    log_in(client)
    reference = next(one.reference for one in places(anna, None) if one.address == "203.0.113.9")
    client.post("/account/sessions/end/", {"session": reference})
    assert not get_user(elsewhere).is_authenticated
    assert get_user(third).is_authenticated
    assert get_user(client).is_authenticated


def test_of_many_sessions_the_newest_fifty_are_shown_and_this_one_first(client, anna):
    log_in(client)
    now = timezone.now()
    Session.objects.bulk_create(
        Session(
            session_key=f"key-{number:02}",
            session_data=SessionStore().encode({"login": {"address": f"192.0.2.{number}"}}),
            expire_date=now + timedelta(days=30, minutes=number),
            user=anna,
        )
        for number in range(60)
    )
    found = places(anna, client.session.session_key)
    assert len(found) == 50
    assert found[0].is_this
    assert {one.address for one in found[1:]} == {f"192.0.2.{number}" for number in range(11, 60)}
    assert "Only the newest 50 sessions are shown." in words(client.get("/account/"))
    client.post("/account/sessions/end/")
    assert len(places(anna, client.session.session_key)) == 1
    assert "Only the newest" not in words(client.get("/account/"))


def test_sessions_whose_login_is_not_known_are_last(client, anna, elsewhere):
    log_in(client)
    Session.objects.create(
        session_key="unknown",
        session_data=SessionStore().encode({}),
        expire_date=timezone.now() + timedelta(days=30),
        user=anna,
    )
    found = places(anna, client.session.session_key)
    assert [one.address for one in found] == ["127.0.0.1", "203.0.113.9", ""]


def test_all_others_are_ended_at_once(client, anna, elsewhere):
    log_in(client)
    client.post("/account/sessions/end/")
    assert not get_user(elsewhere).is_authenticated
    assert client.get("/account/").status_code == 200


def test_nobody_ends_the_session_of_somebody_else(client, anna, elsewhere, client_factory):
    account("boris")
    boris = client_factory()
    log_in(boris, "boris")
    boris.post("/account/sessions/end/", {"session": places(anna, None)[0].reference})
    boris.post("/account/sessions/end/")
    assert get_user(elsewhere).is_authenticated


def test_the_page_that_deletes_a_login_shows_no_key_of_its_sessions(staff, anna, elsewhere):
    page = staff.get(f"/admin/auth/user/{anna.pk}/delete/").content.decode()
    assert "session of anna" in page
    assert elsewhere.session.session_key not in page


def test_a_session_that_logs_out_is_on_the_list_no_more(client, anna, elsewhere):
    elsewhere.post("/logout/")
    assert places(anna, None) == []


def test_a_password_changed_in_the_admin_keeps_the_session_on_the_list(client):
    user = account(is_staff=True)
    log_in(client)
    new = "another horse entirely"
    client.post(
        "/admin/password_change/",
        {"old_password": "correct horse battery", "new_password1": new, "new_password2": new},
    )
    (place,) = places(user, client.session.session_key)
    assert place.is_this
    assert place.since is not None


def test_a_session_with_nobody_logged_in_belongs_to_nobody(client):
    session = client.session
    session["shown"] = "list"
    session.save()
    assert Session.objects.get().user_id is None


def test_the_worker_deletes_sessions_that_have_expired(client, anna, elsewhere):
    log_in(client)
    Session.objects.filter(session_key=elsewhere.session.session_key).update(expire_date=timezone.now())
    delete_expired_sessions(timezone.now())
    assert Session.objects.get().session_key == client.session.session_key


def test_with_a_login_its_sessions_go(client, anna, elsewhere):
    anna.delete()
    assert not Session.objects.exists()
    assert elsewhere.get("/account/").status_code == 302


def test_a_superuser_sees_and_ends_the_sessions_of_a_login(staff, anna, elsewhere):
    page = f"/admin/auth/user/{anna.pk}/sessions/"
    assert page in staff.get(f"/admin/auth/user/{anna.pk}/change/").content.decode()
    assert "Safari, iOS 203.0.113.9" in words(staff.get(page))
    response = staff.post(page, {"session": places(anna, None)[0].reference}, follow=True)
    assert "1 session ended." in words(response)
    assert not get_user(elsewhere).is_authenticated
    log_in(elsewhere)
    assert "1 session ended." in words(staff.post(page, follow=True))
    assert not get_user(elsewhere).is_authenticated
    assert get_user(staff).is_authenticated
    assert LogEntry.objects.filter(object_id=str(anna.pk)).count() == 2


def test_a_superuser_removes_a_lost_second_factor_and_all_sessions(staff, anna, elsewhere):
    app_of(anna)
    response = staff.post(f"/admin/auth/user/{anna.pk}/sessions/", {"factors": "on"}, follow=True)
    assert "Second factor removed. 1 session ended." in words(response)
    assert not TOTPDevice.objects.exists()
    assert not get_user(elsewhere).is_authenticated
    assert log_in(elsewhere)["Location"] == "/my-ratings/"


@pytest.mark.parametrize("group", ["Auditors", "Rating officers"])
def test_only_superusers_look_at_sessions_of_others(client, anna, elsewhere, group):
    clerk = account("clerk", is_staff=True)
    clerk.groups.add(Group.objects.get(name=group))
    client.force_login(clerk)
    page = f"/admin/auth/user/{anna.pk}/sessions/"
    assert client.get(page).status_code == 403
    assert client.post(page).status_code == 403
    assert get_user(elsewhere).is_authenticated


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (SAFARI, "Safari, iOS"),
        (EDGE, "Edge, Windows"),
        ("curl/8.5", ""),
        ("", ""),
    ],
)
def test_browsers_are_named_in_two_words(agent, name):
    assert browser(agent) == name
