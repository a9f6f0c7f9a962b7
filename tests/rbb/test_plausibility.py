"""What is implausible is said where it is entered, and stored nevertheless (issue 15, row 18)."""

from datetime import timedelta

import pytest

from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import OPENING_FIELDS, parameters_of
from ratings.rbb.labels import doubt_text
from ratings.rbb.ledger.plausibility import doubts_of, long_games, overlapping_games
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.rbb.plausibility import Doubt
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, member, opening, rated
from tests.backoffice import admin_page, game_form
from tests.commands import csv_file, game_row, run, utc
from tests.decisions import staff_login
from tests.pages import told

pytestmark = pytest.mark.django_db


def doubts(instance):
    return [doubt_text(one.doubt, one.words) for one in doubts_of(instance)]


def warnings(kind, parameters):
    return [fact.label for fact in preview(Proposal(kind=kind_of(kind), parameters=parameters)).warnings]


NINE_DAYS = "It lasted 216:00:00, but at 3 min + 2 s a game can last at most 0:36:00."


def test_a_game_of_three_minutes_does_not_last_nine_days():
    long = game(rated(1800), rated(1700), started_at=at(0), minute=9 * 24 * 60)
    assert doubts(long) == [NINE_DAYS]
    # 2 × 180 seconds, 20 × 2, and 10 minutes.
    short = game(rated(1800), rated(1700), started_at=at(0), minute=16 + 40 / 60, plies=20)
    assert doubts(short) == []
    short.ended_at += timedelta(seconds=1)
    assert doubts(short) == ["It lasted 0:16:41, but at 3 min + 2 s a game can last at most 0:16:40."]


def test_nobody_plays_two_rated_games_at_once():
    anna, bob, carl = rated(1800), rated(1700), rated(1600)
    first = game(anna, bob, minute=10)
    # One that begins when another ends, and one that is not rated.
    assert doubts(game(carl, anna, minute=15)) == doubts(game(bob, carl, minute=11, rated=False)) == []
    second = game(carl, bob, minute=14.9)
    assert doubts(second) == [
        f"It overlaps another rated game of {carl}: {carl} – {anna} 1-0, 1 Mar 2026, 00:10 UTC.",
        f"It overlaps another rated game of {bob}: {first}, 1 Mar 2026, 00:05 UTC.",
    ]


def test_a_game_of_which_only_the_day_is_known_is_neither_too_long_nor_at_the_same_time_as_others():
    anna, bob, carl = rated(1800), rated(1700), rated(1600)
    day = 24 * 60 - 1 / 60
    alone = game(anna, bob, started_at=at(0), minute=day)
    second = game(anna, carl, started_at=at(0), minute=day)
    timed = game(carl, bob, started_at=at(60), minute=65)
    assert [doubts(one) for one in (alone, second, timed)] == [[], [], []]
    assert list(long_games()) == list(overlapping_games()) == []
    # The same length at another time is what it says.
    moved = game(anna, bob, started_at=at(1), minute=day + 1)
    assert [one.doubt for one in doubts_of(moved)] == [Doubt.TOO_LONG, Doubt.OVERLAP]
    assert {one.of for one in long_games()} == {moved}
    assert [one.key for one in overlapping_games()] == [f"game {timed.pk} member {bob.pk}"]


def test_3_4_a_first_rating_is_of_the_day_of_joining_or_later():
    anna, nobody = member(), member(full_from=None)
    assert doubts(opening(anna, 2500)) == []
    assert doubts(opening(anna, 2500, Category.RAPID, minute=-1)) == [
        f"It takes effect on 28 Feb 2026, but {anna} first became a full member on 1 Mar 2026 (RBB 3.4)."
    ]
    assert doubts(opening(nobody, 2500)) == [
        f"It takes effect on 1 Mar 2026, but {nobody} has never been a full member (RBB 3.4)."
    ]


