"""Cycles of a team league: one worked out by hand, and two large seasons that are rated again."""

import random
from dataclasses import replace

import pytest

from ratings.league.models import Board, CycleList, SquadPlayer
from ratings.league.services.corrections import correct_board
from ratings.league.services.cycles import NotClosed, close_cycle, csv_rows, rerate_from
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import store_squads
from ratings.rules.bal.cycles import BoardResult
from tests.commands import run
from tests.league.office import (
    NOW,
    ROUND_1,
    ROUND_2,
    SQUADS,
    board,
    bring_round,
    bring_squads,
    close_all,
    everything,
    forget_lists,
    large_rounds,
    large_squads,
    lists,
    rounds_csv,
    saved,
    small_season,
    squads_csv,
)

pytestmark = pytest.mark.django_db

HAND_SQUADS = squads_csv(
    "Adams,North,1600,30,no",
    "Abel,North,1750,,yes",
    "Avery,North,1444.44,12,no",
    "Baker,South,2000,25,no",
    "Boyd,South,,,yes",
    "Brook,South,,0,yes",
    "Cole,East,1500,10,no",
    "Cruz,East,2095,40,no",
    "Diaz,West,2105,50,no",
    "Dunn,West,1200,4,no",
)
HAND_ROUNDS = rounds_csv(
    "1,North,South,1,Adams,Baker,1-0",
    "1,North,South,2,Abel,Boyd,1-0",
    "1,East,West,1,Cruz,Diaz,1-0",
    "1,East,West,2,Cole,Dunn,1/2-1/2",
    "2,North,East,1,Adams,Cole,0-1",
    "2,North,East,2,Abel,Cruz,½-½",
    "2,South,West,1,Baker,Dunn,+/-",
    "2,South,West,2,Boyd,Diaz,0-1",
)
HAND_LIST = """\
cycle,name,team,old,gain,adjusted,new,games_after
1,Abel,North,1300.00,597.50,597.50,1897.50,2
1,Adams,North,1600.00,8.61,8.61,1608.61,32
1,Avery,North,1444.44,0.00,0.00,1444.44,12
1,Baker,South,2000.00,-29.09,-29.09,1970.91,26
1,Boyd,South,1300.00,2.50,2.50,1302.50,2
1,Brook,South,1300.00,0.00,0.00,,0
1,Cole,East,1500.00,16.67,16.67,1516.67,12
1,Cruz,East,2095.00,8.23,7.42,2102.42,42
1,Diaz,West,2105.00,-12.11,-14.46,2090.54,52
1,Dunn,West,1200.00,60.00,60.00,1260.00,5
"""
# Pass one, the new players: the provisional formula on no games, another new player at 1300.
#   Abel beat Boyd (1300) and drew with Cruz (2095); ΣW - ΣL = 1.5 - 0.5 = 1:
#     (1300 + 2095 + 400) ÷ 2 = 3795 ÷ 2 = 1897.50. What his captain estimated, 1750, counts for nothing.
#   Boyd lost to Abel (1300, not 1897.50) and to Diaz (2105): (3405 - 800) ÷ 2 = 1302.50.
#   Brook did not play: still unrated.
# Pass two, everybody else from the cycle's start.
#   Adams, 30 games, k 32. Beat Baker: Δr = -400, We = 1 ÷ 11 = 0.09090909. Lost to Cole: Δr = 100,
#     10^-0.25 = 0.56234133, We = 1 ÷ 1.56234133 = 0.64006500. ΣWe = 0.73097409.
#     32 × (1 - 0.73097409) = 8.60882910; 1608.60882910 gives 1608.61.
#   Avery did not play.
#   Baker, 25 games, k 32. Lost to Adams: We = 10 ÷ 11. The forfeit against Dunn is no game.
#     32 × (0 - 10/11) = -29.09090909; 1970.90909091 gives 1970.91, after 26 games.
#   Cole, 10 games, provisional. Drew with Dunn (1200), beat Adams (1600); 1.5 - 0.5 = 1:
#     (10 × 1500 + 2800 + 400) ÷ 12 = 18200 ÷ 12 = 1516.66667 gives 1516.67.
#   Cruz, 40 games, k 32. Beat Diaz: Δr = -10, We = 0.48561282. Drew with Abel at his performance, 1897.50:
#     Δr = 197.50, We = 0.75711028. ΣWe = 1.24272309. 32 × (1.5 - 1.24272309) = 8.23286105; 2103.23286105
#     is over 2100 by 3.23286105, × 0.75 = 2.42464579: 2102.42.
#   Diaz, 50 games, k 24 from 2100 on. Lost to Cruz: We = 1 - 0.48561282 = 0.51438718. Beat Boyd at 1302.50:
#     Δr = 802.50, We = 0.99023910. ΣWe = 1.50462628. 24 × (1 - 1.50462628) = -12.11103071; 2092.88896929
#     is under 2100 by 7.11103071, × 1.33 = 9.45767084: 2090.54232916 gives 2090.54, the gain -14.46.
#   Dunn, 4 games, provisional. Drew with Cole (1500); 0.5 - 0.5 = 0: (4 × 1200 + 1500) ÷ 5 = 1260.


