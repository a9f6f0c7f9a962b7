"""PUT and GET of a server's game."""

from decimal import Decimal
from urllib.parse import quote

import pytest

from members.models import AccountClosure, FullMembership
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game, RatingChange
from tests.arena import at, member, points
from tests.arena.conftest import ApiClient, statements

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna(players):
    return players[0]


@pytest.fixture
def bert(players):
    return players[1]


@pytest.fixture
def ended(ended):
    return {**ended, "termination": "checkmate", "plies": 61}


def test_a_rated_game_of_a_closed_account_is_void_with_the_public_reason_and_ends_so(api, begun, ended, anna):
    closure = AccountClosure(member=anna, closed_from=at(1), category="fair-play", decided_at=at(2))
    closure.note = "engine"
    closure.save()
    for sent, status in ((begun, 201), (ended, 200), (ended, 200)):
        answer = api.ask("PUT", "games/4711", sent, status=status)
        assert (answer["voided_at"], answer["void_reason"]) == ("2026-03-01T00:02:00Z", "Fair play")
        assert answer["changes"] == []
        assert "engine" not in str(answer)
    assert answer["result"] == "1-0"
    told = api.ask("GET", f"members/{anna.username}")
    assert told["closures"] == [{"from": "2026-03-01T00:01:00Z", "until": None, "reason": "fair-play"}]


def test_a_game_that_has_ended_is_stored_and_rated(api, ended, anna, bert):
    answer = api.ask("PUT", "games/4711", ended, status=201)
    assert answer["own_id"] == "4711"
    assert answer["external_id"] == "arena/4711"
    assert (answer["rated"], answer["result"], answer["termination"]) == (True, "1-0", "checkmate")
    # Equal ratings: 0.5 expected, K = 20 (RBB 3.10).
    assert [(line["change"], line["after"]) for line in answer["changes"]] == [
        ("10.00", "2010.00"),
        ("-10.00", "1990.00"),
    ]
    assert (points(anna), points(bert)) == (Decimal("2010.00"), Decimal("1990.00"))
    assert "rose by" in answer["changes"][0]["sentence"]
    assert api.get(answer["changes"][0]["url"]).status_code == 200


def test_a_new_game_says_where_it_is(api, ended):
    response = api.put("/api/v1/games/a:b", ended, content_type="application/json")
    assert response.status_code == 201
    assert response["Location"] == "/api/v1/games/a:b"


def test_steps_of_the_explanation_come_if_they_are_asked_for(api, ended):
    assert "steps" not in api.ask("PUT", "games/1", ended, status=201)["changes"][0]
    (step, *_more) = api.ask("GET", "games/1?explain=1")["changes"][0]["steps"]
    assert {"number", "articles", "text"} <= set(step)


def test_repeating_it_changes_nothing(api, ended):
    first = api.ask("PUT", "games/1", ended, status=201)
    lines = list(RatingChange.objects.values_list())
    assert api.ask("PUT", "games/1", ended) == first == api.ask("GET", "games/1")
    assert list(RatingChange.objects.values_list()) == lines
    assert Game.objects.count() == 1


def test_usernames_are_taken_in_any_case(api, begun, ended, anna, bert):
    loud = {"white": anna.username.upper(), "black": bert.username.title()}
    assert api.ask("PUT", "games/1", begun | loud, status=201)["white"]["username"] == anna.username
    answer = api.ask("PUT", "games/1", ended | loud)
    assert answer["changes"][0]["member"]["username"] == anna.username
    assert api.ask("PUT", "games/1", ended) == answer


def test_a_game_in_progress_is_rated_when_it_ends(api, begun, ended, anna):
    answer = api.ask("PUT", "games/1", begun, status=201)
    assert (answer["result"], answer["ended_at"], answer["changes"]) == (None, None, [])
    assert answer["why_nothing"][0]["articles"] == ["3.11"]
    assert points(anna) == Decimal("2000.00")
    assert len(api.ask("PUT", "games/1", ended)["changes"]) == 2
    assert points(anna) == Decimal("2010.00")


def test_what_comes_late_of_a_game_that_has_ended_changes_nothing(api, begun, ended):
    first = api.ask("PUT", "games/1", ended, status=201)
    assert api.ask("PUT", "games/1", {**begun, "plies": 2}) == first


