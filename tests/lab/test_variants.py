"""Variants of the rules: what can be written, what is refused, and what each number does."""

import random
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.formats.variants import TODAY, VariantRefused, read_variant
from ratings.lab.replaying import Replay
from ratings.lab.variants import differences
from ratings.rbb.models.fields import EventType
from ratings.rules.rbb import rating
from ratings.rules.rbb.editions import Amendment, Editions, KRule
from ratings.rules.time_controls import Category
from tests.histories import at_most
from tests.lab.test_engine import as_data, by_the_rules, history

pytestmark = [pytest.mark.pure]

BLITZ = Category.BLITZ
YEAR = 365 * 24 * 3600 * 1_000_000


def test_an_empty_variant_is_todays_rules():
    assert read_variant("") == TODAY
    assert differences(TODAY) == []


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("a = " + "[" * 3000, "This isn’t TOML: maximum recursion depth exceeded"),
        ("a = " + "{b = " * 900 + "1" + "}" * 900, "This isn’t TOML: maximum recursion depth exceeded"),
        ("[k]\nblitz = " + "1" * 5000, "This isn’t TOML: Exceeds the limit (4300 digits)"),
        ("[k]\nblitz = 0x" + "f" * 6000, "k.blitz: “0xffffffffff"),
        ("[first_rating]\nbonus = 1e9999999999999999999999", "This isn’t TOML: “1e9999999999999999999999”"),
        ("since = 0001-01-01T00:00:00+23:59", "since: “0001-01-01 00:00:00+23:59” isn’t a day"),
    ],
)
def test_what_python_cannot_hold_is_refused_as_anything_else_is(toml, said):
    with pytest.raises(VariantRefused) as refused:
        read_variant(toml)
    assert str(refused.value).startswith(said)


def test_every_field_can_be_written():
    toml = """
        name = "Everything"
        since = 2026-01-01
        floor = 150.5
        [k]
        rapid = 25
        blitz = 15
        bullet = 5
        previously_unrated = 32
        previously_unrated_games = 20
        [[k.rule]]
        category = ["blitz", "bullet"]
        rating_from = 2000
        rating_below = 2400.5
        games_from = 100
        games_below = 200
        age_from = 10
        age_below = 18
        k = 12
        [[k.rule]]
        previously_unrated = true
        k = 60
        [first_rating]
        games = 7
        bonus = 15
        [expected]
        formula = "logistic"
        cap = 400
        white_advantage = 35
    """
    found = read_variant(toml)
    assert found.toml == toml
    assert (found.name, found.since) == ("Everything", datetime(2026, 1, 1, tzinfo=UTC))
    changed = found.amendment
    assert (found.floor, changed.k, changed.k_new, changed.new_games) == (150_50, (25, 15, 5), 32, 20)
    assert changed.k_rules == (
        KRule(12, (BLITZ, Category.BULLET), False, (100, 200), (2000_00, 2400_50), (10, 18)),
        KRule(60, new=True),
    )
    assert (found.first_games, changed.bonus, found.start) == (7, 15_00, 0)
    assert (found.formula, changed.cap, found.advantage) == ("logistic", 400, 35)
    assert differences(found) == [
        "K in Rapid: 25 (today 20)",
        "K in Blitz: 15 (today 20)",
        "K in Bullet: 5 (today 10)",
        "K for new players: 32 (today 40)",
        "games with that K: 20 (today 30)",
        "first rating: points for each half point over 50%: 15 (today 20)",
        "K = 12 (Blitz, Bullet, games ≥ 100, games < 200, rating ≥ 2000, rating < 2400.5, age ≥ 10, age < "
        "18)",
        "K = 60 (new players)",
        "rating floor: 150.5 (today 100)",
        "results for a first rating: 7 (today 5)",
        "the logistic formula in place of table 4.2",
        "differences above 400 count as 400",
        "White gets +35 points",
        "from 1 Jan 2026, 00:00 UTC on",
    ]


