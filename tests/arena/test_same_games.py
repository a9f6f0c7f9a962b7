"""A game is what was played, not how it is addressed: rated once, whichever ways it comes."""

from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ratings.office.audit import check_of
from ratings.office.due import due_for
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, OtherId, RatingChange
from tests.arena import at, game, points, taken_back
from tests.commands import csv_file, run
from tests.decisions import decided, undo

pytestmark = pytest.mark.django_db

MOVES = """1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7
6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 1-0"""
"""Twenty half-moves, as many as two prepared players may repeat."""

WAITS = "possibly the same game as one that is stored"


def pgn(white, black, moves="1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0", **tags):
    """A game of 20 March 2026, from 10:00:00 to 10:04:00 UTC."""
    told = {
        "Event": "rated blitz game",
        "UTCDate": "2026.03.20",
        "UTCTime": "10:00:00",
        "White": white,
        "Black": black,
        "Result": "1-0",
        "TimeControl": "180+2",
        "EndTime": "10:04:00 UTC",
        **tags,
    }
    return "\n".join([*(f'[{name} "{value}"]' for name, value in told.items() if value), "", moves, ""])


@pytest.fixture
def sent(players):
    """The same game as a server sends it."""
    return {
        "white": players[0].username,
        "black": players[1].username,
        "time_control": "180+2",
        "started_at": "2026-03-20T10:00:00Z",
        "ended_at": "2026-03-20T10:04:00Z",
        "result": "1-0",
        "termination": "resignation",
        "url": "https://arena.example/AbCdEfGh",
    }


def stored():
    """How many games are stored, and how many lines they wrote."""
    return Game.objects.count(), RatingChange.objects.filter(game__isnull=False).count()


@pytest.mark.parametrize("order", list(permutations(("put", "pgn", "csv"))))
def test_a_game_by_the_api_by_pgn_and_by_csv_is_one_game_in_any_order(api, sent, tmp_path, order):
    anna, bert = sent["white"], sent["black"]
    (tmp_path / "a.pgn").write_text(pgn(anna, bert, Site=sent["url"]))
    row = {**sent, "external_id": "AbCdEfGh", "rated": "1"}
    csv_file(tmp_path / "a.csv", [row], (*row,))
    ways = {
        "put": lambda: api.ask("PUT", "games/AbCdEfGh", sent, status=201 if order[0] == "put" else 200),
        "pgn": lambda: run("import_games", tmp_path / "a.pgn"),
        "csv": lambda: run("import_games", tmp_path / "a.csv"),
    }
    for _twice in range(2):
        for way in order:
            if way == "put" and _twice:
                api.ask("PUT", "games/AbCdEfGh", sent)
            else:
                ways[way]()
            assert stored() == (1, 2)
    # Its server reads it back under its own id, and lists it among its games.
    assert api.ask("GET", "games/AbCdEfGh")["own_id"] == "AbCdEfGh"
    assert Game.objects.get().external_id == "arena/AbCdEfGh"
    assert replay(check=True).differences == 0


@pytest.mark.parametrize(
    "other",
    [
        "https://lichess.org/AbCdEfGh/black",
        "http://lichess.org/AbCdEfGh",
        "https://www.lichess.org/AbCdEfGh",
        "https://de.lichess.org/AbCdEfGh",
        "https://lichess.org/AbCdEfGh?theme=blue",
        "https://lichess.org/AbCdEfGh#12",
        "https://lichess.org/AbCdEfGh/",
        "https://lichess.org/AbCdEfGhIjKl",
    ],
)
def test_a_game_by_another_address_of_it_is_there_already(sent, tmp_path, other):
    for address in ("https://lichess.org/AbCdEfGh", other, other):
        (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], Site=address))
        done = run("import_games", tmp_path / "a.pgn")
        assert done.code == 0, done.err
    assert "0 stored, 1 already there" in done.out
    assert stored() == (1, 2)
    assert OtherId.objects.get().external_id == other


