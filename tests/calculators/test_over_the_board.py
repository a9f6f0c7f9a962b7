"""The calculators of chess over the board: FIDE’s regulations of 2024, and addresses from before them."""

import pytest

from tests.calculators.test_pages import TOURNAMENT, answer, faults
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

ADDRESS = "/calculators/tournament/"
STANDARD, RAPID, OF_2009 = "b02-2024", "b02-rapid-blitz-2024", "b02"
FIVE = "1900 1\n1850 1\n2000 0.5\n1750 1\n1800 0"


def rated(client, book, rating, k, games):
    """The change and the new rating."""
    data = answer(client, "tournament", rule_book=book, rating=rating, k=k, games=games)
    return data["change"], data["rating"]


def test_a_new_calculation_is_by_the_regulations_of_2024(client):
    page = client.get(ADDRESS).text
    assert '<option value="b02-2024" selected>FIDE standard (2024)</option>' in page
    assert "You need 5 games for a rating, and it must be at least 1400 (B.02 (2024) 7.1.4)." in words(
        client.get(ADDRESS)
    )
    assert "A rating needs 9 games (7.14)." in words(client.get(ADDRESS))


def test_the_address_of_a_result_of_2009_keeps_its_result(client):
    # 15 × (1.5 − 1.85), and 25 × 0.5: 1312.5, a half upwards. In 2024 1300 isn't a rating.
    assert rated(client, OF_2009, "1800", "15", TOURNAMENT) == ("-5.25", 1795)
    assert rated(client, OF_2009, "1300", "25", "1300 1") == ("12.50", 1313)
    assert faults(client, "tournament", rule_book=STANDARD, rating="1300", k="40", games="1400 1") == {
        "rating": ["“1300” isn’t a rating from 1400 to 4000."]
    }


def test_8_3_a_rated_player_reads_the_articles_of_2024(client):
    query = {"rule_book": STANDARD, "rating": "1800", "k": "20", "games": TOURNAMENT}
    data = answer(client, "tournament", **query)
    assert [(game["reason"], game["article"]) for game in data["games"]] == [
        ("rated", "8.3"),
        ("rated", "8.3"),
        ("opponent_unrated", "8.2.3"),
        ("not_played", "5.1"),
        ("not_played", "5.1"),
        ("rated", "8.3"),
    ]
    # 0.92 + 0.85 + 0.08, the last with D = −500 as −400; 20 × (1.5 − 1.85)
    assert (data["expected"], data["change"], data["rating"]) == ("1.85", "-7.00", 1793)
    page = words(client.get(ADDRESS, query))
    assert "opponent unrated: not rated (B.02 (2024) 8.2.3)" in page


def test_8_3_4_a_half_is_rounded_away_from_zero(client):
    # D = 193: PD 0.75; 10 × (0.5 − 0.75) = −2.50.
    assert rated(client, STANDARD, "1693", "10", "1500 0.5") == ("-2.50", 1690)
    assert rated(client, OF_2009, "1693", "10", "1500 0.5") == ("-2.50", 1691)


def test_8_3_1_from_2650_on_a_difference_counts_as_it_is_in_standard_alone(client):
    # PD of 599 is 0.98, of 400 0.92.
    assert rated(client, STANDARD, "2700", "10", "2101 1") == ("0.20", 2700)
    assert rated(client, RAPID, "2700", "10", "2101 1") == ("0.80", 2701)
    assert rated(client, STANDARD, "2649", "10", "2050 1") == ("0.80", 2650)


def test_7_3_1_in_rapid_and_blitz_a_game_600_points_apart_is_not_rated_above_2600(client):
    query = {"rule_book": RAPID, "rating": "2610", "k": "10", "games": "2010 1\n2011 1"}
    data = answer(client, "tournament", **query)
    assert [game["reason"] for game in data["games"]] == ["too_far_apart", "rated"]
    assert data["counted"] == 1
    assert "one above 2600: not rated (B.02 RB (2024) 7.3.1)" in words(client.get(ADDRESS, query))


def test_8_2_a_first_rating_has_two_hypothetical_opponents(client):
    query = {"rule_book": STANDARD, "games": FIVE}
    data = answer(client, "tournament", **query)
    # (9300 + 3600) / 7 = 1842.86, p = 4.5 / 7 = 0.643, dp 102: 1944.86.
    assert data["new_player"] == {
        "games": 5,
        "score": "3.5",
        "average": 1843,
        "article": "8.2.3",
        "p": "0.64",
        "dp": 102,
        "rating": 1945,
    }
    page = words(client.get(ADDRESS, query))
    assert "Performance: 1945. (B.02 (2024) 8.2.3)" in page
    assert "a 1843 (with two hypothetical opponents rated 1800) dp 102 (p = 0.64" in page
    assert "this result can’t count towards a first rating (B.02 (2024) 7.1.2)." in page


def test_8_2_3_a_first_rating_is_at_most_2200(client):
    data = answer(client, "tournament", rule_book=STANDARD, games="2300 1\n" * 5)
    assert data["new_player"]["rating"] == 2200


def test_8_2_1_a_first_event_without_a_point_is_forgotten(client):
    query = {"rule_book": STANDARD, "games": "1450 0\n" * 5}
    assert answer(client, "tournament", **query)["outcome"] == "zero_score"
    assert "left out: no points in the very first tournament" in words(client.get(ADDRESS, query))


def test_8_3_3_k_times_the_games_is_at_most_700(client):
    query = {"rule_book": STANDARD, "rating": "1500", "k": "20", "games": "1500 1\n" * 2 + "1500 0.5\n" * 34}
    data = answer(client, "tournament", **query)
    # 36 × 20 = 720 and 36 × 19 = 684; one point more than expected.
    assert (data["k"], data["change"], data["rating"]) == (19, "19.00", 1519)
    assert "19: 20 times 36 games would be more than 700 (B.02 (2024) 8.3.3)" in words(
        client.get(ADDRESS, query)
    )


def test_what_is_needed_has_the_lowest_rating_of_its_edition(client):
    query = {"category": "blitz", "rating": "1399", "k": "20", "opponents": "1500", "number": "1"}
    assert list(faults(client, "needed", rule_book=STANDARD, **query)) == ["rating"]
    assert answer(client, "needed", rule_book=OF_2009, **query)["break_even"]["score"] == "0.5"