def test_a_cycle_worked_out_by_hand_from_files_to_its_list(tmp_path):
    squads = saved(tmp_path / "squads.csv", HAND_SQUADS)
    rounds = saved(tmp_path / "rounds.csv", HAND_ROUNDS)

    assert run("import_league_players", squads, "--season", "2026", "--cycles", "2,3").code == 0
    assert run("import_league_round", rounds, "--season", "2026").code == 0
    closed = run("close_cycle", "--season", "2026")
    assert closed.out.startswith("Change set #")
    assert closed.out.endswith(
        "2026, cycle 1, revision 1: published. 10 players, 8 with games that count, 2 of them new; "
        "1 still unrated.\n"
    )
    exported = run("export_cycle", "--season", "2026")

    assert exported.out.replace("\r\n", "\n") == HAND_LIST


def test_the_next_cycle_begins_where_the_list_left_everybody(tmp_path):
    squads = saved(tmp_path / "squads.csv", HAND_SQUADS)
    first = saved(tmp_path / "first.csv", HAND_ROUNDS)
    second = saved(
        tmp_path / "second.csv",
        rounds_csv("3,East,North,1,Cruz,Avery,0-1", "3,East,North,2,Cole,Abel,1/2-1/2"),
    )
    run("import_league_players", squads, "--season", "2026", "--cycles", "2,3")
    for rounds in (first, second):
        run("import_league_round", rounds, "--season", "2026")
        assert run("close_cycle", "--season", "2026").code == 0

    exported = run("export_cycle", "--season", "2026").out.splitlines()

    # Abel is an ordinary provisional player now: (2 × 1897.50 + 1516.67) ÷ 3 = 5311.67 ÷ 3 = 1770.55667.
    assert exported[1] == "2,Abel,North,1897.50,-126.94,-126.94,1770.56,3"
    # Avery, 12 games, beat Cruz at 2102.42: (12 × 1444.44 + 2102.42 + 400) ÷ 13 = 19835.70 ÷ 13 = 1525.82308.
    assert exported[3] == "2,Avery,North,1444.44,81.38,81.38,1525.82,13"
    # Brook is new for as long as no game of his counts.
    assert exported[6] == "2,Brook,South,1300.00,0.00,0.00,,0"
    assert run("export_cycle", "--season", "2026", "--cycle", "1").out.replace("\r\n", "\n") == HAND_LIST


def test_a_dry_run_shows_every_change_and_stores_nothing(tmp_path):
    run(
        "import_league_players",
        saved(tmp_path / "squads.csv", HAND_SQUADS),
        "--season",
        "2026",
        "--cycles",
        "2,3",
    )
    run("import_league_round", saved(tmp_path / "rounds.csv", HAND_ROUNDS), "--season", "2026")
    stood = everything()

    said = run("close_cycle", "--season", "2026", "--dry-run").out.splitlines()

    assert everything() == stood
    assert said[0] == "  Abel (North): new → 1897.50 (+597.50), 2 games"
    assert "  Cruz (East): 2095.00 → 2102.42 (+8.23, +7.42 after the k adjustment), 2 games" in said
    assert len(said) == 9
    assert "would be published" in said[-1]


