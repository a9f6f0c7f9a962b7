"""Squads of a season from a file: what is made of it, and what is refused as a whole."""

from decimal import Decimal

import pytest

from ratings.league.models import Cycle, League, Player, Season, SquadPlayer, Team
from tests.commands import read_csv, run
from tests.league.office import (
    ROUND_1,
    SQUADS,
    bring_round,
    bring_squads,
    close_all,
    everything,
    saved,
    small_season,
    squads_csv,
)

pytestmark = pytest.mark.django_db

READ_AS = "Read as comma-separated, UTF-8.\n"


@pytest.fixture
def squads(tmp_path):
    """The import of these rows by the command."""

    def bring(*rows, season="2026", options=()):
        path = saved(tmp_path / "squads.csv", squads_csv(*rows))
        return run("import_league_players", path, "--season", season, *options)

    return bring


def entries(season="2026"):
    """Everybody of a season: team, rating, games, and whether he is new."""
    rows = SquadPlayer.objects.filter(season__name=season).order_by("player__name")
    return {
        one.player.name: (one.team.name, one.rating, one.games, one.captains_estimate)
        for one in rows.select_related("player", "team")
    }


def refused(done):
    """The reasons of what was refused, without what was said of the file."""
    assert done.code == 1
    *reasons, last = done.err.splitlines()
    assert last.endswith("nothing was stored.")
    return [reason.removeprefix("refused, ") for reason in reasons]


def test_a_new_season_comes_with_league_cycles_teams_and_players(squads):
    done = squads(*SQUADS, options=("--cycles", "5,10,11"))

    assert done.out == READ_AS + (
        "2026, a new season of BAL, with cycles after rounds 5, 10, 11.\n"
        "2026: 4 players stored, 0 already there; 2 new teams (North, South).\n"
    )
    assert entries() == {
        "Abel": ("North", None, 0, True),
        "Adams": ("North", Decimal("1600.00"), 30, False),
        "Baker": ("South", Decimal("2000.00"), 25, False),
        "Boyd": ("South", None, 0, True),
    }
    assert list(Cycle.objects.order_by("number").values_list("number", "last_round")) == [
        (1, 5),
        (2, 10),
        (3, 11),
    ]


def test_the_same_file_again_has_nothing_to_do(squads):
    squads(*SQUADS, options=("--cycles", "5,10,11"))
    stood = everything()

    for options in ((), ("--cycles", "5,10,11"), ("--league", "BAL")):
        done = squads(*SQUADS, options=options)
        assert (done.code, done.out) == (
            0,
            READ_AS + "2026: 4 players are already there. Nothing to do.\n",
        )
    assert everything() == stood


@pytest.mark.parametrize(
    ("cell", "rating"), [("1600", "1600.00"), ("1600.5", "1600.50"), ("0", "0.00"), ("4000.00", "4000.00")]
)
def test_ratings_have_at_most_two_decimals(squads, cell, rating):
    assert squads(f"Adams,North,{cell},3,no", options=("--cycles", "5")).code == 0
    assert entries()["Adams"] == ("North", Decimal(rating), 3, False)


@pytest.mark.parametrize(
    ("cell", "is_new"),
    [("true", True), ("Yes", True), ("1", True), ("FALSE", False), ("no", False), ("0", False), ("", False)],
)
def test_words_for_a_captains_estimate(squads, cell, is_new):
    row = f"Adams,North,1500,{'' if is_new else 5},{cell}"
    assert squads(row, options=("--cycles", "5")).code == 0
    assert entries()["Adams"][3] is is_new


def test_what_a_captain_estimates_is_kept(squads):
    assert squads("Abel,North,1750.25,0,yes", options=("--cycles", "5")).code == 0
    assert entries()["Abel"] == ("North", Decimal("1750.25"), 0, True)


def test_a_season_gets_more_players_and_teams_later(squads):
    squads(*SQUADS, options=("--cycles", "5"))

    done = squads(*SQUADS, "Avery,North,1500,4,no", "Cole,East,1400,3,no")

    assert done.out == READ_AS + "2026: 2 players stored, 4 already there; 1 new team (East).\n"
    assert len(entries()) == 6