def test_moves_are_taken_while_a_game_is_in_progress_whichever_message_is_late(api, begun):
    assert api.ask("PUT", "games/1", {**begun, "plies": 0}, status=201)["plies"] == 0
    assert api.ask("PUT", "games/1", {**begun, "plies": 5, "pgn": "1. e4 *"})["plies"] == 5
    assert api.ask("PUT", "games/1", {**begun, "plies": 2})["plies"] == 5
    assert Game.objects.get().pgn == "1. e4 *"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_control", "180+0"),
        ("started_at", "2026-03-01T00:04:00Z"),
        ("result", "0-1"),
        ("ended_at", "2026-03-01T00:11:00Z"),
    ],
)
def test_a_contradiction_says_both_versions_and_changes_nothing(api, ended, field, value):
    api.ask("PUT", "games/1", ended, status=201)
    before = list(Game.objects.values_list())
    problem = api.ask("PUT", "games/1", {**ended, field: value}, status=409)
    assert problem["kind"] == "contradiction"
    assert problem["differing"] == [field]
    assert (problem["stored"][field], problem["sent"][field]) == (ended[field], value)
    assert list(Game.objects.values_list()) == before


def test_other_players_are_a_contradiction(api, ended):
    api.ask("PUT", "games/1", ended, status=201)
    other = member().username
    assert api.ask("PUT", "games/1", {**ended, "black": other}, status=409)["differing"] == ["black"]


def test_a_game_that_the_office_voided_since_is_no_contradiction(api, ended, staff, django_user_model):
    api.ask("PUT", "games/1", ended, status=201)
    void_games(games=Game.objects.all(), by=django_user_model.objects.get(), reason="fair-play", at=at(100))
    answer = api.ask("PUT", "games/1", ended)
    assert answer["void_reason"] == "Fair play"
    assert answer["changes"] == []


def test_two_servers_may_use_the_same_id_and_see_only_their_own(api, other, ended, begun):
    api.ask("PUT", "games/1", ended, status=201)
    assert other.ask("GET", "games/1", status=404)["kind"] == "not-found"
    assert other.ask("PUT", "games/1", begun, status=201)["external_id"] == "other/1"
    assert api.ask("GET", "games/1")["result"] == "1-0"


def test_a_token_without_the_scope_sends_no_game(server, ended):
    problem = ApiClient(server, "read").ask("PUT", "games/1", ended, status=403)
    assert problem["scope"] == "games"
    assert not Game.objects.exists()


def test_a_game_that_cannot_be_rated_says_every_reason_with_its_article(api, ended):
    FullMembership.objects.all().delete()
    problem = api.ask("PUT", "games/1", ended, status=422)
    assert [(one["field"], one["article"]) for one in problem["errors"]] == [
        ("white", "RBB 2.1"),
        ("black", "RBB 2.1"),
    ]
    assert not Game.objects.exists()


@pytest.mark.parametrize("control", ["7+0", "40/7200:3600", "1/259200", "-"])
def test_a_game_at_any_other_control_is_stored_and_not_rated(api, begun, ended, anna, control):
    """RBB 2.2, 2.3: as its server writes the control, in progress and finished."""
    assert api.ask("PUT", "games/1", {**begun, "time_control": control}, status=201)["rated"] is False
    answer = api.ask("PUT", "games/1", {**ended, "time_control": control})
    assert (answer["rated"], answer["time_control"], answer["category"]) == (False, control, None)
    assert [one["articles"] for one in answer["why_nothing"]] == [["2.3"]]
    assert points(anna) == Decimal("2000.00")
    (found,) = api.ask("GET", f"all-games?control={quote(control)}")["games"]
    assert found["time_control"] == control
    other = api.ask("PUT", "games/1", {**ended, "time_control": "180+2"}, status=409)
    assert (other["stored"]["time_control"], other["sent"]["time_control"]) == (control, "180+2")


@pytest.mark.parametrize(
    ("other", "why"),
    [("a1", "capital letters"), ("Ａ1", "“arena/A1”"), ("A\u31641", "U+3164")],
)
def test_an_id_that_looks_the_same_is_no_other_game(api, ended, other, why):
    api.ask("PUT", "games/A1", ended, status=201)
    problem = api.ask("PUT", f"games/{quote(other)}", ended, status=422)
    assert [one["field"] for one in problem["errors"]] == ["id"]
    assert why in problem["detail"]
    assert Game.objects.count() == 1


def test_members_who_are_not_known_are_named(api, ended):
    problem = api.ask("PUT", "games/1", {**ended, "white": "nobody"}, status=422)
    (fault,) = problem["errors"]
    assert fault["field"] == "white"
    assert "nobody" in fault["detail"]


def test_a_game_without_a_move_by_each_side_is_stored_and_not_rated(api, ended, anna):
    answer = api.ask("PUT", "games/1", {**ended, "plies": 1}, status=201)
    assert (answer["rated"], answer["changes"]) == (False, [])
    assert answer["why_nothing"][0]["articles"] == ["2.4"]
    assert points(anna) == Decimal("2000.00")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"white": None}, "white"),
        ({"started_at": "2026-03-01T00:05:00"}, "started_at"),
        ({"plies": "61"}, "plies"),
        ({"plies": -1}, "plies"),
        ({"result": "2-0"}, "result"),
        ({"rated": "yes"}, "rated"),
        ({"moves": 61}, "moves"),
        ({"ended_at": None}, "ended_at"),
        ({"pgn": "\x07"}, "pgn"),
    ],
)
def test_a_malformed_field_is_named(api, ended, sent, field):
    problem = api.ask("PUT", "games/1", {**ended, **sent}, status=400)
    assert [one["field"] for one in problem["errors"]] == [field]


