"""RBB 3.6, 3.7: how an unrated member’s games and his first rating are explained."""

import pytest

from ratings.rbb.explanation import explain
from ratings.rbb.models.editions import DecidedEditions
from tests.arena import game, member, rated
from tests.rbb.explained import named, row_of, steps, told

pytestmark = pytest.mark.django_db


def test_3_6_2_two_unrated_players_move_nothing():
    anna = named("Anna")
    assert told(anna, game(anna, named("Boris"))) == [
        "Anna was unrated in blitz before the game. 3.5",
        "Boris was unrated in blitz before the game too. 3.5",
        "Only games against rated opponents count towards a first rating. 3.6.2",
    ]


FIRST_RATINGS = [
    (
        ["1/2-1/2"] * 5,
        "2.5 out of 5 is exactly 50%: nothing is added to Ra. 3.7.3",
        "Rf = 1500.60 + 0.00 = 1500.60. 3.7.2",
    ),
    (
        ["1/2-1/2", *["1-0"] * 4],
        "4.5 out of 5 is 4 half points over 50%, 20 points each: 80.00 is added to Ra. 3.7.4",
        "Rf = 1500.60 + 80.00 = 1580.60. 3.7.2",
    ),
    (
        ["1-0", "1-0", "1-0", "0-1", "0-1"],
        "3 out of 5 is one half point over 50%: 20.00 is added to Ra. 3.7.4",
        "Rf = 1500.60 + 20.00 = 1520.60. 3.7.2",
    ),
    (
        ["1-0", "1/2-1/2", *["0-1"] * 3],
        "p = 1.5 ÷ 5 = 0.30: table 4.1 gives dp = −149, which is added to Ra. 3.7.5 4.1",
        "Rf = 1500.60 + (−149.00) = 1351.60. 3.7.2",
    ),
]


@pytest.mark.parametrize(("results", "addition", "after"), FIRST_RATINGS)
def test_3_7_a_first_rating_is_told_from_its_five_results(results, addition, after):
    who = member()
    # Ra = (4 × 1500 + 1503) / 5 = 1500.60
    for number, result in enumerate(results):
        last = game(who, rated(1503 if number == 4 else 1500), result, minute=10 + number)
    by_name = steps(who, last)
    assert told(who, last)[3] == (
        "Result 5 of 5: after the first draw or win, every game against a rated opponent counts. 3.6.2"
    )
    assert by_name["average"].text == "Ra = 7503.00 ÷ 5 = 1500.60, the opponents’ average rating."
    assert told(who, last)[-3:-1] == [addition, after]
    assert by_name["after"].values["after"] == row_of(who, last).after
    excerpt = by_name["addition"].excerpt
    if "dp" in addition:
        assert [row.cells for row in excerpt.rows] == [
            ("0.32", "−133"),
            ("0.31", "−141"),
            ("0.30", "−149"),
            ("0.29", "−158"),
            ("0.28", "−166"),
        ]
        assert excerpt.chosen == ("table-4-1-30", ("0.30", "−149"))
    else:
        assert excerpt is None


def test_3_6_the_results_so_far_are_those_of_this_attempt_and_no_others():
    who = member()
    opponents = [named(f"Rival {number}", 1500 + number) for number in range(4)]
    game(who, opponents[0], "0-1", minute=10)  # forgotten
    game(who, opponents[1], "1/2-1/2", minute=20)
    game(who, member(), minute=30)  # both unrated
    counted = game(who, opponents[2], "0-1", minute=40)
    later = game(who, opponents[3], "1-0", minute=50)
    step = steps(who, counted)["results"]
    assert [(line.opponent.name, line.half_points) for line in step.lines] == [("Rival 1", 1), ("Rival 2", 0)]
    assert step.text == "Score so far: 0.5. The opponents’ ratings add up to 3003.00."
    assert [line.game_id for line in steps(who, later)["results"].lines][1:] == [counted.pk, later.pk]
    assert steps(who, counted)["stage"].values == {"results": 2, "needed": 5}


def test_3_6_results_that_ended_at_one_moment_stand_in_the_order_of_their_games():
    who = member()
    first, second = (game(who, rated(1500), minute=10) for _ in range(2))
    assert [line.game_id for line in steps(who, first)["results"].lines] == [first.pk]
    assert [line.game_id for line in steps(who, second)["results"].lines] == [first.pk, second.pk]


def test_3_7_results_of_an_attempt_under_the_floor_do_not_enter_the_next():
    anna = named("Anna")
    for minute in range(10, 15):
        failed = game(anna, rated(150), "1/2-1/2" if minute == 10 else "0-1", minute=minute)
    # Ra = 150, p = 0.10, dp = -366
    assert told(anna, failed)[-2:] == [
        "Rf = 150.00 + (−366.00) = −216.00. 3.7.2",
        "−216.00 is below the floor of 100.00: Anna stays unrated, and has to start again. 3.2",
    ]
    again = game(anna, rated(1500), minute=20)
    assert [line.game_id for line in steps(anna, again)["results"].lines] == [again.pk]
    assert steps(anna, again)["stage"].articles == ("3.6.1",)


def test_the_game_after_the_first_rating_is_a_rated_game():
    who = member()
    for minute in range(10, 15):
        game(who, rated(1500), minute=minute)
    step = steps(who, game(who, rated(1500), minute=15))
    assert "results" not in step
    assert (step["k"].values["k"], step["k"].values["game"]) == (40, 6)


def test_the_way_to_a_first_rating_has_its_sentences():
    anna, boris = named("Novak, Anna"), named("Boris", 1500)
    sentences = []
    for minute, result in enumerate(["0-1", *["1-0"] * 5], start=10):
        played = game(anna, boris, result, minute=minute)
        sentences.append(explain(row_of(anna, played)).sentence)
    assert sentences[0] == (
        "Anna Novak is still unrated in blitz: a loss before the first draw or win against a rated opponent "
        "does not count."
    )
    assert sentences[2] == (
        "Anna Novak is still unrated in blitz: the game against Boris (1500.00) is result 2 of the 5 "
        "needed for a first rating."
    )
    assert sentences[5] == (
        "Anna Novak reached a first blitz rating of 1600.00 by scoring 5 out of 5 against opponents "
        "averaging 1500.00."
    )


def test_an_explanation_takes_one_query_for_a_first_rating_or_for_the_editions(django_assert_num_queries):
    who = member()
    for minute in range(10, 15):
        last = game(who, rated(1500), minute=minute)
    row = row_of(who, last)
    with django_assert_num_queries(1):
        explain(row)
    row = row_of(who, game(who, rated(1500), minute=20))
    editions = DecidedEditions()
    with django_assert_num_queries(1):
        explain(row, editions=editions)
    with django_assert_num_queries(0):
        explain(row, editions=editions)
