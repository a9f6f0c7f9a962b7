"""A line of the ledger, explained in the numbers and articles of the regulations."""

import random
import re
from decimal import Decimal

import pytest
from django.utils import translation

from foa.text import signed
from ratings.rbb.explanation import explain, spoken_name
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.models import RatingChange
from ratings.rules.rbb.rating import Reason
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, opening, rated
from tests.rbb.explained import adjusted, named, row_of, steps, told

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


def test_rbb_3_14_a_win_is_told_step_by_step():
    anna, boris = named("Novak, Anna", "1799.60"), named("Boris", "1279.60")
    played = game(anna, boris)
    assert told(anna, played) == [
        "Anna Novak’s exact blitz rating before the game: Ro = 1799.60. 3.1",
        "Boris’s exact rating before the game: 1279.60. Both changes are calculated from the ratings "
        "before the game. 3.9 3.11",
        "D = 1799.60 − 1279.60 = 520.00, rounded to 520. 3.9.1 3.13",
        "PD = 0.97: D = 520 falls in row 518–559 of table 4.2. Column H is for the higher-rated player, "
        "Anna Novak. 3.9.1 4.2",
        "Score = 1: a win for Anna Novak. 3.9.1",
        "K = 20 for blitz: K = 40 does not apply, because Anna Novak started with an existing rating. "
        "3.10.1 3.10.3",
        "ΔR = score − PD = 1 − 0.97 = 0.03. 3.9.1",
        "Rn = Ro + K × ΔR = 1799.60 + 20 × 0.03 = 1800.20. 3.9.2",
        "Displayed as 1800 both before and after, although the exact rating changes by +0.60. 3.12 3.13 3.14",
    ]
    assert told(boris, played)[2:] == [
        "D = 1799.60 − 1279.60 = 520.00, rounded to 520. 3.9.1 3.13",
        "PD = 0.03: D = 520 falls in row 518–559 of table 4.2. Column L is for the lower-rated player, "
        "Boris. 3.9.1 4.2",
        "Score = 0: a loss for Boris. 3.9.1",
        "K = 20 for blitz: K = 40 does not apply, because Boris started with an existing rating. "
        "3.10.1 3.10.3",
        "ΔR = score − PD = 0 − 0.03 = −0.03. 3.9.1",
        "Rn = Ro + K × ΔR = 1279.60 + 20 × (−0.03) = 1279.00. 3.9.2",
        "Displayed as 1280 before and 1279 after: the exact ratings, with halves rounded up. 3.12 3.13",
    ]


def test_the_row_of_table_4_2_stands_between_its_neighbours():
    who = rated("1800.00")
    excerpt = steps(who, game(who, rated("1814.50"), "1/2-1/2"))["expected"].excerpt
    assert [row.cells for row in excerpt.rows] == [
        ("0–3", "0.50", "0.50"),
        ("4–10", "0.51", "0.49"),
        ("11–17", "0.52", "0.48"),
        ("18–25", "0.53", "0.47"),
        ("26–32", "0.54", "0.46"),
    ]
    assert excerpt.chosen == ("table-4-2-11", ("11–17", "0.52", "0.48"))
    assert excerpt.columns[excerpt.column] == "L"


@pytest.mark.parametrize(
    ("points", "rows", "chosen"),
    [
        ("1500.00", ["0–3", "4–10", "11–17"], "0–3"),
        ("2100.00", ["518–559", "560–619", "620–735", "> 735"], "560–619"),
        ("2300.00", ["560–619", "620–735", "> 735"], "> 735"),
    ],
)
def test_at_the_ends_of_the_table_there_are_fewer_neighbours(points, rows, chosen):
    who = rated(points)
    excerpt = steps(who, game(who, rated("1500.00")))["expected"].excerpt
    assert [row.cells[0] for row in excerpt.rows][-len(rows) :] == rows
    assert excerpt.chosen.cells[0] == chosen
    assert excerpt.columns[excerpt.column] == "H"


def test_between_equals_both_columns_are_the_same():
    who = rated(1500)
    step = steps(who, game(who, rated(1500), "1/2-1/2"))["expected"]
    assert step.text == (
        "PD = 0.50: D = 0 falls in row 0–3 of table 4.2. For equal ratings, columns H and L are the same."
    )


