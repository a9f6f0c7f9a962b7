"""PUT /api/v1/members/{username}: members of a server, at once or by a decision."""

from urllib.parse import quote

import pytest
from django.contrib.auth import get_user_model

from members.models import FullMembership, Invitation, Member
from ratings.arena.scopes import Scope
from ratings.arena.services.registering import register_server
from ratings.office.deciding import second
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import at, game, member, opening, points
from tests.arena.conftest import ApiClient

pytestmark = pytest.mark.django_db

SINCE = "2026-03-01T00:00:00Z"
"""When everybody in the arena of the tests became a full member."""

OPEN = [{"from": SINCE, "until": None}]
NOTHING = {"name": "", "fide_id": None, "federation": "", "sex": "", "birth_year": None, "title": ""}


def put(api, username, *, status=200, **said):
    return api.ask("PUT", f"members/{quote(username, safe='')}", said, status=status)


def fields(problem):
    return [fault["field"] for fault in problem["errors"]]


@pytest.fixture
def colleague():
    """Somebody of the office who confirms."""
    return get_user_model().objects.create(username="colleague")


@pytest.fixture
def anna():
    """A member who has won a game that counts, and would no longer count without membership."""
    anna, bert = member("anna"), member("bert")
    opening(anna, 1600)
    opening(bert, 1600)
    game(anna, bert)
    return anna


def test_a_new_member_is_stored_at_once(api):
    said = {"name": "Berg, Anna", "federation": "nor", "fide_id": 1500001, "title": "wfm", "sex": "f"}
    answer = put(api, "anna", **said, birth_year=1990, spans=OPEN, status=201)
    stored = Member.objects.get()
    assert answer == {
        "username": "anna",
        "name": "Berg, Anna",
        "fide_id": 1500001,
        "federation": "NOR",
        "sex": "F",
        "birth_year": 1990,
        "title": "WFM",
        "url": stored.get_absolute_url(),
        "invited": False,
        "spans": OPEN,
        "opening_ratings": [],
        "waiting": [],
    }
    assert FullMembership.objects.get().span == (at(0), None)
    assert put(api, "anna", **said, birth_year=1990, spans=OPEN) == answer
    assert not stored.history.exists()
    put(api, "anna", name="Berg, Anne")
    assert stored.history.latest().history_change_reason == "server arena"
    assert not ChangeSet.objects.exists()


def test_what_is_not_said_stays_and_what_is_empty_goes(api):
    put(api, "anna", name="Berg, Anna", federation="NOR", fide_id=5, spans=OPEN, status=201)
    answer = put(api, "anna", federation="", fide_id=None)
    assert (answer["name"], answer["federation"], answer["fide_id"]) == ("Berg, Anna", "", None)
    assert answer["spans"] == OPEN


def test_the_username_in_another_writing_is_the_same_member(api):
    put(api, "Zoë", status=201)
    assert put(api, "zoe\u0308", name="Zoë")["username"] == "Zoë"
    assert Member.objects.count() == 1


def test_facts_and_later_membership_of_somebody_who_has_played_are_stored_at_once(api, anna):
    spans = [{"from": SINCE, "until": "2027-01-01T00:00:00Z"}]
    answer = put(api, "anna", name="Berg, Anna", spans=spans)
    assert (answer["name"], answer["spans"], answer["waiting"]) == ("Berg, Anna", spans, [])
    assert points(anna) == 1610


def test_membership_that_decides_about_games_waits_for_a_person(api, anna, colleague):
    late = [{"from": "2026-03-02T00:00:00Z", "until": None}]
    answer = put(api, "anna", name="Berg, Anna", spans=late, status=202)
    (waiting,) = answer["waiting"]
    assert (answer["name"], answer["spans"], waiting["state"]) == ("Berg, Anna", OPEN, "proposed")
    assert points(anna) == 1610
    decision = ChangeSet.objects.get()
    assert (decision.pk, decision.proposed_as, decision.needs_second) == (waiting["id"], "server arena", True)
    second(decision, colleague, decision.shown)
    assert points(anna) == 1600
    assert Game.objects.get().unrated_reason == NOT_FULL[0]
    answer = put(api, "anna", spans=late)
    assert (answer["spans"], answer["waiting"]) == (late, [])
    assert replay(check=True).differences == 0


