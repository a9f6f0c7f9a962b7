"""The RBB what-if page: games to come are what the ledger says once they are played."""

from decimal import Decimal

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.rbb.explanation.lines import explained_line
from ratings.rbb.explanation.sentences import headline
from ratings.rbb.models import Rating, RatingChange
from ratings.rbb.serializers import EXPLANATION
from ratings.rules.rbb.rating import LedgerLine
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, game, member, opening, rated
from tests.histories import at_most
from tests.pages import queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

ADDRESS = "/calculators/what-if/"
RESULTS = {0: ("0", "0-1", "1-0"), 1: ("0.5", "1/2-1/2", "1/2-1/2"), 2: ("1", "1-0", "0-1")}
"""By half points: as typed, and as results of White and of Black."""


def what_if(client, games, category=Category.BLITZ, **start):
    """The answer in JSON."""
    response = client.get(
        ADDRESS, {"category": category.slug, "games": "\n".join(games), "format": "json", **start}
    )
    assert response.status_code == 200, response.content
    return response.json()


def without_links(step):
    """A step as both sides can say it: a game to come has no address yet."""
    if step["name"] != "results":
        return step
    games = [{**one, "change": None, "game": None} for one in step["values"]["games"]]
    return {**step, "values": {**step["values"], "games": games}}


def as_text(value):
    """Decimals as JSON has them."""
    if isinstance(value, dict):
        return {key: as_text(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_text(one) for one in value]
    return str(value) if isinstance(value, Decimal) else value


near_the_floor = st.integers(100_00, 130_00)
anywhere = st.integers(100_00, 2900_00)
openings = st.one_of(
    st.none(),
    st.tuples(st.one_of(near_the_floor, anywhere), st.one_of(st.none(), st.integers(26, 31))),
)


@pytest.mark.long
def test_the_next_real_game_is_the_line_of_the_ledger_that_was_foretold(client):
    """Random members, results before, and results to come; each one foretold, then saved and read again."""

    @settings(max_examples=at_most(60))
    @given(
        category=st.sampled_from(list(Category)),
        start=st.lists(openings, min_size=3, max_size=4),
        before=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=8),
        following=st.lists(
            st.tuples(st.integers(1, 3), st.integers(0, 2), st.booleans()), min_size=1, max_size=4
        ),
    )
    def foretold(category, start, before, following):
        with transaction.atomic():
            members = [member() for _ in start]
            for who, given_rating in zip(members, start, strict=True):
                if given_rating is not None:
                    hundredths, played = given_rating
                    carried = {} if played is None else {"games": played, "previously_unrated": True}
                    opening(who, Decimal(hundredths).scaleb(-2), category, **carried)
            notation = CONTROL[category]
            minute = 10
            for first, half_points in before:
                white, black = members[first % len(members)], members[(first + 1) % len(members)]
                game(white, black, RESULTS[half_points][1], minute=minute, notation=notation)
                minute += 10
            who = members[0]
            for index, half_points, is_white in following:
                opponent = members[1 + (index - 1) % (len(members) - 1)]
                typed, as_white, as_black = RESULTS[half_points]
                (step,) = what_if(client, [f"{opponent.username} {typed}"], category, member=who.username)[
                    "games"
                ]
                played = (
                    game(who, opponent, as_white, minute=minute, notation=notation)
                    if is_white
                    else game(opponent, who, as_black, minute=minute, notation=notation)
                )
                minute += 10
                row = RatingChange.objects.with_events().get(member=who, game=played)
                line = as_text(EXPLANATION.to_representation(explained_line(row)))
                same = (
                    "reason",
                    "articles",
                    "before",
                    "after",
                    "change",
                    "displayed_before",
                    "displayed_after",
                )
                assert step["sentence"] == headline(row, to_come=True)
                assert {key: step[key] for key in same} == {key: line[key] for key in same}
                assert list(map(without_links, step["steps"])) == list(map(without_links, line["steps"]))
                assert step["opponent"] == opponent.username
                assert step["opponent_rating"] == as_text(row.opponent_rating)
                assert (step["difference"], step["k"], step["games"]) == (row.difference, row.k, row.games)
            transaction.set_rollback(True)

    foretold()


def test_a_rating_gives_the_whole_standing_to_the_rules():
    who = member()
    for minute in range(10, 60, 10):
        game(who, rated("1500.50"), "1-0", minute=minute)
    game(who, rated("1600.50"), "0-1", minute=60)
    # 3.7.4: 1500.50 + 100; then K = 40 × (0 − 0.50)
    assert Rating.objects.get(member=who).standing == LedgerLine(
        rating=1580_50,
        games=6,
        previously_unrated=True,
        first_half_points=10,
        first_opponents=7502_50,
        peak=1600_50,
    )


def test_several_games_go_on_from_the_exact_rating(client):
    data = what_if(client, ["1600 1", "1600 1"], Category.RAPID, rating="1500")
    # D = 100: 0.36, 20 × 0.64 = 12.80; then D = 87.20 → 87: 0.38, 20 × 0.62 = 12.40
    assert [(game["before"], game["change"], game["after"]) for game in data["games"]] == [
        ("1500.00", "12.80", "1512.80"),
        ("1512.80", "12.40", "1525.20"),
    ]
    assert data["final"] == {
        "rating": "1525.20",
        "displayed": 1525,
        "change": "25.20",
        "games": 2,
        "next_k": 20,
        "first_rating_games_to_go": None,
    }