def test_3_9_1_above_735_the_favourite_gains_nothing_and_it_says_why():
    anna, boris = named("Anna", 2400), named("Boris", 1600)
    played = game(anna, boris)
    assert steps(anna, played)["expected"].values == {
        "difference": 800,
        "row_first": 736,
        "row_last": None,
        "higher": Decimal("1.00"),
        "lower": Decimal("0.00"),
        "column": "H",
        "expected": Decimal("1.00"),
    }
    assert steps(anna, played)["change"].text == (
        "ΔR = score − PD = 1 − 1.00 = 0.00: exactly the expected score, so the rating stays the same."
    )
    assert steps(anna, played)["displayed"].text == "Displayed as 2400 both before and after."
    assert explain(row_of(anna, played)).sentence == (
        "Anna’s blitz rating stayed at 2400.00: Boris (1600.00) was expected to score 0.00, and did."
    )


@pytest.mark.parametrize(
    ("games", "text", "articles"),
    [
        (
            11,
            "K = 40: Anna was unrated in blitz, and this is game 12 of the first 30 since then.",
            ("3.10.3",),
        ),
        (
            29,
            "K = 40: Anna was unrated in blitz, and this is game 30 of the first 30 since then.",
            ("3.10.3",),
        ),
        (
            30,
            "K = 20 for blitz: K = 40 ended after game 30, and this is game 31 since Anna was last unrated.",
            ("3.10.1", "3.10.3"),
        ),
    ],
)
def test_3_10_k_says_which_game_it_was(games, text, articles):
    anna = named("Anna", 1500, previously_unrated=True, games=games)
    step = steps(anna, game(anna, rated(1500)))["k"]
    assert (step.text, step.articles) == (text, articles)


def test_3_3_3_10_3_after_a_rating_was_lost_games_are_counted_from_then():
    """One loss takes Anna under the floor; then five results, 300 the mean, and K = 40 from game 6 on."""
    anna = named("Anna", "105.00", games=400)
    game(anna, rated(105), "0-1", minute=10)
    for minute in range(11, 16):
        game(anna, rated(300), "1/2-1/2", minute=minute)
    step = steps(anna, game(anna, rated(300), minute=16))["k"]
    assert step.text == "K = 40: Anna was unrated in blitz, and this is game 6 of the first 30 since then."
    assert step.values == {"k": 40, "game": 6, "needed": 30}


def test_3_10_2_bullet_has_its_own_k():
    fast = rated(1500, Category.BULLET)
    step = steps(fast, game(fast, rated(1500, Category.BULLET), notation=CONTROL[Category.BULLET]))["k"]
    assert (step.values["k"], step.articles) == (10, ("3.10.2", "3.10.3"))


def test_3_8_a_game_against_an_unrated_player_says_that_it_does_not_count():
    anna, boris = named("Anna", 1500), named("Boris")
    played = game(anna, boris)
    assert told(anna, played) == [
        "Anna’s exact blitz rating before the game: Ro = 1500.00. 3.1",
        "Boris was unrated in blitz before the game. 3.5",
        "A game against an unrated player does not change the rating, the number of games or K. 3.8",
        "Displayed as 1500 both before and after. 3.12 3.13",
    ]
    assert told(boris, played) == [
        "Boris was unrated in blitz before the game. 3.5",
        "Anna’s exact rating at the end of the game: 1500.00. 3.6",
        "Score = 0: a loss for Boris. 3.6",
        "A loss before the first draw or win against a rated opponent does not count. 3.6.1",
    ]


def test_3_3_a_rating_lost_under_the_floor_shows_the_sum_that_lost_it():
    anna, boris = named("Anna", "100.50"), named("Boris", "100.50")
    played = game(anna, boris, "0-1")
    assert told(anna, played)[-3:] == [
        "Rn = Ro + K × ΔR = 100.50 + 20 × (−0.50) = 90.50. 3.9.2",
        "90.50 is below the floor of 100.00: the blitz rating is lost, and no other rating is affected. "
        "Results towards a new first rating count from the next draw or win against a rated opponent. "
        "3.2 3.3 3.6",
        "Displayed as 101 before, unrated after. 3.12 3.13",
    ]
    assert explain(row_of(anna, played)).sentence == (
        "Anna lost their blitz rating of 100.50: the game against Boris (100.50) took it to 90.50, below "
        "the floor of 100.00."
    )


@pytest.mark.parametrize(("points", "near"), [("110.00", True), ("129.99", True), ("130.00", False)])
def test_3_2_the_floor_is_near_when_one_more_game_could_take_the_rating(points, near):
    who = rated(points)
    by_name = steps(who, game(who, rated(points), "0-1"))  # K × 0.5 = 10 points less
    assert ("floor" in by_name) is near
    if near:
        assert by_name["floor"].values["lost"] is False


