"""The page of a game and the page of a line of the ledger: every number explained to the article."""

from decimal import Decimal

import pytest

from ratings.models import OtbAdjustment, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening, rated
from tests.pages import words

pytestmark = pytest.mark.django_db


def page_of(client, entry):
    """The words of the page of a game."""
    response = client.get(entry.get_absolute_url())
    assert response.status_code == 200
    return words(response)


def test_a_game_explains_both_ratings_to_the_article(client):
    who, other = rated("1799.60"), rated("1259.60")
    text = page_of(client, game(who, other))
    for line in (
        "game between two rated players (RBB 3.9)",
        "540.00 → 540 (RBB 3.9.1)",
        "0.97 (table 4.2, 518–559, H: the higher-rated player)",
        "0.03 (table 4.2, 518–559, L: the lower-rated player)",
        "K 20 (RBB 3.10.1)",
        "1799.60 + 20 × (1 − 0.97) = 1800.20",
        "1259.60 + 20 × (0 − 0.03) = 1259.00",
        "Displayed 1800 → 1800 (RBB 3.12)",
    ):
        assert line in text


def test_a_difference_beyond_the_table_names_its_open_row(client):
    text = page_of(client, game(rated(2400), rated(1600)))
    assert "1.00 (table 4.2, 736 and more, H: the higher-rated player)" in text


def test_a_first_rating_shows_ra_and_rf(client):
    who = member()
    for minute in range(10, 15):
        last = game(who, rated(1500), "1/2-1/2" if minute == 10 else "1-0", minute=minute)
    text = page_of(client, last)
    assert "5 of 5 results, score 4.5 (RBB 3.6)" in text
    assert "Ra 1500.00, the average of the five opponents (RBB 3.7.1)" in text
    assert "Rf 1500.00 + 80.00 = 1580.00 (RBB 3.7.4)" in text
    assert "opponent unrated: rating not affected (RBB 3.8)" in text
    assert "Displayed unrated → 1580 (RBB 3.12)" in text


def test_a_void_game_says_since_when_and_why(client):
    played = game(rated(1800), rated(1700), voided_at=at(60), void_reason="engine use")
    text = page_of(client, played)
    assert "Void since 2026-03-01 01:00:00 UTC: engine use. It counts for no rating." in text
    assert "Rated no: void" in text


def test_an_unrated_game_says_why(client):
    who, other = rated(1800), rated(1700)
    assert "Rated no: played as an unrated game (RBB 2.2)" in page_of(client, game(who, other, rated=False))
    assert "Rated no: no show" in page_of(
        client, game(who, other, minute=20, rated=False, unrated_reason="no show")
    )
    strange = game(who, other, minute=30, rated=False, notation="420+1")
    assert "none: not one of the seventeen rated controls (RBB 2.3)" in page_of(client, strange)


def test_a_game_in_progress_is_rated_when_it_ends(client):
    playing = game(rated(1800), rated(1700), "", ended_at=None)
    text = page_of(client, playing)
    assert "Result in progress" in text
    assert "Rated when it ends (RBB 3.11)" in text
    assert "in progress" in words(client.get("/games/"))


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_an_external_id_that_is_an_address_is_a_link(client, scheme):
    played = game(rated(1800), rated(1700), external_id=f"{scheme}://example.org/g/1")
    link = f'<a href="{scheme}://example.org/g/1" rel="noopener">'
    assert link in client.get(played.get_absolute_url()).content.decode()


@pytest.mark.parametrize("external_id", ["abc1", "javascript:alert(1)", "//example.org/1"])
def test_any_other_external_id_is_words(client, external_id):
    played = game(rated(1800), rated(1700), external_id=external_id)
    assert f'href="{external_id}"' not in client.get(played.get_absolute_url()).content.decode()
    assert external_id in page_of(client, played)


def test_the_moves_are_shown_as_text(client):
    played = game(rated(1800), rated(1700), pgn='[White "<b>x</b>"]\n\n1. e4 e5 1-0')
    content = client.get(played.get_absolute_url()).content.decode()
    assert "&lt;b&gt;x&lt;/b&gt;" in content
    assert "1. e4 e5 1-0</pre>" in content


def test_every_line_of_the_ledger_has_a_page_of_its_own(client):
    anna = member("anna")
    opening(anna, 1800)
    OtbAdjustment.objects.create(
        member=anna, category=Category.BLITZ, period=START.date(), change=Decimal(-12),
        effective_at=at(5), source="FIDE list April",
    )  # fmt: skip
    game(anna, rated(1500))
    texts = [words(client.get(f"/changes/{row.pk}/")) for row in RatingChange.objects.filter(member=anna)]
    assert "opponent" not in texts[2].lower()
    assert "Game" in texts[0]
    assert "0.84" in texts[0]
    assert "Over-the-board adjustment: FIDE list April" in texts[1]
    assert "1800.00 − 12.00 = 1788.00" in texts[1]
    assert "First rating carried in: test" in texts[2]


def test_pages_of_games_and_of_lines_take_one_query_for_each_thing_shown(client, django_assert_num_queries):
    played = game(rated(1800), rated(1700))
    line = RatingChange.objects.of_game(played).first()
    with django_assert_num_queries(2):
        client.get(played.get_absolute_url())
    with django_assert_num_queries(1):
        client.get(f"/changes/{line.pk}/")
