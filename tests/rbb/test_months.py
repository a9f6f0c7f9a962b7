"""What lists say of their months together: the review of a month, and the records of the arena."""

import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import cache

from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.report import all_records, keep_reviews, report, review_of
from ratings.rbb.models import Game, ListReview, Rating, RatingChange, RatingList
from ratings.rbb.models.fields import is_black
from ratings.rbb.upkeep import review_lists
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening
from tests.pages import is_friendly, queries, words

pytestmark = pytest.mark.django_db

APRIL, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5, 6))
DAY = 24 * 60
"""Minutes."""


def freeze(month):
    return publish(category=Category.BLITZ, month=month, at=month)[0]


def an_arena():
    """In April Bob beats Anna, who is rated 300 higher, and then loses twice to Carl on one day."""
    people = {name: member(name, name=name.title()) for name in ("anna", "bob", "carl")}
    for who, points in zip(people.values(), (1900, 1600, 1700), strict=True):
        opening(who, points)
    game(people["anna"], people["carl"], "1/2-1/2", minute=10)
    freeze(APRIL)
    people["upset"] = game(people["bob"], people["anna"], minute=35 * DAY)
    for minute in (10, 20):
        game(people["carl"], people["bob"], minute=40 * DAY + minute)
    people["may"] = freeze(MAY)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def test_a_review_names_who_played_most_and_the_day_with_most_games(arena):
    found = report(arena["may"])
    assert [(entry.username, entry.period_games) for entry in found.active] == [
        ("bob", 3),
        ("carl", 2),
        ("anna", 1),
    ]
    assert found.busiest == (at(40 * DAY).date(), 2)


def test_an_upset_is_a_win_against_a_higher_rating_by_the_difference(arena):
    """Carl's wins are none: Bob had fewer points. Draws are none either."""
    assert [(line.member.username, line.opponent.username) for line in report(arena["may"]).upsets] == [
        ("bob", "anna")
    ]
    ((key, higher),) = review_of(arena["may"])["upsets"]
    # Draw with 200 points more: Table 4.2, 0.76, so 20 × −0.26: Anna 1894.80, and Bob 1600.
    assert higher == 294_80
    assert key == report(arena["may"]).upsets[0].pk


def test_the_worker_keeps_reviews_once_and_they_say_the_same(arena):
    fresh = review_of(arena["may"])
    review_lists(MAY)
    assert ListReview.objects.count() == 2
    assert keep_reviews() == 0
    assert ListReview.objects.get(pk=arena["may"].pk).figures == {
        **fresh,
        "upsets": [list(pair) for pair in fresh["upsets"]],
        "spreads": [],
    }


def test_an_upset_whose_game_is_void_is_no_longer_named(arena):
    keep_reviews()
    void_games(games=[arena["upset"]], by=None, reason="engine", at=JUNE)
    assert report(arena["may"]).upsets == []
    assert all_records()[0].upsets == []


def test_records_come_from_all_reviews(arena):
    assert all_records()[0].highest == []
    keep_reviews()
    (blitz,) = all_records()
    assert blitz.category is Category.BLITZ
    assert [(row.member.username, row.peak) for row in blitz.highest][:1] == [("anna", 1900)]
    assert [line.member.username for line in blitz.upsets] == ["bob"]
    march = RatingList.objects.get(month=APRIL)
    assert blitz.months == [(date(2026, 4, 1), 3, arena["may"]), (date(2026, 3, 1), 1, march)]
    assert blitz.busiest == (at(40 * DAY).date(), 2)


def test_a_highest_rating_has_the_line_that_first_had_it(arena):
    """Carl's is after the second game of 10 April; Anna's is the rating that she started with."""
    keep_reviews()
    (blitz,) = all_records()
    found = {row.member.username: row.reached for row in blitz.highest}
    assert found["carl"].after == Rating.objects.get(member=arena["carl"]).peak
    assert found["carl"].occurred_at == at(40 * DAY + 20)
    assert found["anna"].opening is not None


