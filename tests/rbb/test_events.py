"""Events of arenas: their list, their standings, and the games that link to them."""

import csv
import json

import pytest
from django.test import Client

from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import ArenaEvent, Game
from ratings.rbb.views.events import rounds_of
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, game, member, opening, rated

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


@pytest.fixture
def event(db):
    return ArenaEvent.objects.create(
        external_id="arena/spring", name="Spring <Open>", url="https://arena.example/spring"
    )


@pytest.fixture
def played(event):
    """Anna beats bert and cleo, who draw; dora, who is unrated, loses against bert."""
    anna, bert, cleo = rated("1500.00"), rated("1600.00"), rated("1700.00")
    dora = member(name="Dahl <i>, Dora")
    game(anna, bert, "1-0", minute=10, event=event, round="1", url="https://arena.example/1")
    game(cleo, anna, "0-1", minute=20, event=event, round="2")
    game(bert, cleo, "1/2-1/2", minute=30, event=event, round="3")
    game(dora, bert, "0-1", minute=40, event=event, round="4")
    game(anna, dora, "1-0", minute=50)
    return anna, bert, cleo, dora


def lines(client, event):
    found = client.get(f"/events/{event.pk}/?format=json").json()["standings"]
    return [
        tuple(one[name] for name in ("place", "username", "points", "games", "performance")) for one in found
    ]


def test_standings_have_points_of_all_games_and_performance_against_rated_opponents(client, event, played):
    # RBB 3.9, 4.2 with K = 20. Round 1, D = 100: anna 1512.80, bert 1587.20. Round 2, D = 187: anna 1527.60,
    # cleo 1685.20. Round 3, D = 98: bert 1589.80. Performance is Ra + dp (RBB 3.7.1, 4.1), and bert's win
    # against dora, who is unrated, isn't in his:
    # anna (1600 + 1700) / 2 + 800; bert (1500 + 1685.20) / 2 − 193 = 1399.60;
    # cleo (1512.80 + 1587.20) / 2 − 193; dora 1589.80 − 800.
    names = [who.username for who in played]
    assert lines(client, event) == [
        (1, names[0], "2", 2, 2450),
        (2, names[1], "1.5", 3, 1400),
        (3, names[2], "0.5", 2, 1357),
        (4, names[3], "0", 1, 790),
    ]


def test_equal_points_share_a_place_the_better_performance_first(client, event):
    anna, bert = rated("1500.00"), rated("1800.00")
    game(anna, bert, "1/2-1/2", event=event)
    assert [one[:2] for one in lines(client, event)] == [(1, anna.username), (1, bert.username)]


def test_void_games_and_games_in_progress_do_not_count(client, event, played, django_user_model):
    anna, bert, *_others = played
    void_games(
        games=Game.objects.filter(round="1"),
        by=django_user_model.objects.create_user("officer"),
        reason="fair-play",
        at=at(100),
    )
    game(anna, bert, "", ended_at=None, minute=60, event=event)
    points = {one[1]: (one[2], one[3]) for one in lines(client, event)}
    assert (points[anna.username], points[bert.username]) == (("1", 1), ("1.5", 2))


def test_unrated_games_count_for_points_alone(client, event):
    anna, bert = rated("1500.00"), rated("1800.00")
    game(anna, bert, "1-0", event=event, rated=False, variant="Chess960")
    assert lines(client, event) == [(1, anna.username, "1", 1, None), (2, bert.username, "0", 1, None)]


def test_an_event_in_several_categories_has_no_performance_ratings(client, event):
    anna, bert = rated("1500.00"), rated("1800.00")
    for who in (anna, bert):
        opening(who, "1500.00", Category.BULLET)
    game(anna, bert, "1-0", event=event)
    game(anna, bert, "1-0", minute=20, event=event, notation=CONTROL[Category.BULLET])
    assert [one[4] for one in lines(client, event)] == [None, None]
    page = client.get(f"/events/{event.pk}/").content.decode()
    assert (
        "Performance ratings aren’t shown, because this event has rated games in several categories" in page
    )


def test_the_page_has_standings_games_and_a_link_to_the_arena(client, event, played):
    page = client.get(f"/events/{event.pk}/").content.decode()
    assert '<a href="https://arena.example/spring" rel="nofollow noopener">' in page
    assert "<h1>Spring &lt;Open&gt;</h1>" in page
    assert "Dahl &lt;i&gt;, Dora" in page
    assert all(game.get_absolute_url() in page for game in event.games.all())
    assert Game.objects.get(event=None).get_absolute_url() not in page
    assert "1½" in page


def test_the_games_of_an_event_can_be_chosen_by_round(client, event, played):
    address = f"/events/{event.pk}/"
    page = client.get(address)
    assert page.context["rounds"] == ["1", "2", "3", "4"]
    assert len(page.context["table"].rows) == 4
    assert 'href="?round=3#games-heading"' in page.text
    chosen = client.get(f"{address}?round=3")
    assert [row.record.round for row in chosen.context["table"].rows] == ["3"]
    # A round that the event doesn't have is no choice.
    assert len(client.get(f"{address}?round=9").context["table"].rows) == 4


def test_rounds_come_in_their_order(event):
    anna, bert = rated("1500.00"), rated("1600.00")
    for minute, number in enumerate(("10", "2", "3.2", "?", "3.1", "")):
        game(anna, bert, minute=10 * (minute + 1), event=event, round=number)
    assert rounds_of(event) == ["2", "3.1", "3.2", "10", "?"]


