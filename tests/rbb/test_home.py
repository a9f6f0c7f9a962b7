"""The first page: whose ratings these are, where to find oneself, what is new."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import PublicReason
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.report import keep_reviews
from ratings.rbb.models import Game, ListReview, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)


def an_arena():
    """Two lists of blitz, between which Anna beat Boris."""
    anna = member("anna", name="Berg, Anna", federation="NOR", title="WGM")
    boris = member("boris", name="Lund, Boris", federation="POL")
    for who in (anna, boris):
        opening(who, "1800.00", Category.BLITZ)
    publish(category=Category.BLITZ, month=datetime(2026, 3, 1, tzinfo=UTC), at=at(0))
    game(anna, boris, "1-0", minute=10)
    publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
    keep_reviews()
    return anna, boris


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def test_it_says_whose_ratings_these_are_and_offers_the_search_first(arena, client):
    response = client.get("/")
    assert is_friendly(response)
    text = words(response)
    assert "The rating office of FIDE Online Arena" in text
    assert response.text.index('type="search"') < response.text.index('id="live-heading"')


def test_it_shows_who_leads_with_flag_and_title_and_who_gained_most_on_the_latest_list(arena, client):
    text = words(client.get("/"))
    # RBB 3.9.2: 1800 + 20 × (1 − 0.50)
    assert "WGM Berg, Anna 1810 Lund, Boris 1790 All blitz ratings" in text
    assert "Blitz, April 2026 2 members · 1 game Biggest gains WGM Berg, Anna +10.00" in text
    assert 'src="/static/foa/flags/no.svg" alt="Norway"' in client.get("/").text


def test_its_json_has_leaders_lists_and_dates(arena, client):
    said = client.get("/", headers={"accept": "application/json"}).json()
    assert [(one["name"], one["rating"]) for one in said["leaders"]["blitz"]] == [
        ("Berg, Anna", 1810),
        ("Lund, Boris", 1790),
    ]
    assert said["leaders"]["rapid"] == []
    (published,) = said["lists"]
    assert (published["month"], published["members"], published["games"]) == ("2026-04", 2, 1)
    assert len(said["dates"]) == 3
    today = timezone.now().date()
    assert all(
        today.isoformat() <= one["day"] <= (today + timedelta(92)).isoformat() for one in said["dates"]
    )


def test_its_number_of_statements_does_not_grow_with_members_and_games(arena, client):
    before = queries(client, "/")
    for number in range(12):
        who = member(f"member{number}")
        opening(who, "1500.00", Category.RAPID)
        game(who, arena[0], "0-1", minute=20 + number)
    assert queries(client, "/") == before


def test_gains_come_with_the_review_of_a_list_and_nothing_is_read_through_before(arena, client):
    ListReview.objects.all().delete()
    assert "Biggest gains" not in words(client.get("/"))
    keep_reviews()
    assert "Biggest gains" in words(client.get("/"))


def test_its_centre_is_the_latest_gain_with_its_arithmetic(arena, client):
    """RBB 3.9.2: (1 − 0.50) × 20."""
    text = words(client.get("/"))
    assert (
        "1800.00 → 1810.00 Anna Berg gained 10.00 points for beating a player rated about the same." in text
    )
    assert "(1 scored − 0.50) expected × 20 K = +10.00 change in points" in text
    line = RatingChange.objects.get(member=arena[0], game__isnull=False)
    assert f'href="{line.get_absolute_url()}"' in client.get("/").text


def test_it_shows_what_is_played_on_boards_else_what_was_played_last(arena, client):
    anna, boris = arena
    game(anna, boris, "0-1", minute=30, pgn="1. f3 e5 2. g4 Qh4# 0-1")
    text = words(client.get("/"))
    assert "Latest games All games Lund, Boris 1790 +10.60 WGM Berg, Anna 1810 −10.60 0-1 · Blitz" in text
    now = timezone.now()
    game(boris, anna, "", started_at=now, ended_at=None, pgn="1. e4 {[%clk 0:02:58]}")
    text = words(client.get("/"))
    assert "Playing now All games WGM Berg, Anna 1799 Lund, Boris 1801 2:58 live · Blitz 3+2" in text
    assert "0-1 · Blitz" in text


@pytest.fixture
def anna(arena, client):
    """Anna, logged in, with Boris to play against."""
    anna, boris = arena
    anna.user = User.objects.create_user("anna")
    anna.save()
    client.force_login(anna.user)
    return anna, boris


def home(client, moment, **headers):
    """The words of the first page at a moment."""
    with patch("django.utils.timezone.now", return_value=moment):
        return words(client.get("/", headers=headers))


def beats(anna, boris, moment):
    """A win of Anna's that ended at a moment."""
    return game(anna, boris, started_at=moment - timedelta(minutes=5), ended_at=moment)


