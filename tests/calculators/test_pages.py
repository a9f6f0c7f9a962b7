"""The calculators over the pure rules: exact numbers on the page and in JSON, faults beside the field."""

import pytest
from django.test import Client

from tests.arena import member, opening
from tests.pages import BAD_QUERIES, is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

PAGES = {
    "fide": {"rating": "1500", "played": "40", "games": "1500 1"},
    "what-if": {"category": "blitz", "rating": "1500", "games": "1500 1"},
    "needed": {
        "rule_book": "rbb",
        "category": "blitz",
        "rating": "1500",
        "opponents": "1500",
        "number": "10",
        "target": "1550",
    },
    "first-rating": {"games": "1500 1"},
    "tournament": {"rule_book": "b02", "rating": "1500", "k": "15", "games": "1500 1"},
}
"""A good query of each."""

NEEDED = {"category": "blitz", "rating": "1850", "opponents": "1800", "number": "10", "target": "1900"}
COLUMNS = ("number", "opponent", "result", "difference", "expected", "change")
LISTS = [page for page in PAGES if "games" in PAGES[page]]


def answer(client, page, **query):
    """The JSON of a calculator, which must have a result."""
    response = client.get(f"/calculators/{page}/", {**query, "format": "json"})
    assert response.status_code == 200, response.content
    data = response.json()
    assert data.pop("url").startswith(f"/calculators/{page}/?")
    return data


def faults(client, page, **query):
    """What is wrong, by field; the page says the same, with what was typed still there."""
    address = f"/calculators/{page}/"
    response = client.get(address, {**query, "format": "json"})
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["status"] == 400
    shown = client.get(address, query)
    assert shown.status_code == 400
    assert is_friendly(shown)
    text = words(shown)
    for messages in error["fields"].values():
        for message in messages:
            assert message in text
    assert "Result" not in [part.strip() for part in text.split("Calculate")]
    return error["fields"]


@pytest.mark.parametrize(("opponent", "expected"), [("1500", "0.50"), ("1400", "0.64"), ("1300", "0.76")])
def test_examples_of_the_fide_page(client, opponent, expected):
    query = {"rating": "1500", "played": "40", "games": f"{opponent} 0.5"}
    text = words(client.get("/calculators/fide/", query))
    assert f"Expected score {expected} K 20: rated below 2400" in text
    assert f"1 {opponent} 0.5 {1500 - int(opponent)} {expected}" in text
    assert answer(client, "fide", **query)["expected"] == expected


def test_fide_estimate_of_a_tournament(client):
    data = answer(
        client,
        "fide",
        rating="1500",
        played="10",
        minutes="10",
        increment="5",
        games="1500 1\n1433 0.5\n1321 0\n1700 forfeit\nbye",
    )
    games = [
        (1, 1500, "1", 0, "0.50", "20.00"),
        (2, 1433, "0.5", 67, "0.60", "-3.81"),
        (3, 1321, "0", 179, "0.74", "-29.48"),
        (4, 1700, "forfeit", None, None, None),
        (5, None, "bye", None, None, None),
    ]
    # 40 × (1.5 − (0.5 + 0.59526… + 0.73696…)) = −13.288…
    assert data == {
        "rating_before": 1500,
        "games": [dict(zip(COLUMNS, game, strict=True)) for game in games],
        "k": 40,
        "counted": 3,
        "score": "1.5",
        "expected": "1.83",
        "change": "-13.29",
        "sum_of_games": "-13.29",
        "rating": "1486.71",
        "displayed": 1487,
        "performance": {"average": "1418.00", "p": "0.50", "dp": 0, "rating": "1418.00"},
        "k_reason": "new",
        "provisional": True,
        "floor_held": False,
        "time_class": "rapid",
    }


def test_the_total_is_rounded_once_and_says_where_the_games_add_up_to_something_else(client):
    # E = 0.50575… at D = 4: −0.1151… a draw with K = 20, shown −0.12; three are −0.3454…, shown −0.35.
    query = {"rating": "1504", "played": "40", "games": "1500 0.5\n" * 3}
    data = answer(client, "fide", **query)
    assert ([game["change"] for game in data["games"]], data["change"]) == (["-0.12"] * 3, "-0.35")
    assert "The changes shown add up to −0.36. The total of −0.35 is rounded once." in words(
        client.get("/calculators/fide/", query)
    )


