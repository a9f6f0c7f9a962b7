"""Whatever is sent, the API answers with problem details that say what is wrong."""

import json
from datetime import timedelta
from io import BytesIO
from unittest.mock import patch

import pytest
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone
from oauth2_provider.models import get_access_token_model
from rest_framework.response import Response
from rest_framework.views import APIView

from ratings.arena.api import access
from ratings.arena.api.parsing import MOST_OF_ONE, json_object
from ratings.arena.scopes import Scope
from tests.arena.conftest import ApiClient


class Echo(APIView):
    """Takes an object and says it again."""

    scope = Scope.GAMES

    def post(self, request):
        return Response(request.data)


def problem(response, status):
    """The problem that an answer is; it must have this status."""
    assert response.status_code == status, response.content.decode()
    assert response["Content-Type"] == "application/problem+json"
    told = json.loads(response.content)
    assert told["status"] == status
    address, _hash, anchor = told["type"].partition("#")
    assert f'id="{anchor}"' in Client().get(address).content.decode()
    assert told["detail"]
    return told


class NeverRead(BytesIO):
    """A body that nobody may read."""

    def read(self, *_):
        raise AssertionError("the body was read")

    readline = readlines = __iter__ = read


@pytest.fixture
def post(api):
    """Send a body to a view that would take any object, with a token."""

    def send(content, content_type="application/json", **meta):
        headers = {"authorization": api.defaults["HTTP_AUTHORIZATION"]}
        request = RequestFactory().generic("POST", "/", content, content_type, headers=headers)
        request.META.update(meta)
        if isinstance(body := meta.get("wsgi.input"), BytesIO):
            request._stream = body
        return Echo.as_view()(request).render()

    return send


@pytest.mark.django_db
class TestBodies:
    @pytest.mark.parametrize(
        "content",
        [
            b"[" * 100_000,
            b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
            b'{"a": 1e400}',
            b'{"a": -1e400}',
            b'{"a": ' + b"9" * 5000 + b"}",
            b'{"a": ' + b"9" * 19 + b"}",
            b'{"a": NaN}',
            b'{"a": Infinity}',
            b'{"a": "\\u0000"}',
            b'{"\\u0000": 1}',
            b'{"a": "\x00"}',
            b'{"a": ["\\ud800"]}',
            b'{"a": {"b": "\\udc00\\ud800"}}',
            b'{"a": "\xed\xa0\x80"}',
            b'{"a": "\xff"}',
            '{"a": 1}'.encode("utf-16"),
            b'{"a": 1, "a": 2}',
            b'{"a": {"b": 1, "b": 1}}',
            b'{"a": 1} {}',
            b'{"a": 1',
            b"\xef\xbb\xbf{}",
            b"[]",
            b"null",
            b'"a"',
            b"7",
        ],
    )
    def test_what_is_not_a_plain_json_object_is_unreadable(self, post, content):
        assert problem(post(content), 400)["kind"] == "unreadable"

    def test_everything_else_is_taken_as_it_is(self, post):
        body = (
            b'{"a": "\\ud83d\\ude00 \\\\u0000 \xc3\xa5", "b": [1, -2.5, true, null, {}],'
            b' "c": 999999999999999999}'
        )
        assert post(body).data == {
            "a": "😀 \\u0000 å",
            "b": [1, -2.5, True, None, {}],
            "c": 999999999999999999,
        }

    @pytest.mark.parametrize(
        "kind",
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "é"],
    )
    def test_another_content_type_is_415_and_its_body_is_not_read(self, post, kind):
        response = post(b"a=1", kind, **{"wsgi.input": NeverRead(), "CONTENT_LENGTH": "3"})
        problem(response, 415)

    @pytest.mark.parametrize(
        ("kind", "encoding", "named"),
        [
            ("application/json; charset=latin-1", None, "latin-1"),
            ("application/json; charset=utf-16", None, "utf-16"),
            ("application/json", "gzip", "gzip"),
            ("application/json; charset=utf-8", "br", "br"),
        ],
    )
    def test_another_charset_or_a_compressed_body_is_415_and_not_read(self, post, kind, encoding, named):
        meta = {"HTTP_CONTENT_ENCODING": encoding} if encoding else {}
        response = post(b"a=1", kind, **{"wsgi.input": NeverRead(), "CONTENT_LENGTH": "3"}, **meta)
        assert named in problem(response, 415)["detail"]

    @pytest.mark.parametrize("kind", ["Application/JSON", "application/json; charset=UTF-8; q=1"])
    def test_utf_8_may_be_said_and_need_not(self, post, kind):
        assert post(b"{}", kind, HTTP_CONTENT_ENCODING="identity").data == {}

    def test_a_gigabyte_is_too_large_before_a_byte_is_read(self, post):
        response = post(b"{}", **{"wsgi.input": NeverRead(), "CONTENT_LENGTH": str(2**30)})
        assert problem(response, 413)["most"] == MOST_OF_ONE

    def test_a_body_that_is_longer_than_it_says_is_cut_at_what_is_allowed(self, post):
        content = b'{"a": "' + b"x" * MOST_OF_ONE + b'"}'
        assert problem(post(content), 413)["kind"] == "too-large"
        endless = BytesIO(content * 2)
        problem(post(b"{}", **{"wsgi.input": endless, "CONTENT_LENGTH": "99"}), 413)
        assert endless.tell() == MOST_OF_ONE + 1

    def test_the_token_is_checked_before_the_body_is_read(self):
        request = RequestFactory().post("/", b"[[[", content_type="application/json")
        request._stream = NeverRead()
        assert problem(Echo.as_view()(request).render(), 401)