def test_the_form_of_a_game_warns_and_stores_it(staff):
    form = game_form(rated(1800), rated(1700), ended_at_0="2026-03-10", ended_at_1="00:10:00")
    entered = staff.post(f"{admin_page(Game)}add/", form)
    assert NINE_DAYS in told(entered)
    assert Game.objects.counting().count() == 1


def test_a_decision_about_a_game_warns_before_it_is_confirmed():
    played = game(rated(1800), rated(1700))
    asked = {**parameters_of(played, GAME_FIELDS), "game": [str(played.pk)]}
    assert warnings("correct-game", {**asked, "result": ["0-1"]}) == []
    later = (START + timedelta(days=9, minutes=5)).isoformat()
    assert warnings("correct-game", {**asked, "ended_at": [later]}) == [NINE_DAYS]
    played.delete()
    assert warnings("enter-game", {**asked, "ended_at": [later]}) == [NINE_DAYS]


def test_a_decision_about_an_opening_warns_before_it_is_confirmed():
    anna = member()
    wrong = OpeningRating(
        member=anna, category=Category.BLITZ, rating=2500, effective_at=at(-1), source="somewhere"
    )
    expected = (
        f"It takes effect on 28 Feb 2026, but {anna} first became a full member on 1 Mar 2026 (RBB 3.4)."
    )
    assert warnings("enter-opening", parameters_of(wrong, OPENING_FIELDS)) == [expected]
    right = opening(anna, 2500)
    asked = {**parameters_of(wrong, OPENING_FIELDS), "openingrating": [str(right.pk)]}
    assert warnings("correct-opening", asked) == [expected]
    address = f"{admin_page(OpeningRating)}enter/"
    other = OpeningRating(
        member=anna, category=Category.RAPID, rating=2500, effective_at=at(-1), source="somewhere"
    )
    page = staff_login("officer", "enter-opening").get(address, parameters_of(other, OPENING_FIELDS))
    assert expected in page.content.decode()


def test_an_import_counts_implausible_games_and_names_the_first(tmp_path):
    for name in ("anna", "bob"):
        opening(member(name), 1600)
    rows = [
        game_row(1, ended_at=utc(9 * 24 * 60)),
        *(game_row(number, minute=20_000 + number) for number in range(2, 9)),
        game_row(9, minute=30_000),
        game_row(10, minute=40_000, time_control="7+0", rated="no", ended_at=utc(80_000)),
    ]
    done = run("import_games", csv_file(tmp_path / "games.csv", rows))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[2:4] == [
        "Stored, but longer than the time control allows: 1 (lines 2)",
        "Rated games that overlap another game of the same player, 6: g3, g4, g5, g6, g7, …",
    ]


def test_an_import_names_long_games_that_it_ends_or_rates(tmp_path):
    for name in ("anna", "bob"):
        opening(member(name), 1600)
    path = tmp_path / "games.csv"
    run("import_games", csv_file(path, [game_row(1, result="*", ended_at="", termination="")]))
    done = run("import_games", csv_file(path, [game_row(2), game_row(1, ended_at=utc(1000))]))
    assert "Games in progress that are now finished: 1" in done.out
    assert "Stored, but longer than the time control allows: 1 (lines 3)" in done.out


def test_an_import_finds_what_overlaps_games_of_earlier_files(tmp_path):
    for name in ("anna", "bob"):
        opening(member(name), 1600)
    run("import_games", csv_file(tmp_path / "late.csv", [game_row(2, minute=12)]))
    done = run("import_games", csv_file(tmp_path / "early.csv", [game_row(1, minute=10)]))
    assert "Rated games that overlap another game of the same player, 1: g2" in done.out


def test_an_import_of_openings_names_those_of_before_membership(tmp_path):
    member("anna")
    path = tmp_path / "ratings.csv"
    path.write_text("username,category,rating,effective_at\nanna,blitz,2500,2020-01-01T00:00:00Z\n")
    done = run("import_ratings", path)
    assert done.code == 0
    assert "Stored, but earlier than full membership (RBB 3.4), 1: anna" in done.out
