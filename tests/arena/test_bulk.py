"""POST /api/v1/games: many games of a server, and a verdict for each line."""

import io
from functools import partial

import pytest

from foa.text import utc_text
from members.models import AccountClosure
from ratings.arena.api import lines as limits
from ratings.arena.services.hearing import hear
from ratings.rbb.ledger import replay as replaying
from ratings.rbb.ledger.affected_events import AffectedEvents
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, ImportBatch, RatingChange
from ratings.rules.rbb.presence import Event
from tests.arena import at, game, member, opening, points
from tests.arena.conftest import ApiClient, in_lines, statements

pytestmark = pytest.mark.django_db


def three_members():
    """Two full members with ratings, and one without."""
    anna, bert = member("anna"), member("bert")
    opening(anna, 1600)
    opening(bert, 1600)
    return anna, bert, member("carl")


@pytest.fixture(scope="class", autouse=True)
def players(standing):
    return standing(three_members)


def line(own="g1", *, minute=10, **values):
    """A game of anna and bert as a server says it; None leaves a field out."""
    said = {
        "id": own,
        "white": "anna",
        "black": "bert",
        "time_control": "180+2",
        "started_at": utc_text(at(minute - 5)),
        "result": "1-0",
        "ended_at": utc_text(at(minute)),
        **values,
    }
    return {name: value for name, value in said.items() if value is not None}


def in_progress(own="g1", **values):
    """The same before it ended."""
    return line(own, result=None, ended_at=None, **values)


def verdicts(answer):
    return [one["verdict"] for one in answer]


def test_a_rated_game_of_a_closed_account_is_stored_as_void_with_the_reason_whenever_it_is_sent(api, players):
    closure = AccountClosure(member=players[0], closed_from=at(12), category="request", decided_at=at(12))
    closure.save()
    first, second, third = api.send_lines(
        line("g1"), line("g2", minute=20), line("g3", minute=20, rated=False)
    )
    assert (first["verdict"], third["verdict"]) == ("stored", "stored")
    void = {"reason": "void: At the member’s request", "kind": "void", "game": "/api/v1/games/g2"}
    assert second == {"line": 2, "id": "g2", "verdict": "stored", **void}
    assert {"reason" in first, "reason" in third} == {False}
    (again,) = api.send_lines(line("g2", minute=20))
    assert again == {"line": 1, "id": "g2", "verdict": "already there", **void}


def test_games_are_stored_and_rated_with_a_verdict_for_each_line(api, players):
    answer = api.send_lines(line("g1"), line("g/2"), line("g3", minute=20, white="stranger"), line("g 4"))
    assert answer[0] == {"line": 1, "id": "g1", "verdict": "stored", "game": "/api/v1/games/g1"}
    assert [(one["verdict"], one["field"]) for one in answer[1:]] == [
        ("refused", "id"),
        ("refused", "white"),
        ("refused", "id"),
    ]
    assert answer[2]["reason"] == (
        "white “stranger” is not registered: send the member first, to /api/v1/members/{username}"
    )
    assert Game.objects.get().external_id == "arena/g1"
    # Equal ratings, K = 20: a win gives 10.
    assert [str(points(one)) for one in players[:2]] == ["1610.00", "1590.00"]
    batch = ImportBatch.objects.get()
    assert (batch.source, batch.stored) == ("arena", 1)


def test_the_same_request_again_changes_nothing(api):
    lines = [line(f"g{number}", minute=10 + number) for number in range(5)]
    assert verdicts(api.send_lines(*lines)) == ["stored"] * 5
    before = list(RatingChange.objects.order_by("pk").values_list())
    again = api.send_lines(*reversed(lines))
    assert verdicts(again) == ["already there"] * 5
    assert again[0]["game"] == "/api/v1/games/g4"
    assert list(RatingChange.objects.order_by("pk").values_list()) == before


def test_a_game_in_progress_is_finished_and_rated(api, players):
    assert verdicts(api.send_lines(in_progress())) == ["stored"]
    assert points(players[0]) == 1600
    assert verdicts(api.send_lines(line())) == ["finished"]
    assert points(players[0]) == 1610
    assert verdicts(api.send_lines(in_progress())) == ["already there"]


def test_states_of_one_game_in_one_request_are_taken_in_their_order(api, players):
    answer = api.send_lines(in_progress(), in_progress(), line(), line(result="0-1"), line())
    assert verdicts(answer) == ["stored", "already there", "finished", "refused", "refused"]
    assert answer[3]["field"] == "result"
    assert answer[3]["reason"].startswith(
        "a game with this id is already stored and differs in result; stored: "
    )
    assert "in this request: anna – bert, 180+2, rated, 0-1" in answer[3]["reason"]
    assert answer[4]["reason"] == "the same game is in this request more than 4 times"
    assert points(players[0]) == 1610