def test_two_seasons_of_24_teams_are_rebuilt_to_the_same_numbers():
    first, second = two_seasons()
    rated = lists(first, second)
    assert [len(lines) for lines in rated] == [120] * 6
    assert rerate_from(first.cycles.get(number=1), at=NOW) == []
    assert CycleList.objects.count() == 6

    forget_lists(first, second)
    close_all(first)
    close_all(second)

    assert lists(first, second) == rated


def test_a_correction_in_the_first_cycle_rates_all_later_ones_and_the_next_season_again():
    first, second = two_seasons()
    published = {one.pk: list(csv_rows(one)) for one in CycleList.objects.all()}
    checksums = dict(CycleList.objects.values_list("pk", "checksum"))
    wrong = Board.objects.filter(match__season=first, match__round=1, result=BoardResult.HOME).earliest("pk")

    revised = correct_board(wrong, result="0-1", reason="score sheet", by=None, at=NOW)

    assert [(one.cycle.season, one.cycle.number, one.revision) for one in revised] == [
        (season, number, 2) for season in (first, second) for number in (1, 2, 3)
    ]
    # What was published stands as it stood, and says that another has taken its place.
    for one in CycleList.objects.filter(pk__in=published):
        assert (list(csv_rows(one)), one.checksum) == (published[one.pk], checksums[one.pk])
        assert one.superseded
    assert not any(one.superseded for one in revised)
    assert [list(csv_rows(one)) for one in revised] != list(published.values())
    # The same as if the result had been right from the beginning.
    rated = lists(first, second)
    forget_lists(first, second)
    close_all(first)
    close_all(second)
    assert lists(first, second) == rated


def test_a_correction_rates_again_only_from_its_cycle_on():
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    close_all(season)

    revised = correct_board(board(2, 1), result="0-1", reason="score sheet", by=None, at=NOW)

    assert [one.cycle.number for one in revised] == [2]
    assert CycleList.objects.latest_of(season.cycles.get(number=1)).revision == 1


def test_a_forfeit_that_turns_round_revises_nothing():
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    close_all(season)

    assert correct_board(board(2, 2), result="-/+", reason="who came", by=None, at=NOW) == []
    assert CycleList.objects.count() == 2
    assert board(2, 2).result == "-/+"


def test_ratings_of_another_season_carry_over_where_the_squad_gives_none():
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    close_all(season)
    old = {line[1]: line[6:] for line in lists(season)[-1]}
    following = bring_squads(
        "Adams,South,,,no", "Baker,North,1900,25,", "Abel,North,,,0", season="2027", cycles=[1]
    ).season
    bring_round(following, "1,South,North,1,Adams,Baker,-/+")
    close_all(following)

    new = {line[1]: line[6:] for line in lists(following)[-1]}

    assert new == {"Adams": old["Adams"], "Abel": old["Abel"], "Baker": (1900, 25)}
    assert SquadPlayer.objects.filter(player__name="Adams").values("player").distinct().count() == 1


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (
            (),
            "The cycle cannot be closed: 2026, cycle 1 isn’t complete: there are no results for round 1, 2.",
        ),
        (
            ROUND_1,
            "The cycle cannot be closed: 2026, cycle 1 isn’t complete: there are no results for round 2.",
        ),
    ],
)
def test_a_cycle_is_not_closed_before_its_rounds_are_complete(rounds, said):
    season = small_season(cycles=(2,))
    if rounds:
        bring_round(season, *rounds)
    stood = everything()

    done = run("close_cycle", "--season", "2026")

    assert (done.code, done.err) == (1, said)
    assert everything() == stood


def test_before_the_playoffs_every_team_has_a_match_in_a_round():
    season = bring_squads(*SQUADS, "Cole,East,1500,30,no", "Dunn,West,1500,30,no", cycles=[1, 2]).season
    bring_round(season, *ROUND_1, *ROUND_2)
    with pytest.raises(NotClosed, match="2026, cycle 1 is not complete: no match in round 1 for East, West"):
        close_cycle(season, at=NOW)
    bring_round(season, "1,East,West,1,Cole,Dunn,1-0")
    close_all(season)
    assert CycleList.objects.latest_of(season.cycles.get(number=2)) is not None