def test_the_same_name_in_the_next_season_is_the_same_player(squads):
    bring_round(small_season(), *ROUND_1)

    done = squads("Adams,South,,,no", "Cole,North,1500,3,no", season="2027", options=("--cycles", "5,10,11"))

    assert done.code == 0
    assert entries("2027")["Adams"] == ("South", None, None, False)
    assert Player.objects.filter(name="Adams").count() == 1
    assert list(Season.objects.order_by("ordinal").values_list("name", "ordinal")) == [
        ("2026", 1),
        ("2027", 2),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",North,1500,3,no", "name is missing"),
        ("Adams,,1500,3,no", "team is missing"),
        (f"{'A' * 101},North,1500,3,no", f"name: “{'A' * 39}…” has 101 characters, more than 100"),
        (
            "Adams,North,4000.01,3,no",
            "rating: “4000.01” isn’t a number from 0 to 4000 with at most two decimals",
        ),
        (
            "Adams,North,1500.125,3,no",
            "rating: “1500.125” isn’t a number from 0 to 4000 with at most two decimals",
        ),
        ("Adams,North,-1,3,no", "rating: “-1” isn’t a number from 0 to 4000 with at most two decimals"),
        ("Adams,North,1e3,3,no", "rating: “1e3” isn’t a number from 0 to 4000 with at most two decimals"),
        ("Adams,North,١٥٠٠,3,no", "rating: “١٥٠٠” isn’t a number from 0 to 4000 with at most two decimals"),
        ("Adams,North,1500,many,no", "games: “many” isn’t a whole number from 0 to 99999"),
        (f"Adams,North,1500,{'9' * 5000},no", f"games: “{'9' * 39}…” isn’t a whole number from 0 to 99999"),
        (
            "Adams,North,1500,3,perhaps",
            "captains_estimate: “perhaps” is neither yes nor no (1, 0, true, false, yes, no)",
        ),
        (
            "Adams,North,1500,3,yes",
            "games is 3, but a new player with a captain’s estimate has none",
        ),
        (
            "Adams,North,1500,,no",
            "games is missing, but rating is “1500”: give both, neither to carry them over, or "
            "captains_estimate yes for a new player",
        ),
        (
            "Adams,North,,0,no",
            "rating is missing, but games is “0”: give both, neither to carry them over, or "
            "captains_estimate yes for a new player",
        ),
        (
            "Adams,North,,,no",
            "“Adams” has no rating and wasn’t in an earlier season of BAL: give rating and games, or "
            "captains_estimate yes for a new player",
        ),
        ("Adams,North", "2 of 5 fields, in the row that begins “Adams,North”"),
        ("Ada\x00ms,North,1500,3,no", "name: the control character U+0000 in “Ada\ufffdms”"),
    ],
)
def test_a_row_that_cannot_be_taken_keeps_the_whole_file_out(squads, row, reason):
    done = squads("Baker,South,2000,25,no", row, options=("--cycles", "5"))

    assert refused(done) == [f"line 3: {reason}"]
    assert not any(everything())


def test_a_player_in_two_teams_is_named_with_both_lines(squads):
    done = squads(*SQUADS, "Adams,South,1600,30,no", options=("--cycles", "5"))

    assert refused(done) == [
        "line 6: “Adams” is in the squad of “North” on line 2 and of “South” on line 6: a player can only be "
        "in one team per season"
    ]
    assert not any(everything())


def test_a_player_who_stands_twice_in_a_file_is_refused(squads):
    done = squads(*SQUADS, SQUADS[0], options=("--cycles", "5"))

    assert refused(done) == ["line 6: “Adams” is already on line 2"]


@pytest.mark.parametrize(
    ("row", "stands"),
    [
        ("Adams,South,1600,30,no", "“Adams” is already in the squad of North, rated 1600.00 after 30 games"),
        (
            "Adams,North,1600.01,30,no",
            "“Adams” is already in the squad of North, rated 1600.00 after 30 games",
        ),
        (
            "Abel,North,1300,5,no",
            "“Abel” is already in the squad of North, as new, with a captain’s estimate",
        ),
    ],
)
def test_who_is_there_already_is_changed_in_the_admin(squads, row, stands):
    squads(*SQUADS, options=("--cycles", "5"))
    stood = everything()

    assert refused(squads("Cole,South,1500,3,no", row)) == [f"line 3: {stands}; change it in the admin"]
    assert everything() == stood