def test_two_servers_may_use_the_same_id(api, other):
    assert verdicts(api.send_lines(line())) == ["stored"]
    assert verdicts(other.send_lines(line(minute=20))) == ["stored"]
    assert set(Game.objects.values_list("external_id", flat=True)) == {"arena/g1", "other/g1"}


@pytest.mark.parametrize(
    ("values", "field", "article"),
    [
        ({"black": "carl", "minute": -10}, "white", "RBB 2.1"),
        ({"termination": "disconnection white"}, "result", "RBB 2.4"),
    ],
)
def test_a_game_that_cannot_be_rated_is_refused_with_the_article(api, values, field, article):
    (answer,) = api.send_lines(line(**values))
    assert (answer["verdict"], answer["field"], answer["article"]) == ("refused", field, article)
    assert article in answer["reason"]
    assert not Game.objects.exists()


def test_a_game_at_any_other_control_is_stored_as_unrated_and_says_why(api):
    (answer,) = api.send_lines(line(time_control="1/259200"))
    assert answer["verdict"] == "stored"
    assert answer["reason"] == "time control 1/259200 is not one of the seventeen that are rated (RBB 2.3)"


def test_a_result_may_be_written_as_in_files(api):
    assert verdicts(api.send_lines(line(result="½:½"))) == ["stored"]
    assert Game.objects.get().result == "1/2-1/2"


def test_an_id_in_other_capital_letters_is_no_other_game(api, players):
    first, second = api.send_lines(line("g1"), line("G1", minute=20))
    assert (first["verdict"], second["verdict"], second["field"]) == ("stored", "refused", "id")
    assert verdicts(api.send_lines(line("G1", minute=20))) == ["refused"]
    assert Game.objects.count() == 1


def test_a_game_without_a_move_by_each_side_is_stored_as_unrated_and_says_why(api, players):
    (answer,) = api.send_lines(line(plies=1))
    assert answer["verdict"] == "stored"
    assert answer["reason"] == "not played: fewer than one move by each side (FIDE B.02 5.1)"
    assert points(players[0]) == 1600


def test_moves_are_counted_when_the_game_has_ended(api, players):
    assert "reason" not in api.send_lines(in_progress(plies=1))[0]
    assert verdicts(api.send_lines(line(plies=40))) == ["finished"]
    assert Game.objects.get().plies == 40


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"white": 5}, "white"),
        ({"black": ["bert"]}, "black"),
        ({"white": None}, "white"),
        ({"white": "an\x00na"}, "white"),
        ({"white": "an\ud800na"}, "white"),
        ({"white": "bert"}, "black"),
        ({"white": "x" * 151}, "white"),
        ({"rated": "yes"}, "rated"),
        ({"rated": 1}, "rated"),
        ({"plies": 2.5}, "plies"),
        ({"plies": True}, "plies"),
        ({"plies": -1}, "plies"),
        ({"plies": 32_768}, "plies"),
        ({"result": "2-0"}, "result"),
        ({"result": "½-1"}, "result"),
        ({"result": None}, "ended_at"),
        ({"ended_at": None}, "ended_at"),
        ({"ended_at": "2026-02-28T00:00:00Z"}, "ended_at"),
        ({"started_at": "2026-03-01T10:00:00"}, "started_at"),
        ({"started_at": "2026-03-01"}, "started_at"),
        ({"started_at": "now"}, "started_at"),
        ({"started_at": "0001-01-01T00:00:00+14:00"}, "started_at"),
        ({"started_at": 1_772_359_200}, "started_at"),
        ({"time_control": ""}, "time_control"),
        ({"time_control": "3+\u200b2"}, "time_control"),
        ({"time_control": "1" * 400 + "+2"}, "time_control"),
        ({"termination": "x" * 65}, "termination"),
        ({"pgn": "1. e4\x00"}, "pgn"),
        ({"colour": "white"}, "colour"),
        ({"id": ""}, "id"),
        ({"id": 7}, "id"),
        ({"id": None}, "id"),
        ({"id": "x" * 150}, "id"),
        ({"id": "a\tb"}, "id"),
    ],
)
def test_a_fault_names_its_field_and_leaves_the_other_lines_alone(api, wrong, field):
    answer = api.send_lines(line("good"), line(**wrong), line("too", minute=20))
    assert verdicts(answer) == ["stored", "refused", "stored"]
    assert answer[1]["field"] == field
    assert answer[1]["reason"]
    assert "game" not in answer[1]