def test_3_10_3_k_switches_with_the_30th_game(client):
    data = what_if(client, ["1500 0.5"] * 3, Category.BULLET, rating="1500", played=28)
    assert [(game["games"], game["k"], game["k_40_ends"]) for game in data["games"]] == [
        (29, 40, False),
        (30, 40, True),
        (31, 10, False),
    ]
    text = words(client.get(ADDRESS, {"category": "bullet", "rating": 1500, "played": 29, "games": "1500 1"}))
    assert "game 30: the last game with K = 40" in text
    assert "K for the next game 10" in text


def test_3_6_an_unrated_start_goes_through_both_stages(client):
    data = what_if(client, ["1500 0", "- 1", "1500 0.5", "1600 0", "1500 1", "1400 1", "1500 0", "1500 1"])
    assert [game["reason"] for game in data["games"]] == [
        "loss_forgotten",
        "both_unrated",
        *["result_counted"] * 4,
        "first_rating",
        "rated",
    ]
    assert data["games"][6]["after"] == "1500.00"
    assert data["games"][6]["titles_reached"] == ["AFM", "ACM"]
    results = next(step for step in data["games"][6]["steps"] if step["name"] == "results")
    assert [one["opponent_rating"] for one in results["values"]["games"]] == [
        "1500.00",
        "1600.00",
        "1500.00",
        "1400.00",
        "1500.00",
    ]
    assert {(one["change"], one["game"]) for one in results["values"]["games"]} == {(None, None)}
    assert data["final"]["rating"] == "1520.00"


def test_3_6_results_that_a_member_has_already_count_and_are_shown_with_their_games(client):
    who, strong = member("anna"), rated(1600)
    played = game(who, strong, "1/2-1/2")
    text = words(client.get(ADDRESS, {"category": "blitz", "member": "anna", "games": "1500 1\n1500.50 0"}))
    assert f"1 {strong} 1600.00 ½ 1 Mar 2026, 00:10 UTC 2 Opponent 1 1500.00 1 to come" in text
    assert "There would be no rating yet. A first rating needs 2 more results." in text
    data = what_if(client, ["1500 1"], member="anna")
    (results,) = [step for step in data["games"][0]["steps"] if step["name"] == "results"]
    assert [one["game"] for one in results["values"]["games"]] == [played.pk, None]


def test_3_3_the_floor_takes_a_rating(client):
    data = what_if(client, ["105 0", "500 1"], rating="105")
    assert [game["reason"] for game in data["games"]] == ["lost_under_floor", "result_counted"]
    assert data["games"][0]["sentence"] == (
        "Player would lose their blitz rating of 105.00: the game against Opponent 1 (105.00) would take "
        "it to 95.00, below the floor of 100.00."
    )
    assert data["final"] == {
        "rating": None,
        "displayed": None,
        "change": None,
        "games": 1,
        "next_k": None,
        "first_rating_games_to_go": 4,
    }
    assert "below 100: the rating is lost" in words(
        client.get(ADDRESS, {"category": "blitz", "rating": "105", "games": "105 0"})
    )


def test_titles_whose_rating_is_crossed_are_told(client):
    games = "1400 1\n1200 0"
    text = words(client.get(ADDRESS, {"category": "blitz", "rating": "1399.60", "games": games}))
    assert "1409.60 1410 reaches the AFM rating" in text
    assert "below the AFM rating" in text


def test_a_member_is_found_by_name_and_several_are_offered(client):
    anna, _ = member("anna", name="Novak, Anna"), member("annabel", name="Novak, Bela")
    opening(anna, "1799.60")
    query = {"category": "blitz", "games": "1800 1"}
    assert what_if(client, ["1800 1"], member="novak, anna")["start"] == {
        "member": "anna",
        "rating": "1799.60",
        "displayed": 1800,
        "games": 0,
        "previously_unrated": False,
    }
    # A username that is typed whole is meant, whoever else it finds.
    assert what_if(client, ["1800 1"], member="anna")["start"]["member"] == "anna"
    response = client.get(ADDRESS, {**query, "member": "nov"})
    assert response.status_code == 400
    assert "Several members match. Choose one, or enter the username." in words(response)
    assert b'<a href="?category=blitz&amp;games=1800+1&amp;member=annabel">' in response.content
    response = client.get(ADDRESS, {**query, "member": "zz"})
    assert response.status_code == 400
    assert "No members found." in words(response)


def test_the_page_of_a_member_leads_to_a_form_that_names_him(client):
    who = member("anna & bo")
    opening(who, 1500, Category.RAPID)
    address = "/calculators/what-if/?category=rapid&amp;member=anna%20%26%20bo"
    assert f'<a href="{address}">What if?</a>' in client.get(who.get_absolute_url()).content.decode()
    content = client.get(address.replace("&amp;", "&")).content.decode()
    assert 'value="anna &amp; bo"' in content
    assert '<option value="rapid" selected>' in content
    assert 'class="fault"' not in content


def test_the_page_takes_few_queries_however_many_members_are_met(client):
    names = [rated(1500 + number).username for number in range(20)]
    opening(member("anna"), 1500)
    few = "?category=blitz&member=anna&games=" + f"{names[0]}+1"
    many = "?category=blitz&member=anna&games=" + "%0A".join(f"{name}+1" for name in names)
    assert queries(client, ADDRESS + few) == queries(client, ADDRESS + many) <= 5
