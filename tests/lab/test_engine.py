"""The compiled twin does what ``ratings/rules/rbb/rating.py`` does, whatever happens."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.lab.arrays import Data
from ratings.lab.replaying import Replay, lines
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.rbb.editions import Amendment, Editions, KRule
from ratings.rules.rbb.rating import UNRATED, adjust, open_rating, rate_game
from ratings.rules.time_controls import Category
from tests.histories import at_most

pytestmark = [pytest.mark.pure]

NONE = -(2**31)
EMPTY = Editions()
DAY = 24 * 3600 * 1_000_000


def history(dice, members=6, length=120):
    """Events in order: (moment, kind, id, category, …). Ratings are near the floor, many moments are one."""
    events = []
    for number in range(length):
        moment, category = dice.randrange(60), dice.choice(list(Category))
        one, other = dice.sample(range(members), 2)
        kind = dice.choices(list(EventType), (1, 1, 8))[0]
        if kind is EventType.OPENING:
            rating = dice.choice([100_00, dice.randrange(100_00, 140_00), dice.randrange(100_00, 2500_00)])
            more = (one, rating, dice.randrange(35), dice.random() < 0.5, dice.random() < 0.1)
        elif kind is EventType.ADJUSTMENT:
            category = dice.choice([Category.RAPID, Category.BLITZ])
            more = (one, dice.randrange(-60_00, 60_00))
        else:
            more = (one, other, dice.choice([0, 1, 1, 2, 2]), dice.randrange(3))
        events.append((moment, kind, number + 1, category, *more))
    return sorted(
        events, key=lambda event: (*event[:2], event[7] if event[1] is EventType.GAME else 0, event[2])
    )


def by_the_rules(events, editions=EMPTY):
    """The lines of the ledger: key, member, category and the columns of the rules."""
    standings, found = {}, []

    def note(key, member, category, line):
        standings[member, category] = line
        found.append((key, member, category, *(NONE if value is None else int(value) for value in line)))

    for moment, kind, number, category, *more in events:
        if kind is EventType.GAME:
            white, black, points, tie_rank = more
            both = (standings.get((one, category), UNRATED) for one in (white, black))
            key = change_id(kind, number, tie_rank=tie_rank)
            for player, line in enumerate(rate_game(category, *both, points, editions.at(moment))):
                note(key + player, (white, black)[player], category, line)
            continue
        member, *values = more
        before = standings.get((member, category), UNRATED)
        line = (
            open_rating(before, *values) if kind is EventType.OPENING else adjust(category, before, *values)
        )
        note(change_id(kind, number), member, category, line)
    return found


def as_data(events, members=6):
    """The same events as arrays."""
    games = [event for event in events if event[1] is EventType.GAME]
    others = [event for event in events if event[1] is not EventType.GAME]

    def row(member, category):
        return (category - 1) * members + member

    def column(values, kind):
        return np.array(list(values), kind)

    moment = column((one[0] for one in games), np.int64)
    extras = [
        (
            np.searchsorted(moment, at),
            row(member, category),
            int(kind),
            *(values if kind is EventType.OPENING else (values[0], 0, 0, 0)),
        )
        for at, kind, _number, category, member, *values in others
    ]
    return Data(
        members=np.arange(members),
        born=np.zeros(members, np.int32),
        moment=moment,
        ids=column((one[2] for one in games), np.int64),
        tie_rank=column((one[7] for one in games), np.uint16),
        white=column((row(one[4], one[3]) for one in games), np.uint32),
        black=column((row(one[5], one[3]) for one in games), np.uint32),
        points=column((one[6] for one in games), np.uint8),
        extras=np.array(extras, np.int64).reshape(-1, 7),
        extra_ids=column((one[2] for one in others), np.int64),
        extra_moments=column((one[0] for one in others), np.int64),
        read_at="",
        mark="",
        program="",
    )


def computed(data):
    size = len(data.members)
    return [
        (key, row % size, row // size + 1, *line)
        for keys, rows, found in lines(data)
        for key, row, line in zip(keys.tolist(), rows.tolist(), found.tolist(), strict=True)
    ]


@settings(max_examples=at_most(200), deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_lines_of_any_history_equal_those_of_the_rules(seed):
    events = history(random.Random(seed))
    assert computed(as_data(events)) == by_the_rules(events)


EDITIONS = [
    ["1970-01-11", "[k]\nrapid = 25\npreviously_unrated = 32\npreviously_unrated_games = 12\n"
     "[first_rating]\nbonus = 15.5\n"],
    ["1970-01-21", "[[k.rule]]\nk = 15\nrating_from = 130\n[[k.rule]]\nk = 50\npreviously_unrated = true\n"],
    ["1970-02-10", "[k]\nbullet = 7\n[expected]\ncap = 60\n"
     "[[k.rule]]\ncategory = ['blitz']\nk = 33\ngames_from = 8"],
]  # fmt: skip
"""Day and TOML of three editions, and the same as the rules take them."""
AMENDMENTS = [
    Amendment(datetime(1970, 1, 11, tzinfo=UTC), (25, None, None), 32, 12, bonus=15_50),
    Amendment(
        datetime(1970, 1, 21, tzinfo=UTC),
        k_rules=(KRule(15, ratings=(130_00, 10**8)), KRule(50, new=True)),
    ),
    Amendment(
        datetime(1970, 2, 10, tzinfo=UTC),
        (None, None, 7),
        k_rules=(KRule(33, (Category.BLITZ,), games=(8, 10**6)),),
        cap=60,
    ),
]


@settings(max_examples=at_most(200), deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_lines_under_editions_by_date_equal_those_of_the_rules(seed):
    dice = random.Random(seed)
    events = [(DAY * moment, *rest) for moment, *rest in history(dice)]
    some = dice.sample(range(3), 2)
    editions = Editions((AMENDMENTS[n] for n in some), lambda since: int(since.timestamp() * 1_000_000))
    data = replace(as_data(events), editions=[EDITIONS[n] for n in some])
    assert computed(data) == by_the_rules(events, editions)


def test_an_edition_is_part_of_the_checksum_and_without_one_it_is_as_it_was():
    data = as_data(history(random.Random(3)))
    before = sha256()
    for name in Data.ARRAYS:
        array = getattr(data, name)
        before.update(f"{name}:{array.dtype.str}:{array.shape};".encode() + array.tobytes())
    assert data.checksum == before.hexdigest()
    assert replace(data, editions=EDITIONS[:1]).checksum != data.checksum


def test_lines_are_the_same_in_pieces_of_any_size(monkeypatch):
    events = history(random.Random(5), length=400)
    for size in (1, 7, 100):
        monkeypatch.setattr("ratings.lab.replaying._GAMES_AT_ONCE", size)
        assert computed(as_data(events)) == by_the_rules(events)


def test_every_reason_of_a_line_comes_about_in_these_histories():
    found = {line[10] for seed in range(20) for line in by_the_rules(history(random.Random(seed)))}
    assert found == set(range(1, 13))


def test_a_replay_in_steps_ends_where_one_in_one_go_does():
    data = as_data(history(random.Random(1), length=300))
    whole, steps = Replay(data), Replay(data)
    whole.advance(data.games)
    for stop in (1, 50, 51, data.games):
        steps.advance(stop)
    assert (steps.state == whole.state).all()
    assert (steps.first == whole.first).all()


def test_without_games_there_are_no_lines_but_openings_give_theirs():
    assert computed(as_data([])) == []
    alone = [event for event in history(random.Random(2)) if event[1] is EventType.OPENING]
    assert computed(as_data(alone)) == by_the_rules(alone)