def test_the_fide_page_shows_formula_disclaimer_and_where_its_source_is_off(client):
    text = words(client.get("/calculators/fide/"))
    assert "E = 1 ÷ (1 + 10 (R B − R A ) ÷ 400 )" in text
    assert "new = R old + K × (S − E)" in text
    assert "This calculator is for estimation purposes only and does not represent official FIDE" in text
    assert "about +120 for 70% and −120 for 30%; the official table has 149 and −149" in text
    data = answer(client, "fide", rating="1500", played="40", games="1500 1\n" * 7 + "1500 0\n" * 3)
    assert data["performance"] == {"average": "1500.00", "p": "0.70", "dp": 149, "rating": "1649.00"}


def test_rule_4_both_calculators_say_that_all_players_need_fide_ids(client):
    """“All players must have FIDE IDs for the tournament to be rated”; B.02 asks new players alone (7.14)."""
    said = "FIDE rates a tournament only if all its players have FIDE IDs. ( formula 4 )"
    assert said in words(client.get("/calculators/fide/", PAGES["fide"]))
    query = {"rating": "1800", "k": "20", "games": "2300 0.5"}
    assert said in words(client.get("/calculators/tournament/", {**query, "rule_book": "formula"}))
    assert "FIDE ID" not in words(client.get("/calculators/tournament/", {**query, "rule_book": "b02"}))


def test_fide_k_by_hand_and_floor(client):
    data = answer(client, "fide", rating="2000", k="15", floor="2000", games="1900 0")
    assert (data["k"], data["k_reason"], data["provisional"]) == (15, "by-hand", None)
    assert (data["rating"], data["change"], data["floor_held"]) == ("2000.00", "-9.60", True)


def test_what_is_needed_in_rbb(client):
    data = answer(client, "needed", **{**PAGES["needed"], "number": "1", "target": "1510"})
    win = {"games": 1, "score": "1", "in_best_order": "1", "rating_after_wins": "1510.00"}
    assert data["needed"] == win
    assert data["break_even"] == {**win, "score": "0.5", "in_best_order": "0.5"}
    text = words(client.get("/calculators/needed/", {"rule_book": "rbb", **NEEDED}))
    assert "You need 9/10 against opponents averaging 1800 to reach 1900." in text
    assert "8½ is enough if the results fall in the best order." in text


@pytest.mark.parametrize(
    ("book", "k", "needed", "break_even", "most"),
    [
        # D = 50: 0.57 a game. 10 × 15 × (s − 5.7) ≥ 49.50 for s = 9; 15 × (s − 5.7) ≥ −0.5 for s = 6.
        ("b02", 15, "9", "6", "1915.00"),
        # 8.3: 20 × (s − 5.7) ≥ 49.50 for s = 8.5; ≥ −0.49 for s = 6; 20 × 4.3 = 86.
        ("b02-2024", 20, "8.5", "6", "1936.00"),
        ("b02-rapid-blitz-2024", 40, "7", "6", "2022.00"),
        # E = 0.57146… a game: 20 × (s − 5.7146…) ≥ 50 for s = 8.5.
        ("formula", 20, "8.5", "6", "1935.71"),
    ],
)
def test_what_is_needed_by_the_other_rule_books(client, book, k, needed, break_even, most):
    data = answer(client, "needed", rule_book=book, k=k, **NEEDED)
    assert (data["needed"]["score"], data["break_even"]["score"]) == (needed, break_even)
    assert data["needed"]["rating_after_wins"] == most


def test_what_an_unrated_member_needs_for_a_first_rating(client):
    member("anna")
    query = {
        "rule_book": "rbb",
        "category": "blitz",
        "member": "anna",
        "opponents": "1500",
        "target": "1540",
    }
    data = answer(client, "needed", **query)
    assert data["first_rating"] is True
    assert data["needed"] == {
        "games": 5,
        "score": "3.5",
        "in_best_order": "3.5",
        "rating_after_wins": "1600.00",
    }
    assert "You need 3½/5 against opponents averaging 1500 to reach 1540." in words(
        client.get("/calculators/needed/", query)
    )
    text = words(client.get("/calculators/needed/", {**query, "target": "1601"}))
    assert "You can’t reach 1601 in 5 games: 5 wins give 1600.00." in text
    assert "Enter the target first rating." in str(faults(client, "needed", **{**query, "target": ""}))


