"""What a simulated server sends."""

from collections import defaultdict
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from foa.moments import parse_moment
from ratings.arena.simulation import Trouble, calls
from ratings.formats.movetext import play

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
STRENGTHS = {f"player{number}": 1000 + 100 * number for number in range(12)}
CALM = Trouble(disconnected=0, twice=0, out_of_order=0)


def sent(**asked):
    return list(calls(STRENGTHS, **{"begin": BEGIN, "rate": 0.1, "games": 100, "seed": 7, **asked}))


def test_the_same_arguments_give_the_same_calls():
    assert sent() == sent()
    assert sent() != sent(seed=8)


def test_calls_come_in_the_order_in_which_they_are_due():
    dues = [call.due for call in sent()]
    assert dues == sorted(dues)


def test_without_trouble_a_game_begins_makes_its_moves_and_ends():
    by_game = defaultdict(list)
    for call in sent(trouble=CALM):
        by_game[call.game].append(call.body)
    assert len(by_game) == 100
    for begun, *moved, ended in by_game.values():
        assert ended | begun == ended
        assert moved[0]["plies"] == 2
        assert len(moved) > 3
        for earlier, later in pairwise([*moved, ended]):
            assert later["pgn"].startswith(earlier["pgn"])
            assert begun.items() <= earlier.items()
        assert play(ended["pgn"]).plies == ended["plies"]
        assert parse_moment(begun["started_at"]) < parse_moment(ended["ended_at"])


def test_nobody_plays_two_games_at_once():
    spans = defaultdict(list)
    for call in sent(trouble=CALM, rate=1):
        if "result" in call.body:
            span = parse_moment(call.body["started_at"]), parse_moment(call.body["ended_at"])
            for player in (call.body["white"], call.body["black"]):
                spans[player].append(span)
    assert any(len(own) > 1 for own in spans.values())
    for own in spans.values():
        for (_, ended), (started, _) in pairwise(sorted(own)):
            assert ended <= started


def test_who_is_gone_for_more_than_a_minute_gets_no_result_by_the_server():
    by_game = defaultdict(list)
    for call in sent(trouble=Trouble(disconnected=1, twice=0, out_of_order=0)):
        by_game[call.game].append(call.body)
    gone_for = set()
    for bodies in by_game.values():
        presence = [body for body in bodies if "sequence" in body]
        gone, *back = presence
        seconds = (parse_moment(back[0]["at"]) - parse_moment(gone["at"])).total_seconds() if back else None
        returned = seconds is not None and seconds <= 60
        assert any("result" in body for body in bodies) == returned
        gone_for.add("never" if seconds is None else "in time" if returned else "late")
    assert gone_for == {"never", "in time", "late"}


@pytest.mark.parametrize("games", [0, 1])
def test_it_sends_as_many_games_as_it_is_asked_for(games):
    assert len({call.game for call in sent(games=games)}) == games
