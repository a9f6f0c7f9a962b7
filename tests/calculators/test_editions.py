"""Calculators and pages under an edition of RBB that the office has decided: its numbers, and its name."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from tests.arena import game, member, opening
from tests.arena.conftest import ApiClient
from tests.decisions import decided, undo
from tests.pages import words

pytestmark = pytest.mark.django_db

EDITION = """
[k]
rapid = 15
[[k.rule]]
k = 10
category = "blitz"
rating_from = 2000
[first_rating]
bonus = 25
"""
FIVE_WINS = "\n".join(["1500 1"] * 5)


@pytest.fixture
def edition():
    return decided("put-edition-into-force", since=["2026-03-02"], toml=[EDITION])


def answer(client, page, status=200, **query):
    response = client.get(f"/calculators/{page}/", {**query, "format": "json"})
    assert response.status_code == status
    data = response.json()
    data.pop("url", None)
    return data


def test_what_if_plays_and_goes_on_with_the_k_of_the_edition(client, edition):
    query = {"category": "blitz", "rating": "1995", "games": "1995 1\n2000 1"}
    data = answer(client, "what-if", **query)
    # Equal: 20 × 0.50; then 2005 with D = 5, H = 0.51: 10 × 0.49.
    assert [one["change"] for one in data["games"]] == ["10.00", "4.90"]
    assert (data["final"]["rating"], data["final"]["next_k"], data["edition"]) == (
        "2009.90",
        10,
        "2026-03-02",
    )
    page = client.get("/calculators/what-if/", query)
    assert "Under the rules in force since 2 Mar 2026" in words(page)
    assert '<a href="/how-ratings-work/#editions">' in page.content.decode()


def test_what_if_asked_at_midnight_answers_under_one_edition(client, edition, monkeypatch):
    query = {"category": "blitz", "rating": "1995", "games": "1995 1\n2000 1"}
    midnight, seen = datetime(2026, 3, 2, tzinfo=UTC), set()
    for earlier in range(12):
        # An hour passes whenever somebody looks at the clock.
        hours = count(-earlier)
        monkeypatch.setattr(
            "django.utils.timezone.now", lambda hours=hours: midnight + timedelta(hours=next(hours))
        )
        data = answer(client, "what-if", **query)
        k = [step["values"]["k"] for one in data["games"] for step in one["steps"] if step["name"] == "k"]
        seen.add((*k, data["games"][1]["k"], data["final"]["next_k"], data.get("edition")))
    assert seen == {(20, 20, 20, 20, None), (20, 10, 10, 10, "2026-03-02")}


def test_a_score_is_worked_out_with_the_k_of_the_edition(client, edition):
    query = {"rule_book": "rbb", "category": "rapid", "rating": "1500", "opponents": "1500", "number": "1"}
    data = answer(client, "needed", target="1507.50", **query)
    assert (data["needed"]["score"], data["needed"]["rating_after_wins"]) == ("1", "1507.50")
    assert data["edition"] == "2026-03-02"


def test_fewer_games_can_be_worked_out_where_k_depends_on_the_rating(client, edition):
    query = {"rule_book": "rbb", "category": "blitz", "rating": "1995", "opponents": "2000"}
    assert answer(client, "needed", number="10", **query)["break_even"]["games"] == 10
    fault = answer(client, "needed", status=400, number="11", **query)["error"]
    assert fault["fields"] == {
        "number": ["Under the rules in force since 2 Mar 2026, enter 10 games or fewer."]
    }
    told = ApiClient().ask("POST", "calculators/needed", {**query, "number": 11}, status=422)
    assert [one["field"] for one in told["errors"]] == ["number"]


def test_a_first_rating_has_the_bonus_of_the_edition(client, edition):
    # Five half points over 50%: 5 × 25.
    data = answer(client, "first-rating", games=FIVE_WINS)
    assert (data["first_rating"]["added"], data["first_rating"]["rating"]) == ("125.00", "1625.00")
    assert data["edition"] == "2026-03-02"
    query = {"rule_book": "rbb", "category": "rapid", "opponents": "1500", "target": "1625"}
    assert answer(client, "needed", **query)["needed"]["score"] == "5"


def test_the_way_to_a_first_rating_has_the_bonus_of_the_edition(client, edition):
    anna, bert = member("anna"), member("bert")
    opening(bert, 1500)
    game(anna, bert, "1-0")
    found = ApiClient().ask("GET", "members/anna/first-rating/blitz?average=1500")
    assert found["outcomes"][-1]["rating"] == "1625.00"


def test_the_regulations_name_each_edition_and_its_decision(client, edition):
    page = client.get("/how-ratings-work/")
    assert "From 2 Mar 2026: K in Rapid: 15" in words(page)
    assert f'<a href="{edition.get_absolute_url()}">#{edition.pk}</a>' in page.content.decode()
    assert 'id="editions"' not in client.get("/how-ratings-work/formula/").content.decode()


def test_the_api_lists_the_editions(edition):
    (one,) = ApiClient().ask("GET", "editions")["editions"]
    assert (one["since"], one["toml"], one["decision"]) == (
        "2026-03-02",
        EDITION,
        edition.get_absolute_url(),
    )
    assert one["text"].startswith("K in Rapid: 15 · ")


def test_without_an_edition_nothing_speaks_of_one(client, edition):
    undo(edition)
    assert ApiClient().ask("GET", "editions") == {"editions": []}
    assert "edition" not in answer(client, "what-if", category="blitz", rating="1500", games="1500 1")
    assert "edition" not in answer(client, "first-rating", games=FIVE_WINS)
    assert 'id="editions"' not in client.get("/how-ratings-work/").content.decode()