def test_first_rating_and_performance(client):
    data = answer(
        client, "first-rating", games="1400 0\n1500 1\n1600.25 0.5\n- 1\n1500 0\n1500 0\n1500 0\n1500 1"
    )
    assert [game["reason"] for game in data["games"]] == [
        "loss_forgotten",
        "result_counted",
        "result_counted",
        "both_unrated",
        "result_counted",
        "result_counted",
        "first_rating",
        None,
    ]
    # Ra = 7600.25 / 5; 1.5 of 5 is p = 0.30, dp = −149
    assert data["first_rating"] == {
        "average": "1520.05",
        "score": "1.5",
        "added": "-149.00",
        "rating": "1371.05",
        "displayed": 1371,
        "article": "3.7.5",
    }
    # All seven: 10500.25 / 7 = 1500.035…; 2.5 of 7 is 0.357…, p = 0.36, dp = −102
    assert (data["counted"], data["score"]) == (7, "2.5")
    assert data["performance"] == {"average": "1500.04", "p": "0.36", "dp": -102, "rating": "1398.04"}
    text = words(client.get("/calculators/first-rating/", {"games": "- 1"}))
    assert "No first rating yet." in text
    assert "Performance rating no games" in text


TOURNAMENT = "1400 1\n1500 0\n- 1\n1600 forfeit\nbye\n2300 0.5"


def test_a_tournament_under_b02(client):
    data = answer(client, "tournament", rule_book="b02", rating="1800", k="15", games=TOURNAMENT)
    assert [(game["reason"], game["difference"], game["expected"]) for game in data["games"]] == [
        ("rated", 400, "0.92"),
        ("rated", 300, "0.85"),
        ("opponent_unrated", None, None),
        ("not_played", None, None),
        ("not_played", None, None),
        ("rated", -500, "0.08"),  # 8.54: as 400
    ]
    assert data["needs_fide_id"] is False
    # 15 × (1.5 − 1.85)
    assert (data["expected"], data["change"], data["rating"]) == ("1.85", "-5.25", 1795)
    assert "Your new rating would be 1795. Change: −5.25." in words(
        client.get(
            "/calculators/tournament/",
            {"rule_book": "b02", "rating": "1800", "k": "15", "games": TOURNAMENT},
        )
    )


def test_a_tournament_of_a_player_without_a_rating_gives_ru(client):
    query = {"rule_book": "b02", "games": "1400 1\n1500 0\n- 1\n2300 0"}
    data = answer(client, "tournament", **query)
    # Rc = 5200 / 3 = 1733.33; 1 of 3: p = 0.33, d(p) = −125
    assert data["outcome"] == "new_result"
    assert data["new_player"] == {
        "games": 3,
        "score": "1",
        "average": 1733,
        "article": "8.24",
        "p": "0.33",
        "dp": -125,
        "rating": 1608,
    }
    assert data["needs_fide_id"] is True
    page = words(client.get("/calculators/tournament/", query))
    assert "Performance: 1608. (B.02 8.24)" in page
    assert (
        "New players need a FIDE ID. Without one in the report, this result can’t count towards a first"
        " rating (B.02 7.14)." in page
    )
    few = answer(client, "tournament", rule_book="b02", games="1400 1\n1500 1")
    assert few["outcome"] == "few_games"


def test_the_same_form_by_the_fide_formula(client):
    rated = answer(client, "tournament", rule_book="formula", rating="1800", k="20", games="2300 0.5")
    assert rated["change"] == "8.94"  # 20 × (0.5 − 0.05324…) = 8.935…
    assert rated["needs_fide_id"] is True
    unrated = answer(client, "tournament", rule_book="formula", games="1400 1\n1500 0\n1600 forfeit\nbye")
    assert (unrated["rating"], unrated["performance"]["rating"]) == (None, "1450.00")
    assert unrated["games"][2] == {"number": 3, "opponent": 1600, "result": "forfeit"}


@pytest.mark.parametrize("page", PAGES)
def test_the_address_of_a_result_says_the_same_again(client, page):
    data = client.get(f"/calculators/{page}/", {**PAGES[page], "format": "json"}).json()
    again = client.get(data["url"], headers={"accept": "application/json"})
    assert again.json() == data
    assert client.get(data["url"]).status_code == 200


