"""POST /api/v1/members: many members at once, each stored, changed, already there, waiting or refused."""

import pytest

from members.models import FullMembership, Member
from ratings.arena.api import lines as limits
from ratings.arena.scopes import Scope
from ratings.arena.services import members as services
from ratings.office.deciding import second
from ratings.office.models import ChangeSet, OutboxEntry
from ratings.rbb.models import ImportBatch, OpeningRating, RatingChange
from tests.arena import START, game, member, opening, points
from tests.arena.conftest import ApiClient
from tests.arena.test_members import OPEN, SINCE, colleague, put  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db

BLITZ = {"category": "blitz", "rating": "1500.00", "effective_at": SINCE}


def line(username, **said):
    return {"username": username, "spans": OPEN, "opening_ratings": [BLITZ], **said}


def verdicts(api, *lines):
    return [(one["verdict"], one.get("field", "")) for one in api.send_lines(*lines, to="members")]


@pytest.fixture
def state():
    """Everything that a request could store of members."""

    def rows():
        models = (Member, FullMembership, OpeningRating, RatingChange, ChangeSet, ImportBatch)
        return [list(model.objects.order_by("pk").values()) for model in models]

    return rows


def test_new_members_start_with_ratings_by_one_decision_of_the_register(trusted):
    answer = trusted.send_lines(
        line("anna", name="Berg, Anna", federation="nor"),
        line("bert b", opening_ratings=[{**BLITZ, "rating": "1612.5", "games": 31}]),
        {"username": "carl"},
        to="members",
    )
    assert answer == [
        {"line": 1, "username": "anna", "verdict": "stored", "member": "/api/v1/members/anna"},
        {"line": 2, "username": "bert b", "verdict": "stored", "member": "/api/v1/members/bert%20b"},
        {"line": 3, "username": "carl", "verdict": "stored", "member": "/api/v1/members/carl"},
    ]
    anna, bert, carl = Member.objects.order_by("pk")
    assert (anna.name, anna.federation, points(anna), points(bert), points(carl)) == (
        "Berg, Anna",
        "NOR",
        1500,
        1612.5,
        None,
    )
    assert [one.span for one in FullMembership.objects.order_by("pk")] == [(START, None)] * 2
    decision = ChangeSet.objects.get()
    assert (decision.kind, decision.state, decision.proposed_as) == (
        "import-openings",
        "applied",
        "server club",
    )
    assert [(one.source, one.games) for one in OpeningRating.objects.order_by("pk")] == [
        ("server club", 0),
        ("server club", 31),
    ]


def test_a_line_stores_what_put_stores(trusted):
    said = {"name": "Berg, Anna", "fide_id": 5, "sex": "f", "title": "wfm", "birth_year": 1990, "spans": OPEN}
    put(trusted, "Zoe\u0308", **said, status=201)
    one = Member.objects.values(*said.keys() - {"spans"}, "username", "username_key").get()
    events = OutboxEntry.objects.filter(event="member.changed").count()
    Member.objects.all().delete()
    assert verdicts(trusted, {"username": "Zoe\u0308", **said}) == [("stored", "")]
    assert Member.objects.values(*one).get() == one
    assert OutboxEntry.objects.filter(event="member.changed").count() == 2 * events
    assert verdicts(trusted, {"username": "ZOË", **said}) == [("already there", "")]


def test_the_same_request_again_changes_nothing(trusted, state):
    lines = [line("anna"), line("bert", opening_ratings=[])]
    trusted.send_lines(*lines, to="members")
    before = state()
    assert verdicts(trusted, *lines) == [("already there", "")] * 2
    assert state() == before


def test_what_is_new_of_a_registered_member_is_stored(trusted):
    member("anna")
    lines = [{"username": "anna", "name": "Berg, Anna", "opening_ratings": [BLITZ]}]
    assert verdicts(trusted, *lines) == [("updated", "")]
    anna = Member.objects.get()
    assert (anna.name, points(anna)) == ("Berg, Anna", 1500)
    assert anna.history.latest().history_change_reason == "server club"


def test_in_other_capitals_the_verdict_leads_to_the_member(trusted):
    member("anna")
    (answer,) = trusted.send_lines({"username": "ANNA", "name": "Berg, Anna"}, to="members")
    assert answer == {"line": 1, "username": "ANNA", "verdict": "updated", "member": "/api/v1/members/anna"}


@pytest.mark.parametrize(
    ("said", "kind", "field"),
    [
        ({"username": " x"}, "invalid", "username"),
        ({"username": "x\u202ey"}, "invalid", "username"),
        ({"username": 5}, "invalid", "username"),
        ({}, "invalid", "username"),
        ({"username": "x", "nickname": "y"}, "invalid", "nickname"),
        ({"username": "x", "email": "x@arena.example"}, "invalid", "email"),
        ({"username": "x", "fide_id": "5"}, "invalid", "fide_id"),
        ({"username": "x", "fide_id": 7}, "refused", "fide_id"),
        ({"username": "x", "name": "Be\u200brg"}, "refused", "name"),
        ({"username": "x", "federation": "XYZ"}, "refused", "federation"),
        ({"username": "x", "spans": [*OPEN, *OPEN]}, "refused", "spans"),
        (line("x", opening_ratings=[{**BLITZ, "rating": "99.99"}]), "invalid", "opening_ratings.0.rating"),
        (
            line("x", opening_ratings=[{**BLITZ, "effective_at": "2999-01-01T00:00:00Z"}]),
            "refused",
            "opening_ratings",
        ),
        (b'{"username": "x"', "invalid", ""),
        (b'{"username": "x\\u0000"}\n', "invalid", ""),
    ],
)
def test_a_line_that_is_refused_says_why_and_keeps_no_other_from_being_stored(trusted, said, kind, field):
    member("holder", fide_id=7)
    first, second_ = trusted.send_lines(line("anna"), said, to="members")
    assert (first["verdict"], second_["verdict"]) == ("stored", "refused")
    assert (second_["kind"], second_.get("field", "")) == (kind, field)
    assert second_["reason"]
    assert set(Member.objects.values_list("username", flat=True)) == {"holder", "anna"}


