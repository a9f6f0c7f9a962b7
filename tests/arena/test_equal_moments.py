"""RBB 3.11: games of one server that ended at the same moment are rated in the order of its own ids."""

from datetime import datetime
from decimal import Decimal
from itertools import permutations
from random import Random

import pytest
from django.utils import timezone

from ratings.rbb.ledger import replay
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game, RatingChange
from tests.arena import rated

pytestmark = pytest.mark.django_db

MOMENT = "2026-03-01T00:10:00Z"


def game(white, black, result="1-0", **facts):
    return {
        "white": white.username,
        "black": black.username,
        "time_control": "180+2",
        "started_at": "2026-03-01T00:05:00Z",
        "result": result,
        "ended_at": MOMENT,
        "termination": "normal",
    } | facts


def ledger():
    """Lines of games in the order of the ledger, without the keys that follow from the order of arrival."""
    lines = RatingChange.objects.filter(game__isnull=False).in_order().select_related("game")
    return [(line.game.external_id, line.member.username, line.before, line.after) for line in lines]


def is_a_rebuild():
    return not replay.replay(check=True).differences


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_equal_moments_of_a_server_are_rated_by_its_ids_in_whatever_order_they_come(api, order):
    anna, bert, carl, dora = rated("2000.00"), rated("2000.00"), rated("1900.00"), rated("2100.00")
    sent = {"a": game(anna, bert), "b": game(carl, anna), "c": game(anna, dora)}
    for one in order:
        api.ask("PUT", f"games/{one}", sent[one], status=201)
    # K = 20; PD by table 4.2 of D = 0, then 110 (2010 and 1900), then 103 (1997 and 2100).
    assert [line[:2] + tuple(map(str, line[2:])) for line in ledger() if line[1] == anna.username] == [
        ("arena/a", anna.username, "2000.00", "2010.00"),
        ("arena/b", anna.username, "2010.00", "1997.00"),
        ("arena/c", anna.username, "1997.00", "2009.80"),
    ]
    assert is_a_rebuild()


def test_games_that_began_in_another_order_are_rated_by_their_ids(api):
    anna, bert, carl = rated("2000.00"), rated("2000.00"), rated("1900.00")
    sent = {"9": game(anna, bert), "10": game(carl, anna)}
    begun = ("white", "black", "time_control", "started_at")
    for one in ("9", "10"):
        api.ask("PUT", f"games/{one}", {name: sent[one][name] for name in begun}, status=201)
    for one in ("9", "10"):
        api.ask("PUT", f"games/{one}", sent[one], status=200)
    # As texts, which ids are: 10 before 9.
    assert [line[0] for line in ledger()] == ["arena/10"] * 2 + ["arena/9"] * 2
    assert is_a_rebuild()


def test_a_game_moved_behind_another_has_a_line_with_a_new_address_and_the_old_one_says_so(api, client):
    anna, bert, carl = rated("2000.00"), rated("2000.00"), rated("1900.00")
    api.ask("PUT", "games/b", game(anna, bert), status=201)
    before = RatingChange.objects.get(game__external_id="arena/b", member=anna)
    api.ask("PUT", "games/a", game(carl, anna), status=201)
    after = RatingChange.objects.get(game__external_id="arena/b", member=anna)
    assert (before.before, after.before) == (2000, Decimal("1987.20"))
    assert client.get(after.get_absolute_url()).status_code == 200
    assert client.get(before.get_absolute_url()).status_code == 410
    lines = api.ask("GET", "games/b")["changes"]
    assert [line["url"] for line in lines if line["before"] == "1987.20"] == [after.get_absolute_url()]


@pytest.mark.parametrize("seed", range(6))
def test_ratings_do_not_depend_on_the_order_of_arrival(api, seed):
    """Single games, many at once, ends that are corrected, voids: as if all had come in one file."""
    random = Random(seed)
    players = [rated(f"{points}.00") for points in (1500, 1600, 1700, 1800)]
    moments = [f"2026-03-01T00:1{minute}:00Z" for minute in (0, 0, 1, 2)]
    sent = {}
    for number in random.sample(range(100), 14):
        white, black = random.sample(players, 2)
        sent[f"g{number}"] = game(
            white, black, random.choice(("1-0", "0-1", "1/2-1/2")), ended_at=random.choice(moments)
        )
    ids = list(sent)
    for own_id in ids[:6]:
        api.ask("PUT", f"games/{own_id}", sent[own_id], status=201)
    api.send_lines(*({"id": own_id, **sent[own_id]} for own_id in ids[6:11]))
    void, moved = (Game.objects.get(external_id=f"arena/{own_id}") for own_id in random.sample(ids[:11], 2))
    void_games(games=[void], by=None, reason="fair-play", at=timezone.now())
    moved.refresh_from_db()
    moved.ended_at = datetime.fromisoformat(moments[0])
    moved.save()
    for own_id in ids[11:]:
        api.ask("PUT", f"games/{own_id}", sent[own_id], status=201)
    assert is_a_rebuild()
    found = ledger()
    counted = Game.objects.counting()
    order = sorted(counted, key=lambda one: (one.ended_at, one.external_id))
    assert [line[0] for line in found[::2]] == [one.external_id for one in order]