def test_refused_rows_are_written_with_line_and_reason(squads, tmp_path):
    path = tmp_path / "refused.csv"

    squads("Adams,North,,,no", "Baker,South,2000,x,no", options=("--cycles", "5", "--refused", path))

    rows = read_csv(path)
    assert [(row["name"], row["line"]) for row in rows] == [("Adams", "2"), ("Baker", "3")]
    assert rows[1]["reason"] == "games: “x” isn’t a whole number from 0 to 99999"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "season 2026 doesn’t exist yet: give the last round of each cycle, such as 5,10,11"),
        (("--cycles", "5,5"), "cycles end after ascending rounds from 1 to 99, such as 5,10,11, not 5, 5"),
        (("--cycles", "10,5"), "cycles end after ascending rounds from 1 to 99, such as 5,10,11, not 10, 5"),
        (("--cycles", "0,5"), "cycles end after ascending rounds from 1 to 99, such as 5,10,11, not 0, 5"),
        (("--cycles", "100"), "cycles end after ascending rounds from 1 to 99, such as 5,10,11, not 100"),
        (
            ("--cycles", "5", "--league", " "),
            "“ ” can’t be the name of a league: use 1 to 100 printable characters, with no spaces "
            "around them",
        ),
    ],
)
def test_a_season_that_cannot_be_made(squads, options, said):
    done = squads(*SQUADS, options=options)

    assert (done.code, done.err) == (1, f"Nothing was stored: {said}.")
    assert not any(everything())


@pytest.mark.parametrize("name", ["", "  2026", "20\x0026", "2" * 51])
def test_a_name_that_no_season_can_have(squads, name):
    done = squads(*SQUADS, season=name, options=("--cycles", "5"))

    assert done.code == 1
    assert "can’t be the name of a season: use 1 to 50 printable characters" in done.err
    assert not any(everything())


def test_cycles_are_numbers(squads):
    done = squads(*SQUADS, options=("--cycles", "5,ten"))

    assert done.code == 1
    assert "“5,ten” aren’t numbers such as 5,10,11" in done.err


def test_a_season_keeps_its_cycles_and_its_league(squads):
    squads(*SQUADS, options=("--cycles", "5,10,11"))
    stood = everything()

    assert squads(*SQUADS, options=("--cycles", "5,11")).err == (
        "Nothing was stored: the cycles of 2026 end after the rounds 5, 10, 11, not 5, 11; leave the cycles "
        "out, or change them in the admin."
    )
    assert squads(*SQUADS, options=("--league", "Other")).err == (
        "Nothing was stored: 2026 is a season of BAL, not of Other."
    )
    assert everything() == stood


def test_without_a_name_the_league_is_the_only_one_there_is(squads):
    League.objects.create(name="City League")

    squads(*SQUADS, options=("--cycles", "5"))

    assert Season.objects.get().league.name == "City League"


def test_of_several_leagues_one_is_named(squads):
    League.objects.create(name="City League")
    League.objects.create(name="Schools")

    done = squads(*SQUADS, options=("--cycles", "5"))
    assert done.err == ("Nothing was stored: choose one of these leagues: City League, Schools.")
    assert squads(*SQUADS, options=("--cycles", "5", "--league", "Schools")).code == 0
    assert Season.objects.get().league.name == "Schools"


def test_players_of_another_league_are_other_people(squads):
    squads(*SQUADS, options=("--cycles", "5"))

    done = squads("Adams,North,1500,3,no", season="City 2026", options=("--cycles", "5", "--league", "City"))

    assert done.code == 0
    assert Player.objects.filter(name="Adams").count() == 2
    assert Team.objects.filter(name="North").count() == 2
    assert refused(
        squads("Baker,North,,,no", season="City 2027", options=("--cycles", "5", "--league", "City"))
    ) == [
        "line 2: “Baker” has no rating and wasn’t in an earlier season of City: give rating and games, "
        "or captains_estimate yes for a new player"
    ]


def test_a_file_with_other_columns_is_refused(tmp_path):
    path = saved(tmp_path / "squads.csv", b"name,team\nAdams,North\n")

    done = run("import_league_players", path, "--season", "2026", "--cycles", "5")

    assert done.code == 1
    assert "columns missing: “rating”, “games”, “captains_estimate”" in done.err
    assert not any(everything())


def test_somebody_who_joins_later_is_on_the_next_list_only():
    season = small_season()
    bring_round(season, *ROUND_1)
    close_all_but_the_last(season)
    bring_squads("Avery,North,1500,4,no")
    bring_round(season, "2,North,South,1,Avery,Baker,0-1")
    close_all(season)

    assert [one.results.filter(name="Avery").count() for one in published(season)] == [0, 1]


def close_all_but_the_last(season):
    """One of its two cycles."""
    assert run("close_cycle", "--season", season.name).code == 0


def published(season):
    """The lists of a season in the order of its cycles."""
    return [one for cycle in season.cycles.order_by("number") for one in cycle.lists.all()]
