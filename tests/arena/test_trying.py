"""“Try it” on the page of the API: whoever reads of a public operation can open it, with their own values."""

import html
import re
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import resolve

from ratings.arena.api.public_pages import ANY_TEXT
from ratings.arena.api.reference import is_open
from ratings.arena.api.schema import openapi
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, member
from tests.arena.examples import furnish_examples
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

OPERATIONS = [
    (path, method, operation)
    for path, methods in openapi()["paths"].items()
    for method, operation in methods.items()
]
OPEN = {
    operation["operationId"]: (path, operation)
    for path, method, operation in OPERATIONS
    if is_open(method, operation)
}
WITH_FORM = [name for name, (_path, operation) in OPEN.items() if operation.get("parameters")]
MAY = datetime(2026, 5, 1, tzinfo=UTC)
LINES = "/api/try/published_list_members/?category=blitz&month=2026-04&revision=1"


def fields(page):
    """What a browser would send of a page's form, by name."""
    form = page.text[page.text.index('<form method="get" class="reference"') :]
    form = form[: form.index("</form>")]
    found = {}
    for tag in re.findall(r"<input [^>]*>", form):
        value = re.search(r' value="([^"]*)"', tag)
        found[re.search(r' name="([^"]*)"', tag)[1]] = html.unescape(value[1]) if value else ""
    for name, choices in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', choices)
        found[name] = html.unescape(chosen[1]) if chosen else ""
    return found


HOSTILE = [
    "..", ".", "../..", "../../admin", "a/../../..", "/", "//evil.example", "a//b", "lookup", "anna/ratings",
    "./anna", "anna/.",
]  # fmt: skip


def test_what_needs_a_token_or_never_ends_can_not_be_tried():
    assert {"changes", "own_games", "webhooks", "follow_page", "follow_changes"} & OPEN.keys() == set()
    assert {"members", "records"} <= OPEN.keys()


def test_each_parameter_is_described_and_one_with_a_form_by_an_example():
    for name in WITH_FORM:
        for one in OPEN[name][1]["parameters"]:
            assert one.get("description"), (name, one["name"])
            if one["schema"].get("pattern", ANY_TEXT) != ANY_TEXT:
                assert re.search("such as|100 to 4000|commas", one["description"]), (name, one["name"])


@pytest.fixture(scope="class")
def _examples(standing):
    standing(furnish_examples)


def test_a_number_of_which_there_is_none_is_left_blank(client):
    for name in ("any_game", "requested_list_members", "decision_moved", "tournament"):
        page = client.get(f"/api/try/{name}/")
        assert (page.status_code, fields(page)["id"]) == (200, "")


