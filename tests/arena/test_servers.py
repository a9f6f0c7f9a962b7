"""Game servers and their tokens."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from oauth2_provider.models import get_access_token_model

from ratings.arena.models import GameServer
from ratings.arena.services.registering import new_secret, register_server
from tests.arena.conftest import basic

pytestmark = pytest.mark.django_db


def token_of(credentials, **asked):
    return Client().post(
        "/oauth/token/",
        {"grant_type": "client_credentials", **asked},
        headers={"authorization": basic(credentials)},
    )


def test_a_registered_server_gets_a_token_with_all_its_scopes():
    _server, credentials = register_server("arena", scopes=["games", "read"])
    answer = token_of(credentials)
    assert answer.status_code == 200
    assert answer.json()["scope"] == "games read"
    assert answer.json()["expires_in"] == 3600


def test_a_server_gets_no_scope_that_the_office_did_not_give_it():
    _server, credentials = register_server("arena", scopes=["games"])
    assert token_of(credentials, scope="members").json()["error"] == "invalid_scope"
    assert token_of(credentials, scope="games").status_code == 200


def test_tokens_come_and_go_with_or_without_the_last_slash_of_the_address():
    _server, credentials = register_server("arena")
    login = {"authorization": basic(credentials)}
    tokens = get_access_token_model().objects
    for slash in ("", "/"):
        answer = Client().post(f"/oauth/token{slash}", {"grant_type": "client_credentials"}, headers=login)
        assert answer.status_code == 200
        assert tokens.count() == 1
        token = {"token": answer.json()["access_token"]}
        assert Client().post(f"/oauth/revoke{slash}", token, headers=login).status_code == 200
        assert tokens.count() == 0


def test_neither_secret_nor_token_is_stored():
    server, credentials = register_server("arena")
    raw = token_of(credentials).json()["access_token"]
    server.application.refresh_from_db()
    stored = get_access_token_model().objects.get()
    assert credentials.secret not in server.application.client_secret
    assert raw not in (stored.token, stored.token_checksum)


def test_a_new_secret_ends_the_old_one_and_its_tokens():
    server, old = register_server("arena")
    token_of(old)
    new = new_secret(server)
    assert not get_access_token_model().objects.exists()
    assert token_of(old).status_code == 401
    assert token_of(new).status_code == 200


def test_the_command_prints_client_id_and_secret_once():
    out = StringIO()
    call_command("add_server", "arena-1", "--trusted", "--scope", "games", stdout=out)
    server = GameServer.objects.get()
    assert (server.name, server.trusted, server.scopes) == ("arena-1", True, ["games"])
    assert f"client id: {server.application.client_id}" in out.getvalue()


@pytest.mark.parametrize("name", ["", "Arena", "a/b", "arena"])
def test_a_name_is_a_word_of_small_letters_that_no_other_server_has(name):
    register_server("arena")
    with pytest.raises(CommandError):
        call_command("add_server", name, stdout=StringIO())
    assert GameServer.objects.count() == 1


def test_an_address_that_does_not_exist_is_a_problem(client):
    answer = client.get("/api/v1/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["kind"] == "no-such-address"
