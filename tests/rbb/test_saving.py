"""Saving a game rates it: once, or not at all."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import call, patch

import pytest
from django.core import serializers
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from members.models import FullMembership
from ratings.rbb.ledger import on_save
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, Rating, RatingChange, TimeControl
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, adjustment, at, control, game, member, opening, points, projections, rated

pytestmark = pytest.mark.django_db

WRITES = ("INSERT", "UPDATE", "DELETE")


def written_to(queries, table):
    """The statements that write to this table."""
    return [
        query["sql"] for query in queries if query["sql"].startswith(WRITES) and f'"{table}"' in query["sql"]
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda who: Game(
            white=who,
            black=member(),
            result="1-0",
            time_control=control("180+2"),
            started_at=at(0),
            ended_at=at(1),
        ),
        lambda who: OpeningRating(
            member=who, category=Category.BLITZ, rating=1500, effective_at=at(0), source="x"
        ),
        lambda who: OtbAdjustment(
            member=who, category=Category.BLITZ, period=at(0).date(), change=5, effective_at=at(0), source="x"
        ),
    ],
)
def test_receivers_do_nothing_but_call_the_recording_service(make):
    event = make(member())
    with (
        patch.object(on_save, "remember_place") as remember,
        patch.object(on_save, "rate_after_change") as rate,
    ):
        event.save()
        assert remember.mock_calls == [call(event, update_fields=None)]
        assert rate.mock_calls == [call(event)]
        event.delete()
        assert remember.mock_calls[1:] == [call(event, deleted=True)]
        assert rate.mock_calls[1:] == [call(event, deleted=True)]
    assert projections() == []


def test_a_game_is_rated_when_it_is_saved():
    anna, bob = rated("1799.60"), rated(1600)
    game(anna, bob, "1/2-1/2")
    # D = 200 (199.60 rounded half up): H 0.76, L 0.24; K = 20.
    assert (points(anna), points(bob)) == (Decimal("1794.40"), Decimal("1605.20"))


def test_saving_a_game_twice_rates_it_once():
    played = game(rated(1600), rated(1600))
    before = projections()
    played.save()
    Game.objects.get(pk=played.pk).save()
    assert projections() == before
    assert RatingChange.objects.filter(game=played).count() == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"termination": "time"},
        {"plies": 60},
        {"pgn": "1. e4 e5 1-0"},
        {"external_id": "elsewhere"},
        {"started_at": at(1)},
        {"void_reason": "a note"},
    ],
)
def test_a_change_that_decides_no_rating_does_not_touch_the_ledger(changes):
    played = game(rated(1600), rated(1600))
    for field, value in changes.items():
        setattr(played, field, value)
    with CaptureQueriesContext(connection) as queries:
        played.save()
    assert written_to(queries, "ratings_game")
    assert not any("ratings_rating" in query["sql"] for query in queries)


def test_an_edit_that_is_saved_only_in_part_leaves_ratings_to_what_is_stored():
    anna = rated(1600)
    played = game(anna, rated(1600))
    before = projections()
    played.result, played.termination = "0-1", "time"
    played.save(update_fields=["termination"])
    assert projections() == before
    played.save(update_fields=["result"])
    assert points(anna) == Decimal("1590.00")


def test_fixtures_are_stored_as_they_are_and_rate_nothing():
    played = game(rated(1600), rated(1600))
    text = serializers.serialize("json", [played, *OpeningRating.objects.all()])
    played.delete()
    with deferred():
        OpeningRating.objects.all().delete()
    assert projections() == []
    with patch.object(on_save, "remember_place") as remember, patch.object(on_save, "rate_after_change"):
        for stored in serializers.deserialize("json", text):
            stored.save()
        assert not remember.called
        assert not on_save.rate_after_change.called
    assert Game.objects.count() == 1
    assert projections() == []
    replay()
    assert RatingChange.objects.count() == 4


@pytest.mark.parametrize("colour", ["White", "Black"])
def test_a_rated_game_with_somebody_who_is_no_full_member_is_refused_with_the_article(colour):
    players = [member(), member(full_from=None)]
    if colour == "White":
        players.reverse()
    with pytest.raises(ValidationError, match=r"was not a full member on .*\(RBB 2\.1\)") as refused:
        game(*players)
    assert list(refused.value.message_dict) == [colour.lower()]
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("minute", "allowed"),
    [
        (19.999, False),
        (20, True),
        (29.999, True),
        (30, False),
        (39.999, False),
        (40, True),
        (10_000, True),
    ],
)
def test_full_membership_counts_from_its_first_moment_up_to_not_including_its_last(minute, allowed):
    anna, bob = member(full_from=None), member()
    FullMembership.objects.create(member=anna, full_from=at(20), full_until=at(30))
    FullMembership.objects.create(member=anna, full_from=at(40))
    facts = {"minute": minute + 5, "started_at": at(minute), "ended_at": at(minute + 5)}
    if allowed:
        assert game(anna, bob, **facts).pk
    else:
        with pytest.raises(ValidationError, match=r"RBB 2\.1"):
            game(anna, bob, **facts)


def test_only_the_start_of_a_game_asks_for_full_membership():
    anna, bob = member(full_from=None), member()
    FullMembership.objects.create(member=anna, full_from=at(0), full_until=at(30))
    assert game(anna, bob, started_at=at(29), minute=40).counts


@pytest.mark.parametrize("notation", ["600+5", "120+1", "60+3", "901+0", "0+1"])
def test_a_rated_game_with_a_control_that_is_not_listed_is_refused_with_the_article(notation):
    with pytest.raises(ValidationError, match=r"not one of the seventeen that are rated \(RBB 2\.3\)"):
        game(member(), member(), notation=notation)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ended_at": datetime(2999, 1, 1, tzinfo=UTC)}, r"The end time is in the future.*\(RBB 3\.11\)"),
        ({"started_at": at(11)}, "The end time is before the start time"),
        ({"started_at": None}, "Enter when the game started"),
        ({"ended_at": None}, "Enter both end time and result"),
        ({"result": ""}, "Enter both end time and result"),
        ({"result": "2-0"}, "result"),
        ({"plies": 1}, r"fewer than one move by each side \(FIDE B\.02 5\.1\)"),
        (
            {"started_at": datetime(2999, 1, 1, tzinfo=UTC), "ended_at": None, "result": ""},
            "The start time is in the future. Enter the game once it has started",
        ),
        (
            {"termination": "goodbye"},
            "“goodbye” isn’t a way for a game to end. Use one of these: checkmate, resignation, time,",
        ),
        ({"termination": "unknown"}, "“unknown” leaves open whether the game was played"),
        (
            {"termination": "disconnection white"},
            r"White was disconnected for more than 60 seconds and so lost, but the result is 1-0 \(RBB "
            r"2\.4\)",
        ),
        (
            {"termination": "disconnection black", "result": "1/2-1/2"},
            r"Black was disconnected for more than 60 seconds and so lost, .* 1/2-1/2 \(RBB 2\.4\)",
        ),
        ({"termination": "disconnection both"}, r"so neither lost \(RBB 2\.4\)"),
        ({"termination": "no-show"}, r"not played: “no-show” \(FIDE B\.02 5\.1"),
    ],
)
def test_a_game_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValidationError, match=message) as refused:
        game(member(), member(), **changes)
    assert len(refused.value.messages) == 1
    assert not Game.objects.exists()


def test_a_control_of_the_list_is_rated_also_when_its_row_was_made_anew():
    """``manage.py flush`` takes the seventeen away; what comes back must not be unrated silently."""
    TimeControl.objects.all().delete()
    played = game(member(), member(), notation="180+2")
    assert played.category is Category.BLITZ
    assert RatingChange.objects.of_game(played).count() == 2


def test_nobody_plays_against_himself():
    anna = member()
    with pytest.raises(ValidationError, match="White and Black are the same"):
        game(anna, anna)


def test_a_game_may_end_in_the_moment_in_which_it_began():
    assert game(member(), member(), started_at=at(10), minute=10).counts


def test_unrated_games_have_any_control_and_any_players_and_leave_no_trace_in_the_ledger():
    anna, stranger = rated(1600), member(full_from=None)
    before = projections()
    for number, notation in enumerate(["7+0", "600+5", "180+2", "86400+3600"]):
        game(anna, stranger, notation=notation, rated=False, minute=10 + number)
    assert Game.objects.count() == 4
    assert projections() == before


def test_a_game_in_progress_is_no_event_and_becomes_one_when_it_ends():
    anna, bob = rated(1600), rated(1600)
    before = projections()
    playing = game(anna, bob, result="", ended_at=None)
    assert projections() == before
    playing.result, playing.ended_at = "1-0", at(20)
    playing.save()
    assert (points(anna), points(bob)) == (Decimal("1610.00"), Decimal("1590.00"))
    playing.result, playing.ended_at = "", None
    playing.save()
    assert projections() == before


def test_two_games_of_one_moment_are_taken_in_the_order_of_their_numbers():
    anna, bob = rated(1600), rated(1500)
    for result in ("1-0", "0-1"):
        game(anna, bob, result, minute=10)
    first, second = RatingChange.objects.filter(member=anna, game__isnull=False).in_order()
    assert (first.before, first.after) == (Decimal("1600.00"), Decimal("1607.20"))
    # D = 114 (1607.20 against 1492.80): H 0.66.
    assert (second.before, second.after) == (Decimal("1607.20"), Decimal("1594.00"))


def test_an_adjustment_of_bullet_is_no_event_of_the_rules():
    anna = rated(1600, Category.BULLET)
    bullet = OtbAdjustment(
        member=anna, category=Category.BULLET, period=at(0).date(), change=5, effective_at=at(5), source="x"
    )
    with pytest.raises(ValidationError, match=r"RBB 1\.3"):
        bullet.validate_constraints()


def test_a_late_opening_is_replayed_and_its_deletion_too():
    anna, bob = member(), rated(1600)
    game(anna, bob, minute=20)
    assert points(anna) is None
    before = projections()
    late = opening(anna, 1600, minute=15)
    assert (points(anna), points(bob)) == (Decimal("1610.00"), Decimal("1590.00"))
    late.delete()
    assert projections() == before


def test_an_adjustment_moves_what_follows_it_and_its_deletion_moves_it_back():
    anna, bob = rated(1600), rated(1600)
    game(anna, bob, minute=20)
    before = projections()
    added = adjustment(anna, "-30.00", minute=15)
    # 1570 against 1600: L 0.46, H 0.54.
    assert (points(anna), points(bob)) == (Decimal("1580.80"), Decimal("1589.20"))
    added.change = Decimal("0.00")
    added.save()
    assert (points(anna), points(bob)) == (Decimal("1610.00"), Decimal("1590.00"))
    added.delete()
    assert projections() == before
    assert replay(check=True) == ReplaySummary(events=3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("category", Category)
def test_saving_the_newest_game_takes_eight_statements(category):
    anna, bob = rated(1600, category), rated(1500, category)
    now = timezone.now()
    fresh = Game(
        white=anna,
        black=bob,
        time_control=control(CONTROL[category]),
        result="1-0",
        started_at=now - timedelta(minutes=10),
        ended_at=now - timedelta(minutes=5),
    )
    with CaptureQueriesContext(connection) as queries:
        fresh.save()
    statements = [query["sql"].split(maxsplit=1)[0] for query in queries]
    # One transaction round all of them, so also round the look at both accounts. On PostgreSQL three of them
    # also lock: the accounts, the pair whose games are looked at, the members and the category whose ratings
    # are read; then the editions. Of the four that insert the second tells others.
    assert (statements.pop(0), statements.pop()) == ("BEGIN", "COMMIT")
    same, ratings = ("SELECT", "DO") if connection.vendor == "postgresql" else ("WITH", "SELECT")
    assert statements == ["SELECT", same, "INSERT", ratings, "SELECT", "INSERT", "INSERT", "INSERT"]
    assert Rating.objects.get(member=anna).last_change.game == fresh


@pytest.mark.parametrize("termination", ["aborted", "no-show", "forfeit", "bye"])
def test_a_game_that_was_not_played_may_end_without_a_result_if_it_is_unrated(termination):
    anna, bob = rated(1600), rated(1600)
    before = projections()
    played = game(anna, bob, "", termination=termination, rated=False)
    assert played.ended_unplayed
    assert projections() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"rated": True},
        {"rated": True, "voided_at": at(20), "void_reason": "error"},
        {"termination": "checkmate"},
        {"ended_at": None, "result": "1-0"},
    ],
)
def test_no_other_game_ends_without_a_result(changes):
    values = {"termination": "aborted", "rated": False, "result": "", **changes}
    with pytest.raises(ValidationError, match="Only an unrated game that wasn’t played"):
        game(rated(1600), rated(1600), values.pop("result"), **values)
    assert not Game.objects.exists()