def test_membership_that_lets_games_count_waits_and_rates_them(api, colleague):
    anna, bert = member("anna", full_from=None), member("bert")
    opening(anna, 1600)
    opening(bert, 1600)
    game(anna, bert, rated=False, unrated_reason=NOT_FULL[0])
    put(api, "anna", spans=OPEN, status=202)
    decision = ChangeSet.objects.get()
    second(decision, colleague, decision.shown)
    assert points(anna) == 1610


def test_the_fide_id_of_somebody_who_has_played_waits(api, anna, colleague):
    answer = put(api, "anna", fide_id=1500001, federation="NOR", status=202)
    assert (answer["fide_id"], answer["federation"]) == (None, "NOR")
    decision = ChangeSet.objects.get()
    second(decision, colleague, decision.shown)
    assert put(api, "anna", fide_id=1500001)["fide_id"] == 1500001


def test_repeating_what_waits_gives_the_same_decision(api, anna):
    first = put(api, "anna", spans=[], fide_id=7, status=202)
    assert put(api, "anna", spans=[], fide_id=7, status=202) == first
    assert ChangeSet.objects.count() == 1


def test_what_is_said_later_replaces_what_waits(api, anna):
    put(api, "anna", fide_id=7, status=202)
    assert put(api, "anna", name="Anna")["waiting"][0]["state"] == "proposed"
    (waiting,) = put(api, "anna", fide_id=8, status=202)["waiting"]
    states = dict(ChangeSet.objects.values_list("pk", "state"))
    assert sorted(states.values()) == ["proposed", "withdrawn"]
    assert states[waiting["id"]] == "proposed"
    assert put(api, "anna", fide_id=None)["waiting"] == []
    assert not ChangeSet.objects.open().exists()


def test_what_another_server_says_replaces_nothing(api, other, anna):
    put(api, "anna", fide_id=7, status=202)
    assert len(put(other, "anna", fide_id=8, status=202)["waiting"]) == 2


def test_of_a_trusted_server_it_is_applied_at_once_as_a_decision(trusted, anna):
    answer = put(trusted, "anna", spans=[], fide_id=7)
    assert (answer["spans"], answer["fide_id"], answer["waiting"]) == ([], 7, [])
    assert points(anna) == 1600
    decision = ChangeSet.objects.get()
    assert (decision.state, decision.proposed_as, decision.moved) == ("applied", "server club", 2)
    assert decision.undo["kind"] == "revert-members"


def test_where_the_office_wants_a_second_person_a_trusted_server_waits_too(trusted, settings, anna):
    settings.SECOND_PERSON_KINDS = ["change-member"]
    assert put(trusted, "anna", spans=[], status=202)["waiting"][0]["state"] == "proposed"
    assert points(anna) == 1610


def test_a_fide_id_of_another_member_is_refused(api, anna):
    member("carl", fide_id=7)
    for username in ("anna", "new"):
        problem = put(api, username, fide_id=7, status=422)
        assert fields(problem) == ["fide_id"]
        assert problem["detail"] == "FIDE ID 7 already belongs to “carl”."
    assert not Member.objects.filter(username="new").exists()


