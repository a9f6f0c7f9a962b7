"""Tournament reports as they ought to be and as they are: every column, and all that is tolerated."""

from datetime import date

import pytest

from ratings.formats.trf import Pairing, Player, Record, Result, Team
from tests.formats.trf_text import OLD, SWISS, TEAMS, changed, problems, read, remarks, tournament

BERG = Player(
    15,
    1,
    "w",
    "WGM",
    "Berg, Anna",
    2235,
    "NOR",
    30012345,
    "",
    "1971/04/02",
    25,
    1,
    (Pairing(3, "w", Result.WIN), Pairing(5, "b", Result.WIN), Pairing(2, "b", Result.DRAW)),
)
NYGARD = Player(
    19, 5, "", "", "Nygård, Ida", 1755, "", 1500031, "", "", 10, 4,
    (
        Pairing(None, "", Result.ALLOCATED_BYE), Pairing(1, "w", Result.LOSS),
        Pairing(None, "", Result.ZERO_POINT_BYE),
    ),
)  # fmt: skip


def player_of(text: str | bytes, place: int = 0) -> Player:
    return tournament(text).players[place]


def test_a_player_of_trf16_is_read_to_the_last_column() -> None:
    players = tournament(SWISS).players
    assert (players[0], players[4]) == (BERG, NYGARD)
    assert players[2].rating is None
    assert [player.line for player in players] == [15, 16, 17, 18, 19]


def test_a_report_as_it_should_be_needs_no_adjustment() -> None:
    assert remarks(SWISS) == []


def test_headers_say_where_when_and_by_whom_it_was_played() -> None:
    swiss = tournament(SWISS)
    assert (swiss.name, swiss.city, swiss.federation) == ("Fjord Open", "Bergen", "NOR")
    assert (swiss.start, swiss.end, swiss.rounds) == (date(2026, 3, 14), date(2026, 3, 15), 3)
    assert swiss.round_dates == (date(2026, 3, 14), date(2026, 3, 14), date(2026, 3, 15))
    assert (swiss.kind, swiss.time_control) == (
        "Individual: Swiss-System",
        "90 minutes and 30 seconds per move",
    )
    assert swiss.headers[8] == Record(9, "092", "Individual: Swiss-System")


def test_dates_of_rounds_may_stand_without_columns() -> None:
    text = changed(" " * 85 + "  26/03/14  26/03/14  26/03/15", "26/03/14 26/03/14 26/03/15")
    assert tournament(text).round_dates == tournament(SWISS).round_dates


def test_trf26_codes_go_before_free_words() -> None:
    both = tournament(changed("222 5400+30\n", "222 5400+30\n122 an hour and a half\n", TEAMS))
    assert (both.kind, both.time_control) == ("CUSTOM", "5400+30")


def test_only_a_win_draw_or_loss_against_somebody_is_a_game() -> None:
    played = {result for result in Result if Pairing(2, "w", result).played}
    assert played == {Result.WIN, Result.DRAW, Result.LOSS}
    assert not any(Pairing(None, "", result).played for result in Result)


def test_teams_of_trf26_and_of_trf16() -> None:
    bergen, oresund = tournament(TEAMS).teams
    assert bergen == Team(22, 1, "Bergen", "BER", 2020, 20, 15, 1, (1, 2))
    assert (oresund.name, oresund.players) == ("Öresund", (3, 4))
    old = tournament(SWISS + "013 Bergen and Oslo                    1    4\n")
    assert old.teams == (Team(20, None, "Bergen and Oslo", "", None, None, None, None, (1, 4)),)
    assert tournament(f"{SWISS}013 {'N' * 32}   1    4\n").teams[0].name == "N" * 32


def test_comments_blank_lines_and_unknown_records_are_kept_and_the_unknown_are_named() -> None:
    rest = tournament(TEAMS).rest
    assert rest[0] == Record(1, "", "### a team match in TRF26")
    assert [record.tag for record in rest] == ["", "NOR", "260", "XXP", "XYZ", "", "801"]
    assert remarks(TEAMS) == ["line 26: “XYZ” is an unknown record; kept, but ignored"]