@pytest.mark.parametrize(
    "wrong",
    [
        b"no json\n",
        b'{"id": "g1"\n',
        b"[]\n",
        b"5\n",
        b"\xff\xfe\n",
        b'{"plies": NaN}\n',
        b'{"plies": ' + b"9" * 5_000 + b"}\n",
        b"[" * 60_000 + b"\n",
        b'{"id": ' + b"[" * 50_000 + b"\n",
        b'{"id": "' + b"x" * 70_000 + b'"}\n',
        b'{"id": "' + b"x" * 2_000_000 + b'"}\n',
        b"\x00\n",
    ],
    ids=range(12),
)
def test_a_line_that_is_no_object_of_json_is_refused_and_leaves_the_others_alone(api, wrong):
    answer = api.send_lines(line("good"), wrong, line("too", minute=20))
    assert verdicts(answer) == ["stored", "refused", "stored"]
    assert answer[1]["id"] is None
    assert answer[1]["reason"]


def test_a_number_beyond_floats_is_no_number_of_plies(api):
    (answer,) = api.send_lines(b'{"id": "g1", "plies": 1e400}\n')
    assert (answer["verdict"], answer["id"]) == ("refused", None)


def test_a_line_of_64_kilobytes_is_taken_and_one_byte_more_is_not(api):
    def padded(own, length):
        said = line(own)
        said["pgn"] = "x" * (length - len(in_lines({**said, "pgn": ""})))
        return said

    answer = api.send_lines(padded("fits", limits.MOST_OF_LINE), padded("long", limits.MOST_OF_LINE + 1))
    assert verdicts(answer) == ["stored", "refused"]
    assert answer[1]["reason"] == "This line is too long: at most 65536 bytes are allowed."


def test_blank_lines_count_and_are_not_answered(api):
    answer = api.send_lines(b"\n", line("a"), b"  \r\n", line("b", minute=20))
    assert [one["line"] for one in answer] == [2, 4]
    assert api.send_lines(b"\n") == []


def test_a_last_line_needs_no_end(api):
    assert verdicts(api.send_lines(in_lines(line())[:-1])) == ["stored"]


def test_one_line_more_than_are_taken_stores_nothing(api, monkeypatch):
    monkeypatch.setattr(limits, "MOST_LINES", 2)
    problem = api.send_lines(line("a"), line("b", minute=20), b"\n", status=413)
    assert (problem["kind"], problem["most"]) == ("too-many-lines", 2)
    assert not Game.objects.exists()
    assert verdicts(api.send_lines(line("a"), line("b", minute=20))) == ["stored"] * 2


def send_stream(api, stream, length):
    """The answer to a request with this stream and this Content-Length."""
    return api.generic(
        "POST",
        "/api/v1/games",
        **{"CONTENT_TYPE": "application/x-ndjson", "CONTENT_LENGTH": length, "wsgi.input": stream},
    )


class Unread(io.BytesIO):
    """A body of which nothing may be read."""

    def read(self, *_):
        raise AssertionError("The body was read.")


def test_a_body_that_is_too_long_is_not_read(api):
    answer = send_stream(api, Unread(), str(limits.MOST_BYTES + 1))
    assert answer.status_code == 413
    assert answer.json()["most"] == limits.MOST_BYTES


@pytest.mark.parametrize("length", ["", "many", "9" * 5_000])
def test_a_body_of_unknown_length_is_refused(api, length):
    answer = send_stream(api, Unread(), length)
    assert answer.status_code == 411
    assert answer.json()["kind"] == "length-required"


def test_with_all_places_taken_a_request_is_turned_away_unread(api, monkeypatch):
    monkeypatch.setattr(limits, "_places", limits.BoundedSemaphore(1))
    with limits._place():
        answer = send_stream(api, Unread(), "5")
        assert answer.status_code == 503
        assert answer["Retry-After"] == "2"
        assert answer.json()["kind"] == "busy"
    # A refusal gives its place back.
    api.send_lines(line("a"), b"\n" * limits.MOST_LINES, status=413)
    assert verdicts(api.send_lines(line())) == ["stored"]


def test_a_connection_that_breaks_stores_nothing(api):
    class Broken(io.BytesIO):
        def read(self, *_):
            raise OSError

    answer = send_stream(api, Broken(), "500")
    assert answer.status_code == 400
    assert answer.json()["detail"] == "The body ended early. Nothing was stored."


def test_only_json_lines_and_the_scope_for_games_are_taken(server, api):
    answer = api.post("/api/v1/games", in_lines(line()), content_type="application/json")
    assert answer.status_code == 415
    answer = ApiClient(server, "read").send_lines(line(), status=403)
    assert answer["scope"] == "games"
    assert not Game.objects.exists()