@pytest.mark.parametrize(
    ("said", "field", "status"),
    [
        ({"federation": "Norway"}, "federation", 422),
        ({"federation": "N0R"}, "federation", 422),
        ({"title": "Grandmaster"}, "title", 422),
        ({"sex": "X"}, "sex", 422),
        ({"birth_year": 1500}, "birth_year", 422),
        ({"birth_year": 3000}, "birth_year", 422),
        ({"spans": [{"from": SINCE, "until": SINCE}]}, "spans", 422),
        ({"spans": [*OPEN, {"from": "2026-04-01T00:00:00Z"}]}, "spans", 422),
        ({"name": "x" * 101}, "name", 400),
        ({"name": None}, "name", 400),
        ({"fide_id": 0}, "fide_id", 400),
        ({"fide_id": 10**9}, "fide_id", 400),
        ({"fide_id": "many"}, "fide_id", 400),
        ({"spans": None}, "spans", 400),
        ({"spans": {}}, "spans", 400),
        ({"spans": [{}]}, "spans.0.from", 400),
        ({"spans": [{"from": "2026-03-01T00:00:00"}]}, "spans.0.from", 400),
        ({"spans": [{"from": "0001-01-01T00:00:00+14:00"}]}, "spans.0.from", 400),
        ({"birth_year": 10**15}, "birth_year", 422),
        ({"rating": 2800}, "rating", 400),
    ],
)
def test_a_fault_names_its_field_and_nothing_is_stored(api, said, field, status):
    problem = put(api, "anna", **said, status=status)
    assert set(fields(problem)) == {field}
    assert not Member.objects.exists()


@pytest.mark.parametrize(
    "username", [" anna", "an\nna", "an\u200bna", "an\ufeffna", "x" * 151, "\x7f", "...", "ａnna"]
)
def test_a_username_that_nobody_can_have_is_refused(api, username):
    assert set(fields(put(api, username, status=400))) == {"username"}
    assert not Member.objects.exists()


def test_a_username_from_before_is_found_and_a_name_that_cannot_be_seen_is_refused(api):
    who = member("ａnna", full_from=None)
    assert put(api, "ａnna", federation="NOR")["username"] == "ａnna"
    problem = put(api, "ａnna", name="Berg,\u202e Anna", status=422)
    assert fields(problem) == ["name"]
    who.refresh_from_db()
    assert (who.federation, who.name) == ("NOR", "")


def test_a_token_needs_the_scope_for_members(server):
    assert put(ApiClient(server, "games"), "anna", status=403)["scope"] == "members"


def test_a_former_username_leads_to_the_member_in_what_servers_send_and_read(api, anna):
    anna.username = "anna_new"
    anna.save()
    answer = put(api, "Anna", federation="NOR")
    assert (answer["username"], answer["federation"]) == ("anna_new", "NOR")
    assert api.ask("GET", "members/anna")["username"] == "anna_new"
    sent = {"white": "anna", "black": "bert", "time_control": "180+2", "started_at": "2026-03-01T01:00:00Z"}
    stored = api.ask("PUT", "games/4711", sent, status=201)
    assert stored["white"]["username"] == "anna_new"
    # Sent twice, it is the same game.
    assert api.ask("PUT", "games/4711", sent, status=200) == stored


def test_a_server_that_may_invite_passes_an_address_on(api, worker, mailoutbox):
    answer = put(api, "anna", name="Berg, Anna", email="anna@arena.example", language="pl", status=201)
    assert answer["invited"]
    assert "email" not in answer
    invitation = Invitation.objects.get()
    assert (invitation.email, invitation.language, invitation.by) == (
        "anna@arena.example",
        "pl",
        "server arena",
    )
    # Sent again, it changes nothing.
    put(api, "anna", name="Berg, Anna", email="anna@arena.example")
    worker()
    assert [mail.to for mail in mailoutbox] == [["anna@arena.example"]]


def test_a_server_without_the_scope_stores_nothing_with_an_address(server):
    problem = put(ApiClient(server, "members"), "anna", email="anna@arena.example", status=403)
    assert (problem["kind"], problem["scope"]) == ("scope-missing", "invitations")
    assert not Member.objects.exists()


def test_who_has_a_login_is_not_invited(api):
    member("anna", user=get_user_model().objects.create(username="anna"))
    assert not put(api, "anna", email="anna@arena.example")["invited"]
    assert not Invitation.objects.exists()


START = {"category": "blitz", "rating": "1500.00", "effective_at": SINCE}
STORED = {**START, "games": 0, "previously_unrated": False}


