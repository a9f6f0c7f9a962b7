"""RBB 2.4, live: what servers tell of who is gone, and what becomes of their games."""

from datetime import timedelta
from decimal import Decimal
from itertools import permutations

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from members.models import FullMembership
from ratings.arena.models import PresenceEvent
from ratings.arena.services import presence
from ratings.arena.services.hearing import OtherEventError, hear
from ratings.arena.services.presence import settle_all
from ratings.office.models import ChangeSet
from ratings.office.upkeep import upkeep
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import Event
from tests.arena import points
from tests.arena.conftest import moment, tell

pytestmark = pytest.mark.django_db

DRAWN = {"result": "1/2-1/2", "termination": "agreement", "ended_at": "2026-03-01T00:09:00Z", "plies": 40}
EVEN = Decimal("2000.00")


@pytest.fixture
def begun(api, begun):
    """A game in progress as it was sent; it began at minute 5."""
    sent = {**begun, "plies": 20}
    api.ask("PUT", "games/1", sent, status=201)
    return sent


def ending():
    """How the game ends: result, termination, seconds after minute 6, rated."""
    stored = Game.objects.get()
    seconds = stored.ended_at and (stored.ended_at - moment(0)).total_seconds()
    return stored.result, stored.termination, seconds, stored.rated


WHITE_LOST = ("0-1", "disconnection white", 60.0, True)
IN_PROGRESS = ("", "normal", None, True)


def test_who_comes_back_too_late_has_lost_after_sixty_seconds_and_the_game_is_rated(begun, players):
    tell(1, "gone", 0)
    assert ending() == IN_PROGRESS
    tell(2, "back", 60.001)
    assert ending() == WHITE_LOST
    assert [points(one) for one in players] == [Decimal("1990.00"), Decimal("2010.00")]
    assert not ChangeSet.objects.exists()


def test_who_comes_back_after_sixty_seconds_to_the_instant_plays_on(begun):
    tell(1, "gone", 0)
    tell(2, "back", 60)
    settle_all(moment(10_000))
    assert ending() == IN_PROGRESS


def test_what_is_heard_of_the_other_player_later_shows_a_loss(begun):
    tell(1, "gone", 0)
    tell(2, "gone", 60.001, "black")
    assert ending() == WHITE_LOST


@pytest.mark.parametrize("order", list(permutations(range(4)))[::3])
def test_any_order_of_events_gives_one_outcome(begun, players, order):
    told = [(1, "gone", 0), (2, "back", 30), (3, "gone", 40), (4, "back", 110)]
    for received, number in enumerate(order):
        tell(*told[number], received=200 + received)
        tell(*told[number], received=200 + received)
    assert ending() == ("0-1", "disconnection white", 100.0, True)
    assert points(players[0]) == Decimal("1990.00")
    # A missing number is waited for, so nothing had to be corrected.
    assert not ChangeSet.objects.exists()
    assert replay(check=True).differences == 0


def test_an_event_that_comes_again_changes_nothing_and_another_of_its_number_is_refused(begun):
    tell(1, "gone", 0)
    tell(1, "gone", 0, received=50)
    with pytest.raises(OtherEventError):
        tell(1, "gone", 1)
    assert PresenceEvent.objects.get().received_at == moment(0)


def test_where_nothing_more_is_heard_the_game_ends_after_the_grace(begun, settings):
    settings.PRESENCE_GRACE = 30
    tell(1, "gone", 0)
    settle_all(moment(90))
    assert ending() == IN_PROGRESS
    settle_all(moment(90.001))
    assert ending() == WHITE_LOST


def test_the_servers_clock_decides_and_not_the_office_s(begun):
    """Its clock is two minutes behind: nobody has lost because an event seems old."""
    tell(1, "gone", 0, received=120)
    settle_all(moment(200))
    assert ending() == IN_PROGRESS
    settle_all(moment(210.001))
    assert ending() == WHITE_LOST