@pytest.mark.usefixtures("_examples")
class TestPages:
    def test_each_operation_that_anybody_may_read_has_a_link_and_no_other(self, client):
        page = client.get("/api/").text
        linked = re.findall(r'<a href="([^"]*)" aria-describedby="([^"]*)">Try it</a>', page)
        assert {name for _address, name in linked} == OPEN.keys()
        for address, name in linked:
            assert address == (f"/api/try/{name}/" if name in WITH_FORM else OPEN[name][0])
            assert client.get(address).status_code == 200

    @pytest.mark.parametrize("name", WITH_FORM)
    def test_the_form_as_it_comes_leads_to_an_answer(self, client, name):
        page = client.get(f"/api/try/{name}/")
        assert (page.status_code, page["X-Robots-Tag"]) == (200, "noindex")
        assert is_friendly(page)
        sent = fields(page)
        path, operation = OPEN[name]
        assert sent.keys() == {one["name"] for one in operation["parameters"]}
        there = client.get(f"/api/try/{name}/", sent)
        assert there.status_code == 302
        answer = client.get(there["Location"])
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
        assert resolve(answer.wsgi_request.path).func.cls is resolve(path.format(**sent)).func.cls

    def test_the_form_begins_with_the_latest_rows(self, client):
        played = game(member("carla"), member("dan"))
        assert fields(client.get("/api/try/any_game/"))["id"] == str(played.pk)
        against = fields(client.get("/api/try/head_to_head/"))
        assert {against["username"], against["opponent"]} == {"carla", "dan"}
        assert fields(client.get("/api/try/compare/"))["members"] in ("carla,dan", "dan,carla")
        publish(category=Category.BULLET, month=MAY, at=MAY)
        found = fields(client.get("/api/try/published_list/"))
        assert (found["category"], found["month"], found["revision"]) == ("bullet", "2026-05", "1")
        assert fields(client.get("/api/try/month/"))["month"] == "2026-04"

    def test_what_is_filled_in_is_in_the_address_and_what_is_blank_is_not(self, client):
        there = client.get(f"{LINES}&federation=NOR&limit=&title=WFM&born_from=+1990+&member=%C3%85+%26=")
        split = urlsplit(there["Location"])
        assert split.path == "/api/v1/lists/blitz/2026-04/1/members"
        assert parse_qs(split.query) == {
            "federation": ["NOR"], "title": ["WFM"], "born_from": ["1990"], "member": ["Å &="]
        }  # fmt: skip
        dated = client.get(
            "/api/try/member_history/?username=anna&since=2026-03-01&as_of=2026-03-31T00:00:00Z"
        )
        assert parse_qs(urlsplit(dated["Location"]).query) == {
            "since": ["2026-03-01"], "as_of": ["2026-03-31T00:00:00+00:00"]
        }  # fmt: skip
        assert client.get(dated["Location"]).status_code == 200

    @pytest.mark.parametrize(
        ("name", "query", "field", "told"),
        [
            ("live_ratings", "category=chess", "category", "“chess” isn’t one of the choices."),
            ("month", "month=2026-13", "month", "This doesn’t match the description below."),
            ("published_list", "category=blitz&month=&revision=1", "month", "This field is required."),
            ("members", "limit=1001", "limit", "Enter a whole number from 1 to 1000."),
            ("members", "limit=ten", "limit", "Enter a whole number from 1 to 1000."),
            ("members", "federation=Norway", "federation", "This doesn’t match the description below."),
            ("all_games", "since=yesterday", "since", "Enter a date such as 2026-01-31."),
            ("member_ratings", "username=anna&as_of=2026-03-31", "as_of",
             "“2026-03-31” isn’t a date and time with an offset, such as 2026-01-31T18:30:00Z."),
            ("compare", "members=anna", "members", "This doesn’t match the description below."),
        ],
    )  # fmt: skip
    def test_a_wrong_value_is_refused_beside_its_field(self, client, name, query, field, told):
        page = client.get(f"/api/try/{name}/?{query}")
        assert page.status_code == 400
        assert page.context["form"].errors == {field: [told]}
        assert told in words(page)
        assert page["X-Robots-Tag"] == "noindex"

    @pytest.mark.parametrize("username", HOSTILE)
    def test_a_name_that_would_lead_to_another_address_is_refused(self, client, username):
        page = client.get("/api/try/member/", {"username": username})
        assert page.status_code == 400
        assert page.context["form"].errors == {"username": [f"“{username}” can’t be part of this address."]}

    @pytest.mark.parametrize(
        "username",
        ["https://evil.example", "\\\\evil.example", "?x=1", "#top", "%2e%2e", "{opponent}",
         "a\r\nLocation: x", "<b>", "é", "%"],
    )  # fmt: skip
    def test_no_value_leads_away_from_its_operation(self, client, username):
        for name, more in (("member_titles", {}), ("head_to_head", {"opponent": "bert"})):
            there = client.get(f"/api/try/{name}/", {"username": username, **more})
            if there.status_code == 302:
                split = urlsplit(there["Location"])
                assert (split.scheme, split.netloc, split.query, split.fragment) == ("", "", "", "")
                assert (
                    re.fullmatch("/api/v1/members/[^/?#]+/(titles|against/bert)", split.path)
                    or name == "member_titles"
                )
                assert client.get(there["Location"]).status_code == 404
            else:
                assert there.status_code == 400

    def test_a_name_with_a_slash_is_fine_where_the_address_takes_it(self, client):
        assert (
            client.get("/api/try/member_titles/?username=old/name")["Location"]
            == "/api/v1/members/old%2Fname/titles"
        )
        assert client.get("/api/try/member_history/?username=old/name").status_code == 400

    @pytest.mark.parametrize(
        "query", ["id=%00", "id=-1", "id=1.5", "id=" + "9" * 5000, "id=%D9%A3x", "id=1%2F2", "id=%FF"]
    )
    def test_a_number_is_a_number(self, client, query):
        assert client.get(f"/api/try/any_game/?{query}").status_code == 400

    @pytest.mark.parametrize(
        "name", ["nothing", "changes", "own_games", "follow_page", "records", "look_up_members", "send_game"]
    )
    def test_there_is_no_page_for_what_nobody_can_try(self, client, name):
        page = client.get(f"/api/try/{name}/")
        assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")

    def test_parameters_that_the_operation_does_not_have_are_left_out(self, client):
        assert client.get("/api/try/any_game/?next=//evil.example").status_code == 200
        assert client.get("/api/try/any_game/?id=1&next=//evil.example")["Location"] == "/api/v1/all-games/1"

    def test_the_page_is_in_english_like_that_of_the_api(self, client):
        page = client.get("/api/try/any_game/", headers={"accept-language": "pl"})
        assert '<html lang="en">' in page.text
        assert "Try it: A game by" in words(page)