def watched(function, results):
    """The function, whose results are noted."""

    def call(*args, **kwargs):
        results.append(function(*args, **kwargs))
        return results[-1]

    return call


def test_the_newest_games_of_their_players_are_appended_and_no_other_event_is_read(api, monkeypatch):
    others = member("dora"), member("emil")
    for number in range(20):
        game(*others, minute=100 + number)
    monkeypatch.setattr(
        AffectedEvents, "_read_before", lambda _, asked: {} if not asked else pytest.fail("Read.")
    )
    monkeypatch.setattr(AffectedEvents, "_read_ahead", lambda *_: pytest.fail("Read."))
    replayed = []
    monkeypatch.setattr(replaying, "replay_since", watched(replaying.replay_since, replayed))
    api.send_lines(*(line(f"g{number}", minute=20 + number) for number in range(30)))
    assert [one.events for one in replayed] == [30]
    assert RatingChange.objects.count() == 2 + 2 * 50
    assert replay(check=True).differences == 0


def test_a_late_game_and_new_ones_share_one_replay(api, players):
    api.send_lines(*(line(f"g{number}", minute=20 + number) for number in range(10)))
    api.send_lines(line("late", minute=5, result="0-1"), line("new", minute=40))
    assert RatingChange.objects.filter(game__isnull=False).count() == 24
    assert replay(check=True).differences == 0


def test_a_request_of_a_hundred_games_takes_hardly_more_statements_than_one_of_ten(api):
    counted = []
    for start, number in ((0, 10), (1_000, 100)):
        lines = [line(f"g{start + one}", minute=start + 10 + one) for one in range(number)]
        counted.append(statements(partial(api.send_lines, *lines)))
    assert counted[1] <= counted[0] + 2


def test_a_result_that_contradicts_who_was_gone_is_refused_and_the_right_one_finishes_the_game(api, players):
    api.send_lines(in_progress(plies=20))
    hear("arena/g1", Event(1, "white", "gone", at(6)), at=at(6))
    (answer,) = api.send_lines(line())
    assert (answer["verdict"], answer["field"], answer["article"]) == ("refused", "result", "RBB 2.4")
    ended = line(result="0-1", ended_at=utc_text(at(7)), termination="disconnection white")
    assert verdicts(api.send_lines(ended)) == ["finished"]
    assert verdicts(api.send_lines(ended, line("g2", minute=20))) == ["already there", "stored"]
    assert replay(check=True).differences == 0


def test_a_game_that_lasted_longer_than_its_control_allows_is_stored_with_a_warning(api):
    # 2 × 3 minutes, 60 × 2 seconds and 10 minutes are 18.
    long = {"started_at": utc_text(at(0)), "plies": 60}
    fine, doubtful, casual, refused = api.send_lines(
        line("g1", minute=18, **long, white="bert", black="anna"),
        line("g2", minute=18.1, **long),
        line("g3", minute=18.1, **long, rated=False),
        line("g4", minute=18.1, **long, white="stranger"),
    )
    assert doubtful["verdict"] == "stored"
    assert doubtful["warning"] == "It lasted 0:18:06, but at 3 min + 2 s a game can last at most 0:18:00."
    assert {"warning" in one for one in (fine, casual, refused)} == {False}


def test_an_end_that_the_result_contradicts_is_refused_with_its_article(api):
    """FIDE Laws 5.2.1."""
    (verdict,) = api.send_lines(line(termination="stalemate"))
    assert (verdict["verdict"], verdict["field"], verdict["article"]) == (
        "refused",
        "termination",
        "FIDE Laws 5.2.1",
    )


def test_a_game_that_is_there_has_the_reason_for_which_it_is_unrated(api, players):
    """Also where the message is of a state in which it was still in progress."""
    [ended] = api.send_lines(line(termination="kaput"))
    [late] = api.send_lines(in_progress())
    assert (late["verdict"], late["reason"], late["kind"]) == (
        "already there",
        ended["reason"],
        "unrated",
    )


def test_an_end_that_contradicts_the_moves_sent_before_names_its_field(api, players):
    api.send_lines(in_progress(pgn="1. f3 e5 2. g4 Qh4#"))
    [told] = api.send_lines(line())
    assert (told["verdict"], told["kind"], told["field"], told["article"]) == (
        "refused",
        "refused",
        "result",
        "FIDE Laws 5.1.1",
    )
    [told] = api.send_lines(line(pgn="1. f3 e5 2. g4 Qh4#"))
    assert (told["kind"], told["field"]) == ("refused", "result")