def test_periods_have_records_of_gains_and_games_with_their_lists(arena):
    """What the first list has is no gain, and its games are of no period."""
    keep_reviews()
    (blitz,) = all_records()
    assert [(one.username, one.rating_list) for one in blitz.gains] == [
        ("carl", arena["may"]),
        ("bob", arena["may"]),
    ]
    assert [(one.username, one.period_games) for one in blitz.active] == [
        ("bob", 3),
        ("carl", 2),
        ("anna", 1),
    ]


def a_long_history():
    """Random games from October to May, some at the first moment of a month. The first list is March's."""
    dice = random.Random(35)
    start = datetime(2025, 10, 1, tzinfo=UTC)
    people = [member(name=f"Player {number}", full_from=start - timedelta(days=90)) for number in range(8)]
    for who in people:
        opening(who, dice.randrange(900, 2300), minute=-200 * DAY)
    moments = [start + timedelta(minutes=dice.randrange(240 * DAY)) for _ in range(150)]
    moments += [datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 4, 5)]
    for moment in sorted(moments):
        minute = (moment - START) / timedelta(minutes=1)
        game(*dice.sample(people, 2), dice.choice(["1-0", "0-1", "1/2-1/2"]), minute=minute)
    for month in (3, 4, 6):
        freeze(datetime(2026, month, 1, tzinfo=UTC))
    keep_reviews()


def as_counted_from_games(until):
    """The records from all games and lines before a moment, read one by one."""
    lines = list(RatingChange.objects.filter(occurred_at__lt=until, game__isnull=False))
    games = [one.occurred_at.date() for one in lines if not is_black(one.pk)]
    months = Counter(day.replace(day=1) for day in games)
    wins = [one for one in lines if one.half_points == 2 and one.before < one.opponent_rating]
    return {
        "months": sorted(months.items(), key=lambda pair: (-pair[1], pair[0]))[:3],
        "busiest": min(Counter(games).items(), key=lambda pair: (-pair[1], pair[0])),
        "upsets": sorted(wins, key=lambda one: (one.before - one.opponent_rating, one.pk))[:10],
        "highest": sorted((one.peak for one in Rating.objects.exclude(peak=None)), reverse=True)[:10],
    }


def as_shown(records):
    return {
        "months": [(month, games) for month, games, _listed in records.months],
        "busiest": records.busiest,
        "upsets": records.upsets,
        "highest": [one.peak for one in records.highest],
    }


def test_every_record_is_what_all_games_give_one_by_one():
    a_long_history()
    (blitz,) = all_records()
    assert as_shown(blitz) == as_counted_from_games(JUNE)
    # The list of March has everything before.
    assert RatingList.objects.get(month="2026-03-01").period_games > blitz.months[0][1]
    assert [one.difference for one in blitz.upsets] == sorted(
        (one.difference for one in blitz.upsets), reverse=True
    )


def test_records_follow_corrections_within_an_hour():
    a_long_history()
    busiest = as_counted_from_games(JUNE)["busiest"][0]
    of_the_day = Game.objects.filter(ended_at__date=busiest)
    void_games(games=list(of_the_day), by=None, reason="error", at=JUNE)
    review_lists(JUNE)
    (blitz,) = all_records()
    assert as_shown(blitz) == as_counted_from_games(JUNE)