def test_an_end_in_the_future_is_refused(api, ended):
    problem = api.ask("PUT", "games/1", {**ended, "ended_at": "2999-01-01T00:00:00Z"}, status=422)
    assert "future" in problem["detail"]


@pytest.mark.parametrize("its_own", ["a%20b", "%7F", "x" * 150, "%E2%80%AE"])
def test_an_id_is_printable_and_short(api, ended, its_own):
    assert api.ask("PUT", f"games/{its_own}", ended, status=400)["errors"][0]["field"] == "id"


def test_an_id_may_have_any_letters(api, ended):
    answer = api.ask("PUT", "games/%C3%A9-%E2%99%9E.1", ended, status=201)
    assert answer["own_id"] == "é-♞.1"


def test_a_game_takes_few_statements(api, begun, ended):
    """Saving it is 5 to 8 of them; the others are token, players, answer."""
    # Two of them see to it that no other game has its id in other letters, three that it isn’t here already.
    assert statements(lambda: api.ask("PUT", "games/1", ended, status=201)) <= 24
    assert statements(lambda: api.ask("PUT", "games/1", ended)) <= 7
    found = {**ended, "url": "https://arena.example/1"}
    api.ask("PUT", "games/1", found)
    assert statements(lambda: api.ask("PUT", "games/1", found)) <= 7
    api.ask("PUT", "games/2", begun, status=201)
    # At the same moment as the first, it would be ordered by its id, which takes a replay.
    later = {**ended, "ended_at": "2026-03-01T00:11:00Z"}
    assert statements(lambda: api.ask("PUT", "games/2", later)) <= 29


MATE = "1. f3 e5 2. g4 Qh4#"


@pytest.mark.parametrize(
    ("end", "field", "told", "article"),
    [
        (
            {"termination": "stalemate"},
            "termination",
            "“stalemate” means a draw, but the result is 1-0",
            "5.2.1",
        ),
        ({"termination": "agreement", "result": "0-1"}, "termination", "the result is 0-1", "5.2.3"),
        ({"result": "1/2-1/2"}, "termination", "“checkmate” means that a player won", "5.1.1"),
        ({"termination": "insufficient"}, "termination", "“insufficient” means a draw", "5.2.2"),
        (
            {"pgn": MATE},
            "result",
            "the moves end with checkmate, so the result must be 0-1, not 1-0",
            "5.1.1",
        ),
    ],
)
def test_an_end_that_the_result_contradicts_is_refused_with_both(api, ended, end, field, told, article):
    problem = api.ask("PUT", "games/1", {**ended, **end}, status=422)
    assert (problem["kind"], problem["article"]) == ("refused", f"FIDE Laws {article}")
    assert [one["field"] for one in problem["errors"]] == [field]
    assert told in problem["detail"]
    assert not Game.objects.exists()


def test_so_is_one_that_the_moves_sent_while_it_was_played_contradict(api, begun, ended):
    api.ask("PUT", "games/1", {**begun, "pgn": MATE, "plies": 4}, status=201)
    problem = api.ask("PUT", "games/1", {**ended, "plies": 4}, status=422)
    assert problem["detail"].startswith(
        "The moves end with checkmate, so the result must be 0-1, not 1-0 (FIDE Laws"
    )
    assert problem["article"] == "FIDE Laws 5.1.1"
    assert Game.objects.get().result == ""
    assert api.ask("PUT", "games/1", {**ended, "result": "0-1", "plies": 4})["result"] == "0-1"


def test_a_fault_of_another_kind_beside_it_is_told_first(api, ended):
    sent = {**ended, "termination": "stalemate", "plies": -1}
    assert api.ask("PUT", "games/1", sent, status=400)["kind"] == "invalid"


def test_a_game_that_lasted_longer_than_its_control_allows_is_stored_with_a_warning(api, begun, ended):
    answer = api.ask("PUT", "games/1", {**ended, "ended_at": "2026-03-01T04:05:00Z"}, status=201)
    # 2 × 3 minutes, 61 × 2 seconds and 10 minutes.
    told = "It lasted 4:00:00, but at 3 min + 2 s a game can last at most 0:18:02."
    assert answer["warnings"] == api.ask("GET", "games/1")["warnings"] == [told]
    assert len(answer["changes"]) == 2
    assert api.ask("PUT", "games/2", begun, status=201)["warnings"] == []