def test_3_4_an_opening_names_its_source():
    anna = named("Anna", 1800)
    assert told(anna) == [
        "Anna started with an existing blitz rating of 1800.00. Source: test. 3.4",
        "Unrated before, displayed as 1800 after: the exact rating, with halves rounded up. 3.12 3.13",
    ]
    boris = named("Boris", 1800, previously_unrated=True, games=7)
    assert told(boris)[1] == "The rating was carried over with 7 rated games. K = 40 until game 30. 3.10.3"


def test_3_4_an_opening_that_came_too_late_says_so():
    anna = named("Anna", 1800)
    opening(anna, 1900, minute=5)
    assert told(anna)[1] == (
        "A first rating of 1900.00 (test) was not applied: Anna already had a blitz rating, and a "
        "first rating is given only once. 3.4"
    )
    assert told(anna)[2] == "Displayed as 1800 both before and after. 3.12 3.13"


def test_3_15_an_adjustment_names_period_and_source():
    anna = named("Anna", 1800)
    adjusted(anna, -12)
    assert told(anna) == [
        "Anna’s exact blitz rating before the change: 1800.00. 3.1",
        "The March 2026 FIDE list adds −12.00 (FIDE). 3.15 1.3",
        "Rn = 1800.00 + (−12.00) = 1788.00. The number of games and K stay the same. 3.15",
        "Displayed as 1800 before and 1788 after: the exact ratings, with halves rounded up. 3.12 3.13",
    ]


def test_3_15_an_unrated_member_has_nothing_to_add_to():
    anna = named("Anna")
    adjusted(anna, -12)
    assert told(anna)[1] == (
        "The March 2026 FIDE list would have added −12.00 (FIDE), but Anna was unrated in blitz. 3.15 1.3"
    )
    assert len(told(anna)) == 2


def test_3_15_an_adjustment_may_take_a_rating_under_the_floor():
    anna = named("Anna", 105)
    adjusted(anna, -12)
    assert steps(anna)["floor"].values == {
        "computed": Decimal("93.00"),
        "floor": Decimal("100.00"),
        "lost": True,
    }
    assert explain(row_of(anna)).sentence == (
        "Anna lost their blitz rating of 105.00: the over-the-board change of −12.00 took it to 93.00, "
        "below the floor of 100.00."
    )


@pytest.mark.parametrize(
    ("points", "result", "text"),
    [
        # D = 0.80, rounded 1: PD 0.50, K = 20
        (
            "1800.40",
            "1-0",
            "Anna’s blitz rating rose by 10.00, from 1799.60 to 1809.60, after beating Boris (1800.40), who "
            "was expected to score 0.50.",
        ),
        (
            "1900.00",
            "1/2-1/2",
            "Anna’s blitz rating rose by 2.80, from 1799.60 to 1802.40, after a draw with Boris (1900.00), "
            "who was expected to score 0.64.",
        ),
        (
            "1700.00",
            "1/2-1/2",
            "Anna’s blitz rating fell by 2.80, from 1799.60 to 1796.80, after a draw with Boris (1700.00), "
            "who was expected to score 0.36.",
        ),
        (
            "1700.00",
            "0-1",
            "Anna’s blitz rating fell by 12.80, from 1799.60 to 1786.80, after a loss to Boris (1700.00), "
            "who was expected to score 0.36.",
        ),
        (
            None,
            "1-0",
            "Anna’s blitz rating stayed at 1799.60, because Boris was unrated.",
        ),
    ],
)
def test_one_plain_sentence_says_it_all(points, result, text):
    anna, boris = named("Anna", "1799.60"), named("Boris", points)
    assert explain(row_of(anna, game(anna, boris, result))).sentence == text


@pytest.mark.parametrize(
    ("points", "result", "text", "figures"),
    [
        (
            "1900.00",
            "1-0",
            "gained 12.80 points for beating a higher-rated player.",
            "(1 − 0.36) × 20 = +12.80",
        ),
        # RBB 4.2: up to a difference of 3, each is expected to score half a point.
        (
            "1802.60",
            "1-0",
            "gained 10.00 points for beating a player rated about the same.",
            "(1 − 0.50) × 20 = +10.00",
        ),
        (
            "1900.00",
            "1/2-1/2",
            "gained 2.80 points for a draw with a higher-rated player.",
            "(½ − 0.36) × 20 = +2.80",
        ),
        (
            "1700.00",
            "1/2-1/2",
            "lost 2.80 points for a draw with a lower-rated player.",
            "(½ − 0.64) × 20 = −2.80",
        ),
        ("1700.00", "0-1", "lost 12.80 points to a lower-rated player.", "(0 − 0.64) × 20 = −12.80"),
    ],
)
def test_the_headline_and_the_picture_say_who_gained_what_for_what(points, result, text, figures):
    anna, boris = named("Novak, Anna", "1799.60"), named("Boris", points)
    found = explain(row_of(anna, game(anna, boris, result)))
    assert found.headline == f"Anna Novak {text}"
    assert found.picture.text == figures
    assert found.picture.rises is text.startswith("gained")


