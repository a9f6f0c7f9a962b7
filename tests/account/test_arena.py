"""Logging in with the arena: who gets in, who doesn't, and what an arena that lies or is down can do."""

import json
import re
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, quote, urlsplit

import jwt
import pytest
import requests
from axes.models import AccessAttempt
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.core.cache import cache, caches
from jwt.algorithms import RSAAlgorithm

from foa.account.arena import Provider
from foa.models import ArenaLogin, Session
from members.inviting import invite, token_of
from ratings.desk.models import Case
from ratings.desk.services.cases import open_by_member
from tests.account.arena_provider import OFFICE, SECRET, private_key
from tests.account.people import PASSWORD, account, app_of, code, log_in
from tests.arena import member
from tests.pages import words
from tests.services import answers, free_port, wait_until

pytestmark = pytest.mark.django_db

NO_ANSWER = "Something went wrong at the arena. Try again later, or use your password here."


@pytest.fixture(scope="session")
def arena():
    """The address of an arena that runs."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.account.arena_provider", str(port)])
    try:
        wait_until(lambda: answers(("127.0.0.1", port)), process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(autouse=True)
def empty_caches():
    cache.clear()
    caches["limits"].clear()


@pytest.fixture
def offered(settings, arena):
    """The office, where people can log in with that arena."""
    offer(settings, f"{arena}/o")
    return arena


def offer(settings, issuer):
    settings.ARENA_OIDC_URL = issuer
    settings.OIDC_RP_CLIENT_ID, settings.OIDC_RP_CLIENT_SECRET = OFFICE, SECRET
    settings.SITE_URL = "http://testserver"


def come(client, arena, name, page="/login/arena/"):
    """Log in at the arena, and come back with what it gave the browser."""
    there = requests.Session()
    there.get(f"{arena}/enter/{name}/", timeout=10).raise_for_status()
    back = there.get(client.get(page)["Location"], allow_redirects=False, timeout=10)
    assert back.status_code == 302, back.text
    return client.get(back.headers["Location"].removeprefix("http://testserver"))


def subject(arena, name):
    """The ``sub`` of an account: its number at the arena."""
    return {"anna": "1", "bert": "2", "office-anna": "3"}[name]


def linked(arena, name, user):
    return link_of(user, f"{arena}/o", subject(arena, name))


def link_of(user, issuer, number):
    return ArenaLogin.objects.create(
        user=user, issuer=issuer, subject=number, linked_at=datetime(2026, 3, 1, tzinfo=UTC)
    )


def invited(name, email="anna@home.example"):
    invitation = invite(member=member(name), email=email, by="office", language="en", at=datetime.now(tz=UTC))
    return f"/members/invitation/{token_of(invitation)}/"


class TestWhoGetsIn:
    def test_a_linked_account_gets_in_by_its_sub_whatever_its_name_is_now(self, client, offered):
        anna = account("anna-at-the-office")
        linked(offered, "anna", anna)
        requests.get(f"{offered}/rename/anna/anna-2/", timeout=10)
        try:
            answer = come(client, offered, "anna-2", "/login/arena/?next=/news/")
        finally:
            requests.get(f"{offered}/rename/anna-2/anna/", timeout=10)
        assert answer["Location"] == "/news/"
        assert get_user(client) == anna

    def test_whoever_takes_the_old_name_does_not_get_in(self, client, offered):
        linked(offered, "anna", account("anna"))
        requests.get(f"{offered}/rename/anna/anna-2/", timeout=10)
        requests.get(f"{offered}/rename/bert/anna/", timeout=10)
        try:
            answer = come(client, offered, "anna")
        finally:
            requests.get(f"{offered}/rename/anna/bert/", timeout=10)
            requests.get(f"{offered}/rename/anna-2/anna/", timeout=10)
        assert answer["Location"] == "/login/arena/account/"
        assert not get_user(client).is_authenticated

    def test_an_invited_member_needs_no_password(self, client, offered):
        page = invited("anna")
        assert f"/login/arena/?invited&amp;next={quote(page)}" in client.get(page).content.decode()
        assert come(client, offered, "anna", f"/login/arena/?invited&next={page}")["Location"] == page
        assert "You are logged in at the arena as anna." in words(client.get(page))
        assert client.post(page, {"arena": "1"})["Location"] == "/account/"
        user = get_user(client)
        assert (user.username, user.email, user.has_usable_password()) == ("anna", "anna@home.example", False)
        assert user.arena_login.subject == subject(offered, "anna")
        client.logout()
        come(client, offered, "anna")
        assert get_user(client) == user

    def test_an_invitation_is_for_the_account_of_its_member_alone(self, client, offered):
        page = invited("anna")
        come(client, offered, "bert", f"/login/arena/?invited&next={page}")
        assert "as bert, but this invitation is for anna" in words(client.get(page))
        client.post(page, {"arena": "1"})
        assert not User.objects.exists()
        assert not get_user(client).is_authenticated

    def test_an_account_that_has_a_login_gets_no_second_one(self, client, offered):
        page = invited("anna")
        come(client, offered, "anna", f"/login/arena/?invited&next={page}")
        linked(offered, "anna", account("somebody"))
        client.post(page, {"arena": "1"})
        assert "is already linked" in words(client.get(page))
        assert User.objects.count() == 1

    def test_my_account_is_linked_after_the_password_and_unlinked_again(
        self, client, offered, worker, mailoutbox
    ):
        anna = account("anna", email="anna@home.example")
        log_in(client)
        answer = come(client, offered, "anna", "/login/arena/?next=/account/")
        assert answer["Location"] == "/login/arena/account/"
        assert "You are logged in here as anna." in words(client.get("/login/arena/account/"))
        assert client.post("/account/arena/link/")["Location"] == "/account/#login"
        assert "You can log in with your arena account." in words(client.get("/account/"))
        assert anna.arena_login.subject == subject(offered, "anna")
        client.logout()
        come(client, offered, "anna")
        assert get_user(client) == anna
        # The arena's login isn't the password.
        assert client.post("/account/arena/unlink/")["Location"] == "/account/confirm/?next=/account/"
        client.post("/account/confirm/?next=/account/", {"password": PASSWORD})
        client.post("/account/arena/unlink/")
        assert not ArenaLogin.objects.exists()
        worker()
        assert [one.body.split("\n\n")[1] for one in mailoutbox] == [
            "An arena account was linked to it. Anyone who can log in to that account can now log in "
            "here as well.",
            "The arena account was unlinked from it.",
        ]

    def test_unlinking_ends_the_sessions_that_it_may_have_begun(self, client, offered, client_factory):
        linked(offered, "anna", account("anna"))
        elsewhere = client_factory()
        come(elsewhere, offered, "anna")
        log_in(client)
        client.post("/account/arena/unlink/")
        assert "You have been logged out everywhere else." in words(client.get("/account/"))
        assert not get_user(elsewhere).is_authenticated
        assert get_user(client).is_authenticated

    def test_a_password_that_is_reset_ends_the_link_of_whoever_knew_the_old_one(
        self, client, offered, worker, mailoutbox, client_factory
    ):
        linked(offered, "bert", account("anna", email="anna@home.example"))
        intruder = client_factory()
        come(intruder, offered, "bert")
        self.reset(client, worker, mailoutbox)
        assert not get_user(intruder).is_authenticated
        assert come(intruder, offered, "bert")["Location"] == "/login/arena/account/"
        assert not get_user(intruder).is_authenticated
        worker()
        said = "".join(one.body for one in mailoutbox[1:])
        assert "The arena account was unlinked from it." in said

    def test_a_first_password_leaves_the_link(self, client, offered, worker, mailoutbox):
        anna = User.objects.create_user("anna", "anna@home.example")
        linked(offered, "anna", anna)
        self.reset(client, worker, mailoutbox)
        anna.refresh_from_db()
        assert anna.has_usable_password()
        come(client, offered, "anna")
        assert get_user(client) == anna

    def reset(self, client, worker, mailoutbox):
        client.post("/password/forgotten/", {"email": "anna@home.example"})
        worker()
        form = client.get(re.search(r"/password/new/\S+", mailoutbox[0].body)[0])["Location"]
        new = {"new_password1": "another horse entirely", "new_password2": "another horse entirely"}
        assert client.post(form, new)["Location"] == "/password/changed/"

    def test_a_superuser_unlinks_an_account(self, client, offered, client_factory):
        linked(offered, "bert", account("anna"))
        intruder = client_factory()
        come(intruder, offered, "bert")
        client.force_login(account("boss", is_staff=True, is_superuser=True))
        page = f"/admin/auth/user/{User.objects.get(username='anna').pk}/sessions/"
        assert f"Linked to account 2 at {offered}/o since 1 Mar 2026" in words(client.get(page))
        answer = client.post(page, {"arena": "on"}, follow=True)
        assert "Unlinked from the arena. 1 session ended." in words(answer)
        assert not ArenaLogin.objects.exists()
        assert not get_user(intruder).is_authenticated
        assert "Unlink" not in words(client.get(page))

    def test_what_asks_for_the_password_asks_after_the_arenas_login(self, client, offered):
        linked(offered, "anna", account("anna"))
        come(client, offered, "anna")
        for page in ("/account/app/", "/account/passkey/"):
            assert client.get(page)["Location"] == f"/account/confirm/?next={page}"

    def test_whoever_has_no_password_gets_one_by_mail(self, client, offered, worker, mailoutbox):
        user = User.objects.create_user("anna", "anna@home.example")
        page = {"email": "anna@home.example"}
        client.post("/password/forgotten/", page)
        worker()
        assert not mailoutbox
        linked(offered, "anna", user)
        client.post("/password/forgotten/", page)
        worker()
        assert mailoutbox[0].to == ["anna@home.example"]
        come(client, offered, "anna")
        assert "Set a password (we’ll email you a link)" in words(client.get("/account/"))
        assert "You have no password here yet." in words(client.get("/account/confirm/"))


class TestWhoDoesNot:
    def test_staff_without_a_second_factor(self, client, offered):
        linked(offered, "office-anna", account("anna", is_staff=True))
        answer = come(client, offered, "office-anna")
        assert answer.status_code == 403
        assert "if they have set up a second factor here" in words(answer)
        assert not get_user(client).is_authenticated

    def test_who_becomes_staff_gives_the_password_before_the_admin_opens(self, client, offered):
        anna = account("anna")
        linked(offered, "anna", anna)
        come(client, offered, "anna")
        User.objects.update(is_staff=True, is_superuser=True)
        assert client.get("/admin/")["Location"] == "/account/confirm/?next=/admin/"
        assert client.post("/admin/auth/user/add/").status_code == 302
        client.post("/account/confirm/?next=/admin/", {"password": PASSWORD})
        assert client.get("/admin/").status_code == 200

    def test_staff_with_one_are_asked_for_it(self, client, offered):
        anna = account("anna", is_staff=True, is_superuser=True)
        device = app_of(anna)
        linked(offered, "office-anna", anna)
        come(client, offered, "office-anna")
        assert client.get("/admin/")["Location"] == "/login/second-step/?next=/admin/"
        client.post("/login/second-step/", {"code": code(device)})
        assert client.get("/admin/").status_code == 200

    def test_a_closed_login_at_once(self, client, offered):
        anna = account("anna")
        linked(offered, "anna", anna)
        come(client, offered, "anna")
        User.objects.update(is_active=False)
        assert not get_user(client).is_authenticated
        answer = come(client, offered, "anna")
        assert (answer.status_code, "This login has been closed." in words(answer)) == (403, True)

    def test_refusals_are_no_wrong_passwords(self, client, offered, client_factory):
        linked(offered, "anna", account("anna", is_active=False))
        account("bert")
        for _ in range(6):
            come(client, offered, "anna")
            client.get("/login/arena/back/?code=no&state=no")
        assert not AccessAttempt.objects.exists()
        log_in(client_factory(), "bert")
        assert User.objects.get(username="bert").last_login is not None

    def test_a_login_that_was_not_begun_here_or_has_been_used(self, client, offered, client_factory):
        linked(offered, "anna", account("anna"))
        there = requests.Session()
        there.get(f"{offered}/enter/anna/", timeout=10)
        back = there.get(client.get("/login/arena/")["Location"], allow_redirects=False, timeout=10)
        address = back.headers["Location"].removeprefix("http://testserver")
        other = client_factory()
        assert other.get(address).status_code == 400
        assert not get_user(other).is_authenticated
        assert client.get(address).status_code == 302
        again = client.get(address)
        assert again.status_code == 400
        assert "This login attempt has expired. Start again." in words(again)

    def test_a_form_of_passwords_takes_no_code_of_the_arena(self, client, offered):
        linked(offered, "anna", account("anna"))
        client.post("/login/?code=a&state=b", {"username": "anna", "password": "wrong"})
        assert not get_user(client).is_authenticated

    def test_the_address_to_come_back_to_is_that_of_the_site(self, client, offered, settings):
        settings.ALLOWED_HOSTS = ["*"]
        settings.SITE_URL = "https://ratings.example"
        asked = parse_qs(
            urlsplit(client.get("/login/arena/", headers={"Host": "evil.example"})["Location"]).query
        )
        assert asked["redirect_uri"] == ["https://ratings.example/login/arena/back/"]
        assert (asked["code_challenge_method"], asked["response_type"]) == (["S256"], ["code"])

    def test_an_account_with_the_same_number_at_another_arena(self, client, offered, settings):
        anna = account("anna")
        link_of(anna, "https://arena-of-last-year.example/o", subject(offered, "bert"))
        assert come(client, offered, "bert")["Location"] == "/login/arena/account/"
        assert not get_user(client).is_authenticated
        # It waits under the arena that told of it, and takes the place of the old link.
        settings.ARENA_OIDC_URL = "https://arena-of-next-year.example/o"
        assert client.get("/login/arena/account/")["Location"] == "/login/"
        settings.ARENA_OIDC_URL = f"{offered}/o"
        log_in(client)
        assert "You are logged in at the arena as bert." in words(client.get("/account/"))
        client.post("/account/arena/link/")
        assert ArenaLogin.objects.values_list("user", "issuer", "subject").get() == (
            anna.pk,
            f"{offered}/o",
            "2",
        )

    def test_whoever_knew_the_session_before_the_arena_did(self, client, offered):
        client.get("/login/arena/")
        planted = client.session.session_key
        assert come(client, offered, "anna")["Location"] == "/login/arena/account/"
        assert client.session.session_key != planted
        assert not client.session.exists(planted)

    def test_nobody_where_it_is_not_offered(self, client):
        assert "/login/arena/" not in client.get("/login/").content.decode()
        assert client.get("/login/arena/").status_code == 404
        assert client.get("/login/arena/back/?code=a&state=b").status_code == 404

    @pytest.mark.parametrize(("page", "status"), [("/login/arena/", 302), ("/login/arena/back/", 400)])
    def test_more_than_twenty_a_minute_wait(self, client, offered, client_factory, page, status):
        for _ in range(20):
            assert client_factory().get(page).status_code == status
        answer = client.get(page)
        assert (answer.status_code, "Try again in a minute." in words(answer)) == (429, True)
        # None of them stores a session.
        assert "sessionid" not in answer.cookies


class TestThisIsMe:
    def ask(self, client, arena, name, text="My FIDE ID is 1500001."):
        come(client, arena, name)
        return client.post("/cases/new/login/", {"text": text})

    def test_the_office_gets_one_case_and_invites(self, client, offered):
        anna = member("anna")
        for _ in range(2):
            assert "We’ve received your request." in words(self.ask(client, offered, "anna"))
        case = Case.objects.get()
        assert (case.about, case.key, case.opener, case.opened_by) == ("member", anna.pk, anna, None)
        assert case.entries.get().text == (
            "“anna” (1 at the arena) has requested a login. Email address: anna@arena.example."
            "\n\nMy FIDE ID is 1500001."
        )

    @pytest.mark.parametrize("at_the_office", ["ANNA", "anna-2"])
    def test_the_officer_is_told_of_a_name_that_is_not_the_members_of_today(
        self, client, offered, at_the_office
    ):
        anna = member("anna" if at_the_office == "anna-2" else at_the_office)
        if anna.username != at_the_office:
            anna.username = at_the_office
            anna.save()
        self.ask(client, offered, "anna", "")
        assert Case.objects.get().entries.get().text == (
            "“anna” (1 at the arena) has requested a login. Email address: anna@arena.example. "
            f"The member’s username is “{at_the_office}”, so this may be a different person."
        )

    def test_a_case_of_somebody_else_about_the_member_swallows_no_request(self, client, offered):
        anna = member("anna")
        open_by_member(about="member", key=anna.pk, member=anna, text="I am anna!", at=datetime.now(tz=UTC))
        for _ in range(2):
            assert "We’ve received your request." in words(self.ask(client, offered, "anna", ""))
        assert [one.text for one in Case.objects.get().entries.order_by("pk")] == [
            "I am anna!",
            "“anna” (1 at the arena) has requested a login. Email address: anna@arena.example.",
        ]

    def test_an_address_that_the_arena_does_not_confirm_is_not_named(self, client, offered):
        member("bert")
        self.ask(client, offered, "bert", "")
        said = "“bert” (2 at the arena) has requested a login. Email address: none confirmed by the arena."
        assert Case.objects.get().entries.get().text == said

    @pytest.mark.parametrize("there", [False, True])
    def test_nobody_asks_for_a_member_who_is_not_there_or_has_a_login(self, client, offered, there):
        if there:
            member("anna", user=account("anna"))
        answer = self.ask(client, offered, "anna")
        assert (answer.status_code, Case.objects.count()) == (404, 0)
        assert "We have no member with the username anna who still needs a login." in words(answer)

    def test_without_an_account_there_is_nothing_to_ask(self, client, offered):
        assert client.get("/cases/new/login/")["Location"] == "/login/"


KEY = RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(private_key())
OTHER = RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(private_key())


class Liar(BaseHTTPRequestHandler):
    """An arena that answers what a test wants: ``claims`` of the token, ``told`` by userinfo, raw answers."""

    claims: dict
    told: dict
    raw: dict
    key = KEY
    algorithm = "RS256"

    def do_GET(self):
        address = f"http://127.0.0.1:{self.server.server_port}"
        page = self.path.rpartition("/")[2]
        if page in self.raw:
            status, text = self.raw[page]
            return self.answer(text, status)
        if page == "openid-configuration":
            names = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
            return self.answer({"issuer": address, **{name: f"{address}/{name}" for name in names}})
        if page == "jwks_uri":
            return self.answer({"keys": [{**json.loads(RSAAlgorithm.to_jwk(KEY.public_key())), "kid": "k"}]})
        return self.answer(self.told)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if "token_endpoint" in self.raw:
            status, text = self.raw["token_endpoint"]
            return self.answer(text, status)
        key = SECRET if self.algorithm == "HS256" else None if self.algorithm == "none" else self.key
        token = jwt.encode(self.claims, key, algorithm=self.algorithm, headers={"kid": "k"})
        return self.answer({"id_token": token, "access_token": "a"})

    def answer(self, what, status=200):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write((what if isinstance(what, str) else json.dumps(what)).encode())

    def log_message(self, *args):
        pass


@pytest.fixture
def liar(settings):
    """An arena that can be made to lie, offered by the office."""
    handler = type("Handler", (Liar,), {"raw": {}, "told": {"sub": "1", "preferred_username": "anna"}})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    offer(settings, f"http://127.0.0.1:{server.server_port}")
    yield handler
    server.shutdown()
    thread.join()
    server.server_close()


def come_from(liar, client, settings, **lies):
    """Begin a login, let the arena say what it says by default but for the lies, and come back."""
    asked = parse_qs(urlsplit(client.get("/login/arena/")["Location"]).query)
    claims = {
        "iss": settings.ARENA_OIDC_URL,
        "aud": OFFICE,
        "sub": "1",
        "exp": int(time.time()) + 60,
        "nonce": asked["nonce"][0],
        **lies,
    }
    liar.claims = {name: value for name, value in claims.items() if value is not None}
    return client.get(f"/login/arena/back/?code=c&state={asked['state'][0]}")


class TestAnArenaThatLies:
    @pytest.fixture(autouse=True)
    def anna(self, liar, settings):
        user = account("anna")
        link_of(user, settings.ARENA_OIDC_URL, "1")
        return user

    def refused(self, client, answer):
        assert (answer.status_code, NO_ANSWER in words(answer)) == (502, True)
        assert not get_user(client).is_authenticated

    def test_one_that_does_not_is_believed(self, client, liar, settings, anna):
        assert come_from(liar, client, settings).status_code == 302
        assert get_user(client) == anna
        assert come_from(liar, client, settings, aud=[OFFICE, "else"], azp=OFFICE).status_code == 302

    @pytest.mark.parametrize(
        "lies",
        [
            {"iss": "https://evil.example"},
            {"iss": None},
            {"aud": "somebody-else"},
            {"aud": None},
            {"aud": [OFFICE, "somebody-else"]},
            {"aud": [OFFICE, "somebody-else"], "azp": "somebody-else"},
            {"azp": "somebody-else"},
            {"nonce": "another"},
            {"nonce": None},
            {"exp": 1},
            {"exp": None},
            {"sub": "2"},
            {"sub": None},
            {"sub": 1},
            {"sub": ""},
        ],
    )
    def test_a_token_of_another_or_for_another(self, client, liar, settings, lies):
        self.refused(client, come_from(liar, client, settings, **lies))

    @pytest.mark.parametrize(("key", "algorithm"), [(OTHER, "RS256"), (KEY, "HS256"), (KEY, "none")])
    def test_a_token_that_is_not_signed_with_its_key(self, client, liar, settings, key, algorithm):
        liar.key, liar.algorithm = key, algorithm
        self.refused(client, come_from(liar, client, settings))

    @pytest.mark.parametrize("where", ["token_endpoint", "jwks_uri", "userinfo_endpoint"])
    @pytest.mark.parametrize(
        "answer", [(500, "{}"), (200, "<html>"), (200, "{}"), (200, "[]"), (200, "null")]
    )
    def test_nonsense_in_place_of_an_answer(self, client, liar, settings, where, answer):
        liar.raw = {where: answer}
        self.refused(client, come_from(liar, client, settings))

    @pytest.mark.parametrize("text", ["<html>", "[]", "null", "{}", '{"issuer": "https://evil.example"}'])
    def test_nonsense_or_another_name_before_the_login(self, client, liar, text):
        liar.raw = {"openid-configuration": (200, text)}
        self.refused(client, client.get("/login/arena/"))

    @pytest.mark.parametrize("number", ["1\0", "1\n", "é", "1" * 256])
    def test_a_number_that_is_none(self, client, liar, settings, number):
        liar.told = {"sub": number, "preferred_username": "anna"}
        self.refused(client, come_from(liar, client, settings, sub=number))

    def test_a_name_with_characters_that_nobody_sees_is_none(self, client, liar, settings):
        liar.told = {"sub": "2", "preferred_username": "an\0na", "email": "a\n@b", "email_verified": True}
        assert come_from(liar, client, settings, sub="2").status_code == 302
        assert client.get("/cases/new/login/").status_code == 404
        assert (client.session["arena_account"]["username"], client.session["arena_account"]["email"]) == (
            "",
            "",
        )

    def test_the_log_tells_no_secrets(self, client, liar, settings, caplog):
        liar.raw = {"token_endpoint": (201, '{"access_token": "the-keys-to-everything"}')}
        self.refused(client, come_from(liar, client, settings))
        assert "the arena’s login failed: The code was answered with 201." in caplog.text
        assert "the-keys-to-everything" not in caplog.text

    def test_a_session_that_ends_while_the_arena_thinks_stays_ended(
        self, client, liar, settings, monkeypatch
    ):
        log_in(client)
        ask = Provider.get_token

        def end_meanwhile(*args):
            Session.objects.all().delete()
            return ask(*args)

        monkeypatch.setattr(Provider, "get_token", end_meanwhile)
        liar.told = {"sub": "2"}
        answer = come_from(liar, client, settings, sub="2")
        assert answer["Location"] == "/login/arena/account/"
        assert not get_user(client).is_authenticated

    def test_one_that_is_down(self, client, settings):
        offer(settings, f"http://127.0.0.1:{free_port()}")
        self.refused(client, client.get("/login/arena/"))

    def test_somebody_who_says_no_there(self, client, liar):
        asked = parse_qs(urlsplit(client.get("/login/arena/")["Location"]).query)
        answer = client.get(f"/login/arena/back/?error=access_denied&state={asked['state'][0]}")
        assert (answer.status_code, "You didn’t finish logging in at the arena." in words(answer)) == (
            400,
            True,
        )