def test_a_season_is_not_closed_before_the_one_that_its_ratings_come_from():
    small_season(cycles=(1,))
    following = bring_squads("Adams,South,,,no", "Baker,North,1900,25,", season="2027", cycles=[1]).season
    bring_round(following, "1,South,North,1,Adams,Baker,1-0")
    with pytest.raises(NotClosed, match="2026, cycle 1 has to be closed first"):
        close_cycle(following, at=NOW)


def test_a_cycle_that_comes_late_is_not_closed_after_those_of_a_later_season():
    season = small_season(cycles=(1,))
    bring_round(season, *ROUND_1)
    close_all(season)
    following = bring_squads("Adams,South,,,no", "Baker,North,1900,25,", season="2027", cycles=[1]).season
    bring_round(following, "1,South,North,1,Adams,Baker,1-0")
    close_all(following)
    season.cycles.create(number=2, last_round=2)
    bring_round(season, *ROUND_2)
    with pytest.raises(NotClosed, match="2027, cycle 1 is closed already"):
        close_cycle(season, at=NOW)


def test_who_joins_later_makes_no_revision_of_an_earlier_list():
    season = small_season()
    bring_round(season, *ROUND_1)
    close_cycle(season, at=NOW)
    bring_squads("Cole,North,1500,30,no", season="2026")
    assert rerate_from(season.cycles.get(number=1), at=NOW) == []
    assert CycleList.objects.count() == 1


def test_after_the_last_cycle_there_is_nothing_to_close():
    season = small_season(cycles=(1,))
    bring_round(season, *ROUND_1)
    close_all(season)

    done = run("close_cycle", "--season", "2026")

    assert (done.code, done.err) == (1, "All cycles of 2026 are already closed.")


def test_an_earlier_revision_can_still_be_had(tmp_path):
    season = small_season(cycles=(1,))
    bring_round(season, *ROUND_1)
    close_all(season)
    before = run("export_cycle", "--season", "2026").out
    correct_board(board(1, 1), result="0-1", reason="score sheet", by=None, at=NOW)

    path = tmp_path / "list.csv"
    assert run("export_cycle", "--season", "2026", "--revision", "1", "--output", path).code == 0
    assert path.read_bytes().decode() == before
    assert run("export_cycle", "--season", "2026").out != before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--season", "2027"), "No season is called “2027”. Seasons: 2026."),
        (("--season", "2026", "--cycle", "2"), "This list doesn’t exist: 2026, cycle 2."),
        (("--season", "2026", "--revision", "9"), "This list doesn’t exist: 2026, revision 9."),
        (("--season", "2026", "--cycle", "0"), "This list doesn’t exist: 2026, cycle 0."),
        (("--season", "2026", "--cycle", str(10**30)), f"This list doesn’t exist: 2026, cycle {10**30}."),
    ],
)
def test_a_list_that_is_not_there(options, said):
    season = small_season()
    bring_round(season, *ROUND_1)
    run("close_cycle", "--season", "2026")

    done = run("export_cycle", *options)

    assert (done.code, done.out, done.err) == (1, "", said)


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless():
    season = bring_squads("=1+1,North,1600,30,no", "Baker,South,2000,25,no", cycles=[1]).season
    bring_round(season, "1,North,South,1,=1+1,Baker,0-1")
    close_all(season)

    exported = run("export_cycle", "--season", "2026").out.splitlines()

    # We = 1 ÷ 11; 32 × -1/11 = -2.90909091. A negative number is a number.
    assert exported[1] == "1,'=1+1,North,1600.00,-2.91,-2.91,1597.09,31"


def two_seasons():
    """24 teams on four boards in eight rounds; the next season goes on with the players, and new ones."""
    dice = random.Random(7)
    squads = large_squads(24, dice)
    first = store_squads("2025", squads, cycles=[3, 6, 8]).season
    store_round(first, large_rounds(squads, 8, dice))
    again = [replace(row, rating=None, games=None, captains_estimate=False) for row in squads]
    # Somebody new in every fifth team.
    again = [
        replace(row, name=f"New {row.name}", games=0, captains_estimate=True) if number % 25 == 0 else row
        for number, row in enumerate(again)
    ]
    second = store_squads("2026", again, cycles=[3, 6, 8]).season
    store_round(second, large_rounds(again, 8, dice))
    close_all(first)
    close_all(second)
    return first, second