def test_the_same_moves_with_fewer_tags_contradict_no_file_that_came_first(api, sent, tmp_path):
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], Site=sent["url"]))
    run("import_games", tmp_path / "a.pgn")
    full = Game.objects.get().pgn
    bare = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0"
    api.ask("PUT", "games/1", {**sent, "pgn": bare, "plies": 6}, status=200)
    assert Game.objects.get().pgn == full
    other = api.ask("PUT", "games/1", {**sent, "pgn": bare.replace("a6", "d6"), "plies": 6}, status=409)
    assert other["differing"] == ["pgn"]


def test_two_addresses_of_one_game_in_one_file_are_refused_as_the_same(sent, tmp_path):
    told = [
        pgn(sent["white"], sent["black"], Site=f"https://lichess.org/AbCdEfGh{end}") for end in ("", "/black")
    ]
    (tmp_path / "a.pgn").write_text("\n".join(told))
    done = run("import_games", tmp_path / "a.pgn")
    assert "1 stored, 0 already there, 1 refused" in done.out
    assert stored() == (1, 2)


@pytest.mark.parametrize("swapped", [False, True])
def test_two_exports_of_one_game_without_a_common_address_are_rated_once_and_asked_about(
    sent, tmp_path, swapped
):
    """chess.com: the API tells the link, the page doesn't; both have the same moves, result and end."""
    anna, bert = sent["white"], sent["black"]
    told = [
        pgn(anna, bert, MOVES, Event="Live Chess", Link="https://www.chess.com/game/live/123456789"),
        pgn(anna, bert, MOVES, Event="Live Chess", UTCDate="", UTCTime="", Date="2026.03.20", Round="?"),
    ]
    for number, text in enumerate(told[::-1] if swapped else told):
        (tmp_path / f"{number}.pgn").write_text(text)
        done = run("import_games", tmp_path / f"{number}.pgn", "--rate-unmarked")
        assert done.code == 0, done.err
    assert stored() == (2, 2)
    first, second = Game.objects.order_by("pk")
    assert (second.rated, second.unrated_reason, second.possibly_same) == (False, WAITS, first)
    assert f"{second.external_id} (game {first.pk})" in done.out


def test_a_game_under_another_id_is_stored_unrated_and_said_so(api, sent, players, admin_user):
    del sent["url"]
    first = api.ask("PUT", "games/1", sent, status=201)
    second = api.ask("PUT", "games/2", sent, status=201)
    assert (first["rated"], first["warnings"]) == (True, [])
    number = Game.objects.earliest("pk").pk
    told = f"It may be the same game as game {number}, so it isn’t rated until we have looked at both."
    assert (second["rated"], second["warnings"]) == (False, [told])
    assert api.ask("PUT", "games/2", sent)["warnings"] == [told]
    assert str(points(players[0])) == "2010.00"
    told = "1 game may be another report of a stored game. It won’t be rated until you decide."
    assert told in [one.text for one in due_for(admin_user, at(0))]


def test_of_lines_that_tell_one_game_twice_the_second_is_not_rated(api, sent):
    del sent["url"]
    first, second, third = api.send_lines({"id": "1", **sent}, {"id": "2", **sent}, {"id": "3", **sent})
    assert (first["verdict"], "kind" in first) == ("stored", False)
    for one in (second, third):
        assert (one["verdict"], one["kind"], one["reason"]) == ("stored", "possibly-same", WAITS)
    assert stored() == (3, 2)
    assert {one.possibly_same_id for one in Game.objects.order_by("pk")[1:]} == {
        Game.objects.earliest("pk").pk
    }


def test_a_game_that_ends_like_another_is_asked_about_only_then(api, sent):
    del sent["url"]
    begun = {name: value for name, value in sent.items() if name not in ("ended_at", "result", "termination")}
    api.ask("PUT", "games/1", begun, status=201)
    api.ask("PUT", "games/2", begun, status=201)
    assert api.ask("PUT", "games/1", sent)["rated"] is True
    assert api.ask("PUT", "games/2", sent)["rated"] is False
    assert stored() == (2, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"started_at": "2026-03-20T10:00:01Z"},
        {"time_control": "300+0"},
        {"pgn": "1. e4 c5 2. Nf3 1-0", "plies": 3},
    ],
)
def test_another_game_of_the_two_is_rated(api, sent, changes):
    del sent["url"]
    api.ask("PUT", "games/1", {**sent, "pgn": "1. e4 e5 2. Nf3 1-0", "plies": 3}, status=201)
    assert api.ask("PUT", "games/2", {**sent, **changes}, status=201)["rated"] is True
    assert stored() == (2, 4)