def test_the_worker_is_asked_to_look_when_the_time_is_over(begun, worker, settings):
    settings.PRESENCE_GRACE = 30
    tell(1, "gone", 0)
    tell(2, "back", 10)
    (asked,) = DBTaskResult.objects.filter(task_path=presence.look_again.module_path)
    assert asked.run_after == moment(90.001)
    tell(3, "gone", 20)
    worker()
    assert ending() == ("0-1", "disconnection white", 80.0, True)
    worker()
    assert ending() == ("0-1", "disconnection white", 80.0, True)


def test_what_the_worker_has_lost_is_made_up_for_by_the_hour(begun):
    tell(1, "gone", 0)
    DBTaskResult.objects.all().delete()
    upkeep.call()
    assert ending() == WHITE_LOST


def test_a_return_that_was_in_time_takes_the_end_back_as_a_recorded_correction(begun, players, client):
    tell(1, "gone", 0)
    settle_all(moment(100))
    tell(2, "back", 59, received=200)
    assert ending() == IN_PROGRESS
    assert [points(one) for one in players] == [EVEN, EVEN]
    change_set = ChangeSet.objects.get()
    assert (change_set.kind, change_set.state, change_set.proposed_as) == (
        "correct-game",
        "applied",
        "RBB 2.4",
    )
    assert "Result corrected" in client.get(change_set.get_absolute_url()).content.decode()
    assert replay(check=True).differences == 0


def test_a_game_that_goes_on_ends_as_its_server_says(api, begun, players):
    tell(1, "gone", 0)
    settle_all(moment(100))
    tell(2, "back", 59, received=200)
    api.ask("PUT", "games/1", {**begun, **DRAWN})
    assert ending() == ("1/2-1/2", "agreement", 180.0, True)


def test_an_end_that_its_server_sent_gives_way_to_a_loss_that_becomes_known(api, begun, players):
    api.ask("PUT", "games/1", {**begun, **DRAWN})
    tell(1, "gone", 0, received=300)
    tell(2, "back", 100, received=301)
    assert ending() == WHITE_LOST
    assert ChangeSet.objects.count() == 1
    assert api.ask("PUT", "games/1", {**begun, **DRAWN})["result"] == "0-1"


def test_and_comes_back_if_there_was_none(api, begun, players):
    api.ask("PUT", "games/1", {**begun, **DRAWN})
    tell(1, "gone", 0, received=300)
    settle_all(moment(400))
    assert ending() == WHITE_LOST
    tell(2, "back", 60, received=500)
    assert ending() == ("1/2-1/2", "agreement", 180.0, True)
    assert [points(one) for one in players] == [EVEN, EVEN]
    assert ChangeSet.objects.count() == 2


def test_a_result_that_contradicts_2_4_is_refused(api, begun):
    gone = {"sequence": 1, "player": "white", "event": "gone", "at": "2026-03-01T00:06:00Z"}
    api.ask("POST", "games/1/presence", gone, status=201)
    problem = api.ask("PUT", "games/1", {**begun, **DRAWN}, status=409)
    assert (problem["kind"], problem["article"]) == ("contradiction", "RBB 2.4")
    assert "disconnection white" in problem["detail"]
    assert ending() == IN_PROGRESS
    back = {**gone, "sequence": 2, "event": "back", "at": "2026-03-01T00:06:20Z"}
    api.ask("POST", "games/1/presence", back, status=201)
    assert api.ask("PUT", "games/1", {**begun, **DRAWN})["result"] == "1/2-1/2"


def test_a_result_is_taken_as_long_as_an_event_is_missing(api, begun):
    again = {"sequence": 3, "player": "white", "event": "gone", "at": "2026-03-01T00:06:00Z"}
    api.ask("POST", "games/1/presence", again, status=201)
    assert api.ask("PUT", "games/1", {**begun, **DRAWN})["result"] == "1/2-1/2"


