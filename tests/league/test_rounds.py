"""Rounds from files, and corrections of boards: nothing half stored, every refusal with its line."""

import pytest
from django.core.exceptions import ValidationError

from ratings.league.models import Board, Match, Player, SquadPlayer
from ratings.league.services.corrections import correct_board
from ratings.league.services.cycles import close_cycle, cycle_of
from tests.commands import run
from tests.league.office import (
    NOW,
    ROUND_1,
    ROUND_2,
    board,
    bring_round,
    bring_squads,
    everything,
    rounds_csv,
    saved,
    small_season,
)

pytestmark = pytest.mark.django_db

READ_AS = "Read as comma-separated, UTF-8.\n"

FOUR_TEAMS = [
    f"{team} {number},{team},1500,5,no" for team in ("North", "South", "East", "West") for number in (1, 2, 3)
]


@pytest.fixture
def rounds(tmp_path):
    """The import of these rows by the command."""

    def bring(*rows, season="2026", options=()):
        path = saved(tmp_path / "rounds.csv", rounds_csv(*rows))
        return run("import_league_round", path, "--season", season, *options)

    return bring


@pytest.fixture
def four():
    """A season of four teams with two cycles of two rounds."""
    return bring_squads(*FOUR_TEAMS, cycles=[2, 4]).season


def boards():
    """Every board: round, teams, number, players, result."""
    rows = Board.objects.order_by("match__round", "match", "number").select_related(
        "match__home_team", "match__away_team", "home_player", "away_player"
    )
    return [
        f"{one.match.round},{one.match.home_team.name},{one.match.away_team.name},{one.number},"
        f"{one.home_player.name},{one.away_player.name},{one.result}"
        for one in rows
    ]


def refused(done):
    """The reasons of what was refused, without what was said of the file."""
    assert done.code == 1
    *reasons, last = done.err.splitlines()
    assert last.endswith("nothing was stored.")
    return [reason.removeprefix("refused, ") for reason in reasons]


def test_a_file_may_hold_several_rounds(rounds):
    small_season()

    done = rounds(*ROUND_2, *ROUND_1)

    assert done.out == READ_AS + "2026: 4 boards stored, 0 replaced, 0 already there.\n"
    assert boards() == [*ROUND_1, *ROUND_2]
    assert Match.objects.count() == 2


def test_a_draw_as_people_write_it(rounds):
    small_season()
    rounds("1,North,South,1,Adams,Baker,½-½")
    assert board(1, 1).result == "1/2-1/2"


def test_the_same_rows_again_have_nothing_to_do(rounds):
    season = small_season(cycles=(1, 2))
    rounds(*ROUND_1)
    close_cycle(season, at=NOW)
    stood = everything()

    done = rounds(*ROUND_1)

    assert (done.code, done.out) == (
        0,
        READ_AS + "2026: 2 boards are already there. Nothing to do.\n",
    )
    assert everything() == stood


def test_more_boards_of_a_match_may_come_later(rounds):
    small_season()
    rounds(ROUND_1[0])
    assert rounds(*ROUND_1).out == READ_AS + "2026: 1 board stored, 0 replaced, 1 already there.\n"
    assert boards() == list(ROUND_1)
    assert Match.objects.count() == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,North,South,1,Adams,Baker,2-0", "result: “2-0” isn’t one of 1-0, 1/2-1/2, 0-1, +/-, -/+, -/-"),
        ("1,North,South,1,Adams,Baker,*", "result: “*” isn’t one of 1-0, 1/2-1/2, 0-1, +/-, -/+, -/-"),
        ("0,North,South,1,Adams,Baker,1-0", "round: “0” isn’t a whole number from 1 to 99"),
        ("one,North,South,1,Adams,Baker,1-0", "round: “one” isn’t a whole number from 1 to 99"),
        ("1,North,South,100,Adams,Baker,1-0", "board: “100” isn’t a whole number from 1 to 99"),
        ("1,North,North,1,Adams,Abel,1-0", "home_team and away_team are both “North”"),
        ("1,North,South,1,Adams,Adams,1-0", "home_player and away_player are both “Adams”"),
        (
            "1,North,South,1,,Baker,1-0",
            "result: “1-0” needs home_player; without, it is -/+ or -/-",
        ),
        ("1,North,South,1,Adams,,-/+", "result: “-/+” needs away_player; without, it is +/- or -/-"),
        (
            "1,North,South,1,,,1-0",
            "result: “1-0” needs home_player and away_player; without, it is +/- or -/+ or -/-",
        ),
        (
            "1,North,East,1,Adams,Baker,1-0",
            "“East” isn’t a team of 2026; “Baker” is in the squad of South, not of East",
        ),
        ("1,North,South,1,Boyd,Baker,1-0", "“Boyd” is in the squad of South, not of North"),
        (
            "1,North,South,1,Zander,Baker,1-0",
            "“Zander” is unknown: add them to the squad of North first, or choose to add unknown "
            "players to their teams",
        ),
        ("3,North,South,1,Adams,Baker,1-0", "round 3 doesn’t exist: the last round of 2026 is 2"),
        ("2,South,North,1,Baker,Adams,0-1", "board 1 of South – North in round 2 is already on line 2"),
        ("2,South,North,1,Baker,Adams,1-0", "board 1 of South – North in round 2 is already on line 2"),
        (
            "2,South,North,3,Baker,Abel,0-1",
            "“Baker” plays twice in round 2: here and on board 1 of South – North (line 2)",
        ),
        (
            "2,North,South,3,Abel,Boyd,0-1",
            "North can only have one match in round 2, and South – North is already on line 2; South can "
            "only have one match in round 2, and South – North is already on line 2",
        ),
    ],
)
def test_a_row_that_cannot_be_taken_keeps_the_whole_file_out(rounds, row, reason):
    small_season()
    stood = everything()

    done = rounds("2,South,North,1,Baker,Adams,1-0", row)

    assert refused(done) == [f"line 3: {reason}"]
    assert everything() == stood