@pytest.mark.parametrize(
    ("toml", "faults"),
    [
        ("k = ", ["This isn’t TOML: Invalid value (at end of document)"]),
        ("name = 3", ["name: must be a text of 1 to 60 characters"]),
        ("since = 'May'", ["since: “May” isn’t a date such as 2026-01-01"]),
        ("bonus = 3", ["bonus: unknown: see the list of fields in docs/lab.md"]),
        ("k = 20", ["k: isn’t a table"]),
        ("[k]\nblitz = 20.5", ["k.blitz: “20.5” isn’t a whole number from 0 to 400"]),
        ("[k]\nblitz = true", ["k.blitz: “True” isn’t a whole number from 0 to 400"]),
        ("[k]\nstandard = 20", ["k.standard: unknown: see the list of fields in docs/lab.md"]),
        ("[k]\nrule = 3", ["k.rule: isn’t a list of tables: write [[k.rule]] before each"]),
        ("[[k.rule]]\nrating_from = 2000", ["k.rule 1.k: is missing"]),
        (
            "[[k.rule]]\nk = 15\ncategory = 'standard'",
            ["k.rule 1.category: “standard” isn’t a category: use rapid, blitz, bullet"],
        ),
        (
            "[[k.rule]]\nk = 15\nrating_from = 2000\nrating_below = 2000",
            ["k.rule 1.rating_below: matches nobody: it isn’t above rating_from"],
        ),
        (
            "floor = 'high'",
            ["floor: “high” isn’t a number of points from 0 to 3000, with at most two decimals"],
        ),
        ("floor = nan", ["floor: “NaN” isn’t a number of points from 0 to 3000, with at most two decimals"]),
        (
            "floor = 1.005",
            ["floor: “1.005” isn’t a number of points from 0 to 3000, with at most two decimals"],
        ),
        (
            "[first_rating]\nstart = 1500\nbonus = 3",
            ["first_rating.bonus: contradicts first_rating.start, which rates everybody before a game"],
        ),
        (
            "floor = 1600\n[first_rating]\nstart = 1500",
            ["first_rating.start: 1500 is below the floor of 1600"],
        ),
        ("[expected]\nformula = 'normal'", ["expected.formula: “normal” isn’t known: use table, logistic"]),
        ("[expected]\nformula = []", ["expected.formula: “[]” isn’t known: use table, logistic"]),
        (
            "floor = -1\n[expected]\ncap = 0",
            [
                "expected.cap: “0” isn’t a whole number from 1 to 4000",
                "floor: “-1” isn’t a number of points from 0 to 3000, with at most two decimals",
            ],
        ),
        (
            "yardstick = 'whr'\nname = 'WHR'\nfloor = 90",
            ["floor: contradicts yardstick, which has its own rules"],
        ),
        (
            "yardstick = 'ufo'",
            ["yardstick: “ufo” isn’t known: use elo, glicko, openskill, whr"],
        ),
        ("#" * 10_001, ["The text has 10,001 characters. Use at most 10,000."]),
    ],
)
def test_what_cannot_be_used_is_refused_with_field_and_reason(toml, faults):
    with pytest.raises(VariantRefused) as refused:
        read_variant(toml)
    assert refused.value.faults == faults