def test_a_trusted_server_enters_starting_ratings_once_by_a_decision_of_the_register():
    api = ApiClient(register_server("club", trusted=True)[0], Scope.MEMBERS)
    said = [START, {**START, "category": "rapid", "rating": "1612.5", "games": 31}]
    answer = put(api, "anna", spans=OPEN, opening_ratings=said, status=201)
    rapid = {**STORED, "category": "rapid", "rating": "1612.50", "games": 31}
    assert sorted(answer["opening_ratings"], key=lambda one: one["category"]) == [STORED, rapid]
    assert points(Member.objects.get()) == 1500
    assert [(one.kind, one.state, one.proposed_as) for one in ChangeSet.objects.all()] == [
        ("enter-opening", "applied", "server club")
    ] * 2
    # Said again, by itself or with others, it is there already.
    assert put(api, "anna", opening_ratings=said) == put(api, "anna", opening_ratings=[START])
    assert ChangeSet.objects.count() == 2
    later = put(api, "anna", opening_ratings=[{**START, "effective_at": "2026-03-02T00:00:00Z"}], status=422)
    assert "only one per category (RBB 3.4)" in later["errors"][0]["detail"]
    refusal = put(api, "anna", opening_ratings=[{**START, "rating": "1600.00"}], status=422)
    assert fields(refusal) == ["opening_ratings"]
    assert "1500.00" in refusal["detail"]
    assert points(Member.objects.get()) == 1500


def test_starting_ratings_of_a_server_that_is_not_trusted_wait_for_the_office(api, colleague):
    (waiting,) = put(api, "anna", spans=OPEN, opening_ratings=[START], status=202)["waiting"]
    assert put(api, "anna", opening_ratings=[START], status=202)["waiting"] == [waiting]
    (other,) = put(api, "anna", opening_ratings=[{**START, "rating": "1400.00"}], status=202)["waiting"]
    assert other["id"] != waiting["id"]
    # Membership is another matter: what waits for it stays.
    assert put(api, "anna", spans=OPEN)["waiting"] == [other]
    decision = ChangeSet.objects.get(pk=other["id"])
    second(decision, colleague, decision.shown)
    answer = put(api, "anna", name="Berg, Anna")
    assert (answer["waiting"], answer["opening_ratings"]) == ([], [{**STORED, "rating": "1400.00"}])
    assert points(Member.objects.get()) == 1400


@pytest.mark.parametrize(
    ("said", "field", "status"),
    [
        ({**START, "rating": "99.99"}, "opening_ratings.0.rating", 400),
        ({**START, "rating": "4000.01"}, "opening_ratings.0.rating", 400),
        ({**START, "rating": "1500.001"}, "opening_ratings.0.rating", 400),
        ({**START, "category": "classical"}, "opening_ratings.0.category", 400),
        ({**START, "effective_at": "2026-03-01"}, "opening_ratings.0.effective_at", 400),
        ({**START, "effective_at": "2999-03-01T00:00:00Z"}, "opening_ratings", 422),
    ],
)
def test_an_impossible_starting_rating_is_refused_and_nothing_is_stored(said, field, status):
    api = ApiClient(register_server("club", trusted=True)[0], Scope.MEMBERS)
    assert fields(put(api, "anna", opening_ratings=[said], status=status)) == [field]
    assert not Member.objects.exists()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": 5}, "name"),
        ({"federation": False}, "federation"),
        ({"fide_id": "5"}, "fide_id"),
        ({"birth_year": 1990.0}, "birth_year"),
        ({"birth_year": True}, "birth_year"),
        ({"spans": [{"from": 2026}]}, "spans.0.from"),
        ({"spans": [{"from": SINCE, "to": None}]}, "spans.0.to"),
        ({"nickname": "Annie"}, "nickname"),
        ({"opening_ratings": [{**START, "rating": 1500}]}, "opening_ratings.0.rating"),
        ({"opening_ratings": [{**START, "games": "3"}]}, "opening_ratings.0.games"),
        (
            {"opening_ratings": [{**START, "previously_unrated": "yes"}]},
            "opening_ratings.0.previously_unrated",
        ),
    ],
)
def test_the_types_of_json_are_kept_apart_and_other_fields_named(api, said, field):
    assert fields(put(api, "anna", **said, status=400)) == [field]
    assert not Member.objects.exists()