def test_a_report_from_before_2016_is_understood() -> None:
    berg, krog = tournament(OLD).players
    assert berg == Player(
        4,
        1,
        "w",
        "IM",
        "Berg, Anna",
        2235,
        "NOR",
        None,
        "412",
        "1971",
        15,
        None,
        (Pairing(2, "b", Result.WIN), Pairing(None, "", Result.DRAW)),
    )
    assert (krog.title, krog.rating, krog.fide_id, krog.other_id) == ("GM", None, None, "")
    assert krog.rounds == (Pairing(1, "w", Result.LOSS), Pairing(None, "", Result.BLANK))


def test_what_is_odd_in_an_old_report_is_said_line_by_line() -> None:
    assert remarks(OLD) == [
        "line 1: the end of the tournament is missing (record 052)",
        "line 3: “0         1         2         3        …” isn’t a record; kept, but ignored",
        "line 4: FIDE ID: “412” doesn’t have 6 to 9 digits; kept as another number",
        "line 4: a result without an opponent in round 2; treated as a bye, which is never rated",
    ]


@pytest.mark.parametrize(
    "letters",
    ["g GM", "m IM", "f FM", "c CM", "wg WGM", "wm WIM", "wf WFM", "wc WCM", "AGM AGM", "gm GM"],
)
def test_titles_of_2006_are_read_as_those_of_today(letters: str) -> None:
    written, title = letters.split()
    assert player_of(changed("wWGM", f"w{written:>3}")).title == title


@pytest.mark.parametrize(
    ("letter", "sex"), [("m", "m"), ("M", "m"), ("w", "w"), ("W", "w"), ("f", "w"), ("F", "w"), (" ", "")]
)
def test_women_are_w_or_f(letter: str, sex: str) -> None:
    assert player_of(changed("1 wWGM", f"1 {letter}WGM")).sex == sex


@pytest.mark.parametrize(
    ("birth", "year"),
    [("1971/04/02", 1971), ("1971-04-02", 1971), ("02.04.1971", 1971), ("1971/00/00", 1971), ("1971", 1971)],
)
def test_the_year_of_birth_is_read_of_any_date(birth: str, year: int) -> None:
    player = player_of(changed("1971/04/02", f"{birth:<10}"))
    assert (player.birth, player.birth_year) == (birth, year)


def test_a_date_of_birth_that_is_none_is_kept_and_has_no_year() -> None:
    player = player_of(changed("1971/04/02", "unknown   "))
    assert (player.birth, player.birth_year) == ("unknown", None)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_lf_crlf_or_cr(end: str) -> None:
    assert tournament(SWISS.replace("\n", end)) == tournament(SWISS)


def test_a_bom_is_no_part_of_the_first_line() -> None:
    assert tournament("\ufeff" + SWISS) == tournament(SWISS)


def test_latin_1_is_read_and_the_first_line_that_shows_it_is_named() -> None:
    data = SWISS.encode("latin-1")
    assert tournament(data) == tournament(SWISS)
    assert remarks(data) == ["line 19: not UTF-8; the file is read as Latin-1"]


def test_a_line_that_begins_with_a_latin_1_letter_is_named_itself() -> None:
    data = SWISS.replace("å", "a").encode() + b"### \n\xc5lesund\n"
    assert "line 21: not UTF-8; the file is read as Latin-1" in remarks(data)


def test_names_padded_by_bytes_do_not_shift_the_columns() -> None:
    """C programs count the two bytes of å as two columns."""
    shifted = changed("Nygård, Ida ", "Nygård, Ida")
    assert tournament(shifted) == tournament(SWISS)
    assert remarks(shifted) == ["line 19: the columns are counted in bytes, not in characters"]


@pytest.mark.parametrize("old_id", ["NOR-10417", "4100018363", "10417"])
def test_a_number_of_another_federation_is_never_taken_for_a_fide_id(old_id: str) -> None:
    text = changed("   30012345", f"{old_id:>11}")
    assert (player_of(text).fide_id, player_of(text).other_id) == (None, old_id)
    assert remarks(text) == [
        f"line 15: FIDE ID: “{old_id}” doesn’t have 6 to 9 digits; kept as another number"
    ]


