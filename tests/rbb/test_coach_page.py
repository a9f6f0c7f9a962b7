"""The first-rating coach: where an unrated member stands, and what every score would give."""

import re

import pytest

from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, points, rated
from tests.pages import is_friendly, queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


def address_of(who, category="blitz"):
    """His coach in this category."""
    return f"/members/{who.pk}/first-rating/{category}/"


def page_of(client, who, **parameters):
    """The words of the page."""
    response = client.get(address_of(who), parameters)
    assert response.status_code == 200
    return words(response)


def outcomes_on(client, who, **parameters):
    """The table of outcomes: score, first rating, shown as, article."""
    content = client.get(address_of(who), parameters).content.decode()
    table = content[content.index("outcomes") :]
    return re.findall(
        r'<th scope="row" class="number">([^<]*)</th>\s*<td class="number">([^<]*)</td>'
        r'\s*<td class="number[^"]*">([^<]*)</td>\s*<td><a[^>]*>RBB\xa0([^<]*)</a>',
        table,
    )


def test_3_6_1_who_has_never_played_is_in_the_first_stage(client):
    who = member(name="Novak, Anna")
    text = page_of(client, who)
    assert "First stage: a draw or a win" in text
    assert "No results yet. The first draw or win against a rated opponent is result 1 of 5" in text
    assert "Games that don’t count" not in text
    assert "5 games against opponents averaging 1500.00:" in text
    assert outcomes_on(client, who) == [
        ("0", "unrated", "–", "3.6.1"),
        ("0.5", "1134.00", "1134", "3.7.5"),
        ("1", "1260.00", "1260", "3.7.5"),
        ("1.5", "1351.00", "1351", "3.7.5"),
        ("2", "1428.00", "1428", "3.7.5"),
        ("2.5", "1500.00", "1500", "3.7.3"),
        ("3", "1520.00", "1520", "3.7.4"),
        ("3.5", "1540.00", "1540", "3.7.4"),
        ("4", "1560.00", "1560", "3.7.4"),
        ("4.5", "1580.00", "1580", "3.7.4"),
        ("5", "1600.00", "1600", "3.7.4"),
    ]


def test_3_6_2_results_and_what_did_not_count_are_listed(client):
    who = member()
    strong, weak, stranger = rated(1700), rated("1600.33"), member()
    game(who, strong, "0-1", minute=10)
    game(who, stranger, "1-0", minute=20)
    game(who, weak, "1/2-1/2", minute=30)
    game(who, strong, "0-1", minute=40)
    text = page_of(client, who)
    assert "Second stage: four more games" in text
    assert "2 of 5 results so far, score 0.5. 3 more games against rated opponents" in text
    assert f"1 {weak} 1600.33 ½ 1 Mar 2026, 00:30 UTC 2 {strong} 1700.00 0" in text
    assert f"{stranger} both players unrated: does not count ( RBB 3.6.2 ) 1" in text
    assert f"{strong} loss before the first draw or win: does not count ( RBB 3.6.1 ) 0" in text
    # The average so far, (1600.33 + 1700.00) / 2 = 1650.165, is taken for the games to come.
    assert "3 games against opponents averaging 1650.17:" in text


def test_the_outcome_that_is_played_comes_true(client):
    who = member()
    for minute in range(10, 14):
        game(who, rated(1500 + minute), "1/2-1/2", minute=minute)
    text = page_of(client, who, average="1623.45")
    assert "One more game against a rated opponent, even a loss, gives a first rating." in text
    assert "One game against an opponent rated 1623.45:" in text
    # Ra = (1510 + 1511 + 1512 + 1513 + 1623.45) / 5 = 1533.89
    foretold = outcomes_on(client, who, average="1623.45")
    assert foretold == [
        ("0", "1461.89", "1462", "3.7.5"),  # p = 0.40, dp = -72
        ("0.5", "1533.89", "1534", "3.7.3"),
        ("1", "1553.89", "1554", "3.7.4"),
    ]
    game(who, rated("1623.45"), "1-0", minute=20)
    assert str(points(who)) == "1553.89"


def test_3_3_after_a_fall_through_the_floor_it_begins_anew(client):
    who = rated("100.50")
    game(who, rated("100.50"), "0-1")
    text = page_of(client, who)
    assert "First stage: a draw or a win" in text
    assert "rating fell below the floor of 100: unrated again ( RBB 3.3 )" in text


def test_3_2_five_results_under_the_floor_are_none(client):
    who = member()
    for minute in range(10, 15):
        game(who, rated(150), "1/2-1/2" if minute == 10 else "0-1", minute=minute)
    text = page_of(client, who)
    assert "First stage: a draw or a win" in text
    assert "first rating below the floor of 100: the count starts again ( RBB 3.7 , RBB 3.2 )" in text
    assert "result counted" not in text
    assert outcomes_on(client, who, average=400)[1:3] == [
        ("0.5", "unrated", "–", "3.2"),
        ("1", "160.00", "160", "3.7.5"),
    ]


def test_a_rated_member_needs_no_coach(client):
    who = member(name="Novak, Anna")
    opening(who, "1799.60", Category.RAPID)
    response = client.get(address_of(who, "rapid"))
    assert response.status_code == 200
    assert "Novak, Anna already has a rating: 1800 (unrounded: 1799.60)." in words(response)
    assert f'href="/changes/{who.rating_changes.get().pk}/"' in response.content.decode()
    assert "First stage" in page_of(client, who)


@pytest.mark.parametrize(
    ("average", "fault"),
    [
        ("-5", "greater than or equal to 100"),
        ("99.99", "greater than or equal to 100"),
        ("4000.01", "less than or equal to 4000"),
        ("99999", "less than or equal to 4000"),
        ("9" * 5000, "Ensure"),
        ("abc", "Enter a number"),
        ("1500.001", "2 decimal places"),
        ("NaN", "Enter a number"),
        ("Infinity", "Enter a number"),
        ("1e9", "Ensure"),
        ("1e999999999", ""),
    ],
)
def test_an_average_that_makes_no_sense_is_answered_beside_the_field(client, average, fault):
    response = client.get(address_of(member()), {"average": average})
    assert response.status_code == 400
    assert is_friendly(response)
    assert fault in words(response)
    assert 'class="fault"' in response.content.decode()
    assert 'aria-invalid="true"' in response.content.decode()
    assert "opponents averaging" not in words(response)


def test_a_nul_byte_is_refused(client):
    assert client.get(address_of(member()), {"average": "\x00"}).status_code == 400


@pytest.mark.parametrize("average", ["100", "4000", "1500.5", "1e3", ""])
def test_the_ends_of_the_scale_are_ratings(client, average):
    assert "opponents averaging" in page_of(client, member(), average=average)


@pytest.mark.parametrize(
    "address",
    ["/members/1/first-rating/blitz/", "/members/9999999999999999999999/first-rating/blitz/"],
)
def test_who_is_not_there_has_no_coach(client, address):
    assert client.get(address).status_code == 404
    assert client.get(address_of(member(), "classical")).status_code == 404


def test_the_page_takes_few_queries_however_much_was_played(client):
    who = member()
    few = queries(client, address_of(who))
    for minute in range(10, 40):
        game(who, member(), minute=minute)
    for minute in range(50, 53):
        game(who, rated(1500), minute=minute)
    # Member, rating, results, and the editions of RBB.
    assert few <= queries(client, address_of(who)) <= 5