@pytest.mark.parametrize("page", LISTS)
def test_faults_of_a_list_are_told_by_line(client, page):
    lines = ["", "-5 1", "99999 1", "1850", "1850 2", "1850 1", "abc def 1", "1850.255 1", "1e3 1", "½"]
    found = faults(client, page, **{**PAGES[page], "games": "\n".join(lines)})["games"]
    text = "\n".join(found)
    least = 100
    assert f"Line 2: “-5” isn’t a rating from {least} to 4000." in found
    assert f"Line 3: “99999” isn’t a rating from {least} to 4000." in found
    assert "Line 4: “1850” needs both an opponent and a result." in found
    assert "Line 5: “2” isn’t a valid result. " in text
    assert "Line 6:" not in text
    if page not in ("what-if", "first-rating"):  # there it may be a name
        assert "Line 7: “abc def” isn’t a rating." in found
        assert "Line 9: “1e3” isn’t a rating." in found
    assert "Line 8: “1850.255” " in text
    assert "Line 10: “½” needs both" in text


@pytest.mark.parametrize(
    ("half_points", "written"),
    [
        ("1", ["1", "1.0", "1-0", "1–0", "win", "Won", "W"]),
        ("0.5", ["0.5", "0,5", ".5", "½", "1/2", "=", "½-½", "1/2-1/2", "draw", "D"]),
        ("0", ["0", "0-1", "loss", "lost", "L"]),
    ],
)
def test_results_are_taken_as_people_write_them(client, half_points, written):
    games = "\n".join(f"1500 {result}" for result in written)
    data = answer(client, "fide", rating="1500", played="40", games=games)
    assert [game["result"] for game in data["games"]] == [half_points] * len(written)


def test_opponents_are_found_by_words_of_their_names_without_accents(client):
    for username, name, points in (("anna", "Bérg, Anna", 1500), ("bo", "Lund, Bo", 1600)):
        opening(member(username, name=name), points)
    games = "anna berg win\nLund ½\n1700 0\n- 1"
    data = answer(client, "first-rating", category="blitz", games=games)
    assert [game["opponent_rating"] for game in data["games"]] == ["1500.00", "1600.00", "1700.00", None]


def test_a_name_that_several_members_have_is_told_with_their_usernames(client):
    for username in ("berg.a", "berg.b"):
        member(username, name=f"Berg, {username}")
    assert faults(client, "what-if", category="blitz", games="berg 1")["games"] == [
        "Line 1: several members match “berg”. Enter a username, such as berg.a, berg.b."
    ]


def test_a_username_that_nobody_has_is_told_by_line(client):
    opening(member("anna"), 1500)
    query = {"category": "blitz", "member": "anna"}
    assert faults(client, "what-if", **query, games="1500 1\nzz%s 1\nanna 1") == {
        "games": ["Line 2: no member matches “zz%s”.", "Line 3: a player can’t play against themselves."]
    }


@pytest.mark.parametrize("page", LISTS)
def test_more_than_a_thousand_games_are_refused(client, page):
    games = "1500 1\n" * 10_000
    assert faults(client, page, **{**PAGES[page], "games": games})["games"] == [
        "Enter 1000 games or fewer; there are 10000."
    ]
    assert (
        client.get(f"/calculators/{page}/", {**PAGES[page], "games": "1500 1\n" * 1_000}).status_code == 200
    )
    long = "1500" + " " * 40_000 + "1"
    assert faults(client, page, **{**PAGES[page], "games": long})["games"] == [
        "Enter 30000 characters or fewer; there are 40005."
    ]
    many = faults(client, page, **{**PAGES[page], "games": "-5 1\n" * 30})["games"]
    assert (len(many), many[-1]) == (11, "20 more lines need correcting.")


