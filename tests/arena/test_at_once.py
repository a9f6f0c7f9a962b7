"""Several requests of a server at once."""

import json
from datetime import timedelta

import pytest

from members.models import Member
from ratings.arena.services.hearing import hear
from ratings.arena.services.presence import settle_all
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.merging import merge_members
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import Event as PresenceEvent
from tests.arena import at, rated
from tests.arena.conftest import in_lines
from tests.rbb.conftest import shared_database  # noqa: F401  # a fixture
from tests.rbb.test_concurrency import at_once, sound, while_it_waits

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("shared_database"),
]


def asks(api, method, own="1", sent=None):
    """A request about a game; its status."""

    def job():
        content = json.dumps(sent) if sent else ""
        return api.generic(method, f"/api/v1/games/{own}", content, "application/json").status_code

    return job


def sends(api, sent, own="1", *, many=False):
    """A request that sends a game, alone or as one of many; its status."""

    def among_many():
        line = in_lines({"id": own, **sent})
        return api.post("/api/v1/games", line, content_type="application/x-ndjson").status_code

    return among_many if many else asks(api, "PUT", own, sent)


@pytest.fixture
def begun(db):
    names = {"white": rated("2000.00").username, "black": rated("2000.00").username}
    return {**names, "time_control": "180+2", "started_at": "2026-03-01T00:05:00Z", "plies": 20}


@pytest.fixture
def ended(begun):
    return {**begun, "result": "1-0", "ended_at": "2026-03-01T00:09:00Z"}


def test_dry_runs_beside_the_real_request_change_neither_its_answer_nor_what_is_stored(api, ended):
    dry = [sends(api, ended, "1?dry_run=true")] * 2
    first, second, real = at_once(*dry, sends(api, ended))
    assert real == 201
    assert {first, second} <= {200, 201}
    assert Game.objects.get().external_id == "arena/1"
    assert sound(1)
    # What was only tried is new afterwards.
    assert at_once(sends(api, ended, "2?dry_run=true"), sends(api, {**ended, "plies": 61})) == [201, 200]
    assert api.get("/api/v1/games/2").status_code == 404


def test_of_the_same_new_game_sent_four_times_at_once_one_is_new(api, ended):
    statuses = at_once(*[sends(api, ended)] * 4)
    assert sorted(statuses) == [200, 200, 200, 201]
    assert sound(games=1)


def test_a_game_that_is_finished_several_times_at_once_is_rated_once(api, begun, ended):
    sends(api, begun)()
    assert at_once(*[sends(api, ended)] * 3) == [200, 200, 200]
    assert sound(games=1)


def test_the_worker_and_a_return_at_once_give_one_outcome(api, begun):
    sends(api, begun)()
    gone, back = at(6), at(6) + timedelta(seconds=59)
    hear("arena/1", PresenceEvent(1, "white", "gone", gone), at=gone)
    later = gone + timedelta(seconds=100)
    at_once(
        lambda: settle_all(later),
        lambda: hear("arena/1", PresenceEvent(2, "white", "back", back), at=later),
        lambda: settle_all(later),
    )
    assert Game.objects.get().result == ""
    assert replay(check=True).differences == 0


@pytest.mark.parametrize("many", [False, True])
def test_a_game_sent_while_its_player_is_merged_is_that_of_the_member_who_stays(api, ended, many):
    other = rated("1900.00")
    keep = Member.objects.get(username=ended["white"])
    send = sends(api, {**ended, "white": other.username}, many=many)
    _, status = while_it_waits(lambda: merge_members(member=keep, other=other, at=at(20)), send)
    assert status == (200 if many else 201)
    assert Game.objects.get().white_id == keep.pk
    assert sound(games=1)


def test_an_abort_and_a_result_at_once_give_one_end(api, begun, ended):
    sends(api, begun)()
    statuses = at_once(sends(api, ended), asks(api, "DELETE"), sends(api, ended))
    played = Game.objects.get()
    # Whoever is first decides: of the others a result contradicts an abort, and a void needs a reason.
    if played.result:
        assert statuses == [200, 400, 200]
    else:
        assert statuses == [409, 200, 409]
    assert replay(check=True).differences == 0


def test_a_game_aborted_three_times_at_once_ends_once(api, begun):
    sends(api, begun)()
    assert at_once(*[asks(api, "DELETE")] * 3) == [200, 200, 200]
    assert Game.history.filter(termination="aborted").count() == 1


@pytest.mark.parametrize(("trusted", "status"), [(True, 200), (False, 202)])
def test_a_game_taken_back_twice_at_once_is_one_decision(api, server, ended, trusted, status):
    server.trusted = trusted
    server.save()
    sends(api, ended)()
    assert at_once(*[asks(api, "DELETE", sent={"reason": "a test"})] * 2) == [status, status]
    assert ChangeSet.objects.count() == 1
    assert (Game.objects.get().voided_at is not None) == trusted
    assert replay(check=True).differences == 0


@pytest.mark.parametrize("many", [False, True])
def test_words_and_moves_that_come_at_once_are_all_stored(api, ended, many):
    """An unknown word becomes known while moves come: both are stored, and the game is rated once."""
    del ended["plies"]
    sends(api, {**ended, "termination": "kaput"})()
    known, longer = {**ended, "termination": "checkmate"}, {**ended, "plies": 30}
    assert at_once(sends(api, known, many=many), sends(api, longer)) == [200, 200]
    played = Game.objects.get()
    assert (played.termination, played.plies, played.rated) == ("checkmate", 30, True)
    assert sound(games=1)


@pytest.mark.parametrize("many", [False, True])
def test_of_ids_that_differ_in_case_and_come_at_once_one_is_stored(api, ended, many):
    at_once(sends(api, ended, "a", many=many), sends(api, ended, "A"))
    assert Game.objects.count() == 1
    assert sound(games=1)


def test_of_one_game_sent_at_once_under_four_ids_one_is_rated(api, ended):
    assert at_once(*[sends(api, ended, own) for own in "1234"]) == [201] * 4
    assert Game.objects.counting().count() == 1
    assert Game.objects.to_tell_apart().count() == 3
    assert replay(check=True).differences == 0