def test_a_loss_that_a_server_says_itself_is_at_the_end_of_the_sixty_seconds(api, begun):
    tell(1, "gone", 0)
    late = {"result": "0-1", "termination": "disconnection white", "ended_at": "2026-03-01T00:07:02Z"}
    for _again in range(2):
        api.ask("PUT", "games/1", {**begun, **late})
        assert ending() == WHITE_LOST
    assert not ChangeSet.objects.exists()


def test_a_game_that_ended_within_the_sixty_seconds_ends_as_its_server_says(api, begun):
    tell(1, "gone", 0)
    settle_all(moment(100))
    mate = {"result": "1-0", "termination": "checkmate", "ended_at": "2026-03-01T00:06:50Z"}
    api.ask("PUT", "games/1", {**begun, **mate})
    assert ending() == ("1-0", "checkmate", 50.0, True)
    assert ChangeSet.objects.count() == 1


def test_who_was_gone_too_long_before_the_mate_has_lost(api, begun):
    """RBB 2.4: what is played after the sixty seconds doesn’t count."""
    api.ask("PUT", "games/1", {**begun, "pgn": "1. e4 f6 2. d4 g5 3. Qh5#", "plies": 5})
    tell(1, "gone", 0)
    tell(2, "back", 61, received=61)
    assert ending() == WHITE_LOST


def test_of_two_who_are_gone_the_one_whose_time_is_over_first_has_lost(begun):
    tell(1, "gone", 1)
    tell(2, "gone", 0.5, "black", received=1)
    settle_all(moment(200))
    assert ending() == ("1-0", "disconnection black", 60.5, True)


def test_both_gone_at_the_same_instant_is_not_rated_and_says_why(begun, players, client):
    tell(1, "gone", 0)
    tell(2, "gone", 0, "black")
    settle_all(moment(200))
    assert ending() == ("1/2-1/2", "disconnection both", 60.0, False)
    assert [points(one) for one in players] == [EVEN, EVEN]
    page = client.get(Game.objects.get().get_absolute_url()).content.decode()
    told = "Both players were disconnected for more than 60 seconds, and both passed the limit at the same"
    assert f"{told} instant." in page
    tell(3, "back", 30, received=300)
    assert ending() == ("1-0", "disconnection black", 60.0, True)


def test_a_game_without_a_move_by_each_side_ends_unrated(api, players):
    sent = {
        "white": players[0].username,
        "black": players[1].username,
        "time_control": "180+2",
        "started_at": "2026-03-01T00:05:00Z",
        "plies": 1,
    }
    api.ask("PUT", "games/1", sent, status=201)
    tell(1, "gone", 0)
    settle_all(moment(200))
    assert ending() == ("0-1", "disconnection white", 60.0, False)
    assert [points(one) for one in players] == [EVEN, EVEN]
    # The message of the second move was late.
    api.ask("PUT", "games/1", {**sent, "plies": 2})
    assert ending() == WHITE_LOST
    assert points(players[0]) == Decimal("1990.00")


def test_what_staff_has_decided_stays(begun, staff, django_user_model):
    tell(1, "gone", 0)
    tell(2, "back", 61)
    game = Game.objects.get()
    game.result, game.termination = "1-0", "adjudication"
    game.save()
    tell(3, "gone", 62)
    settle_all(moment(1000))
    assert ending() == ("1-0", "adjudication", 60.0, True)
    void_games(games=[game], by=django_user_model.objects.get(), reason="error", at=timezone.now())
    tell(4, "back", 63, received=1001)
    assert Game.objects.get().voided_at is not None


def test_a_correction_that_needs_a_second_person_waits_once(begun, settings):
    settings.SECOND_PERSON_KINDS = ["correct-game"]
    tell(1, "gone", 0)
    settle_all(moment(100))
    tell(2, "back", 59, received=200)
    settle_all(moment(300))
    assert ending() == WHITE_LOST
    assert ChangeSet.objects.get().state == "proposed"