def test_a_member_who_is_logged_in_sees_their_ratings_and_latest_changes_first(anna, client):
    text = words(client.get("/"))
    assert "Berg, Anna Blitz 1810 Latest changes 1 v Lund, Boris 1800 Blitz, 1 Mar 2026 +10.00" in text
    assert "Starting rating Blitz, 1 Mar 2026 1800" in text
    assert text.index("Latest changes") < text.index("All rapid ratings")


def test_a_first_visit_shows_what_moved_in_thirty_days(anna, client):
    beats(*anna, timezone.now() - timedelta(days=1))
    # RBB 3.9.2: 1810 + 20 × (1 − 0.53)
    assert "Blitz 1810 → 1819 +9.40 In the last 30 days 1 v Lund, Boris 1790 Blitz +9.40 My games" in words(
        client.get("/")
    )


def test_a_later_visit_shows_what_moved_since_the_one_before_as_long_as_it_lasts(anna, client):
    beats(*anna, NOON - timedelta(days=1))
    home(client, NOON)
    beats(*anna, NOON + timedelta(hours=1))
    since = (
        # RBB 3.9.2: 1819.40 + 20 × (1 − 0.55)
        "Blitz 1819 → 1828 +9.00 Since your last visit 2 May 2026, 12:00 UTC "
        "1 v Lund, Boris 1781 Blitz +9.00 My games"
    )
    for minutes in (0, 29, 58):
        assert since in home(client, NOON + timedelta(hours=3, minutes=minutes))


def test_a_visit_ends_after_half_an_hour_and_a_page_that_refreshes_itself_is_none(anna, client):
    home(client, NOON)
    home(client, NOON + timedelta(minutes=29))
    beats(*anna, NOON + timedelta(minutes=40))
    for minutes in (45, 50, 58):
        assert "Since your last visit" not in home(
            client, NOON + timedelta(minutes=minutes), hx_request="true"
        )
    assert "Since your last visit 2 May 2026, 12:29 UTC" in home(client, NOON + timedelta(minutes=59))


def test_if_nothing_happened_since_the_last_visit_the_latest_changes_have_their_dates(anna, client):
    beats(*anna, NOON - timedelta(days=1))
    home(client, NOON)
    text = home(client, NOON + timedelta(days=1))
    assert (
        "Blitz 1819 Latest changes No games since your last visit: 2 May 2026, 12:00 UTC "
        "1 v Lund, Boris 1790 Blitz, 1 May 2026 +9.40"
    ) in text


def test_a_list_published_since_the_last_visit_is_shown_with_the_rank(anna, client):
    home(client, NOON)
    publish(category=Category.BLITZ, month=datetime(2026, 5, 1, tzinfo=UTC), at=NOON + timedelta(hours=1))
    assert "Blitz 1810 New lists: Blitz rank 1 Latest changes" in home(client, NOON + timedelta(hours=2))
    assert "New lists" not in home(client, NOON + timedelta(hours=3))


def test_of_many_changes_eight_are_shown_and_the_others_are_a_link_away(anna, client):
    home(client, NOON)
    for minute in range(9):
        beats(*anna, NOON + timedelta(hours=1, minutes=minute))
    page = client.get("/")
    text = home(client, NOON + timedelta(hours=2))
    assert text.count("1 v Lund, Boris") == 8
    assert f'href="/changes/?player={anna[0].pk}"' in page.text


def test_it_shows_the_latest_decision_of_the_register(arena, client):
    game = Game.objects.get()
    decide_at_once(
        Proposal(
            kind=kind_of("void-games"), parameters={"game": [str(game.pk)]}, reason=PublicReason.FAIR_PLAY
        )
    )
    text = words(client.get("/"))
    assert "Latest decision" in text
    assert "1 game voided (Fair play)" in text[text.index("Latest decision") :]
