"""The page of a member, and what it counts over his ledger."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format

from foa.text import utc
from members.models import FullMembership
from ratings.rbb import profile
from ratings.rbb.ledger.history import history
from ratings.rbb.lists.as_of import live_ranks
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingChange
from ratings.rbb.models.fields import EventType, change_id
from ratings.rbb.summaries import figures
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, START, adjustment, at, game, member, opening, rated
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

BLITZ = Category.BLITZ


def page_of(client, who, tab=""):
    """The words of a page of a member."""
    response = client.get(f"{who.get_absolute_url()}{tab}")
    assert response.status_code == 200
    assert is_friendly(response)
    return words(response)


def steps_of(who, category=BLITZ):
    """His ledger in a category."""
    return profile.by_category(history(who.rating_changes.all()))[category]


def standing_of(who, category=BLITZ, now=None):
    """Where he stands."""
    return profile.standing(category, steps_of(who, category), now or at(10_000))


def adjust(who, points, minute):
    """An over-the-board adjustment in blitz."""
    adjustment(who, points, minute=minute, period=START.date() + timedelta(minute))


def test_the_head_says_who_he_is(client):
    who = member(
        "anna",
        name="Berg, Anna",
        title="WGM",
        fide_id=1500001,
        federation="NOR",
        birth_year=1990,
        full_from=None,
    )
    assert "never, so their games can’t be rated (RBB 2.1)" in page_of(client, who)
    FullMembership.objects.create(member=who, full_from=START, full_until=at(60))
    FullMembership.objects.create(member=who, full_from=datetime(2026, 4, 1, tzinfo=UTC))
    text = page_of(client, who)
    assert "WGM Berg, Anna Norway anna Overview Games Statistics Titles Over the board" in text
    first, again = date_format(START), date_format(datetime(2026, 4, 1, tzinfo=UTC))
    assert f"FIDE ID 1500001 Born 1990 Full member {first} – {first} {again} – today" in text
    link = '<a href="https://ratings.fide.com/profile/1500001" rel="noopener">'
    assert link in client.get(who.get_absolute_url()).content.decode()


def test_only_staff_who_may_see_members_get_the_link_to_the_admin(client, django_user_model):
    who = member()
    link = f"/admin/members/member/{who.pk}/change/"
    assert link not in client.get(who.get_absolute_url()).content.decode()
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    client.force_login(clerk)
    assert link not in client.get(who.get_absolute_url()).content.decode()
    clerk.user_permissions.add(Permission.objects.get(codename="view_member"))
    assert link in client.get(who.get_absolute_url()).content.decode()


@pytest.mark.needs("calculators")
def test_a_live_rating_is_shown_and_exact_with_the_event_that_left_it(client):
    who, other = rated("1799.60"), rated("1259.60")
    played = game(who, other)
    for days, lately in (
        (29, "unrated 30 days ago"),
        (30, "+0.60 in 30 days"),
        (31, "no change in 30 days"),
    ):
        with patch("ratings.rbb.views.member_page.timezone.now", return_value=START + timedelta(days=days)):
            text = page_of(client, who)
        assert f"Blitz 1800 {lately} · live rank 1 More about Blitz 1 won" in text
        assert f"Peak 1800.20 {date_format(START)} Games 1 played Unrounded 1800.20 K" in text
        few = "Stability not settled yet fewer than 10 rated games"
        assert f"Unrounded 1800.20 K 20 RBB 3.10.1 {few} Last change {utc(at(10))} What if?" in text
    line = f'<a href="/changes/{change_id(EventType.GAME, played.pk)}/">'
    assert client.get(who.get_absolute_url()).content.decode().count(line) >= 2


def test_the_rank_is_that_of_the_published_list_and_says_so(client):
    members = [rated(points) for points in ("1800.50", "1800.49", "1799.50", "1799.49")]
    assert " Rank" not in page_of(client, members[0])
    publish(category=BLITZ, month=START, at=START)
    ranks = [re.search(r"Rank (.*? list) ", page_of(client, who))[1] for who in members]
    # Of the better half also in per cent.
    assert ranks == [
        "1 of 4, top 25% March 2026 list",
        "2 of 4, top 50% March 2026 list",
        "2 of 4, top 50% March 2026 list",
        "4 of 4 March 2026 list",
    ]


def test_the_live_rank_is_that_of_the_displayed_rating_now(client, monkeypatch):
    members = [rated(points) for points in ("1800.50", "1800.49", "1799.50", "1799.49")]
    opening(members[3], "2000", Category.RAPID)
    unrated = member()

    def ranks():
        return [live_ranks(who.pk).get(BLITZ) for who in members]

    # Displayed as 1801, 1800, 1800 and 1799: equal ones share a rank.
    assert ranks() == [1, 2, 2, 4]
    assert live_ranks(members[3].pk) == {Category.RAPID: 1, BLITZ: 4}
    assert live_ranks(unrated.pk) == {}
    publish(category=BLITZ, month=START, at=START)
    adjust(members[3], 2, minute=10)  # 1801.49, displayed as 1801
    assert ranks() == [1, 3, 3, 1]
    text = page_of(client, members[3])
    assert "live rank 1 More about Blitz Rank 4 of 4 March 2026 list" in text
    assert "live rank" not in page_of(client, members[3], f"?as_of={START:%Y-%m-%d}")
    assert "live rank" not in page_of(client, unrated)
    # Far down the members above are not counted.
    monkeypatch.setattr("ratings.rbb.lists.as_of.LAST_RANK", 2)
    assert ranks() == [1, None, None, 1]


def test_the_peak_is_the_first_line_that_reached_it_and_outlives_the_rating():
    who = rated("100.00")
    highest = game(who, rated("100.00"), minute=10)  # D 0, +10.00
    game(who, rated("110.00"), "1/2-1/2", minute=20)
    game(who, rated("100.00"), "0-1", minute=30)  # D 10, PD 0.51: 99.80 is under the floor
    standing = standing_of(who)
    assert (standing.rating, standing.peak) == (None, Decimal("110.00"))
    assert standing.peak_step.id == change_id(EventType.GAME, highest.pk)


@pytest.mark.parametrize(
    ("minutes", "lately"),
    [(-1, None), (0, "-7.00"), (99, "-7.00"), (100, "-12.00"), (199, "-12.00"), (200, "0.00")],
)
def test_the_change_of_thirty_days_is_counted_from_the_rating_that_he_had_then(minutes, lately):
    who = rated(1800)
    adjust(who, 5, minute=100)
    adjust(who, -12, minute=200)
    now = at(minutes) + timedelta(days=30)
    assert standing_of(who, now=now).lately == (lately and Decimal(lately))


@pytest.mark.parametrize(
    ("games", "category", "expected"),
    [
        (5, Category.BLITZ, (40, "3.10.3", 25)),
        (29, Category.RAPID, (40, "3.10.3", 1)),
        (30, Category.RAPID, (20, "3.10.1", None)),
        (30, Category.BULLET, (10, "3.10.2", None)),
    ],
)
def test_k_says_for_how_many_games_it_holds(games, category, expected):
    who = rated(1500, category, games=games, previously_unrated=True)
    standing = standing_of(who, category)
    assert (standing.k, standing.k_article, standing.k_games) == expected


def test_the_page_says_until_when_k_is_40(client):
    who = rated(1500, games=18, previously_unrated=True)
    assert "K 40 for 12 more games (RBB 3.10.3)" in page_of(client, who)
    assert "K 20 RBB 3.10.1" in page_of(client, rated(1500, games=18))


def test_an_unrated_member_sees_his_stage_and_the_way_to_the_coach(client):
    who = member()
    game(who, rated(1500), "1/2-1/2", minute=10)
    game(who, rated(1600), "0-1", minute=20)
    game(who, rated(1600, Category.RAPID), "0-1", minute=20, notation=CONTROL[Category.RAPID])
    text = page_of(client, who)
    assert (
        "Blitz unrated 2 of 5 results for a first rating. "
        "Every game against a rated opponent counts now (RBB 3.6.2)."
    ) in text
    waiting = (
        "unrated 0 of 5 results for a first rating. It starts with a draw or win against a rated opponent"
    )
    assert f"Rapid {waiting} (RBB 3.6.1)." in text
    assert f"Bullet {waiting} (RBB 3.6.1)." in text
    assert (
        f'href="/members/{who.pk}/first-rating/blitz/"' in client.get(who.get_absolute_url()).content.decode()
    )


def test_five_results_under_the_floor_put_him_back_to_stage_one():
    who = member()
    for minute in range(10, 15):
        game(who, rated(150), "1/2-1/2" if minute == 10 else "0-1", minute=minute)
    assert standing_of(who).last.games == 5
    assert standing_of(who).results == 0


def test_the_published_rating_stands_beside_the_live_one(client):
    who, other = rated("1799.60"), rated("1259.60")
    gone = rated("100.50")
    for month in (START, datetime(2026, 4, 1, tzinfo=UTC)):
        publish(category=BLITZ, month=month, at=month)
    late = 60 * 24 * 40
    game(who, other, minute=late)
    game(gone, rated("100.50"), "0-1", minute=late + 1)
    newcomer = rated(1500, minute=late)
    assert "Published 1800 +0.60 since" in page_of(client, who)
    assert "April 2026 list" in page_of(client, who)
    assert "March 2026 list" not in page_of(client, who)
    assert "Published 101 lost since" in page_of(client, gone)
    assert "Published" not in page_of(client, newcomer).replace("Published lists", "")
    assert 'href="/lists/blitz/2026-04/1/"' in client.get(who.get_absolute_url()).content.decode()


def test_results_are_counted_by_colour():
    who, other = rated(1800), rated(1700)
    for minute, result in enumerate(["1-0", "1-0", "1/2-1/2", "0-1"], 10):
        game(who, other, result, minute=minute)
    for minute, result in enumerate(["1-0", "0-1"], 20):
        game(other, who, result, minute=minute)
    game(who, other, rated=False, minute=30)
    found = profile.statistics(BLITZ, steps_of(who)).results
    assert found.white == profile.Results(won=2, drawn=1, lost=1)
    assert found.black == profile.Results(won=1, drawn=0, lost=1)
    assert found.both == profile.Results(won=3, drawn=1, lost=2)
    assert (found.both.games, found.both.score) == (6, Decimal("3.5"))
    assert found.both.percent == Decimal("58.3")  # 3.5 / 6 = 58.33
    assert profile.Results(won=1, lost=1, drawn=14).percent == Decimal("50.0")
    assert profile.Results(won=1, lost=15).percent == Decimal("6.3")  # 6.25, half up
    assert profile.Results().percent is None


def test_the_page_shows_results_of_the_categories_that_he_played(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    game(other, who, "1/2-1/2", minute=20)
    text = page_of(client, who, "statistics/")
    # + won, = drawn, - lost
    assert (
        "Colour Games + = − Score % White 1 1 0 0 1 100.0 Black 1 0 1 0 ½ 50.0 both 2 1 1 0 1½ 75.0" in text
    )
    assert text.count("Colour Games + =") == 1


def test_the_best_win_is_the_highest_rated_opponent_beaten(client):
    who, strong, stronger = rated(1500), rated(1900), rated(2000)
    game(who, strong, minute=10)
    best = game(strong, who, "0-1", minute=20)  # the strong one stands at 1881.80 now
    game(who, stronger, "1/2-1/2", minute=30)
    beaten = profile.statistics(BLITZ, steps_of(who)).best_win
    assert beaten.game_id != best.pk
    assert beaten.opponent_rating == 1900_00
    assert f"Best win {strong} 1900 · {date_format(START)}" in page_of(client, who, "statistics/")


def test_a_win_while_unrated_can_be_the_best_one_and_a_win_against_an_unrated_player_cannot():
    who, strong = member(), rated(2000)
    game(who, strong, minute=10)
    assert profile.statistics(BLITZ, steps_of(who)).best_win.opponent_rating == 2000_00
    assert profile.statistics(BLITZ, steps_of(strong)).best_win is None
    game(strong, member(), minute=20)
    assert profile.statistics(BLITZ, steps_of(strong)).best_win is None


def test_bands_compare_scores_with_what_table_4_2_expects():
    # All openings, so that every opponent has his rating when he meets him for the only time.
    who = rated(1500)
    games = [
        # 1500.00 against 1399.99: D 100, PD 0.64; a win, 1507.20
        ("1399.99", "1-0", Decimal("0.64")),
        # 1507.20 against 1400.00: D 107, PD 0.65; a draw, 1504.20
        ("1400.00", "1/2-1/2", Decimal("0.65")),
        # 1504.20 against 1599.99: D 96, PD 0.37; a loss, 1496.80
        ("1599.99", "0-1", Decimal("0.37")),
        # 1496.80 against 1600.00: D 103, PD 0.36; a win
        ("1600.00", "1-0", Decimal("0.36")),
    ]
    for minute, (points, result, _) in enumerate(games, 10):
        game(who, rated(points), result, minute=minute)
    game(who, member(), minute=30)  # RBB 3.8: nothing was expected
    found = profile.statistics(BLITZ, steps_of(who))
    assert [(band.lowest, band.highest, band.games, band.score, band.expected) for band in found.bands] == [
        (1600, 1799, 1, 1, Decimal("0.36")),
        (1400, 1599, 2, Decimal("0.5"), Decimal("1.02")),
        (1200, 1399, 1, 1, Decimal("0.64")),
    ]
    assert [band.difference for band in found.bands] == [Decimal("0.64"), Decimal("-0.52"), Decimal("0.36")]
    everybody = found.against_all
    assert (everybody.lowest, everybody.highest) == (1200, 1799)
    assert (everybody.games, everybody.score, everybody.expected) == (4, Decimal("2.5"), Decimal("2.02"))
    assert found.results.both.games == 5
    # The sum of (score - PD) times K is what the rating changed by.
    assert 20 * everybody.difference == standing_of(who).rating - 1500


def test_the_game_that_lost_a_rating_counts_and_the_way_to_a_first_rating_does_not():
    who = rated("100.50")
    game(who, rated("100.50"), "0-1", minute=10)
    game(who, rated(300), "1/2-1/2", minute=20)
    found = profile.statistics(BLITZ, steps_of(who))
    assert (found.against_all.games, found.against_all.expected) == (1, Decimal("0.50"))
    assert found.results.both.games == 2


def test_the_page_shows_the_ten_latest_changes(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 35):
        game(who, other, minute=minute)
    response = client.get(who.get_absolute_url())
    content = response.content.decode()
    assert content.count("<time") == 10
    assert f'href="/changes/?player={who.pk}"' in content
    assert f'href="/members/{who.pk}/history/?format=csv"' in content
    for minute, shown in ((34, True), (25, True), (24, False)):
        assert (f'datetime="2026-03-01T00:{minute}:00+00:00"' in content) is shown
    # The first game: 1800 beats 1700, PD 0.64.
    played = game(rated(1800), rated("1700"), minute=60)
    assert f"Blitz {played.black} 1700 · with White 1 +7.20 1807" in page_of(client, played.white)
    assert f"Blitz {played.white} 1800 · with Black 0 −7.20 1693" in page_of(client, played.black)


def test_frequent_opponents_come_with_results_and_lead_to_the_comparison(client):
    who = rated(1800)
    often, seldom, first = rated(1700), rated(1700), rated(1700)
    game(who, first, minute=5)
    for minute, result in enumerate(["1-0", "1/2-1/2", "0-1"], 10):
        game(who, often, result, minute=minute)
    game(seldom, who, minute=20)
    found = profile.frequent_opponents(profile.games_of(steps_of(who)), 2)
    assert found == [(often.pk, profile.Results(1, 1, 1)), (first.pk, profile.Results(1, 0, 0))]
    content = client.get(f"{who.get_absolute_url()}statistics/").content.decode()
    for opponent in (often, seldom, first):
        assert f'href="/members/{who.pk}/against/{opponent.pk}/"' in content


def test_games_against_unrated_players_are_no_part_of_a_title_and_no_break():
    who, other = rated("1400.00"), rated("1400.00")
    game(who, other, minute=10)  # 1410.00
    game(who, member(), minute=20)  # RBB 3.8
    game(who, other, minute=30)
    title, rating, in_categories = profile.titles(profile.by_category(history(who.rating_changes.all())))[2]
    assert (title, rating) == ("AFM", 1400)
    assert [(step.current, step.best, step.needed) for step in in_categories] == [
        (0, 0, 50), (2, 2, 100), (0, 0, 150),
    ]  # fmt: skip


def test_the_game_that_gave_the_first_rating_is_the_first_of_a_title():
    who = member()
    for minute in range(10, 15):
        game(who, rated(1500), "1/2-1/2", minute=minute)
    progress = profile.titles(profile.by_category(history(who.rating_changes.all())))
    assert [in_categories[1].current for _, _, in_categories in progress] == [0, 0, 1, 1]


def test_the_page_shows_progress_and_says_that_the_office_awards_nothing(client):
    who, other = rated(1450), rated(1450)
    for minute in range(10, 13):
        game(who, other, "1/2-1/2", minute=minute)
    text = page_of(client, who, "titles/")
    assert "we don’t award titles" in text
    assert "Blitz AGM 2000 0 of 100 games AIM 1700 0 of 100 games AFM 1400 3 of 100 games" in text
    assert "Bullet AGM 2000 0 of 150 games" in text


def test_a_broken_run_shows_the_best_one_too(client):
    who, other = rated("1400.00"), rated("1400.00")
    for minute, result in enumerate(["1/2-1/2", "1/2-1/2", "0-1", "1-0"], 10):
        game(who, other, result, minute=minute)
    # 1400.00 twice, then 1390.00, then 1390.00 + 20 × (1 - 0.47) = 1400.60
    assert "AFM 1400 1 of 100 games best run 2" in page_of(client, who, "titles/")


def test_a_member_without_a_game_has_a_page(client):
    text = page_of(client, member("new"))
    assert text.count("It starts with a draw or win") == 3
    assert "No games yet." in text
    for tab in ("games/", "statistics/"):
        assert "No rated games yet." in page_of(client, member(), tab)
    assert b"history-chart" not in client.get(member().get_absolute_url()).content


def test_the_chart_is_there_once_they_were_rated(client):
    who, other = rated("100.50"), rated("100.50", Category.RAPID)
    content = client.get(who.get_absolute_url()).content.decode()
    assert f'data-address="/api/v1/members/{who.username}/chart?span=all"' in content
    assert '<path class="blitz"' in content
    assert 'name="blitz"' in content
    assert 'name="rapid"' not in content
    assert "foa/history-chart.js" in content
    assert "style=" not in content
    assert " onclick" not in content
    adjust(who, -1, minute=30)
    assert standing_of(who).rating is None
    assert b"history-chart.js" in client.get(who.get_absolute_url()).content
    assert 'name="rapid"' in client.get(other.get_absolute_url()).content.decode()


def test_a_page_takes_the_same_few_queries_for_any_number_of_games(client):
    who, other = rated(1800), rated(1700)
    for category in (Category.RAPID, Category.BULLET):
        opening(who, 1800, category)

    def count():
        with CaptureQueriesContext(connection) as captured:
            assert client.get(who.get_absolute_url()).status_code == 200
        return len(captured)

    for minute in range(10, 15):
        game(who, other, minute=minute)
    few = count()
    assert few <= 15
    for minute in range(15, 60):
        opponent = rated(1700) if minute % 2 else other
        game(who, opponent, minute=minute, notation=CONTROL[BLITZ])
    assert count() == few
    assert RatingChange.objects.filter(member=who).count() == 53


def statements_of_the_ledger(client, who):
    """How often the page of a member reads their whole ledger."""
    with CaptureQueriesContext(connection) as captured:
        page_of(client, who)
    read = [each["sql"] for each in captured if 'FROM "ratings_ratingchange"' in each["sql"]]
    return sum("LIMIT" not in sql for sql in read)


def test_the_ledger_of_a_member_is_counted_once_for_each_event(client):
    who, other, third = rated(1600), rated(1500), rated(1700)
    game(who, other, minute=10)
    assert statements_of_the_ledger(client, who) == 1
    assert statements_of_the_ledger(client, who) == 0
    game(who, other, minute=20)
    assert statements_of_the_ledger(client, who) == 1
    now = timezone.now()  # a result that comes in late is noted as a recalculation
    game(third, other, started_at=now - timedelta(minutes=5), ended_at=now)
    assert statements_of_the_ledger(client, who) == 0


def counted(who):
    """The summary that is kept, and one that is counted now."""
    now = at(10_000)
    steps = history(who.rating_changes.all())
    return figures(who, now)[1:3], (profile.summary(steps, now), profile.charts(steps, now))


def test_kept_figures_follow_every_change_of_the_ledger():
    """Also changes behind the last line, which leave that line as it was."""
    who, other, third = rated(1600), rated(1500), rated(2000)
    first = game(who, other, minute=10)
    middle = game(other, who, minute=20)
    last = game(who, third, "0-1", minute=30)

    def change_result():
        first.result = "1/2-1/2"
        first.save()

    changes = [
        lambda: game(who, third, "1/2-1/2", minute=40),
        change_result,
        lambda: game(third, who, "0-1", minute=5),
        middle.delete,
        lambda: adjust(who, "12.00", 35),
        last.delete,
        lambda: opening(who, 1400, Category.RAPID, minute=1),
    ]
    seen = [counted(who)[1]]
    for change in changes:
        change()
        kept, now = counted(who)
        assert kept == now
        assert now != seen[-1]
        seen.append(now)


def test_the_last_30_days_of_kept_figures_move_on():
    who, other = rated(1600), rated(1500)
    game(who, other, minute=10)
    adjust(who, "12.00", 60 * 24 * 20)
    steps = history(who.rating_changes.all())
    begin = START + timedelta(days=25)
    found = profile.summary(steps, begin)
    for days in (25, 29, 31, 49, 51, 400):
        now = START + timedelta(days=days)
        assert found.standings_at(now) == profile.summary(steps, now).standings


def test_a_new_name_of_an_opponent_is_on_the_page_at_once(client):
    who, other = rated(1600), rated(1500)
    game(who, other, minute=10)
    shown = {tab: page_of(client, who, tab).count(str(other)) for tab in ("", "games/", "statistics/")}
    assert min(shown.values()) > 0
    other.name = "Another, Name"
    other.save()
    for tab, times in shown.items():
        assert page_of(client, who, tab).count("Another, Name") == times