def test_a_clock_that_is_ahead_ends_no_game_in_the_future(begun):
    now = timezone.now()
    ahead = now + timedelta(minutes=4)
    hear("arena/1", Event(1, "white", "gone", ahead), at=now)
    hear("arena/1", Event(2, "white", "back", ahead + timedelta(seconds=61)), at=now + timedelta(seconds=61))
    assert ending() == IN_PROGRESS
    last = DBTaskResult.objects.order_by("run_after").last()
    assert last.run_after == ahead + timedelta(seconds=60, milliseconds=1)


class TestRequest:
    GONE = {"sequence": 1, "player": "white", "event": "gone", "at": "2026-03-01T00:06:00Z"}

    def test_an_event_is_new_once(self, api, begun):
        first = api.ask("POST", "games/1/presence", self.GONE, status=201)
        assert api.ask("POST", "games/1/presence", self.GONE) == first
        game = first.pop("game")
        assert first == self.GONE
        assert (game["result"], game["ended_at"], game["rated"]) == (None, None, True)

    def test_the_answer_says_how_the_game_has_ended(self, api, begun):
        api.ask("POST", "games/1/presence", self.GONE, status=201)
        back = {**self.GONE, "sequence": 2, "event": "back", "at": "2026-03-01T00:07:30+00:00"}
        game = api.ask("POST", "games/1/presence", back, status=201)["game"]
        assert (game["result"], game["termination"]) == ("0-1", "disconnection white")
        assert game["ended_at"] == "2026-03-01T00:07:00Z"

    def test_another_event_of_the_same_number_is_a_contradiction(self, api, begun):
        api.ask("POST", "games/1/presence", self.GONE, status=201)
        problem = api.ask("POST", "games/1/presence", {**self.GONE, "player": "black"}, status=409)
        assert problem["kind"] == "contradiction"
        assert (problem["stored"]["player"], problem["sent"]["player"]) == ("white", "black")

    def test_a_game_that_was_not_sent_is_not_found(self, api, begun):
        assert api.ask("POST", "games/2/presence", self.GONE, status=404)["kind"] == "not-found"

    @pytest.mark.parametrize("moment", ["2026-03-01T00:04:59Z", "2999-01-01T00:00:00Z"])
    def test_a_moment_that_cannot_be_is_refused(self, api, begun, moment):
        problem = api.ask("POST", "games/1/presence", {**self.GONE, "at": moment}, status=422)
        assert problem["errors"][0]["field"] == "at"

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"sequence": 0}, "sequence"),
            ({"sequence": "1"}, "sequence"),
            ({"sequence": True}, "sequence"),
            ({"player": "anna"}, "player"),
            ({"event": "left"}, "event"),
            ({"at": "2026-03-01T00:06:00"}, "at"),
            ({"at": 5}, "at"),
            ({"at": None}, "at"),
            ({"seconds": 5}, "seconds"),
        ],
    )
    def test_a_malformed_field_is_named(self, api, begun, sent, field):
        problem = api.ask("POST", "games/1/presence", {**self.GONE, **sent}, status=400)
        assert [one["field"] for one in problem["errors"]] == [field]


def page_of_game(client):
    return client.get(Game.objects.get().get_absolute_url()).content.decode()


def test_the_page_of_a_game_says_who_was_gone_when_and_what_followed(begun, client, players):
    assert "Disconnections" not in page_of_game(client)
    tell(1, "gone", 0)
    assert "Loses at 1 Mar 2026, 00:07:00 UTC unless they return by then." in page_of_game(client)
    tell(2, "back", 10)
    tell(3, "gone", 20)
    tell(4, "back", 81)
    page = page_of_game(client)
    assert "Returned in time." in page
    assert "Disconnected for more than 60 seconds: lost at 1 Mar 2026, 00:07:20 UTC." in page
    assert page.count(players[0].username) > 2


def test_a_deleted_game_takes_its_events_along(begun):
    tell(1, "gone", 0)
    tell(2, "back", 61)
    Game.objects.get().delete()
    assert not PresenceEvent.objects.exists()
    assert FullMembership.objects.count() == 2
