"""How the change of a line of a list adds up: the games that count on it and not on the list before."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.utils import timezone

from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, LateLine, RatingList
from ratings.rules.time_controls import Category
from tests.arena import START, adjustment, control, game, member, opening, rebuild, taken_back
from tests.pages import words

pytestmark = pytest.mark.django_db

JANUARY, FEBRUARY, MARCH, APRIL = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4))
LONG_AGO = datetime(2025, 6, 1, tzinfo=UTC)


def freeze(month, **options):
    return publish(category=Category.BLITZ, month=month, at=month + timedelta(hours=1), **options)[0]


def minutes(moment):
    """The moment as the arena counts."""
    return (moment - START).total_seconds() / 60


def played(white, black, result="1-0", *, month=1, day=1, **fields):
    """A game of a day of 2026, at noon."""
    return game(white, black, result, minute=minutes(datetime(2026, month, day, 12, tzinfo=UTC)), **fields)


def two_members():
    """Anna and Bob, rated 1600 since long ago; Anna wins on 10 January: 1610.00 and 1590.00."""
    pair = [member(name, full_from=LONG_AGO) for name in ("anna", "bob")]
    for who in pair:
        opening(who, 1600, minute=minutes(LONG_AGO))
    played(*pair, day=10)
    return pair


@pytest.fixture(scope="class")
def two(standing):
    return standing(two_members)


def line(published, who):
    return published.entries.get(member=who)


def games(entry):
    """Games, of which late, and withdrawn ones."""
    return entry.period_games, entry.late_games, entry.withdrawn_games


def parts(entry):
    """By games of the period, by adjustments, by openings, and by what is corrected."""
    return (
        entry.games_change,
        entry.adjustments_change,
        entry.openings_change,
        entry.earlier_change,
    )


def points(*texts):
    return tuple(map(Decimal, texts))


def test_a_game_entered_after_the_list_of_its_month_is_told_on_the_next_one_as_entered_late(two):
    """Row 14 of the issue: +9.40 with 0 games."""
    anna, bob = two
    freeze(FEBRUARY)
    played(anna, bob, day=20)
    march = freeze(MARCH)
    entry = line(march, anna)
    # 3.9.2: D = 20: H 0.53, so 1610 + 20 × 0.47.
    assert (entry.previous, entry.rating, entry.change) == points("1610.00", "1619.40", "9.40")
    assert games(entry) == (1, 1, 0)
    assert parts(entry) == points("0", "0", "0", "9.40")
    assert (march.period_games, march.late_games, march.withdrawn_games) == (1, 1, 0)
    # The list after it counts the game no more.
    april = freeze(APRIL)
    assert games(line(april, anna)) == (0, 0, 0)
    assert parts(line(april, anna)) == points("0", "0", "0", "0")
    assert (april.period_games, april.late_games) == (0, 0)


def test_a_late_game_and_one_of_the_period_are_told_apart(two):
    anna, bob = two
    freeze(FEBRUARY)
    played(anna, bob, month=2, day=3)
    played(anna, bob, day=20)
    entry = line(freeze(MARCH), anna)
    # After 1619.40 against 1580.60, D = 38.8 → 39: H 0.55, so 20 × 0.45.
    assert entry.rating == Decimal("1628.40")
    assert games(entry) == (2, 1, 0)
    assert parts(entry) == points("9.00", "0", "0", "9.40")


def test_a_withdrawn_game_is_told_and_its_change_is_taken_off(two):
    anna, _bob = two
    freeze(FEBRUARY)
    void_games(games=[Game.objects.get()], by=None, reason="by mistake", at=timezone.now())
    march = freeze(MARCH)
    entry = line(march, anna)
    assert entry.change == Decimal("-10.00")
    assert games(entry) == (0, 0, 1)
    assert parts(entry) == points("0", "0", "0", "-10.00")
    assert (march.period_games, march.late_games, march.withdrawn_games) == (0, 0, 1)


def test_a_game_that_is_withdrawn_and_reinstated_between_two_lists_is_neither(two):
    freeze(FEBRUARY)
    one = Game.objects.get()
    void_games(games=[one], by=None, reason="by mistake", at=timezone.now())
    one.refresh_from_db()
    one.voided_at, one.void_reason = None, ""
    one.save()
    entry = line(freeze(MARCH), two[0])
    assert games(entry) == (0, 0, 0)
    assert parts(entry) == points("0", "0", "0", "0")


def test_a_game_that_is_reinstated_after_the_list_without_it_is_late_on_the_next_one(two):
    one = Game.objects.get()
    void_games(games=[one], by=None, reason="by mistake", at=timezone.now())
    played(*two, month=1, day=11)  # the archive begins with the first rated game
    freeze(FEBRUARY)
    one.refresh_from_db()
    one.voided_at, one.void_reason = None, ""
    one.save()
    assert games(line(freeze(MARCH), two[0])) == (1, 1, 0)


def test_a_game_that_is_entered_late_and_withdrawn_again_leaves_no_trace(two):
    freeze(FEBRUARY)
    played(*two, day=20).delete()
    march = freeze(MARCH)
    assert games(line(march, two[0])) == (0, 0, 0)
    assert (march.period_games, march.late_games, march.withdrawn_games) == (0, 0, 0)


@pytest.mark.parametrize(
    ("was", "becomes", "on_march", "on_april"),
    [
        # It counted on the list of February already.
        ((1, 10), (2, 10), (0, 0, 0), (0, 0, 0)),
        # It counts again only on the list of April.
        ((1, 10), (3, 10), (0, 0, 1), (1, 0, 0)),
        # It did not count on the list of February, though it should have.
        ((2, 10), (1, 10), (1, 1, 0), (0, 0, 0)),
        ((3, 10), (1, 10), (1, 1, 0), (0, 0, 0)),
    ],
)
def test_a_game_whose_end_is_corrected_across_a_list_counts_once(two, was, becomes, on_march, on_april):
    Game.objects.get().delete()
    played(*two, day=5)
    moving = played(*two, month=was[0], day=was[1])
    freeze(FEBRUARY)
    moving.ended_at = datetime(2026, *becomes, 12, tzinfo=UTC)
    moving.started_at = moving.ended_at - timedelta(minutes=5)
    moving.save()
    assert games(line(freeze(MARCH), two[0])) == on_march
    assert games(line(freeze(APRIL), two[0])) == on_april


def test_a_game_that_goes_to_another_player_is_withdrawn_from_one_and_late_for_the_other(two):
    anna, bob = two
    carl = member("carl", full_from=LONG_AGO)
    opening(carl, 1600, minute=minutes(LONG_AGO))
    freeze(FEBRUARY)
    one = Game.objects.get()
    one.white = carl
    one.save()
    march = freeze(MARCH)
    assert [games(line(march, who)) for who in (anna, bob, carl)] == [(0, 0, 1), (0, 0, 0), (1, 1, 0)]
    # The game itself is on both lists.
    assert (march.period_games, march.late_games, march.withdrawn_games) == (0, 0, 0)


@pytest.mark.parametrize(("was", "becomes"), [(0, 2), (2, 0), (1, 2), (2, 1)])
def test_a_game_that_goes_to_another_category_is_withdrawn_there_and_late_here(two, was, becomes):
    notations = ("900+0", "180+2", "60+0")
    anna, _bob = two
    for category in (Category.RAPID, Category.BULLET):
        for who in two:
            opening(who, 1600, category, minute=minutes(LONG_AGO))
    one = played(*two, day=20, notation=notations[was])
    for category in Category:
        publish(category=category, month=FEBRUARY, at=FEBRUARY)
    one.time_control = control(notations[becomes])
    one.save()
    march = [publish(category=category, month=MARCH, at=MARCH)[0] for category in Category]
    assert games(line(march[was], anna)) == (0, 0, 1)
    assert games(line(march[becomes], anna)) == (1, 1, 0)
    assert [(found.late_games, found.withdrawn_games) for found in (march[was], march[becomes])] == [
        (0, 1),
        (1, 0),
    ]


def test_a_result_that_counts_only_since_an_opening_was_entered_late_is_late_itself(two):
    """3.8: a game against an unrated opponent does not count for a rated one."""
    anna, _bob = two
    eve = member("eve", full_from=LONG_AGO)
    played(anna, eve, day=20)
    february = freeze(FEBRUARY)
    assert (games(line(february, anna)), february.unrated_games) == ((1, 0, 0), 1)
    opening(eve, 1600, minute=minutes(LONG_AGO))
    march = freeze(MARCH)
    assert games(line(march, anna)) == (1, 1, 0)
    assert march.unrated_games == 0
    # The list has the game, as the one before had; for Anna it did not count there.
    assert (march.period_games, march.late_games) == (0, 0)


def test_adjustments_and_openings_of_the_period_have_their_own_part(two):
    anna, _bob = two
    freeze(FEBRUARY)
    adjustment(anna, "-3", period=FEBRUARY.date(), effective_at=FEBRUARY + timedelta(days=2))
    new = member("new", full_from=LONG_AGO)
    opening(new, 1500, minute=minutes(FEBRUARY) + 5)
    # 3.9.2: 1500 against 1607: D = 107: H of the higher 0.65, so 20 × 0.65 for the lower.
    played(new, anna, month=2, day=20)
    march = freeze(MARCH)
    assert parts(line(march, anna)) == points("-13.00", "-3.00", "0", "0")
    assert line(march, anna).change == Decimal("-16.00")
    # On no list before: from 0.
    assert parts(line(march, new)) == points("13.00", "0", "1500.00", "0")
    assert (line(march, new).rating, line(march, new).change) == (Decimal("1513.00"), None)


def test_openings_and_adjustments_entered_late_are_corrections(two):
    anna, _bob = two
    freeze(FEBRUARY)
    adjustment(anna, "7", period=JANUARY.date(), effective_at=JANUARY + timedelta(days=20))
    new = member("new", full_from=LONG_AGO)
    opening(new, 1500, minute=minutes(JANUARY))
    march = freeze(MARCH)
    assert (games(line(march, anna)), parts(line(march, anna))) == ((0, 0, 0), points("0", "0", "0", "7"))
    assert parts(line(march, new)) == points("0", "0", "0", "1500")


def test_a_revision_is_compared_with_the_list_before_it_as_last_revised(two):
    anna, bob = two
    freeze(FEBRUARY)
    played(anna, bob, day=20)
    first = freeze(MARCH)
    assert games(line(first, anna)) == (1, 1, 0)
    february = freeze(FEBRUARY, revise=True)
    assert games(line(february, anna)) == (2, 0, 0)
    second = freeze(MARCH, revise=True)
    assert second.previous == february
    assert (games(line(second, anna)), parts(line(second, anna))) == ((0, 0, 0), points("0", "0", "0", "0"))
    first.refresh_from_db()
    assert games(line(first, anna)) == (1, 1, 0)


def test_a_game_that_ended_just_before_the_list_and_came_just_after_it_is_late(two):
    """Within the hour in which results are waited for, nothing else is told of it."""
    freeze(FEBRUARY)
    with patch("django.utils.timezone.now", return_value=FEBRUARY + timedelta(minutes=20)):
        game(*two, minute=minutes(FEBRUARY) - 5)
    assert games(line(freeze(MARCH), two[0])) == (1, 1, 0)


def test_a_game_of_the_very_moment_of_a_list_is_on_it(two):
    game(*two, minute=minutes(FEBRUARY))
    assert games(line(freeze(FEBRUARY), two[0])) == (2, 0, 0)
    game(*two, minute=minutes(FEBRUARY) + 1 / 60)
    assert games(line(freeze(MARCH), two[0])) == (1, 0, 0)


def test_late_games_of_many_at_once_are_late_each(two):
    anna, bob = two
    freeze(FEBRUARY)
    with deferred():
        for day in range(11, 31):
            played(anna, bob, "1/2-1/2", day=day)
        played(anna, bob, month=2, day=1)
    assert games(line(freeze(MARCH), anna)) == (21, 20, 0)


def test_nothing_is_kept_where_no_list_was_published_or_only_an_earlier_one(two):
    played(*two, day=5)
    freeze(JANUARY)
    played(*two, day=6)
    with deferred():
        played(*two, day=7)
    Game.objects.last().delete()
    assert not LateLine.objects.exists()


def test_a_rebuild_of_the_ledger_makes_no_game_late(two):
    freeze(FEBRUARY)
    replay()
    rebuild()
    assert games(line(freeze(MARCH), two[0])) == (0, 0, 0)


def test_a_preview_leaves_nothing_behind(two):
    freeze(FEBRUARY)
    taken_back(lambda: played(*two, day=20))
    assert not LateLine.objects.exists()
    assert RatingList.objects.get().last_recalculation is not None


def test_the_page_of_a_line_says_how_its_change_adds_up(two, client):
    anna, bob = two
    freeze(FEBRUARY)
    played(anna, bob, day=20)
    played(anna, bob, month=2, day=3)
    march = freeze(MARCH)
    text = words(client.get(march.get_absolute_url()))
    assert "2 (1 entered late)" in text
    entry = line(march, anna)
    assert f'href="{entry.get_absolute_url()}"' in client.get(march.get_absolute_url()).text
    text = words(client.get(entry.get_absolute_url()))
    assert (
        "Rating on the previous list 1610.00 Rated games in the period +9.00 (1 game) Over-the-board "
        "changes (RBB 3.15) 0.00 Starting rating (RBB 3.4) 0.00 Corrections to earlier lists +9.40 (1 "
        "game, entered late) Change +18.40 Rating on this list 1628.40"
    ) in text
    assert "2 (1 entered late)" in words(client.get(f"{march.get_absolute_url()}report/"))
    assert client.get("/lists/lines/7/").status_code == 404


def test_the_page_of_a_line_tells_a_withdrawn_game(two, client):
    freeze(FEBRUARY)
    void_games(games=[Game.objects.get()], by=None, reason="by mistake", at=timezone.now())
    march = freeze(MARCH)
    text = words(client.get(line(march, two[0]).get_absolute_url()))
    assert "Corrections to earlier lists −10.00 (1 game, withdrawn)" in text
    assert "0 (1 withdrawn)" in words(client.get(march.get_absolute_url()))


def test_a_list_of_an_earlier_version_keeps_its_columns_and_its_checksum(two, client):
    """As version 0.5.0 froze it: without the new columns, in CSV and every other form."""
    published = freeze(FEBRUARY)
    parts = ("late_games", "withdrawn_games", "games_change", "adjustments_change", "openings_change")
    published.entries.update(**dict.fromkeys((*parts, "earlier_change")))
    RatingList.objects.update(layout=1, late_games=None, withdrawn_games=None, last_recalculation=None)
    published.refresh_from_db()
    address = published.get_absolute_url()
    file = b"".join(client.get(f"{address}?format=csv").streaming_content).decode()
    assert file == (
        "rank,username,fide_id,name,title,federation,rating,games,previous,change,period_games,k\r\n"
        "1,anna,,,,,1610,1,,,1,20\r\n"
        "2,bob,,,,,1590,1,,,1,20\r\n"
    )
    rows = json.loads(b"".join(client.get(f"{address}?format=json").streaming_content))["members"]
    assert list(rows[0])[-1] == "k"
    assert "did not store how a change adds up" in words(
        client.get(line(published, two[0]).get_absolute_url())
    )
    # The list after it tells what came late since the upgrade.
    played(*two, day=20)
    assert games(line(freeze(MARCH), two[0])) == (1, 1, 0)