def test_no_ratings_at_all() -> None:
    text = (
        SWISS.replace("2235", "    ").replace("2190", "   0").replace("1804", "    ").replace("1755", "    ")
    )
    assert [player.rating for player in tournament(text).players] == [None] * 5
    assert remarks(text) == ["line 7: 4 rated players, but the file has 0"]


def test_a_date_of_birth_one_column_to_the_right_is_read_and_said() -> None:
    text = changed("30012345 1971/04/02 ", "30012345  1971/04/02")
    assert player_of(text) == BERG
    assert remarks(text) == ["line 15: date of birth: one column out of place"]


def test_small_letters_for_results_and_capitals_for_colours() -> None:
    text = SWISS.replace("0000 - H", "0000 - h").replace(" 3 w 1", " 3 W 1").replace("0000 - Z", "   0   z")
    assert tournament(text) == tournament(SWISS)


def test_a_lone_minus_is_a_round_without_pairing() -> None:
    assert player_of(changed("  0000 - Z\n", "       -  \n"), 4).rounds[2] == Pairing(None, "", Result.BLANK)


def test_rounds_are_as_many_for_everybody() -> None:
    players = tournament(changed("     1 w 0  0000 - Z\n", "     1 w 0\n")).players
    assert players[4].rounds == (*NYGARD.rounds[:2], Pairing(None, "", Result.BLANK))


def test_trailing_rounds_of_which_nobody_has_anything_are_none() -> None:
    text = SWISS.replace("b =\n", "b =          \n").replace("- Z\n", "- Z       -  \n")
    assert tournament(text).rounds == 3


def test_unknown_federations_are_left_out_on_demand_and_refused_otherwise() -> None:
    text = changed("2235 NOR", "2235 FJO")
    assert problems(text) == [
        "line 15: federation: “FJO” isn’t a FIDE federation; correct it, or leave out unknown federations"
    ]
    reading = read(text, skip_unknown_federations=True)
    assert reading.tournament is not None
    assert reading.tournament.players[0] == BERG._replace(federation="")
    assert [str(remark) for remark in reading.remarks] == [
        "line 15: federation: “FJO” isn’t a FIDE federation; left out"
    ]


@pytest.mark.parametrize("federation", ["FID", "NON", "URS", "YUG", "WLS", "KOS", "IOM"])
def test_federations_of_old_reports_and_players_without_one_are_known(federation: str) -> None:
    assert player_of(changed("2235 NOR", f"2235 {federation}")).federation == federation


def test_control_characters_are_marked_and_said() -> None:
    text = changed("Fjord Open", "Fjord\x07Open")
    assert tournament(text).name == "Fjord\ufffdOpen"
    assert remarks(text) == ["line 1: a control or replacement character in “012 Fjord\ufffdOpen”"]


def test_ctrl_z_of_dos_is_no_line() -> None:
    assert remarks(SWISS + "\x1a") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("240 H   1    1", None),
        ("DAT 0001 GROUP Penguins", None),
        ("XXR 3", None),
        ("XXR 2", "line 20: 2 rounds, but the file has 3"),
        ("142 2", "line 20: 2 rounds, but the file has 3"),
        ("260 001 002 0001", "line 20: 260: “001 002 0001” doesn’t forbid any pairing; ignored"),
        ("XXP one two", "line 20: XXP: “one two” doesn’t forbid any pairing; ignored"),
        ("SWE    9", "line 20: SWE: “9” isn’t a player’s number"),
        ("SWE", "line 20: SWE: “” isn’t a player’s number"),
        ("===========", "line 20: “===========” isn’t a record; kept, but ignored"),
        ("162 one point a win", "line 20: 162: “one point a win” can’t be read as points; not used"),
        (
            "013 Bergen                             1    9",
            "line 20: team: no player has the start rank 9",
        ),
        (
            "013 Bergen                             1   x",
            "line 20: team: “x” isn’t a start rank in four columns",
        ),
        ("310   1Bergen", "line 20: team: the columns are shifted: “B” in column 8; kept, but ignored"),
    ],
)
def test_a_further_line_is_kept_and_what_is_odd_about_it_said(line: str, said: str | None) -> None:
    found = [text for text in remarks(f"{SWISS}{line}\n") if "teams" not in text]
    assert len(found) == (said is not None)
    assert all(text.startswith(str(said)) for text in found)
