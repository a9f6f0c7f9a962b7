"""The calculators in the API: what the pages say, and their faults as problems."""

import pytest

from tests.arena import game, member, opening, rated
from tests.arena.conftest import ApiClient
from tests.calculators.test_pages import PAGES

pytestmark = [pytest.mark.django_db, pytest.mark.needs("arena"), pytest.mark.rendered]

WHOLE = {"played", "number", "k", "floor", "minutes", "increment"}


@pytest.fixture
def visitor():
    return ApiClient()


def as_json(page, query):
    """What somebody fills in on a page, as the API takes it."""
    over_the_board = page in ("fide", "tournament")
    sent = {
        name: int(text) if name in WHOLE or (name == "rating" and over_the_board) else text
        for name, text in query.items()
    }
    if "games" in sent:
        pairs = [line.split() for line in query["games"].splitlines()]
        sent["games"] = [
            {
                "opponent": None if who == "-" else int(who) if over_the_board else who,
                "result": {"win": "1", "½": "0.5"}.get(result, result),
            }
            for who, result in pairs
        ]
    return sent


MORE = [
    ("what-if", {"category": "blitz", "games": "1500 ½\n1600 win\n- 1\n1700 0\n1800 1\n1500 1\n1500 1"}),
    ("needed", {"rule_book": "rbb", "category": "blitz", "opponents": "1500", "target": "1600"}),
    (
        "needed",
        {
            "rule_book": "b02-2024",
            "category": "blitz",
            "rating": "1800",
            "k": "20",
            "opponents": "1900",
            "number": "9",
        },
    ),
    ("first-rating", {"games": "1500 0\n1500 1\n1600 ½\n1700 1\n1800 0\n1500 ½\n1900 1"}),
    ("tournament", {"rule_book": "b02-2024", "games": "1500 1\n1600 0.5\n1700 0\n1800 1\n1900 1"}),
    (
        "tournament",
        {"rule_book": "formula", "rating": "1500", "k": "20", "games": "1600 1\n1700 forfeit\n- bye"},
    ),
    ("tournament", {"rule_book": "formula", "games": "1600 1\n1700 0.5"}),
    ("fide", {"rating": "2390", "played": "40", "minutes": "5", "increment": "3", "games": "2500 1"}),
]


@pytest.mark.parametrize(("calculator", "query"), [*PAGES.items(), *MORE])
def test_the_answer_is_that_of_the_page(client, visitor, calculator, query):
    shown = client.get(f"/calculators/{calculator}/", {**query, "format": "json"}).json()
    told = visitor.ask("POST", f"calculators/{calculator}", as_json(calculator, query))
    assert client.get(f"{told.pop('url')}&format=json").status_code == 200
    shown.pop("url")
    assert _filled(told) == _filled(shown)