def test_two_pages_of_one_server_with_one_url_are_two_games(api, sent):
    """A server may name the page of the match."""
    api.ask("PUT", "games/1", sent, status=201)
    later = {
        **sent,
        "started_at": "2026-03-20T10:10:00Z",
        "ended_at": "2026-03-20T10:14:00Z",
        "result": "0-1",
    }
    assert api.ask("PUT", "games/2", later, status=201)["rated"] is True
    assert stored() == (2, 4)


def test_a_second_server_reads_the_game_back_under_its_own_id(api, other, sent):
    api.ask("PUT", "games/1", sent, status=201)
    other.ask("PUT", "games/99", sent, status=200)
    assert other.ask("GET", "games/99")["url"] == api.ask("GET", "games/1")["url"]
    assert stored() == (1, 2)


def test_two_games_on_one_page_are_two_also_if_another_server_has_told_of_the_first(api, other, sent):
    later = {
        **sent,
        "started_at": "2026-03-20T10:10:00Z",
        "ended_at": "2026-03-20T10:14:00Z",
        "result": "0-1",
    }
    other.ask("PUT", "games/99", sent, status=201)
    api.ask("PUT", "games/1", sent, status=200)
    assert api.ask("PUT", "games/2", later, status=201)["rated"] is True
    other.ask("PUT", "games/100", later, status=200)
    assert stored() == (2, 4)
    assert OtherId.objects.get(external_id="other/100").game.external_id == "arena/2"


@pytest.fixture
def asked(api, sent):
    """Two reports of what may be one game: the second waits, with moves and an address."""
    first = dict(sent)
    del first["url"]
    api.ask("PUT", "games/1", first, status=201)
    api.ask("PUT", "games/2", {**sent, "pgn": MOVES, "plies": 20}, status=201)
    return list(Game.objects.order_by("pk"))


def test_the_same_game_stays_once_and_takes_what_only_the_second_report_has(asked, players, sent, api):
    first, second = asked
    decided("same-game", game=[str(second.pk)])
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.pgn, first.plies, first.url) == (MOVES, 20, sent["url"])
    assert (second.voided_at is None, second.void_reason) == (False, "duplicate")
    assert str(points(players[0])) == "2010.00"
    # It comes again, and nobody is asked again.
    api.ask("PUT", "games/2", {**sent, "pgn": MOVES, "plies": 20})
    assert stored() == (2, 2)
    assert list(Game.objects.to_tell_apart()) == []
    assert replay(check=True).differences == 0


def test_two_games_are_both_rated_and_nobody_is_asked_again(asked, players, sent, api):
    _first, second = asked
    decided("other-game", game=[str(second.pk)])
    # 2010.00 against 1990.00: D = 20, H 0.53; 20 × 0.47 = 9.40 (RBB 4.2).
    assert str(points(players[0])) == "2019.40"
    api.ask("PUT", "games/2", {**sent, "pgn": MOVES, "plies": 20})
    assert stored() == (2, 4)
    assert list(check_of("games-stored-twice").find()) == []


@pytest.mark.parametrize("answer", ["same-game", "other-game"])
def test_either_answer_can_be_taken_back(asked, players, answer):
    first, second = asked
    undo(decided(answer, game=[str(second.pk)]))
    assert list(Game.objects.to_tell_apart()) == [second]
    assert str(points(players[0])) == "2010.00"
    first.refresh_from_db()
    assert (first.pgn, first.plies, first.url, first.address) == ("", None, "", "")


