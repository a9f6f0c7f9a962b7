"""The table of a season: two points for a match, one for a drawn one; then board points, then the name."""

import pytest

from ratings.league.models import Match
from ratings.league.services.standings import table
from tests.league.office import bring_round, bring_squads

pytestmark = pytest.mark.django_db

SQUADS = [
    f"{team} {number},{team},1500,5,no" for team in ("North", "South", "East", "West") for number in (1, 2)
]


def row(round_, home, away, *results):
    """A match of two boards."""
    return [
        f"{round_},{home},{away},{number},{home} {number},{away} {number},{result}"
        for number, result in enumerate(results, 1)
    ]


def standing(season):
    """Name, match points, half points, matches, won, drawn and lost ones."""
    return [
        (one.team.name, one.match_points, one.half_points, one.matches, one.wins, one.draws, one.losses)
        for one in table(season)
    ]


@pytest.fixture
def season():
    """Four teams of two, and nothing played."""
    return bring_squads(*SQUADS, cycles=[3]).season


def test_before_the_first_round_all_stand_by_name(season):
    assert standing(season) == [(name, 0, 0, 0, 0, 0, 0) for name in ("East", "North", "South", "West")]


def test_match_points_come_before_board_points(season):
    bring_round(season, *row(1, "North", "South", "1-0", "1/2-1/2"), *row(1, "East", "West", "1-0", "0-1"))
    bring_round(season, *row(2, "North", "West", "0-1", "1/2-1/2"), *row(2, "East", "South", "0-1", "0-1"))
    assert standing(season) == [
        # West: 1 and 1½ board points, a draw and a win; South 0.5 and 2, a loss and a win.
        ("West", 3, 5, 2, 1, 1, 0),
        ("South", 2, 5, 2, 1, 0, 1),
        ("North", 2, 4, 2, 1, 0, 1),
        ("East", 1, 2, 2, 0, 1, 1),
    ]


def test_teams_that_are_level_stand_by_name(season):
    bring_round(season, *row(1, "West", "South", "1/2-1/2", "1/2-1/2"))
    assert [line[0] for line in standing(season)] == ["South", "West", "East", "North"]


def test_a_forfeit_counts_for_the_match(season):
    bring_round(season, *row(1, "North", "South", "+/-", "0-1"), *row(1, "East", "West", "-/+", "-/+"))
    assert standing(season) == [
        ("West", 2, 4, 1, 1, 0, 0),
        ("North", 1, 2, 1, 0, 1, 0),
        ("South", 1, 2, 1, 0, 1, 0),
        ("East", 0, 0, 1, 0, 0, 1),
    ]


def test_a_match_without_boards_is_none_yet(season):
    teams = {team.name: team for team in season.teams.all()}
    Match.objects.create(season=season, round=1, home_team=teams["North"], away_team=teams["South"])
    assert {line[3] for line in standing(season)} == {0}


def test_another_season_does_not_count(season):
    bring_round(season, *row(1, "North", "South", "1-0", "1-0"))
    following = bring_squads(*SQUADS, season="2027", cycles=[3]).season
    assert standing(following) == [(name, 0, 0, 0, 0, 0, 0) for name in ("East", "North", "South", "West")]


def test_the_table_takes_two_queries(season, django_assert_num_queries):
    bring_round(season, *row(1, "North", "South", "1-0", "1-0"), *row(1, "East", "West", "1-0", "0-1"))
    with django_assert_num_queries(2):
        table(season)