def _filled(value):
    """A value without names that mean nothing, and with numbers as texts, as exact ones are."""
    if isinstance(value, dict):
        return {name: _filled(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_filled(one) for one in value]
    return f"{value}".removesuffix(".00")


def test_a_member_plays_with_the_rating_of_now(visitor):
    anna = member("anna")
    opening(anna, 1600)
    opening(member("bert"), 1500)
    games = [{"opponent": "bert", "result": "1"}]
    told = visitor.ask("POST", "calculators/what-if", {"category": "blitz", "member": "anna", "games": games})
    assert told["start"]["rating"] == "1600.00"
    (only,) = told["games"]
    # D 100, PD 0.64, K 20
    assert (only["opponent"], only["opponent_rating"], only["change"]) == ("bert", "1500.00", "7.20")
    assert told["url"] == "/calculators/what-if/?category=blitz&member=anna&games=bert+1"


def test_8_23_a_perfect_score_of_a_new_player_needs_no_dp(visitor):
    games = [{"opponent": 1850, "result": "1"}] * 9
    told = visitor.ask("POST", "calculators/tournament", {"rule_book": "b02", "games": games})
    assert (told["new_player"]["article"], told["new_player"]["dp"]) == ("8.23", None)
    document = visitor.ask("GET", "schema")["components"]["schemas"]["NewPlayer"]["properties"]["dp"]
    assert document["type"] == ["integer", "null"]


@pytest.mark.parametrize(
    ("calculator", "sent", "status", "field", "said"),
    [
        ("what-if", {"games": []}, 400, "category", ""),
        ("what-if", {"category": "blitz", "games": [{"opponent": "1500"}]}, 400, "games.0.result", ""),
        (
            "what-if",
            {"category": "blitz", "games": [{"opponent": "15\n1", "result": "1"}]},
            400,
            "games.0.opponent",
            "one line",
        ),
        (
            "what-if",
            {"category": "blitz", "games": [{"opponent": "nobody", "result": "1"}]},
            422,
            "games",
            "Line 1: no member matches “nobody”.",
        ),
        (
            "what-if",
            {"category": "blitz", "member": "nobody", "games": [{"opponent": None, "result": "1"}]},
            422,
            "member",
            "No members found.",
        ),
        (
            "needed",
            {"rule_book": "rbb", "category": "blitz", "rating": "1500", "opponents": "1500"},
            422,
            "number",
            "Enter the number of games.",
        ),
        (
            "needed",
            {"rule_book": "rbb", "category": "blitz", "opponents": "99"},
            400,
            "opponents",
            "from 100 to 4000",
        ),
        (
            "tournament",
            {"rule_book": "b02", "rating": 1500, "games": [{"opponent": 1500, "result": "1"}]},
            422,
            "k",
            "Enter K.",
        ),
        ("fide", {"rating": 1500, "k": 101, "games": [{"opponent": 1500, "result": "1"}]}, 400, "k", "100"),
        (
            "fide",
            {"rating": 1500, "k": 10, "games": [{"opponent": 5000, "result": "1"}]},
            422,
            "games",
            "Line 1: “5000” isn’t a rating from 100 to 4000.",
        ),
        (
            "first-rating",
            {"games": [{"opponent": "1500", "result": "1"}], "name": "x"},
            400,
            "name",
            "The fields are",
        ),
    ],
)
def test_what_cannot_be_calculated_is_a_problem_with_its_fields(
    visitor, calculator, sent, status, field, said
):
    problem = visitor.ask("POST", f"calculators/{calculator}", sent, status=status)
    assert problem["kind"] == ("refused" if status == 422 else "invalid")
    assert [one["field"] for one in problem["errors"]][:1] == [field]
    assert said in problem["errors"][0]["detail"]


def test_results_against_each_other_are_those_of_the_page(client, visitor):
    anna, boris, carl = rated(1800), rated(1700), rated(1600)
    game(anna, boris, minute=10)
    game(boris, anna, "1/2-1/2", minute=20)
    game(anna, carl, minute=30)
    game(boris, carl, "0-1", minute=40)
    page = client.get(f"/compare/?members={anna.pk},{boris.pk}&format=json").json()
    names = f"{anna.username},{boris.username}"
    assert visitor.ask("GET", f"compare?members={names}") == page
    assert visitor.ask("GET", f"compare?members={names}&category=rapid")["head_to_head"] == []
    for query, said in (
        (f"members={anna.username}", "2 to 4"),
        (f"members={anna.username},{anna.username}", "2 to 4 different"),
        ("members=a,b", "“a”"),
    ):
        problem = visitor.ask("GET", f"compare?{query}", status=400)
        assert problem["errors"][0]["field"] == "members"
        assert said in problem["errors"][0]["detail"]


def test_each_result_of_the_next_game_is_told_for_both(visitor):
    anna, bert = member("anna"), member("bert")
    opening(anna, 1600)
    opening(bert, 1500, games=6, previously_unrated=True)
    game(anna, bert, "1/2-1/2", minute=10)
    told = visitor.ask("GET", "members/anna/against/bert")
    rapid, blitz, _bullet = told["categories"]
    assert (told["member"]["username"], told["opponent"]["username"]) == ("anna", "bert")
    one = {"games": 1, "won": 0, "drawn": 1, "lost": 0, "score": "0.5"}
    none = {"games": 0, "won": 0, "drawn": 0, "lost": 0, "score": "0"}
    assert (blitz["white"], blitz["black"], blitz["both"]) == (one, none, one)
    # 1597.20 and 1505.60: D 92, PD 0.63; K is 20 and 40.
    assert blitz["member_would_change"] == {"win": "7.40", "draw": "-2.60", "loss": "-12.60"}
    assert blitz["opponent_would_change"] == {"win": "25.20", "draw": "5.20", "loss": "-14.80"}
    assert set(rapid["member_would_change"].values()) == {"0.00"}
    visitor.ask("GET", "members/anna/against/anna", status=400)
    visitor.ask("GET", "members/anna/against/nobody", status=404)


def test_3_7_what_each_score_would_give_an_unrated_member(visitor):
    who = member("new")
    told = visitor.ask("GET", "members/new/first-rating/blitz")
    assert (told["rating"], told["needed"], told["to_go"], told["average"]) == (None, 5, 5, "1500.00")
    # As on the page: tests/rbb/test_coach_page.py
    assert [(one["score"], one["rating"], one["article"]) for one in told["outcomes"]][:3] == [
        ("0", None, "3.6.1"),
        ("0.5", "1134.00", "3.7.5"),
        ("1", "1260.00", "3.7.5"),
    ]
    game(who, rated(1600), "1/2-1/2")
    told = visitor.ask("GET", "members/NEW/first-rating/blitz")
    assert (told["to_go"], told["score"], told["average_so_far"]) == (4, "0.5", "1600.00")
    told = visitor.ask("GET", "members/new/first-rating/blitz?average=1700")
    assert (told["average"], told["average_so_far"]) == ("1700.00", "1600.00")
    for average in ("99", "4001", "x", "1e3"):
        problem = visitor.ask("GET", f"members/new/first-rating/blitz?average={average}", status=400)
        assert problem["errors"][0]["field"] == "average"


def test_who_is_rated_has_no_first_rating_ahead(visitor):
    opening(member("anna"), 1600)
    told = visitor.ask("GET", "members/anna/first-rating/blitz")
    assert (told["rating"], told["to_go"], told["outcomes"]) == ("1600.00", 0, [])