def test_a_problem_of_json_names_what_is_wrong():
    for content, words in ((b'{"id": 1, "id": 2}', "“id” appears twice"), (b'{"a": 1e999}', "1e999")):
        with pytest.raises(Exception, match=words):
            json_object(content)


@pytest.fixture
def a_view_for_games():
    """The answers of the list of members, if it needed the scope ``games``."""
    with patch("ratings.arena.api.public.MembersView.scope", Scope.GAMES):
        yield "/api/v1/members"


@pytest.mark.django_db
class TestTokens:
    def test_without_a_token_the_answer_says_where_to_get_one(self, a_view_for_games):
        response = Client().get(a_view_for_games)
        assert "/oauth/token/" in problem(response, 401)["detail"]
        assert response["WWW-Authenticate"].startswith("Bearer")

    @pytest.mark.parametrize(
        "header", ["Bearer unknown", "Bearer ", "Basic eDp5", "Bearer a b", "é", "Bearer é"]
    )
    def test_an_unknown_token_is_401(self, a_view_for_games, header):
        response = Client().get(a_view_for_games, headers={"authorization": header})
        problem(response, 401)
        assert response["WWW-Authenticate"].startswith("Bearer")

    def test_a_token_in_the_address_or_the_body_is_none(self, api, a_view_for_games):
        token = api.defaults["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
        problem(Client().get(a_view_for_games, {"access_token": token}), 401)

    def test_an_expired_or_revoked_token_is_401(self, api, a_view_for_games):
        assert api.get(a_view_for_games).status_code == 200
        tokens = get_access_token_model().objects
        tokens.update(expires=timezone.now() - timedelta(seconds=1))
        assert 'error="invalid_token"' in api.get(a_view_for_games)["WWW-Authenticate"]
        problem(api.get(a_view_for_games), 401)
        tokens.all().delete()
        problem(api.get(a_view_for_games), 401)

    def test_a_token_for_another_site_is_401_and_one_for_this_site_is_taken(self, api, a_view_for_games):
        tokens = get_access_token_model().objects
        tokens.update(resource=["https://other.example/"])
        told = api.get(a_view_for_games)
        problem(told, 401)
        assert "not valid for this resource" in told["WWW-Authenticate"]
        tokens.update(resource=["http://testserver/api/"])
        assert api.get(a_view_for_games).status_code == 200

    def test_a_token_without_the_scope_is_403_and_names_it(self, server, a_view_for_games):
        told = problem(ApiClient(server, "members", "read").get(a_view_for_games), 403)
        assert (told["kind"], told["scope"]) == ("scope-missing", "games")
        assert "games" in told["detail"]

    def test_a_server_whose_access_is_closed_is_403(self, server, api, a_view_for_games):
        server.is_active = False
        server.save()
        assert problem(api.get(a_view_for_games), 403)["kind"] == "not-active"


@pytest.mark.django_db
class TestRequests:
    def test_another_method_is_405_with_those_there_are(self, client):
        for method in ("DELETE", "PATCH", "TRACE", "BREW"):
            response = client.generic(method, "/api/v1/lists")
            problem(response, 405)
            assert "GET" in response["Allow"]

    def test_head_is_get_without_a_body(self, client):
        response = client.head("/api/v1/lists")
        assert (response.status_code, response.content) == (200, b"")

    @pytest.mark.parametrize(
        "address", ["/api/v1/members?member=%00", "/api/v1/members/a%00b", "/api/v1/%00"]
    )
    def test_a_nul_byte_in_an_address_is_a_problem(self, client, address):
        assert problem(client.get(address), 400)["kind"] == "bad-request"

    @pytest.mark.parametrize(
        "address",
        [
            "nothing",
            "members/",
            "ratings/chess",
            "lists/blitz/2026-13/1",
            "lists/blitz/2026-04/x",
            f"all-games/{'9' * 30}",
            f"all-games/{'9' * 5000}",
            f"explanations/{2**63}",
            f"lists/blitz/2026-04/{2**63}",
            "all-games/-1",
            "members/%ED%A0%80",
            "members/%FF",
            "members/a/b/c",
            f"members/{'x' * 5000}",
            "../admin",
        ],
    )
    def test_an_address_of_nothing_is_not_found(self, client, address):
        problem(client.get(f"/api/v1/{address}"), 404)

    @pytest.mark.parametrize("own", ["%FF", "%C3", "x%ED%A0%80", "%25FF"])
    def test_bytes_in_an_id_that_are_not_utf_8_are_a_problem(self, api, own):
        response = api.generic("PUT", f"/api/v1/games/{own}", b"{}", content_type="application/json")
        assert "isn’t UTF-8" in problem(response, 400)["detail"]

    def test_too_many_parameters_are_a_problem(self, client):
        query = "&".join(f"x{number}=1" for number in range(2500))
        problem(client.get(f"/api/v1/members?{query}"), 400)

    def test_another_host_is_a_problem(self, client):
        problem(client.get("/api/v1/members", headers={"host": "elsewhere.example"}), 400)

    def test_the_same_errors_of_pages_stay_pages(self, client):
        response = client.get("/members/?member=%00")
        assert response.status_code == 400
        assert response["Content-Type"].startswith("text/html")

    def test_a_fault_of_the_office_is_a_problem_without_details(self, client):
        client.raise_request_exception = False
        with patch("ratings.arena.api.public.MembersView.rows", side_effect=RuntimeError("secret")):
            response = client.get("/api/v1/members")
        told = problem(response, 500)
        assert told["kind"] == "internal-server-error"
        assert "secret" not in response.content.decode()

    @override_settings(API_REQUESTS_OF_VISITOR=2, API_REQUESTS_OF_SERVER=3)
    def test_too_many_requests_are_told_when_to_ask_again(self, client, api, monkeypatch):
        monkeypatch.setattr(access, "time", lambda: 1_000_000_015.5)
        assert [client.get("/api/v1/members").status_code for _ in range(2)] == [200, 200]
        response = client.get("/api/v1/members")
        assert problem(response, 429)["kind"] == "too-many"
        assert response["Retry-After"] == "5"
        assert [api.get("/api/v1/members").status_code for _ in range(4)] == [200, 200, 200, 429]

    def test_problems_are_told_in_the_language_that_was_asked_for(self, client):
        response = client.get("/api/v1/nothing", headers={"accept-language": "pl"})
        assert response["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("members?name=anna", "member"),
        ("lists?page=2", "limit"),
        ("members/anna?explain=1", "no parameters"),
        ("changes?since=1", "after"),
        ("games/1?explian=1", "explain"),
    ],
)
def test_a_parameter_that_an_address_does_not_know_is_named(api, address, known):
    told = problem(api.get(f"/api/v1/{address}"), 400)
    (fault,) = told["errors"]
    assert fault["field"] == address.partition("?")[2].partition("=")[0]
    assert known in fault["detail"]


@pytest.mark.django_db
def test_no_detail_repeats_its_field(api):
    sent = {"white": 5, "plies": -1, "result": "3-0", "nickname": 1, "started_at": "yesterday"}
    told = problem(api.generic("PUT", "/api/v1/games/1", json.dumps(sent), "application/json"), 400)
    assert {one["field"] for one in told["errors"]} == {*sent, "black", "time_control"}
    assert not [one for one in told["errors"] if one["detail"].startswith(one["field"])]
