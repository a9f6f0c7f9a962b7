"""The audit of games and starting ratings: each fault comes behind the office's back; it finds that alone."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from ratings.office.audit import audit, checks
from ratings.office.models import AuditedCheck, AuditFinding
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game, OpeningRating, RatingChange, TimeControl
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening, rated
from tests.audits import mend, sql
from tests.decisions import decided

pytestmark = pytest.mark.django_db

CHECKS = (
    "games-not-played",
    "games-of-impossible-ends",
    "games-of-other-last-positions",
    "games-of-other-controls",
    "games-stored-twice",
    "games-rated-and-casual",
    "games-with-ids-alike",
    "games-of-the-future",
    "games-too-long",
    "games-forgotten",
    "games-at-the-same-time",
    "openings-before-membership",
)


def in_order(found):
    """What checks find, by the numbers in its keys: 9 before 10."""
    return sorted(
        found,
        key=lambda one: (one[0], [int(part) if part.isdecimal() else part for part in one[1].split()]),
    )


def found():
    """What the checks find now."""
    audit(only=CHECKS)
    return in_order((one.check_name, one.key, str(one)) for one in AuditFinding.objects.filter(is_there=True))


def mended():
    """Do what the only finding proposes; what is found then."""
    mend()
    return found()


def an_arena():
    """An arena in which nothing contradicts the rules; what would, is unrated or void. One of its games."""
    anna, bob = rated(1800), rated(1700)
    one = game(anna, bob, minute=10, termination="disconnection black")
    game(bob, anna, minute=15)
    for fields in (
        {"termination": "no-show", "rated": False},
        {"termination": "unknown", "rated": False},
        {"notation": "600+5", "rated": False},
        {"plies": 1, "rated": False},
        {"minute": 10, "rated": False},
        {"started_at": at(-10_000), "rated": False},
    ):
        game(anna, bob, **{"minute": 100, **fields})
    void_games(games=[game(anna, bob, minute=10)], by=None, reason="error", at=at(500))
    game(anna, bob, result="", started_at=timezone.now(), ended_at=None)
    assert found() == []
    return one


@pytest.fixture(scope="class", autouse=True)
def played(standing):
    return standing(an_arena)


NOT_PLAYED = {
    "noStart": "not played: “noStart”",
    "walk-over": "not played: “walk-over”",
    "default": "not played: “default”",
    "forfeited": "not played: “forfeited”",
    "unstarted": "not played: “unstarted”",
    "aborted by server": "not played: “aborted by server”",
    "bye": "not played: “bye”",
    "goodbye": "“goodbye” leaves open whether the game was played",
    "disconnection white": (
        "White was disconnected for more than 60 seconds and so lost, but the result is 1-0"
    ),
    "disconnection both": "both players’ 60 seconds of disconnection ran out at the same instant",
}


@pytest.mark.parametrize(("word", "why"), NOT_PLAYED.items())
def test_2_4_a_rated_game_that_was_not_played_is_found_and_its_decision_mends_it(played, word, why):
    sql("UPDATE ratings_game SET termination = %s WHERE id = %s", word, played.pk)
    ((check, key, text),) = found()
    assert (check, key) == ("games-not-played", f"game {played.pk}")
    assert text.startswith(f"{played}, started 1 Mar 2026, 00:05 UTC: rated, but {why}")
    assert RatingChange.objects.of_game(played).exists()
    assert mended() == []
    assert not RatingChange.objects.of_game(played).exists()


def test_2_4_a_draw_of_a_player_who_was_gone_is_found(played):
    sql("UPDATE ratings_game SET result = '1/2-1/2' WHERE id = %s", played.pk)
    ((_check, _key, text),) = found()
    assert text.endswith(
        "Black was disconnected for more than 60 seconds and so lost, but the result is 1/2-1/2 (RBB 2.4)."
    )


def test_5_1_a_rated_game_without_a_move_by_each_side_is_found(played):
    sql("UPDATE ratings_game SET plies = 1 WHERE id = %s", played.pk)
    ((check, _key, text),) = found()
    assert check == "games-not-played"
    assert "not played: fewer than one move by each side (FIDE B.02 5.1)" in text


@pytest.mark.parametrize(
    ("end", "result", "why"),
    [
        ("stalemate", "1-0", "“stalemate” means a draw, but the result is 1-0 (FIDE Laws 5.2.1)"),
        ("agreement", "0-1", "“agreement” means a draw, but the result is 0-1 (FIDE Laws 5.2.3)"),
        (
            "checkmate",
            "1/2-1/2",
            "“checkmate” means that a player won, but the result is 1/2-1/2 (FIDE Laws 5.1.1)",
        ),
    ],
)
def test_5_a_stored_end_that_its_result_contradicts_is_found_and_its_decision_mends_it(
    played, end, result, why
):
    sql("UPDATE ratings_game SET termination = %s, result = %s WHERE id = %s", end, result, played.pk)
    ((check, key, text),) = found()
    assert (check, key) == ("games-of-impossible-ends", f"game {played.pk}")
    assert text == f"{Game.objects.get(pk=played.pk)}, started 1 Mar 2026, 00:05 UTC: rated, but {why}."
    assert mended() == []


def test_5_1_1_a_stored_game_that_its_moves_end_otherwise_is_found_and_its_decision_mends_it(played):
    AuditedCheck.objects.all().delete()
    mate = "1. f3 e5 2. g4 Qh4# 1-0"
    sql("UPDATE ratings_game SET pgn = %s, termination = 'checkmate' WHERE id = %s", mate, played.pk)
    ((check, key, text),) = found()
    assert (check, key) == ("games-of-other-last-positions", f"game {played.pk}")
    assert text.endswith(
        "rated, but the moves end with checkmate, so the result must be 0-1, not 1-0 (FIDE Laws 5.1.1)."
    )
    assert mended() == []


def test_after_the_first_audit_only_games_with_news_are_played_through(played):
    assert found() == []
    mate = "1. f3 e5 2. g4 Qh4# 1-0"
    sql("UPDATE ratings_game SET pgn = %s, termination = 'checkmate' WHERE id = %s", mate, played.pk)
    assert found() == []
    changed = Game.objects.get(pk=played.pk)
    changed.external_id = "known now"
    changed.save()
    for _audit in range(2):
        ((check, key, _text),) = found()
        assert (check, key) == ("games-of-other-last-positions", f"game {played.pk}")


def test_2_3_a_rated_game_at_another_control_is_found_whatever_its_category_says(played):
    other = TimeControl.objects.create(initial=420, increment=0)
    sql("UPDATE ratings_timecontrol SET category = 2 WHERE id = %s", other.pk)
    sql("UPDATE ratings_game SET time_control_id = %s WHERE id = %s", other.pk, played.pk)
    ((check, _key, text),) = found()
    assert check == "games-of-other-controls"
    assert "rated, but time control 420+0 is not one of the seventeen that are rated (RBB 2.3)." in text
    assert mended() == []


def test_a_game_that_is_stored_twice_is_found_and_the_later_one_voided(played):
    # Both at the same time, too: voiding one mends both. Stored by an earlier version, which asked nobody.
    twin = game(played.white, played.black, minute=10, started_at=played.started_at, possibly_same=played)
    Game.objects.filter(pk=twin.pk).update(possibly_same=None)
    assert found() == [
        ("games-at-the-same-time", f"game {twin.pk} member {one.pk}", text)
        for one in (played.white, played.black)
        for text in [
            f"{twin}, started 1 Mar 2026, 00:05 UTC, overlaps another rated game of {one}: "
            f"{played}, 1 Mar 2026, 00:05 UTC."
        ]
    ] + [
        (
            "games-stored-twice",
            f"game {played.pk}",
            f"{played}, started 1 Mar 2026, 00:05 UTC, is stored more than once: "
            f"games {played.pk}, {twin.pk}.",
        )
    ]
    mends = AuditFinding.objects.get(check_name="games-stored-twice").mends
    assert mends == {"kind": "void-games", "parameters": {"game": [str(twin.pk)]}}
    decided("void-games", **mends["parameters"])
    assert found() == []


@pytest.mark.parametrize("why", ["", "casual game", "its server says that it wasn’t rated"])
def test_a_rated_game_that_a_later_report_calls_casual_is_found(played, why):
    report = again(played, rated=False, unrated_reason=why)
    assert found() == [
        (
            "games-rated-and-casual",
            f"game {played.pk}",
            f"{played}, started 1 Mar 2026, 00:05 UTC, is rated, but game {report.pk}, probably "
            f"another report of the same game, is marked unrated by its server or file.",
        )
    ]
    decided("void-games", game=[str(report.pk)])
    assert found() == []


def test_a_game_unrated_for_another_reason_does_not_contradict_a_rated_one(played):
    again(played, rated=False, unrated_reason="Black was not a full member")
    assert found() == []


def test_a_rated_report_that_comes_after_a_casual_one_waits_and_is_then_no_finding(played):
    report = again(played, rated=False)
    Game.objects.get(pk=played.pk).delete()
    later = again(played)
    assert (later.waits, later.possibly_same, found()) == (True, report, [])
    decided("other-game", game=[str(later.pk)])
    assert (Game.objects.get(pk=later.pk).rated, found()) == (True, [])


def again(played, **fields):
    """Another report of a game."""
    return game(played.white, played.black, minute=10, started_at=played.started_at, **fields)


@pytest.mark.parametrize("other", ["ID1", "ｉd1", "i\u200bd1"])
def test_3_11_games_whose_ids_look_the_same_are_found(played, other):
    """As an office may have stored them before 0.13."""
    twin = game(played.white, played.black, minute=60)
    sql("UPDATE ratings_game SET external_id = 'id1' WHERE id = %s", played.pk)
    assert found() == []
    sql("UPDATE ratings_game SET external_id = %s WHERE id = %s", other, twin.pk)
    assert found() == [
        (
            "games-with-ids-alike",
            f"game {played.pk}",
            f"{played}, started 1 Mar 2026, 00:05 UTC: games {played.pk}, {twin.pk} have IDs that "
            f"look the same: “id1”, “{other}”.",
        )
    ]
    sql("UPDATE ratings_game SET rated = false WHERE id = %s", twin.pk)
    assert found() == []


def test_a_game_in_progress_that_starts_in_the_future_is_found():
    waiting = Game.objects.get(ended_at=None)
    sql("UPDATE ratings_game SET started_at = %s WHERE id = %s", datetime(2999, 1, 1, tzinfo=UTC), waiting.pk)
    ((check, key, text),) = found()
    assert (check, key) == ("games-of-the-future", f"game {waiting.pk}")
    assert text.endswith("starts on 1 Jan 2999, 00:00 UTC, which is in the future.")
    assert mended() == []


def test_a_game_of_three_minutes_that_lasts_nine_days_is_found():
    """Issue 15, row 18. 3 min + 2 s without known moves: 2 × 180 + 600 × 2 seconds, and 10 minutes."""
    long = game(rated(1800), rated(1700), started_at=at(0.5), minute=9 * 24 * 60 + 1)
    ((check, key, text),) = found()
    assert (check, key) == ("games-too-long", f"game {long.pk}")
    assert text.endswith("lasted 216:00:30, but at 3 min + 2 s a game can last at most 0:36:00.")


def test_a_game_that_its_server_forgot_is_found():
    """At 3 min + 2 s a game lasts 2 × 3 minutes, 600 × 2 seconds and 10 minutes at most."""
    waiting = Game.objects.get(ended_at=None)
    for minutes, number in ((35, 0), (37, 1)):
        begun = timezone.now() - timedelta(minutes=minutes)
        Game.objects.filter(pk=waiting.pk).update(started_at=begun)
        assert len(found()) == number
    ((check, key, text),) = found()
    assert (check, key) == ("games-forgotten", f"game {waiting.pk}")
    assert text.endswith("has no result, but at 3 min + 2 s a game can last at most 0:36:00.")


def test_overlapping_games_of_one_player_are_found_once_with_the_other_game(played):
    carl = rated(1600)
    other = game(played.white, carl, minute=12)
    # From 0:05 to 0:10, from 0:07 to 0:12, and from 0:10 to 0:15.
    assert {(check, key) for check, key, _text in found()} == {
        ("games-at-the-same-time", f"game {other.pk} member {played.white_id}"),
        ("games-at-the-same-time", f"game {later(played)} member {played.white_id}"),
    }


def later(played):
    """The game after this one."""
    return Game.objects.counting().exclude(pk=played.pk).filter(black=played.white_id).get().pk


def test_3_4_an_opening_of_before_membership_is_found():
    """Issue 15, row 18: 2500, years before membership."""
    joined = START - timedelta(days=400)
    anna, never = (
        member("anna", name="Berg, Anna", full_from=joined),
        member("never", name="Nie, Ada", full_from=None),
    )
    opening(anna, 2500, minute=-713 * 24 * 60)
    opening(never, 2500)
    opening(member(full_from=joined), 2500, Category.RAPID, minute=-400 * 24 * 60)
    keys = {one.member_id: one.pk for one in OpeningRating.objects.filter(rating=2500)}
    assert {key: text for _check, key, text in found()} == {
        f"openingrating {keys[anna.pk]}": "Berg, Anna has a first rating of 2500.00 from 18 Mar 2024, "
        "but was first a full member on 25 Jan 2025.",
        f"openingrating {keys[never.pk]}": "Nie, Ada has a first rating of 2500.00 from 1 Mar 2026, "
        "but was never a full member.",
    }


def test_every_check_of_games_is_registered():
    assert set(CHECKS) <= {check.name for check in checks()}