@settings(max_examples=at_most(300), deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_variant_or_refused(text):
    with suppress(VariantRefused):
        assert read_variant(text).toml == text


@settings(max_examples=at_most(60), deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_a_variant_ends_where_the_rules_would_with_these_numbers(seed):
    """The rules themselves are the second implementation."""
    dice = random.Random(seed)
    k = tuple(dice.randrange(5, 60) for _ in Category)
    k_new, new_games, floor, bonus = (
        dice.randrange(60),
        dice.randrange(40),
        dice.randrange(80, 101),
        dice.randrange(40),
    )
    toml = (
        f"floor = {floor}\n[k]\nrapid = {k[0]}\nblitz = {k[1]}\nbullet = {k[2]}\nprevious"
        f"ly_unrated = {k_new}\npreviously_unrated_games = {new_games}\n[first_rating]\nbonus = {bonus}\n"
    )
    events = history(dice, length=200)
    editions = Editions([Amendment(None, k, k_new, new_games, bonus=100 * bonus)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rating, "FLOOR", 100 * floor)
        expected = {(line[1], line[2]): line[3] for line in by_the_rules(events, editions)}
    assert ratings_after(events, toml) == {one: max(after, -1) for one, after in expected.items()}


def ratings_after(events, toml, born=None, editions=()):
    """The ratings of whoever had an event, in hundredths; -1 for unrated."""
    data = as_data(events)
    data.editions = list(editions)
    if born is not None:
        data.born[: len(born)] = born
    replay = Replay(data, read_variant(toml))
    replay.advance(data.games)
    found = {}
    for event in events:
        for member in event[4:6] if event[1] is EventType.GAME else event[4:5]:
            found[member, event[3]] = int(replay.ratings(event[3])[member])
    return found


def opened(member, points, games=100):
    return (0, EventType.OPENING, member + 1, BLITZ, member, 100 * points, games, False, False)


def played(number, white, black, half_points, moment=1, category=BLITZ):
    return (moment, EventType.GAME, number, category, white, black, half_points, 0)


TWO = [opened(0, 2100), opened(1, 1900)]


@pytest.mark.parametrize(
    ("toml", "ours", "theirs"),
    [
        # D = 200, H = 0.76: the loser of 1900 gains what the winner loses.
        ("", 2084.80, 1915.20),
        ("[k]\nblitz = 10", 2092.40, 1907.60),
        ("[k]\nrapid = 10", 2084.80, 1915.20),
        ("[[k.rule]]\nk = 15\ncategory = 'blitz'\nrating_from = 2000", 2088.60, 1915.20),
        ("[[k.rule]]\nk = 15\nrating_below = 2000", 2084.80, 1911.40),
        ("[[k.rule]]\nk = 15\nrating_from = 2100.01", 2084.80, 1915.20),
        ("[[k.rule]]\nk = 15\ngames_from = 101", 2084.80, 1915.20),
        ("[[k.rule]]\nk = 15\ngames_from = 100", 2088.60, 1911.40),
        ("[[k.rule]]\nk = 15\n[[k.rule]]\nk = 1", 2088.60, 1911.40),
        ("[[k.rule]]\nk = 15\npreviously_unrated = true", 2084.80, 1915.20),
        # The year of birth of the first is 1960, that of the second isn’t known.
        ("[[k.rule]]\nk = 15\nage_from = 10", 2088.60, 1915.20),
        ("[[k.rule]]\nk = 15\nage_below = 10", 2084.80, 1915.20),
        # 1 / (1 + 10 ** -0.5) = 0.7597.
        ("[expected]\nformula = 'logistic'", 2084.81, 1915.19),
        # D = 100: 0.64. D = 235, H = 0.80.
        ("[expected]\ncap = 100", 2087.20, 1912.80),
        ("[expected]\nwhite_advantage = 35", 2084.20, 1915.80),
    ],
)
def test_a_number_of_the_rules_does_this_to_a_game(toml, ours, theirs):
    events = [*TWO, played(1, 0, 1, 0)]
    found = ratings_after(events, toml, born=[1960, 0])
    assert found == {(0, BLITZ): round(100 * ours), (1, BLITZ): round(100 * theirs)}


def test_who_falls_below_another_floor_is_unrated_and_so_is_who_starts_below_it():
    assert ratings_after([*TWO, played(1, 0, 1, 0)], "floor = 1916") == {(0, BLITZ): 2100_00, (1, BLITZ): -1}
    events = [*TWO, played(1, 0, 1, 2)]
    assert ratings_after(events, "floor = 1895.21") == {(0, BLITZ): 2104_80, (1, BLITZ): -1}
    assert ratings_after(events, "floor = 1895.2") == {(0, BLITZ): 2104_80, (1, BLITZ): 1895_20}


def test_a_variant_holds_from_its_day_on():
    events = [*TWO, played(1, 0, 1, 0, moment=1), played(2, 0, 1, 2, moment=2 * YEAR)]
    # 2084.80 and 1915.20: D = 170, H = 0.72. Or 2092.40 and 1907.60: D = 185, H = 0.74.
    assert ratings_after(events, "since = 1971-06-01\n[k]\nblitz = 10")[0, BLITZ] == 2087_60
    assert ratings_after(events, "since = 1974-01-01\n[k]\nblitz = 10")[0, BLITZ] == 2090_40
    assert ratings_after(events, "[k]\nblitz = 10")[0, BLITZ] == 2092_40 + 2_60


def test_a_variant_is_one_more_edition_among_those_in_force():
    events = [*TWO, played(1, 0, 1, 0, moment=1), played(2, 0, 1, 2, moment=2 * YEAR)]
    in_force = [["1971-06-01", "[k]\nblitz = 10"]]
    # As without the edition in the test above, whether it is asked about or in force.
    assert ratings_after(events, "", editions=in_force)[0, BLITZ] == 2087_60
    # Of two days, the later one decides. 2096.20 and 1903.80: D = 192, H = 0.75.
    assert ratings_after(events, "[k]\nblitz = 5", editions=in_force)[0, BLITZ] == 2096_20 + 2_50
    assert ratings_after(events, "since = 1971-07-01\n[k]\nblitz = 20", editions=in_force) == ratings_after(
        events, ""
    )
    assert (
        ratings_after(events, "since = 1971-07-01\n[k]\nbullet = 1", editions=in_force)[0, BLITZ] == 2087_60
    )


def test_an_age_is_that_of_the_year_of_the_game():
    events = [*TWO, *(played(n + 1, 0, 1, 1, moment=n * YEAR + YEAR // 2) for n in range(3))]
    young = "[[k.rule]]\nk = 0\nage_below = 18"
    # Born in 1953: 17 in 1970, 18 in 1971.
    once = ratings_after(events, "[k]\nblitz = 20\n" + young, born=[1953])
    never = ratings_after(events[:2] + events[3:], "", born=[1953])
    assert once[0, BLITZ] != never[0, BLITZ]
    assert ratings_after(events[:3], young, born=[1953])[0, BLITZ] == 2100_00
    assert ratings_after(events[:3], young, born=[1952])[0, BLITZ] == 2094_80


def test_everybody_may_start_at_a_rating():
    events = [played(1, 0, 1, 2), played(2, 0, 1, 1)]
    # K 40: 1520 and 1480; D = 40, H = 0.56.
    assert ratings_after(events, "[first_rating]\nstart = 1500") == {(0, BLITZ): 1517_60, (1, BLITZ): 1482_40}


def test_a_first_rating_may_take_other_numbers_of_results():
    events = [opened(1, 1500), *(played(n + 1, 0, 1, 2, moment=n + 1) for n in range(3))]
    assert ratings_after(events, "[first_rating]\ngames = 3\nbonus = 10")[0, BLITZ] == 1530_00
