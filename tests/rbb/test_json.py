"""Games and lines of the ledger as JSON, field by field (docs/json.md)."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from ratings.rbb.models import Game, RatingChange
from tests.arena import adjustment, at, game, member, opening, rated
from tests.pages import is_friendly

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

JSON = {"HTTP_ACCEPT": "application/json"}


def api_address(entry):
    """The address of a game or a line in the API."""
    return f"/api/v1/{'all-games' if isinstance(entry, Game) else 'explanations'}/{entry.pk}"


def data_of(client, entry):
    """A game or a line as JSON."""
    response = client.get(api_address(entry))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    return response.json()


def line_of(client, who, played=None):
    """His line of this game, or his last one, as JSON."""
    rows = RatingChange.objects.filter(member=who)
    return data_of(client, rows.get(game=played) if played else rows.latest("occurred_at", "id"))


def values(line):
    """Articles and values of the steps, by their names."""
    return {step["name"]: (step["articles"], step["values"]) for step in line["steps"]}


def person(who):
    """A member in JSON."""
    return {
        "id": who.pk,
        "url": f"/members/{who.pk}/",
        "username": who.username,
        "name": who.name,
        "title": who.title,
    }


def test_a_game_between_two_rated_players(client):
    anna = member("anna", name="Novak, Anna", title="WGM")
    opening(anna, "1799.60")
    boris = member("boris", name="Boris")
    opening(boris, "1279.60")
    played = game(anna, boris, plies=40, external_id="g1", termination="checkmate")
    data = data_of(client, played)
    white, black = data.pop("changes")
    assert data == {
        "id": played.pk,
        "url": f"/games/{played.pk}/",
        "external_id": "g1",
        "white": {**person(anna), "rating_before": "1799.60"},
        "black": {**person(boris), "rating_before": "1279.60"},
        "time_control": "180+2",
        "category": "blitz",
        "rated": True,
        "result": "1-0",
        "termination": "checkmate",
        "plies": 40,
        "started_at": "2026-03-01T00:05:00Z",
        "ended_at": "2026-03-01T00:10:00Z",
        "voided_at": None,
        "void_reason": None,
        "event": None,
        "arena_url": None,
        "variant": "standard",
        "pgn": None,
        "why_nothing": [],
    }
    line = line_of(client, anna, played)
    assert line.pop("previous") == f"/changes/{RatingChange.objects.get(member=anna, game=None).pk}/"
    assert line.pop("next") is None
    assert line.pop("recalculated") == []
    assert line == white
    assert white.pop("steps")[3]["text"] == (
        "PD = 0.97: D = 520 falls in row 518–559 of table 4.2. Column H is for the higher-rated player, "
        "Anna Novak."
    )
    assert white == {
        "id": white["id"],
        "url": f"/changes/{white['id']}/",
        "kind": "game",
        "member": person(anna),
        "category": "blitz",
        "occurred_at": "2026-03-01T00:10:00Z",
        "game": f"/games/{played.pk}/",
        "opponent": person(boris),
        "reason": "rated",
        "articles": ["3.9"],
        "before": "1799.60",
        "after": "1800.20",
        "change": "0.60",
        "displayed_before": 1800,
        "displayed_after": 1800,
        "sentence": "Anna Novak’s blitz rating rose by 0.60, from 1799.60 to 1800.20, after beating Boris "
        "(1279.60), who was expected to score 0.03.",
    }
    assert [step["number"] for step in black["steps"]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert values(black) == {
        "before": (["3.1"], {"rating": "1279.60"}),
        "opponent": (["3.9", "3.11"], {"rating": "1799.60"}),
        "difference": (
            ["3.9.1", "3.13"],
            {"higher": "1799.60", "lower": "1279.60", "exact": "520.00", "rounded": 520},
        ),
        "expected": (
            ["3.9.1", "4.2"],
            {
                "difference": 520,
                "row_first": 518,
                "row_last": 559,
                "higher": "0.97",
                "lower": "0.03",
                "column": "L",
                "expected": "0.03",
            },
        ),
        "score": (["3.9.1"], {"score": "0"}),
        "k": (["3.10.1", "3.10.3"], {"k": 20, "game": 1, "needed": 30}),
        "change": (["3.9.1"], {"score": "0", "expected": "0.03", "delta": "-0.03"}),
        "after": (
            ["3.9.2"],
            {"before": "1279.60", "k": 20, "delta": "-0.03", "amount": "-0.60", "after": "1279.00"},
        ),
        "displayed": (["3.12", "3.13"], {"before": 1280, "after": 1279}),
    }


def test_a_first_rating(client):
    who = member("anna")
    rivals = [rated(1500 + number) for number in range(5)]
    games = [
        game(who, rival, result, minute=10 + number)
        for number, (rival, result) in enumerate(
            zip(rivals, ["1-0", "1/2-1/2", "0-1", "0-1", "0-1"], strict=True)
        )
    ]
    line = line_of(client, who)
    assert (line["reason"], line["articles"]) == ("first_rating", ["3.7"])
    assert (line["before"], line["after"], line["change"]) == (None, "1353.00", None)
    assert (line["displayed_before"], line["displayed_after"]) == (None, 1353)
    found = values(line)
    assert found["before"] == (["3.5"], {"rating": None})
    assert found["stage"] == (["3.6.2"], {"results": 5, "needed": 5})
    articles, results = found["results"]
    assert articles == ["3.6.2"]
    assert (results["score"], results["opponents"]) == ("1.5", "7510.00")
    assert [
        (one["game"], one["opponent"], one["opponent_rating"], one["score"]) for one in results["games"]
    ] == [
        (games[0].pk, rivals[0].username, "1500.00", "1"),
        (games[1].pk, rivals[1].username, "1501.00", "0.5"),
        (games[2].pk, rivals[2].username, "1502.00", "0"),
        (games[3].pk, rivals[3].username, "1503.00", "0"),
        (games[4].pk, rivals[4].username, "1504.00", "0"),
    ]
    assert found["average"] == (["3.7.1"], {"opponents": "7510.00", "needed": 5, "average": "1502.00"})
    # p = 0.30: dp = -149
    assert found["addition"] == (
        ["3.7.5", "4.1"],
        {"score": "1.5", "needed": 5, "p": "0.30", "added": "-149.00"},
    )
    assert found["after"] == (
        ["3.7.2"],
        {"average": "1502.00", "added": "-149.00", "after": "1353.00"},
    )
    assert found["displayed"] == (["3.12", "3.13"], {"before": None, "after": 1353})


def test_an_opening(client):
    line = line_of(client, rated(1800))
    assert (line["kind"], line["reason"], line["articles"]) == ("opening", "opening", ["3.4"])
    assert (line["game"], line["opponent"], line["before"], line["after"]) == (None, None, None, "1800.00")
    assert values(line) == {
        "opening": (
            ["3.4"],
            {"rating": "1800.00", "source": "test", "games": 0, "previously_unrated": False},
        ),
        "displayed": (["3.12", "3.13"], {"before": None, "after": 1800}),
    }


def test_an_adjustment(client):
    who = rated(1800)
    adjustment(who, "-12.00", source="FIDE")
    line = line_of(client, who)
    assert (line["kind"], line["reason"], line["articles"]) == ("adjustment", "adjusted", ["3.15"])
    assert (line["before"], line["after"], line["change"]) == ("1800.00", "1788.00", "-12.00")
    assert values(line) == {
        "before": (["3.1"], {"rating": "1800.00"}),
        "adjustment": (["3.15", "1.3"], {"period": "2026-03", "source": "FIDE", "amount": "-12.00"}),
        "after": (["3.15"], {"before": "1800.00", "amount": "-12.00", "after": "1788.00"}),
        "displayed": (["3.12", "3.13"], {"before": 1800, "after": 1788}),
    }


def test_a_loss_under_the_floor(client):
    who = rated("100.50")
    line = line_of(client, who, game(who, rated("100.50"), "0-1"))
    assert (line["reason"], line["articles"]) == ("lost_under_floor", ["3.3"])
    assert (line["before"], line["after"], line["change"]) == ("100.50", None, "-10.00")
    found = values(line)
    assert found["after"][1]["after"] == "90.50"
    assert found["k"] == (["3.10.1"], {"k": 20, "game": None, "needed": 30})
    assert found["floor"] == (
        ["3.2", "3.3", "3.6"],
        {"computed": "90.50", "floor": "100.00", "lost": True},
    )
    assert found["displayed"] == (["3.12", "3.13"], {"before": 101, "after": None})


def test_an_unrated_opponent(client):
    who = rated(1500)
    line = line_of(client, who, game(who, member()))
    assert (line["reason"], line["articles"]) == ("opponent_unrated", ["3.8"])
    assert (line["before"], line["after"], line["change"]) == ("1500.00", "1500.00", "0.00")
    assert values(line) == {
        "before": (["3.1"], {"rating": "1500.00"}),
        "opponent": (["3.5"], {"rating": None}),
        "unaffected": (["3.8"], {}),
        "displayed": (["3.12", "3.13"], {"before": 1500, "after": 1500}),
    }


def test_a_void_game_says_why_but_not_by_whom(client, django_user_model):
    officer = django_user_model.objects.create_superuser("secret-officer")
    played = game(rated(1800), rated(1700), voided_at=at(60), void_reason="engine use", voided_by=officer)
    client.force_login(officer)
    response = client.get(api_address(played))
    data = response.json()
    assert (data["voided_at"], data["void_reason"]) == ("2026-03-01T01:00:00Z", "engine use")
    assert data["changes"] == []
    assert data["why_nothing"] == [
        {
            "articles": [],
            "text": "Void since 1 Mar 2026, 01:00 UTC: engine use. The game does not count for ratings.",
        }
    ]
    assert "secret-officer" not in response.content.decode()


def test_a_game_in_progress(client):
    playing = game(rated(1800), member(), "", started_at=timezone.now(), ended_at=None)
    data = data_of(client, playing)
    assert (data["result"], data["ended_at"], data["changes"]) == (None, None, [])
    assert data["white"]["rating_before"] == "1800.00"
    assert data["black"]["rating_before"] is None
    assert data["why_nothing"] == [
        {"articles": ["3.11"], "text": "The game is in progress. It will be rated when it ends."}
    ]


def test_a_stored_pgn_is_linked(client):
    played = game(rated(1800), rated(1700), pgn="1. e4 *")
    address = data_of(client, played)["pgn"]
    assert address == f"/games/{played.pk}/?format=pgn"
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    ("accept", "is_json"),
    [
        (None, False),
        ("*/*", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
        ("application/json", True),
        ("application/json, text/plain, */*", True),
        ("text/html;q=0.5, application/json", True),
        ("application/json;q=0.5, text/html", False),
        ("image/png", False),
        ("nonsense", False),
    ],
)
def test_a_page_is_json_for_whoever_prefers_it_and_says_that_it_varies(client, accept, is_json):
    response = client.get("/", **({} if accept is None else {"HTTP_ACCEPT": accept}))
    assert response.status_code == 200
    assert response["Content-Type"] == ("application/json" if is_json else "text/html; charset=utf-8")
    assert "Accept" in response["Vary"].split(", ")


@pytest.mark.parametrize("asked", [{"QUERY_STRING": "format=json"}, JSON])
def test_the_json_of_a_game_and_of_a_line_is_the_apis_alone(client, asked):
    played = game(rated(1800), rated(1700), pgn="1. e4 *")
    for entry in (played, RatingChange.objects.of_game(played).first()):
        page = client.get(entry.get_absolute_url(), **asked)
        assert page.status_code == (200 if asked is JSON else 400)
        assert client.get(api_address(entry)).status_code == 200


@pytest.mark.parametrize("address", ["/games/1/", "/changes/1/", "/games/99999999999999999999999/"])
def test_what_is_not_there_has_a_friendly_page(client, address):
    page = client.get(address)
    assert page.status_code == 404
    assert is_friendly(page)


@pytest.mark.parametrize("name", ["xml", "", "JSON", "j" * 5000])
def test_an_unknown_format_is_refused(client, name):
    played = game(rated(1800), rated(1700), pgn="1. e4 *")
    line = RatingChange.objects.of_game(played).first()
    for entry in (played, line):
        page = client.get(entry.get_absolute_url(), {"format": name})
        assert page.status_code == 400
        assert is_friendly(page)
    assert client.get(line.get_absolute_url(), {"format": "pgn"}).status_code == 400
    response = client.get("/", {"format": name}, **JSON)
    assert (response.status_code, response.json()["error"]["status"]) == (400, 400)


def test_every_field_and_step_is_documented(client):
    """docs/json.md names every field and every step that there is."""
    documented = set(re.findall(r"`([a-z_]+)`", (Path(settings.BASE_DIR) / "docs/json.md").read_text()))
    who = member()
    played = [game(who, rated(1500), "1/2-1/2" if n < 3 else "0-1", minute=10 + n) for n in range(5)]
    adjusted = rated(101, previously_unrated=True)
    adjustment(adjusted, -12, source="FIDE")
    lost = rated("100.50")
    found = [
        data_of(client, entry)
        for entry in (
            *played,
            game(rated(1500), rated(1500)),
            game(lost, rated("100.50"), "0-1"),
            *RatingChange.objects.filter(member__in=(who, adjusted)),
        )
    ]

    def names(value):
        if isinstance(value, list):
            return set().union(*map(names, value))
        if isinstance(value, dict):
            step = {value["name"]} if "values" in value else set()
            return set(value) | step | set().union(*map(names, value.values()))
        return set()

    assert names(found) - documented == set()
    assert set(data_of(client, played[0])) <= documented
