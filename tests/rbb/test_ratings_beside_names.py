"""Beside every name stands how strong the player was, and after a game what it changed."""

import pytest
from django.utils import timezone

from members.models import Member
from ratings.rbb.models import ArenaEvent, Game
from ratings.rbb.strengths import Strength, strength, strengths_of
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, game, member, opening, rated
from tests.pages import queries, words

pytestmark = pytest.mark.django_db

MOVES = "1. f3 e5 2. g4 Qh4# 0-1"


def of(played):
    """Both strengths of one game."""
    return strengths_of([Game.objects.with_names().get(pk=played.pk)])[played.pk]


def as_text(played):
    return tuple(f"{one.rating} {one.change}" for one in of(played))


def test_a_finished_game_shows_each_players_rating_before_it_and_what_it_changed():
    """RBB 4.2: D = 540.40 counts as 540, PD = 0.97; K = 20."""
    strong, weak = rated("1800.20"), rated("1259.80")
    assert as_text(game(strong, weak, "1/2-1/2", minute=10)) == ("1800.20 -9.40", "1259.80 9.40")
    assert as_text(game(weak, strong, minute=20)) == ("1269.20 19.40", "1790.80 -19.40")


def test_an_exact_rating_is_shown_rounded_and_the_change_with_two_decimals_and_a_minus_sign():
    """RBB 3.12: halves round up."""
    before = rated("1799.50").ratings.get().rating
    assert strength(before) == '<span class="strength">1800</span>'
    lost, won = (strength(before, sign * (before - before + 8) / 10) for sign in (-1, 1))
    assert lost == '<span class="strength">1800 <span class="loss">−0.80</span></span>'
    assert won == '<span class="strength">1800 <span class="gain">+0.80</span></span>'
    assert strength(2353) == '<span class="strength">2353</span>'
    assert strength(None, before) == '<span class="strength">unrated</span>'


def test_a_game_in_progress_shows_the_ratings_of_now_and_no_change():
    anna, boris = rated(1800), rated(1800)
    now = timezone.now()
    played = game(anna, boris, "", started_at=now, ended_at=None)
    assert of(played) == (Strength(1800), Strength(1800))
    game(anna, boris, minute=10)
    assert of(played) == (Strength(1810), Strength(1790))
    assert of(game(anna, member(), "", started_at=now, ended_at=None))[1] == Strength(None)


def test_a_game_that_changed_nothing_shows_the_ratings_when_it_ended():
    anna, boris = rated(1800), rated(1800)
    friendly = game(anna, boris, minute=10, rated=False, unrated_reason="friendly")
    void = game(anna, boris, minute=20, voided_at=at(21), void_reason="fair play")
    game(anna, boris, minute=15)
    assert of(friendly) == (Strength(1800), Strength(1800))
    assert of(void) == (Strength(1810), Strength(1790))


def test_the_rating_is_that_of_the_games_category():
    anna, boris = rated(1800), rated(1800)
    white, black = of(game(anna, boris, minute=10, notation=CONTROL[Category.RAPID]))
    assert (white.rating, black.rating) == (None, None)


def test_a_game_in_no_category_shows_no_rating():
    played = game(rated(1800), rated(1800), notation="10+5", rated=False, unrated_reason="control")
    assert strengths_of([played]) == {}


def an_event():
    """Two players of an event, after three games; Boris was unrated before the second."""
    anna, boris, carl = rated(1800), member("boris"), rated(1700)
    Member.objects.filter(pk=anna.pk).update(name="Berg, Anna", title="WGM", federation="NOR")
    event = ArenaEvent.objects.create(external_id="cup", name="Cup")
    games = [game(anna, carl, minute=10), game(boris, carl, minute=20), game(carl, anna, minute=30)]
    Game.objects.filter(pk__in=[one.pk for one in games]).update(event=event)
    return event, anna, boris, carl


def test_lists_of_games_show_title_name_rating_and_change_of_both(client):
    """RBB 4.2: D = 100 is 0.64 and 0.36."""
    _event, anna, _boris, carl = an_event()
    text = words(client.get("/games/"))
    assert f"00:10 · Blitz 3+2 WGM Berg, Anna 1800 +7.20 1-0 {carl} 1700 −7.20" in text
    assert f"00:20 · Blitz 3+2 boris unrated 1-0 {carl} 1693 Blitz 3+2" in text
    content = client.get("/games/").text
    assert f'<a href="/members/{anna.pk}/">Berg, Anna</a> <span class="strength">1800' in content
    assert f"00:10 · Blitz 3+2 WGM Berg, Anna 1800 +7.20 1-0 {carl} 1700 −7.20" in words(
        client.get(f"/games/?player={anna.pk}")
    )


def test_an_event_shows_the_rating_with_which_each_player_came(client):
    event, _anna, _boris, carl = an_event()
    text = words(client.get(event.get_absolute_url()))
    standings = text[text.index("Performance") :]
    assert "WGM Berg, Anna 1800 1 2" in standings
    assert f"{carl} 1700 1 3" in standings
    assert "boris unrated 1 1" in standings


def test_an_event_with_games_of_several_categories_shows_no_rating_beside_the_place(client):
    event, anna, _boris, carl = an_event()
    for who in (anna, carl):
        opening(who, 1500, Category.RAPID)
    other = game(anna, carl, minute=40, notation=CONTROL[Category.RAPID])
    Game.objects.filter(pk=other.pk).update(event=event)
    text = words(client.get(event.get_absolute_url()))
    assert "WGM Berg, Anna 2 3" in text


def test_the_board_of_a_game_shows_both_ratings_and_changes(client):
    anna, boris = rated(1800), rated(1700)
    Member.objects.filter(pk=anna.pk).update(name="Berg, Anna", title="WGM", federation="NOR")
    played = game(anna, boris, "0-1", minute=10, pgn=MOVES)
    text = words(client.get(played.get_absolute_url()))
    assert f"{boris} 1700 +12.80 8 7" in text
    assert "g h WGM Berg, Anna 1800 −12.80 2… Qh4#" in text


def test_head_to_head_shows_the_live_ratings_of_both_even_if_they_never_met(client):
    anna, boris = rated(1800), member("boris")
    text = words(client.get(f"/members/{anna.pk}/against/{boris.pk}/"))
    assert f"Live ratings Rapid Blitz Bullet {anna} – 1800 – boris – – –" in text


def test_the_ratings_of_a_page_take_one_statement_for_each_kind_of_game(client):
    anna, boris = rated(1800), rated(1700)

    def some(minute):
        game(anna, boris, minute=minute)
        game(anna, boris, minute=minute + 1, rated=False, unrated_reason="friendly")
        game(anna, boris, "", started_at=timezone.now(), ended_at=None)

    some(10)
    few = queries(client, "/games/")
    # The games, the controls of the filter; lines, ratings now, and ratings at the end of unrated games.
    assert few == 5
    for minute in range(20, 60, 5):
        some(minute)
    assert queries(client, "/games/") == few