@pytest.mark.rendered
class TestPages:
    def test_a_month_is_told_with_the_months_around_it(self, client, arena):
        page = words(client.get("/months/2026-04/"))
        assert "April 2026 in review" in page
        assert "3 rated games." in page
        assert "Bob 1600 beat Anna 1895" in page
        content = client.get("/months/2026-04/").content.decode()
        assert 'href="/months/2026-03/"' in content
        assert 'href="/games/?since=2026-04-01&amp;until=2026-04-30&amp;format=pgn"' in content
        assert 'href="/months/2026-04/"' in client.get("/months/2026-03/").content.decode()

    def test_a_month_that_is_not_over_is_not_found(self, client, arena):
        answer = client.get("/months/2026-05/")
        assert answer.status_code == 404
        assert is_friendly(answer)

    def test_both_pages_are_also_json(self, client, arena):
        keep_reviews()
        month = client.get("/months/2026-04/?format=json").json()
        assert month["games"] == 3
        blitz = month["categories"]["blitz"]
        assert blitz["upsets"][0]["opponent_rating"] == "1894.80"
        assert blitz["busiest"] == {"day": "2026-04-10", "games": 2}
        records = client.get("/records/?format=json").json()["blitz"]
        assert records["highest"][0]["rating"] == 1900
        assert records["months"][0] == {"month": "2026-04", "games": 3}
        # 1894.80 − 1600 = 294.80, rounded half up.
        assert records["upsets"][0]["difference"] == 295

    def test_records_say_who_and_when(self, client, arena):
        keep_reviews()
        page = words(client.get("/records/"))
        assert "Highest ratings ever Anna 1900 1 Mar 2026" in page
        assert "Busiest day" in page
        assert "Bob 1600 beat Anna 1895 295 5 Apr 2026" in page
        assert "April 2026 3 March 2026 1 Busiest day" in page

    def test_every_record_leads_to_the_game_or_list_that_set_it(self, client, arena):
        keep_reviews()
        (blitz,) = all_records()
        content = client.get("/records/").text
        for address in (
            arena["upset"].get_absolute_url(),
            *(row.reached.get_absolute_url() for row in blitz.highest),
            *(line.get_absolute_url() for line in (*blitz.gains, *blitz.active)),
            "/games/?category=blitz&amp;since=2026-04-10&amp;until=2026-04-10",
            "/months/2026-04/",
        ):
            assert f'href="{address}"' in content
        assert (
            len(client.get("/games/?category=blitz&since=2026-04-10&until=2026-04-10").context["table"].rows)
            == 2
        )

    def test_what_a_mover_won_against_whom_is_one_link_from_the_movers(self, client, arena):
        """Carl beat Bob twice in April; the draw of March is not of this period."""
        line = arena["may"].entries.get(username="carl")
        assert (
            f'href="{line.get_absolute_url()}"'
            in client.get(f"{arena['may'].get_absolute_url()}report/").text
        )
        page = client.get(line.get_absolute_url())
        rows = [row.record for row in page.context["table"].rows]
        assert [(row.opponent.username, row.half_points) for row in rows] == [("bob", 2), ("bob", 2)]
        assert sum(row.change for row in rows) == line.change

    def test_who_did_not_play_in_a_period_has_no_games_there(self, client, arena):
        june = freeze(JUNE)
        line = june.entries.get(username="carl")
        assert "No rated games in this period." in words(client.get(line.get_absolute_url()))

    def test_without_a_list_there_are_no_records(self, client):
        assert "No lists published yet." in words(client.get("/records/"))

    def test_records_take_the_same_queries_whatever_happened(self, client, arena):
        keep_reviews()
        found = queries(client, "/records/")
        for number in range(9):
            game(member(), arena["bob"], minute=62 * DAY + number)
        publish(category=Category.BLITZ, month=JUNE, at=JUNE)
        keep_reviews()
        cache.clear()
        assert queries(client, "/records/") <= found

    def test_the_month_before_the_first_list_has_its_own_games_alone(self, client):
        a_long_history()
        shown = client.get("/months/2026-02/").context
        february = Game.objects.filter(ended_at__year=2026, ended_at__month=2).count()
        assert (shown["games"], shown["categories"][0].report.active) == (february, [])
        assert all(one.occurred_at.month == 2 for one in shown["categories"][0].report.upsets)

    def test_a_month_takes_the_same_queries_whatever_happened_in_it(self, client, arena):
        keep_reviews()
        found = queries(client, "/months/2026-04/")
        for number in range(9):
            game(member(), arena["bob"], minute=62 * DAY + number)
        publish(category=Category.BLITZ, month=JUNE, at=JUNE)
        keep_reviews()
        assert RatingList.objects.count() == 3
        assert queries(client, "/months/2026-05/") <= found