def test_every_bad_row_is_named(rounds):
    small_season()
    done = rounds("1,North,South,x,Adams,Baker,1-0", ROUND_1[1], "9,North,South,1,Adams,Baker,1-0")
    assert [reason.partition(":")[0] for reason in refused(done)] == ["line 2", "line 4"]
    assert boards() == []


def test_a_team_has_one_match_in_a_round(rounds, four):
    bring_round(four, "1,North,South,1,North 1,South 1,1-0")
    stood = everything()

    done = rounds("1,West,North,1,West 1,North 2,1-0", "1,East,West,2,East 1,West 2,0-1")

    assert refused(done) == [
        "line 2: North can only have one match in round 1, and North – South is already stored",
        "line 3: West can only have one match in round 1, and West – North is already on line 2",
    ]
    assert everything() == stood


def test_a_player_has_one_board_in_a_round_also_beside_what_is_stored(rounds, four):
    bring_round(four, "1,North,South,1,North 1,South 1,1-0")

    done = rounds("1,North,South,2,North 2,South 1,1-0")

    assert refused(done) == ["line 2: “South 1” plays twice in round 1: here and on board 1 of North – South"]


def test_nobody_plays_for_two_teams_in_a_round(rounds, four):
    done = rounds("1,North,South,1,North 1,South 1,1-0", "1,East,West,1,East 1,North 1,1-0")
    assert refused(done) == ["line 3: “North 1” is in the squad of North, not of West"]


def test_unknown_players_join_as_new_ones_if_that_is_wanted(rounds):
    small_season()

    done = rounds(
        "1,North,South,1,Zander,Baker,1-0",
        "2,South,North,1,Baker,Zander,1-0",
        options=("--add-unknown-as-ce",),
    )

    assert done.out == READ_AS + (
        "Zander joins North as a new player with a captain’s estimate.\n"
        "2026: 2 boards stored, 0 replaced, 0 already there.\n"
    )
    joined = SquadPlayer.objects.get(player__name="Zander")
    assert (joined.team.name, joined.rating, joined.games) == ("North", None, 0)
    assert joined.captains_estimate


def test_an_unknown_player_joins_one_team(rounds):
    small_season()
    stood = everything()

    done = rounds(
        "1,North,South,1,Zander,Baker,1-0",
        "2,South,North,1,Zander,Abel,1-0",
        options=("--add-unknown-as-ce",),
    )

    assert refused(done) == ["line 3: “Zander” is in the squad of North, not of South"]
    assert everything() == stood


def test_whom_the_league_knows_does_not_join_as_new(rounds):
    small_season(name="2025")
    bring_squads("Adams,North,,,no", "Cole,South,1500,3,no", cycles=[2])

    done = rounds("1,North,South,1,Baker,Cole,1-0", options=("--add-unknown-as-ce",))

    assert refused(done) == [
        "line 2: “Baker” isn’t in any squad of 2026, but has been in this league before: add them to the "
        "squad of North first. Leave rating and games blank to carry them over"
    ]


def test_other_results_take_the_place_of_stored_ones_only_if_that_is_wanted(rounds):
    season = small_season()
    bring_round(season, *ROUND_1)
    changed = "1,North,South,1,Adams,Baker,0-1"

    assert refused(rounds(changed)) == [
        "line 2: board 1 of North – South is stored as Adams – Baker 1-0: choose to replace stored "
        "boards, or leave it out"
    ]
    assert "use --replace" in rounds(changed).out
    assert boards() == list(ROUND_1)
    done = rounds(changed, ROUND_1[1], options=("--replace",))
    assert done.out == READ_AS + "2026: 0 boards stored, 1 replaced, 1 already there.\n"
    assert boards() == [changed, ROUND_1[1]]
    record = board(1, 1).history.latest()
    assert (record.result, record.history_change_reason) == ("0-1", "replaced by an import")


