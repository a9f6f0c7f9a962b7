"""The table of a season: two points for a match, one for a drawn one; then board points, then the name."""

import io
import re

import pytest

from ratings.formats.league import ROUND_COLUMNS, ROUND_OPTIONAL, read_rounds
from ratings.league.models import CycleResult, Match
from ratings.league.services.cycles import close_cycle
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import RowsRefused
from ratings.league.services.standings import table
from tests.league.office import NOW, bring_round, bring_squads

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


def staged(stage, *rows):
    """The same boards as those of a match of the play-offs."""
    return [f"{one},{stage}" for one in rows]


def bring_staged(season, *rows, **options):
    """Import rounds with the column of the stage."""
    header = ",".join((*ROUND_COLUMNS, *ROUND_OPTIONAL))
    content = "\n".join((header, *rows, "")).encode()
    return store_round(season, read_rounds(io.BytesIO(content)), **options)


def reached(season):
    """What each team reached in the play-offs."""
    return {one.team.name: one.reached for one in table(season)}


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


def play_offs(season):
    """A round of the schedule, semi-finals, and a final with the third-place match."""
    bring_staged(
        season,
        *staged("", *row(1, "North", "South", "1-0", "1-0"), *row(1, "East", "West", "1-0", "0-1")),
        *staged(
            "Semi-Final", *row(2, "North", "West", "1-0", "1-0"), *row(2, "South", "East", "1-0", "1/2-1/2")
        ),
        *staged("final", *row(3, "North", "South", "0-1", "1/2-1/2")),
        *staged("3rd place", *row(3, "West", "East", "1-0", "1-0")),
    )


def test_play_offs_are_not_in_the_table_and_the_winner_of_the_final_is_the_champion(season):
    play_offs(season)
    assert standing(season) == [
        ("North", 2, 4, 1, 1, 0, 0),
        ("East", 1, 2, 1, 0, 1, 0),
        ("West", 1, 2, 1, 0, 1, 0),
        ("South", 0, 0, 1, 0, 0, 1),
    ]
    assert reached(season) == {
        "North": "final",
        "East": "third place",
        "West": "third place",
        "South": "champion",
    }


DRAWN = "The final was drawn, so it didn’t decide the champion."


def test_a_drawn_final_has_no_champion_and_page_and_file_say_so(season, client):
    bring_staged(season, *staged("final", *row(1, "North", "South", "1-0", "0-1")))
    drawn = "final (drawn)"
    assert reached(season) == {"North": drawn, "South": drawn, "East": "", "West": ""}
    page = client.get(season.get_absolute_url()).text
    assert DRAWN in page
    assert "Champion" not in page
    lines = b"".join(client.get(f"{season.get_absolute_url()}table.csv")).decode().splitlines()
    assert [line.rpartition(",")[2] for line in lines[1:]] == ["", drawn, drawn, ""]


def test_a_return_match_decides_a_drawn_final(season, client):
    bring_staged(
        season,
        *staged("final", *row(1, "North", "South", "1-0", "0-1")),
        *staged("final", *row(2, "South", "North", "1-0", "1/2-1/2")),
    )
    assert reached(season) == {"North": "final", "South": "champion", "East": "", "West": ""}
    assert DRAWN not in client.get(season.get_absolute_url()).text


def test_a_final_to_which_no_team_came_has_no_champion_and_is_not_drawn(season):
    bring_staged(season, *staged("final", *row(1, "North", "South", "-/-", "-/-")))
    assert reached(season) == {"North": "final", "South": "final", "East": "", "West": ""}


def test_ratings_count_games_of_the_play_offs_as_any_others(season):
    play_offs(season)
    close_cycle(season, at=NOW)
    assert set(CycleResult.objects.values_list("counted", flat=True)) == {3}


def test_pages_and_files_name_stages_and_champion(season, client):
    play_offs(season)
    page = client.get(f"{season.get_absolute_url()}?round=2").text
    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert "Champion: South , winner of the final." in text
    assert "Semi-final 2 North 2 – 0 West Semi-final 2 South 1½ – ½ East" in text
    assert "Third-place match 3 West 2 – 0 East" in text
    assert "4 South champion (play-offs) 0 0 1 0 0 1" in text
    lines = b"".join(client.get(f"{season.get_absolute_url()}table.csv")).decode().splitlines()
    assert lines[1] == "1,North,2,2,1,1,0,0,final"
    assert lines[4] == "4,South,0,0,1,0,0,1,champion"
    rounds = b"".join(client.get(f"{season.get_absolute_url()}rounds.csv"))
    assert b"3,North,South,1,North 1,South 1,0-1,final" in rounds
    assert store_round(season, read_rounds(io.BytesIO(rounds))).already_there == 12


def test_a_file_with_stages_names_matches_that_are_stored_also_in_a_closed_cycle():
    season = bring_squads(*SQUADS, cycles=[1]).season
    final = row(1, "North", "South", "1-0", "1-0")
    bring_round(season, *final)
    close_cycle(season, at=NOW)
    done = bring_staged(season, *staged("final", *final))
    assert (done.stored, done.already_there, len(done.staged)) == (0, 2, 1)
    assert reached(season)["North"] == "champion"
    assert bring_staged(season, *staged("", *final)).staged == []
    with pytest.raises(
        RowsRefused, match=("is stored with the stage final: choose to replace it, or leave it out")
    ):
        bring_staged(season, *staged("semi-final", *final))
    assert len(bring_staged(season, *staged("semi-final", *final), replace=True).staged) == 1


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("final", "semi-final", "North – South has the stage final on another line, and semi-final here"),
        (
            "final",
            "whatever",
            "stage: “whatever” isn’t one of play-off, quarter-final, semi-final, third place",
        ),
    ],
)
def test_a_stage_that_cannot_be_is_refused(season, one, other, said):
    first, second = row(1, "North", "South", "1-0", "1-0")
    with pytest.raises(RowsRefused, match=said):
        bring_staged(season, *staged(one, first), *staged(other, second))
    assert not Match.objects.exists()
