"""With the old key in SECRET_KEY_FALLBACKS a new SECRET_KEY ends no login and no link; without it all end."""

import re

import pytest
from django.contrib.auth import get_user

from members.inviting import token_of
from ratings.notices.services.choosing import feed_token, unsubscribe_token
from ratings.office.effects import Effect, Shown, unsealed
from tests.account.people import account, log_in
from tests.arena import member
from tests.members.test_inviting import invited

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

OLD, NEW = "old" * 20, "new" * 20


@pytest.fixture(autouse=True)
def _old_key(settings):
    settings.SECRET_KEY = OLD


@pytest.fixture(params=[True, False], ids=["rotated", "replaced"])
def change(request, settings):
    """Change the key; whether what the old one has signed still counts."""

    def change():
        settings.SECRET_KEY = NEW
        settings.SECRET_KEY_FALLBACKS = [OLD] if request.param else []
        return request.param

    return change


def test_logins(client, change, settings):
    account()
    log_in(client)
    counts = change()
    assert (client.get("/account/").status_code == 200) == counts
    if counts:
        # The session is signed anew: it lasts when the old key is forgotten.
        settings.SECRET_KEY_FALLBACKS = []
        assert client.get("/account/").status_code == 200


def test_a_session_that_a_page_offered_to_end(client, change, client_factory):
    account()
    other = client_factory()
    log_in(other)
    log_in(client)
    offered = re.findall(r'name="session" value="(\w+)"', client.get("/account/").text)
    counts = change()
    for reference in offered:
        client.post("/account/sessions/end/", {"session": reference})
    if counts:
        assert not get_user(other).is_authenticated


def link_in(mail):
    return re.search(r"https?://[^/\s]+(\S+)", mail.body)[1]


def test_links_to_a_new_password(client, change, worker, mailoutbox):
    account(email="anna@arena.example")
    client.post("/password/forgotten/", {"email": "anna@arena.example"})
    worker()
    counts = change()
    assert (client.get(link_in(mailoutbox[0])).status_code == 302) == counts


def test_links_that_confirm_an_address(client, change, worker, mailoutbox):
    account(email="old@arena.example")
    log_in(client)
    client.post("/account/address/", {"email": "new@arena.example"})
    worker()
    counts = change()
    assert client.get(link_in(mailoutbox[0])).status_code == (200 if counts else 410)


def test_invitations(client, change):
    page = f"/members/invitation/{token_of(invited())}/"
    counts = change()
    assert client.get(page).status_code == (200 if counts else 410)


def test_feeds_and_ends_of_mails(client, change):
    anna = member("anna", user=account())
    feed, mails = f"/news/feed/{feed_token(anna)}/", f"/news/unsubscribe/{unsubscribe_token(anna)}/"
    counts = change()
    for address in (feed, mails):
        assert client.get(address).status_code == (200 if counts else 404)


def test_forms_that_remember_what_was_loaded(client, change, django_user_model):
    """Whoever saves late is told what has changed (decision 0120)."""
    officer = django_user_model.objects.create_superuser("officer")
    who = member("anna", name="Berg, Anna")
    page = f"/admin/members/member/{who.pk}/change/"
    client.force_login(officer)
    opened = re.search(r'name="opened" value="([^"]+)"', client.get(page).text)[1]
    who.name = "Berg, Anne"
    who.save()
    counts = change()
    client.force_login(officer)
    saved = client.post(page, {"opened": opened, "username": "anna", "name": "Berg, A."})
    assert ("Compare it with what you entered." in saved.text) == counts


def test_previews_that_are_confirmed(change):
    shown = Shown(Effect().shown()).sealed("about")
    counts = change()
    assert bool(unsealed(shown, "about")) == counts