def test_two_lines_of_one_member_or_fide_id_are_taken_one_after_the_other(trusted):
    lines = [
        {"username": "anna", "fide_id": 5},
        {"username": "ANNA", "name": "Berg, Anna"},
        {"username": "bert", "fide_id": 5},
    ]
    assert verdicts(trusted, *lines) == [("stored", ""), ("updated", ""), ("refused", "fide_id")]
    anna = Member.objects.get()
    assert (anna.username, anna.name, anna.fide_id) == ("anna", "Berg, Anna", 5)


def test_another_rating_to_start_with_is_refused_as_rbb_3_4_gives_one(trusted):
    trusted.send_lines(line("anna"), to="members")
    other = line("anna", opening_ratings=[{**BLITZ, "rating": "1600.00"}])
    twice = line("bert", opening_ratings=[BLITZ, {**BLITZ, "rating": "1600.00"}])
    assert verdicts(trusted, other, twice) == [("refused", "opening_ratings")] * 2
    assert points(Member.objects.get()) == 1500


def test_starting_ratings_of_a_server_that_is_not_trusted_wait_as_one_decision(api, colleague, worker):  # noqa: F811
    lines = [line("anna"), line("bert"), line("carl", opening_ratings=[])]
    assert verdicts(api, *lines) == [("waits", ""), ("waits", ""), ("stored", "")]
    assert verdicts(api, *lines) == [("waits", ""), ("waits", ""), ("already there", "")]
    decision = ChangeSet.objects.get()
    assert (decision.kind, decision.state, decision.needs_second) == ("import-openings", "proposed", True)
    assert not OpeningRating.objects.exists()
    second(decision, colleague, decision.shown)
    worker()
    assert {points(one) for one in Member.objects.filter(username__in=("anna", "bert"))} == {1500}
    assert verdicts(api, *lines) == [("already there", "")] * 3


def test_what_concerns_games_is_decided_member_by_member(api, trusted):
    anna, bert = member("anna"), member("bert")
    opening(anna, 1600)
    opening(bert, 1600)
    game(anna, bert)
    late = [{"from": "2026-03-02T00:00:00Z", "until": None}]
    assert verdicts(api, {"username": "anna", "spans": late}) == [("waits", "")]
    assert points(anna) == 1610
    # Said as it is, what waits is withdrawn.
    assert verdicts(api, {"username": "anna", "spans": OPEN}) == [("already there", "")]
    assert ChangeSet.objects.get().state == "withdrawn"
    assert verdicts(trusted, {"username": "anna", "spans": late}) == [("updated", "")]
    assert points(anna) == 1600


def test_more_members_with_games_than_a_request_can_look_at_are_sent_again(trusted, monkeypatch):
    monkeypatch.setattr(services, "MOST_ALONE", 1)
    for name in ("anna", "bert"):
        member(name)
    lines = [{"username": name, "spans": []} for name in ("anna", "bert")]
    first, second_ = trusted.send_lines(*lines, to="members")
    assert (first["verdict"], second_["verdict"], second_["kind"]) == ("updated", "refused", "busy")
    assert verdicts(trusted, *lines) == [("already there", ""), ("updated", "")]


def test_a_member_whom_a_file_would_refuse_is_entered_alone(trusted, monkeypatch):
    """The names of a file are read as spreadsheets write them."""
    row = "somebody,blitz,1500,2026-03-01,0,no"
    monkeypatch.setattr(services, "csv_pieces", lambda columns, rows: f"{','.join(columns)}\n{row}\n")
    assert verdicts(trusted, line("anna")) == [("stored", "")]
    assert points(Member.objects.get()) == 1500
    assert ChangeSet.objects.get().kind == "enter-opening"


@pytest.mark.parametrize("username", ["=anna", "'=anna", "-5", "a,b", 'a"b', "007"])
def test_a_username_means_the_same_in_a_line(trusted, username):
    assert verdicts(trusted, line(username)) == [("stored", "")]
    assert points(Member.objects.get(username=username)) == 1500


def test_a_former_username_leads_to_the_member(trusted):
    anna = member("anna")
    anna.username = "anna_new"
    anna.save()
    assert verdicts(trusted, {"username": "Anna", "name": "Berg, Anna"}) == [("updated", "")]
    assert Member.objects.get().name == "Berg, Anna"


def test_the_token_needs_the_scope_for_members(server):
    problem = ApiClient(server, Scope.GAMES).send_lines(line("anna"), to="members", status=403)
    assert problem["scope"] == "members"
    assert ApiClient().send_lines(line("anna"), to="members", status=401)["kind"] == "unauthorized"


def test_the_limits_are_those_of_games(trusted, monkeypatch):
    monkeypatch.setattr(limits, "MOST_LINES", 1)
    assert trusted.send_lines(line("a"), line("b"), to="members", status=413)["kind"] == "too-many-lines"
    assert not Member.objects.exists()


def test_the_members_that_everybody_reads_are_where_they_were(client, trusted):
    trusted.send_lines(line("anna"), to="members")
    assert [one["username"] for one in client.get("/api/v1/members").json()["members"]] == ["anna"]