@pytest.mark.parametrize(
    ("page", "changes", "field"),
    [
        ("fide", {"rating": "-5"}, "rating"),
        ("fide", {"rating": "99999"}, "rating"),
        ("fide", {"rating": "text"}, "rating"),
        ("fide", {"rating": ""}, "rating"),
        ("fide", {"rating": "9" * 5000}, "rating"),
        ("fide", {"rating": "1500.5"}, "rating"),
        ("fide", {"played": ""}, "played"),
        ("fide", {"played": "-1"}, "played"),
        ("fide", {"k": "0"}, "k"),
        ("fide", {"increment": "5"}, "minutes"),
        ("fide", {"minutes": "99999"}, "minutes"),
        ("fide", {"games": " \n "}, "games"),
        ("fide", {"games": "- 1"}, "games"),
        ("fide", {"games": "1500.5 1"}, "games"),
        ("what-if", {"category": "classical"}, "category"),
        ("what-if", {"rating": "99.99"}, "rating"),
        ("what-if", {"rating": "1500.001"}, "rating"),
        ("what-if", {"rating": "NaN"}, "rating"),
        ("what-if", {"rating": "1e999999"}, "rating"),
        ("what-if", {"member": "x" * 151}, "member"),
        ("what-if", {"rating": "", "played": "10"}, "played"),
        ("what-if", {"played": "4"}, "played"),
        ("what-if", {"games": "1500 forfeit"}, "games"),
        ("needed", {"rule_book": "uscf"}, "rule_book"),
        ("needed", {"opponents": ""}, "opponents"),
        ("needed", {"number": ""}, "number"),
        ("needed", {"number": "101"}, "number"),
        ("needed", {"number": "10000"}, "number"),
        ("needed", {"target": "99999"}, "target"),
        ("needed", {"rule_book": "b02"}, "k"),
        ("needed", {"rule_book": "b02", "k": "15", "rating": "1199"}, "rating"),
        ("needed", {"rule_book": "b02", "k": "15", "opponents": "1500.5"}, "opponents"),
        ("needed", {"rule_book": "formula", "k": "15", "rating": ""}, "rating"),
        ("needed", {"rule_book": "formula", "k": "15", "played": "10"}, "played"),
        ("tournament", {"k": ""}, "k"),
        ("tournament", {"rating": "1199"}, "rating"),
        ("tournament", {"games": "1199 1"}, "games"),
        ("tournament", {"rule_book": "formula", "games": "- 1"}, "games"),
        ("first-rating", {"games": "1500 bye"}, "games"),
    ],
)
def test_each_fault_stands_beside_its_field(client, page, changes, field):
    assert list(faults(client, page, **{**PAGES[page], **changes})) == [field]


def test_what_was_typed_stays_in_the_form_and_is_no_markup(client):
    games = "<script>1</script> 1\n1850"
    response = client.get("/calculators/first-rating/", {"games": games})
    assert response.status_code == 400
    assert b"&lt;script&gt;1&lt;/script&gt; 1" in response.content
    assert b"<script>1" not in response.content


def test_a_member_and_a_rating_are_not_both_a_start(client):
    opening(member("anna"), 1500)
    query = {"category": "blitz", "member": "anna", "rating": "1600", "games": "1500 1"}
    assert faults(client, "what-if", **query) == {"rating": ["Enter a member or a rating, not both."]}


@pytest.mark.parametrize("page", ["", *(f"{page}/" for page in PAGES)])
def test_whatever_an_address_carries_the_answer_is_a_page(client, page):
    for query, _ in BAD_QUERIES:
        response = client.get(f"/calculators/{page}?{query}")
        assert response.status_code in (200, 400), query
        assert is_friendly(response)


@pytest.mark.parametrize("page", PAGES)
def test_an_unknown_format_is_refused(client, page):
    assert client.get(f"/calculators/{page}/?format=exe").status_code == 400
    empty = client.get(f"/calculators/{page}/", headers={"accept": "application/json"})
    assert (empty.status_code, empty.json()["error"]["status"]) == (400, 400)


def test_the_calculators_are_linked(client):
    assert b'href="/calculators/"' in client.get("/how-ratings-work/").content
    text = client.get("/calculators/").content.decode()
    for page in PAGES:
        assert f'href="/calculators/{page}/"' in text
        assert client.get(f"/calculators/{page}/").status_code == 200


@pytest.mark.parametrize("page", LISTS)
def test_a_long_list_of_games_is_sent_as_a_form_and_has_no_address(client, page):
    asked = {**PAGES[page], "games": "1500 1\n" * 900}
    sent = Client(enforce_csrf_checks=True).post(f"/calculators/{page}/", asked)
    assert sent.status_code == 200
    assert "Link to this result" not in sent.text
    assert "Link to this result" in Client().post(f"/calculators/{page}/", PAGES[page]).text


@pytest.mark.parametrize("line", ["1600, 1", "1600,1 1", "1600.1; win", "1600,10 1-0"])
def test_games_are_read_as_people_write_them(client, line):
    assert client.get("/calculators/what-if/", {**PAGES["what-if"], "games": line}).status_code == 200


def test_a_rating_may_have_a_decimal_comma(client):
    asked = {**PAGES["what-if"], "rating": "1500,5"}
    assert "1500.50" in client.get("/calculators/what-if/", asked).text