def test_what_has_changed_since_the_answer_stays_when_it_is_taken_back(asked, sent):
    first, second = asked
    done = decided("same-game", game=[str(second.pk)])
    first.refresh_from_db()
    first.plies = 22
    first.save()
    undo(done)
    first.refresh_from_db()
    assert (first.pgn, first.plies, first.url) == ("", 22, "")


def test_a_game_typed_by_an_officer_is_asked_about_at_once(players):
    first = game(*players, minute=10)
    typed = game(*players, minute=10, started_at=first.started_at)
    assert (typed.rated, typed.possibly_same) == (False, first)


def test_games_of_which_only_the_day_is_known_may_be_several(players, tmp_path):
    anna, bert = (one.username for one in players)
    day = {"UTCDate": "", "UTCTime": "", "EndTime": "", "Date": "2026.03.20"}
    told = [pgn(anna, bert, f"1. {move} e5 2. Nf3 Nc6 1-0", **day, Round=str(place)) for place, move in
            enumerate(("e4", "d4"), 1)]  # fmt: skip
    (tmp_path / "a.pgn").write_text("\n".join(told))
    assert run("import_games", tmp_path / "a.pgn").code == 0
    assert stored() == (2, 4)


# Each arena is rolled back, so the server and the players may stay.
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_doubled_arena_has_the_ledger_of_the_undoubled_one_and_the_questions(api, players, data):
    """Games that come by API, PGN and CSV, each once or again under other ids and addresses, in any order."""
    names = [one.username for one in players]
    results = data.draw(st.lists(st.sampled_from(("1-0", "0-1", "1/2-1/2")), min_size=1, max_size=4))

    def told(number, result):
        white, black = names if number % 2 else names[::-1]
        return {
            "white": white,
            "black": black,
            "time_control": "180+2",
            "started_at": f"2026-03-20T1{number}:00:00Z",
            "ended_at": f"2026-03-20T1{number}:04:00Z",
            "result": result,
            "url": f"https://arena.example/game-{number}",
        }

    def deliver(number, result, way):
        one = told(number, result)
        if way.startswith("put"):
            if way == "put under another id":
                del one["url"]
            own = f"{number}-{way.replace(' ', '-')}" if "other" in way else f"game-{number}"
            api.put(f"/api/v1/games/{own}", one, content_type="application/json")
        elif way == "csv":
            row = {**one, "external_id": f"csv-{number}", "rated": "1", "termination": "normal"}
            columns = (*row,)
            run("import_games", csv_file(place / "a.csv", [row], columns))
        else:
            site = f"http://www.arena.example/game-{number}/?theme={way}"
            moves = f"1. e4 e5 2. Nf3 {result}"
            when = {"UTCTime": f"1{number}:00:00", "EndTime": f"1{number}:04:00 UTC"}
            text = pgn(one["white"], one["black"], moves, Site=site, Result=result, **when)
            (place / "a.pgn").write_text(text)
            run("import_games", place / "a.pgn")

    def ledger(deliveries):
        for delivery in deliveries:
            deliver(*delivery)
        lines = RatingChange.objects.filter(game__isnull=False).order_by("member", "occurred_at")
        questions = Game.objects.to_tell_apart().count()
        return list(lines.values_list("member", "occurred_at", "before", "after")), questions

    once = [(number, result, "put") for number, result in enumerate(results)]
    again = data.draw(
        st.lists(
            st.tuples(st.sampled_from(once), st.sampled_from(("put", "csv", "pgn", "put under another id"))),
            max_size=5,
            unique=True,
        )
    )
    doubled = data.draw(st.permutations([*once, *((*one[:2], way) for one, way in again)]))
    with TemporaryDirectory() as directory:
        place = Path(directory)
        expected, none = taken_back(lambda: ledger(once))
        found, questions = taken_back(lambda: ledger(doubled))
    asked = {one for one in doubled if one[2] == "put under another id"}
    assert none == 0
    assert (found, questions) == (expected, len(asked))


UNSAID = [
    {"Event": "Live Chess"},
    {"TimeControl": ""},
    {"Event": "Live Chess", "TimeControl": "", "Result": "*"},
]
"""Files that don’t say whether a game was rated, at which control, or how it ended."""