def test_players_may_change_boards_when_both_are_replaced(rounds):
    season = small_season()
    bring_round(season, *ROUND_1)
    swapped = ("1,North,South,1,Abel,Baker,1-0", "1,North,South,2,Adams,Boyd,1/2-1/2")

    assert refused(rounds(swapped[0], options=("--replace",))) == [
        "line 2: “Abel” plays twice in round 1: here and on board 2 of North – South"
    ]
    assert rounds(*swapped, options=("--replace",)).code == 0
    assert boards() == list(swapped)


def test_results_of_a_closed_cycle_are_corrected_in_the_admin(rounds):
    season = small_season()
    bring_round(season, ROUND_1[0])
    close_cycle(season, at=NOW)
    stood = everything()

    done = rounds("1,North,South,1,Adams,Baker,0-1", ROUND_1[1], ROUND_2[0], options=("--replace",))

    closed = "round 1 is in cycle 1, which is closed: correct it in the admin"
    assert refused(done) == [f"line 2: {closed}", f"line 3: {closed}"]
    assert everything() == stood


def test_the_season_is_one_that_there_is(rounds):
    small_season()
    assert rounds(*ROUND_1, season="2027").err == "No season is called “2027”. Seasons: 2026."
    assert rounds(*ROUND_1, season="20\x0027").code == 1


def test_a_file_that_is_none_is_refused(tmp_path):
    small_season()
    path = saved(tmp_path / "rounds.csv", b"")
    done = run("import_league_round", path, "--season", "2026")
    assert (done.code, done.out) == (1, "")
    assert "the file is empty" in done.err


def test_the_cycle_of_a_round():
    season = small_season(cycles=(2, 3))
    found = [cycle_of(season, number) for number in (1, 2, 3, 4)]
    assert [cycle and cycle.number for cycle in found] == [1, 1, 2, None]


def test_a_correction_in_an_open_cycle_revises_nothing_and_is_in_the_history(admin_user):
    season = small_season()
    bring_round(season, *ROUND_1)

    revised = correct_board(board(1, 1), result="1/2-1/2", reason="score sheet", by=admin_user, at=NOW)

    assert revised == []
    assert board(1, 1).result == "1/2-1/2"
    record = board(1, 1).history.latest()
    assert (record.history_user, record.history_change_reason) == (admin_user, "score sheet")


def test_players_of_a_board_are_corrected():
    season = small_season()
    bring_round(season, ROUND_1[0])

    correct_board(
        board(1, 1),
        home_player=Player.objects.get(name="Abel"),
        away_player=Player.objects.get(name="Boyd"),
        reason="names mixed up",
        by=None,
        at=NOW,
    )

    assert boards() == ["1,North,South,1,Abel,Boyd,1-0"]


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ({"result": "1-0"}, ["The board already has these values, so there’s nothing to correct."]),
        ({}, ["The board already has these values, so there’s nothing to correct."]),
        ({"result": "2-0"}, ["“2-0” isn’t a valid result."]),
        ({"home_player": "Abel"}, ["Abel is already on another board in round 1."]),
        (
            {"home_player": None},
            [
                "A board with a player missing isn’t played. The team whose player is there wins by "
                "forfeit; if both are missing, both teams lose."
            ],
        ),
        (
            {"home_player": "Boyd"},
            ["Boyd is not in the squad of North.", "Boyd is already on another board in round 1."],
        ),
        (
            {"home_player": "Baker"},
            ["A player can’t play against themselves.", "Baker is not in the squad of North."],
        ),
    ],
)
def test_a_correction_that_cannot_be(correction, said):
    season = small_season(cycles=(1,))
    bring_round(season, *ROUND_1)
    close_cycle(season, at=NOW)
    stood = everything()
    if correction.get("home_player"):
        correction = {**correction, "home_player": Player.objects.get(name=correction["home_player"])}

    with pytest.raises(ValidationError) as fault:
        correct_board(board(1, 1), **correction, reason="score sheet", by=None, at=NOW)

    assert fault.value.messages == said
    assert everything() == stood


def test_a_board_that_is_gone_cannot_be_corrected():
    season = small_season()
    bring_round(season, *ROUND_1)
    gone = board(1, 1)
    Board.objects.filter(pk=gone.pk).delete()

    with pytest.raises(ValidationError) as fault:
        correct_board(gone, result="0-1", reason="score sheet", by=None, at=NOW)

    assert fault.value.messages == ["This board no longer exists."]