def test_what_only_repeats_a_figure_is_left_to_those_who_ask_for_every_step():
    anna, boris, unrated = named("Novak, Anna", "2400.00"), named("Boris", "1900.00"), named("Eva")

    def shown(played):
        return [step.name for step in explain(row_of(anna, played)).steps if not step.minor]

    assert shown(game(anna, boris)) == ["difference", "expected", "k", "after"]
    # RBB 4.2: D = 800 is 1.00, so the score brings nothing, and that is said.
    assert shown(game(anna, named("Carl", "1600.00"))) == ["difference", "expected", "k", "change", "after"]
    assert shown(game(anna, unrated)) == ["opponent", "unaffected"]


@pytest.mark.parametrize(
    ("result", "score", "anchor"), [("1-0", "1", "end"), ("1/2-1/2", "½", "middle"), ("0-1", "0", "start")]
)
def test_the_bar_says_what_was_scored_above_it_and_what_was_expected_below(client, result, score, anchor):
    """RBB 4.2: D = 100 is 0.64."""
    anna, boris = named("Novak, Anna", "1900.00"), named("Boris", "1800.00")
    content = client.get(row_of(anna, game(anna, boris, result)).get_absolute_url()).content.decode()
    assert re.search(rf'text-anchor="{anchor}">scored {score}<', content)
    assert re.search(r'text-anchor="middle">expected 0.64<', content)
    assert re.search(r">0</text>.*>1</text>", content, re.DOTALL)


def test_the_picture_of_an_over_the_board_change_adds_it():
    anna = named("Anna", 1800)
    adjusted(anna, -12)
    found = explain(row_of(anna))
    assert found.headline == "Anna lost 12.00 points from games over the board."
    assert found.picture.text == "1800.00 − 12.00 = 1788.00"


def test_names_are_spoken_first_name_first():
    assert spoken_name(named("Novak, Anna")) == "Anna Novak"
    assert spoken_name(named("Praggnanandhaa R")) == "Praggnanandhaa R"
    assert spoken_name(member("anna")) == "anna"


def test_a_percent_sign_in_a_name_is_a_percent_sign():
    anna = named("100 % Anna (%s)", 1500)
    assert explain(row_of(anna, game(anna, rated(1500)))).sentence.startswith(
        "100 % Anna (%s)’s blitz rating rose"
    )


def test_explanations_end_where_the_ledger_stands():
    chance = random.Random(4)
    players = [rated(points) for points in (101, 102, 103, 1500, 2400)] + [member() for _ in range(4)]
    for minute in range(10, 90):
        white, black = chance.sample(players, 2)
        game(white, black, chance.choice(["1-0", "0-1", "1/2-1/2"]), minute=minute)
    seen = set()
    for row in RatingChange.objects.with_events():
        explanation = explain(row)
        by_name = {step.name: step.values for step in explanation.steps}
        seen.add(row.why)
        assert "%(" not in explanation.sentence
        assert "%(" not in explanation.headline
        if explanation.picture and row.after is not None and row.why is not Reason.FIRST_RATING:
            assert explanation.picture.terms[-1].figure == signed(row.change)
        assert not any("%(" in step.text or "None" in step.text for step in explanation.steps)
        if row.why in (Reason.RATED, Reason.FIRST_RATING):
            assert by_name["after"]["after"] == row.after
            assert by_name["displayed"]["after"] == explanation.displayed_after
    assert seen >= {
        Reason.OPENING,
        Reason.RATED,
        Reason.OPPONENT_UNRATED,
        Reason.BOTH_UNRATED,
        Reason.LOSS_FORGOTTEN,
        Reason.RESULT_COUNTED,
        Reason.FIRST_RATING,
        Reason.LOST_UNDER_FLOOR,
    }


def test_ratings_are_the_same_in_every_language_and_points_have_the_comma_of_a_polish_sentence():
    who = rated("1799.60")
    row = row_of(who, game(who, rated("1279.60")))
    assert " gained 0.60 points " in explain(row).headline
    with translation.override("pl"):
        assert "1800.20" in sentence(row)
        assert " zyskuje 0,60 punktu " in explain(row).headline
        assert {step.name: step.values for step in explain(row).steps}["after"]["after"] == Decimal("1800.20")