@pytest.mark.parametrize("in_bulk", [False, True])
@pytest.mark.parametrize("tags", UNSAID)
def test_what_a_file_did_not_say_of_a_game_its_server_says(api, sent, players, tmp_path, tags, in_bulk):
    moves = f"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {tags.get('Result', '1-0')}"
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], moves, Site=sent["url"], **tags))
    assert run("import_games", tmp_path / "a.pgn").code == 0
    assert stored() == (1, 0)
    if in_bulk:
        (told,) = api.send_lines({"id": "1", **sent})
        assert told["verdict"] in ("updated", "finished")
    else:
        assert api.ask("PUT", "games/1", sent)["rated"] is True
    assert stored() == (1, 2)
    assert str(points(players[0])) == "2010.00"
    assert Game.objects.get().time_control.initial == 180
    assert replay(check=True).differences == 0


def test_a_game_of_which_a_file_did_not_say_so_is_casual_if_its_server_says_so(api, sent, tmp_path):
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], Site=sent["url"], Event="Live Chess"))
    run("import_games", tmp_path / "a.pgn")
    api.ask("PUT", "games/1", {**sent, "rated": False})
    one = Game.objects.get()
    assert (one.rated, one.unrated_reason) == (False, "")
    # It said so before.
    assert api.ask("PUT", "games/1", sent, status=409)["differing"] == ["rated"]


def test_a_file_adds_the_moves_that_a_game_lacks(api, sent, tmp_path):
    api.ask("PUT", "games/1", sent, status=201)
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], Site=sent["url"]))
    done = run("import_games", tmp_path / "a.pgn")
    assert "0 stored, 1 already there, 0 refused" in done.out
    one = Game.objects.get()
    assert (one.plies, one.pgn.splitlines()[-1]) == (6, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0")
    # The moves that it has stay.
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], "1. d4 d5 1-0", Site=sent["url"]))
    run("import_games", tmp_path / "a.pgn")
    assert Game.objects.get().pgn == one.pgn
    assert stored() == (1, 2)


def test_moves_of_a_file_that_contradict_the_result_are_refused(api, sent, tmp_path):
    api.ask("PUT", "games/1", sent, status=201)
    mate = "1. f3 e5 2. g4 Qh4# 1-0"
    (tmp_path / "a.pgn").write_text(pgn(sent["white"], sent["black"], mate, Site=sent["url"]))
    done = run("import_games", tmp_path / "a.pgn")
    assert "1 refused" in done.out
    assert Game.objects.get().pgn == ""


def test_a_game_whose_first_report_was_deleted_can_still_be_rated(api, sent, players, admin_user):
    del sent["url"]
    api.ask("PUT", "games/1", sent, status=201)
    api.ask("PUT", "games/2", sent, status=201)
    first, second = Game.objects.order_by("pk")
    first.delete()
    told = "1 game may be another report of a stored game. It won’t be rated until you decide."
    assert told in [one.text for one in due_for(admin_user, at(0))]
    # There is no earlier report that could be kept.
    decided("same-game", game=[str(second.pk)])
    second.refresh_from_db()
    assert (second.voided_at, second.rated, second.possibly_same) == (None, False, None)
    decided("other-game", game=[str(second.pk)])
    second.refresh_from_db()
    assert second.rated is True
    assert str(points(players[0])) == "2010.00"
    assert not Game.objects.to_tell_apart().exists()


def test_a_void_game_that_comes_again_is_asked_about_and_the_decision_warns(api, sent, staff):
    del sent["url"]
    api.ask("PUT", "games/1", sent, status=201)
    first = Game.objects.get()
    decided("void-games", game=[str(first.pk)], reason="fair-play")
    assert api.ask("PUT", "games/2", sent, status=201)["rated"] is False
    second = Game.objects.latest("pk")
    assert second.possibly_same == first
    page = staff.get(f"/admin/ratings/game/same/?game={second.pk}").content.decode()
    assert f"Game {first.pk}, the first report, is void: the game won’t count at all." in page
    assert "Keep the first report" in page