def test_an_event_without_rounds_offers_no_choice(client, event):
    game(rated("1500.00"), rated("1600.00"), event=event)
    assert "?round=" not in client.get(f"/events/{event.pk}/").text


def test_who_is_logged_in_sees_their_own_games_of_an_event_first_and_nobody_else_does(
    client, event, played, django_user_model, settings
):
    settings.CACHES = {**settings.CACHES, "pages": settings.CACHES["default"]}
    anna, _bert, cleo, _dora = played
    address = f"/events/{event.pk}/"
    cleo.user = django_user_model.objects.create_user("cleo")
    cleo.save()
    client.force_login(cleo.user)
    page = client.get(address)
    assert [row.record.round for row in page.context["own"].rows] == ["3", "2"]
    assert page.text.index("Your games") < page.text.index('id="games-heading"')
    assert "Your games" not in Client().get(address).text
    anna.user = django_user_model.objects.create_user("anna")
    anna.save()
    client.force_login(anna.user)
    assert [row.record.round for row in client.get(address).context["own"].rows] == ["2", "1"]


def test_standings_are_files(client, event, played):
    answer = client.get(f"/events/{event.pk}/?format=csv")
    rows = list(csv.DictReader(answer.getvalue().decode().splitlines()))
    assert [(row["place"], row["points"], row["games_rated"]) for row in rows] == [
        ("1", "2", "2"),
        ("2", "1.5", "2"),
        ("3", "0.5", "2"),
        ("4", "0", "1"),
    ]
    assert client.get(f"/events/{event.pk}/?format=xlsx").getvalue()[:2] == b"PK"
    assert client.get(f"/events/{event.pk}/?format=pdf").status_code == 400


def test_an_event_without_an_ended_game_says_so(client, event):
    assert "No game in this event has ended yet." in client.get(f"/events/{event.pk}/").content.decode()
    assert client.get("/events/4711/").status_code == 404


def test_a_game_links_to_its_event_and_to_the_arena(client, event, played):
    first = Game.objects.get(round="1")
    page = client.get(first.get_absolute_url()).content.decode()
    assert f'<a href="/events/{event.pk}/">Spring &lt;Open&gt;</a>, round 1' in page
    assert '<a href="https://arena.example/1" rel="nofollow noopener">https://arena.example/1</a>' in page
    other = client.get(Game.objects.get(event=None).get_absolute_url()).content.decode()
    assert "/events/" not in other
    assert "In the arena" not in other


def test_a_game_of_another_variant_says_which_and_why_it_is_unrated(client, event):
    played = game(rated("1500.00"), rated("1800.00"), rated=False, variant="Chess960")
    page = client.get(played.get_absolute_url()).content.decode()
    assert "It was Chess960. Only standard chess is rated." in page


def test_events_are_listed_with_their_games(client, event, played):
    other = ArenaEvent.objects.create(external_id="arena/cup", name="Cup")
    answer = json.loads(client.get("/events/?format=json").getvalue())["events"]
    assert [(one["event_id"], one["games"], one["started_at"], one["ended_at"]) for one in answer] == [
        ("arena/cup", 0, None, None),
        ("arena/spring", 4, "2026-03-01T00:05:00Z", "2026-03-01T00:40:00Z"),
    ]
    page = client.get("/events/?name=spring").content.decode()
    assert event.get_absolute_url() in page
    assert other.get_absolute_url() not in page
    assert '<a href="/events/">' in client.get("/games/").content.decode()


def test_games_are_filtered_by_event(client, event, played):
    found = json.loads(client.get(f"/games/?event={event.pk}&format=json").getvalue())["games"]
    assert {(one["event_id"], one["round"]) for one in found} == {
        ("arena/spring", number) for number in ("1", "2", "3", "4")
    }
    page = client.get(f"/games/?event={event.pk}").content.decode()
    assert "Showing only Spring &lt;Open&gt;." in page
    assert f'<a href="{event.get_absolute_url()}">Event standings</a>' in page
    assert client.get("/games/?event=4711").status_code == 400


def test_the_api_filters_games_by_the_id_of_their_event(client, event, played):
    found = client.get("/api/v1/all-games?event=arena/spring").json()["games"]
    assert len(found) == 4
    first = next(one for one in found if one["round"] == "1")
    assert (first["event_id"], first["arena_url"], first["variant"]) == (
        "arena/spring",
        "https://arena.example/1",
        "standard",
    )
    assert client.get("/api/v1/all-games?event=arena/other").json()["games"] == []


@pytest.mark.needs("arena")
def test_the_api_has_the_events_and_their_standings(client):
    event = ArenaEvent.objects.create(external_id="arena/spring", name="Spring Open")
    anna, boris = rated(1800), rated(1700)
    game(anna, boris, event=event)
    (row,) = client.get("/api/v1/events?name=spring").json()["events"]
    assert (row["event_id"], row["games"]) == ("arena/spring", 1)
    told = client.get(f"/api/v1/events/{row['id']}").json()
    page = client.get(event.get_absolute_url(), {"format": "json"}).json()
    assert told == {**page, "id": row["id"], "event_id": "arena/spring"}
    assert [(one["username"], one["points"]) for one in told["standings"]] == [
        (anna.username, "1"), (boris.username, "0"),
    ]  # fmt: skip
    assert client.get("/api/v1/events/999").json()["kind"] == "not-found"
