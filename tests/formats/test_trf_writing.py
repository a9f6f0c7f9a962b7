"""Reports written again: the same tournament, and the same bytes wherever the file was as it should be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.trf import Pairing, Player, Record, Result, Team, Tournament, trf_lines
from tests.formats.trf_text import OLD, SWISS, TEAMS, changed, remarks, tournament

NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"], exclude_characters="\ufffd"), max_size=33
)
WORDS = NAMES.filter(bool)
TEAM_NAMES = NAMES.map(lambda name: name[:32])
NICKNAMES = NAMES.map(lambda name: name[:5])
NOTHING = Pairing(None, "", Result.BLANK)
BYES = [Pairing(None, "", result) for result in "HFUZ"] + [NOTHING]
TENTHS = {**dict.fromkeys("1+WFU", 10), **dict.fromkeys("=DH", 5), **dict.fromkeys("0-LZ ", 0)}
SIDES = [*"10", *"01", *"==", *"+-", *"-+", *"--", *"WL", *"LW", *"DD", *"LL"]


def written(value: Tournament) -> bytes:
    return b"".join(trf_lines(value))


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    """Any tournament that holds together, with the numbers its lines will have."""
    numbers = draw(st.lists(st.integers(1, 9999), min_size=1, max_size=7, unique=True))
    rounds = [draw(all_pairings(numbers)) for _ in range(draw(st.integers(0, 4)))]
    while rounds and all(pairing == NOTHING for pairing in rounds[-1].values()):
        rounds.pop()
    texts = [Record(0, "012", draw(WORDS)), Record(0, "042", "2026/01/02"), Record(0, "052", "2026/01/31")]
    texts += draw(
        st.lists(st.builds(Record, st.just(0), st.sampled_from(["022", "102", "122"]), NAMES), max_size=3)
    )
    ids = draw(st.lists(st.integers(100_000, 999_999_999), min_size=7, max_size=7, unique=True))
    players = [
        Player(
            0,
            number,
            draw(st.sampled_from(["", "m", "w"])),
            draw(st.sampled_from(["", "GM", "WFM", "ACM"])),
            draw(NAMES),
            draw(st.none() | st.integers(100, 3500)),
            draw(st.sampled_from(["", "NOR", "FID"])),
            draw(st.sampled_from([None, fide_id])),
            "",
            draw(st.sampled_from(["", "1990", "1990/12/31"])),
            sum(TENTHS[pairings[number].result] for pairings in rounds),
            draw(st.none() | st.integers(1, 9999)),
            tuple(pairings[number] for pairings in rounds),
        )
        for number, fide_id in zip(numbers, ids, strict=False)
    ]
    tenths = st.none() | st.integers(0, 9999)
    team = st.builds(
        Team,
        st.just(0),
        st.integers(1, 999),
        TEAM_NAMES,
        NICKNAMES,
        st.none() | st.integers(0, 3500),
        tenths,
        tenths,
        st.none() | st.integers(1, 999),
        st.just(tuple(numbers)),
    )
    teams = draw(st.lists(team | team.map(of_trf16), max_size=2))
    rest = [
        Record(0, "", "### " + draw(WORDS)),
        Record(0, "", ""),
        Record(0, "XXP", "1 2"),
        Record(0, "250", draw(NAMES)),
    ]
    return numbered(Tournament(tuple(texts), tuple(players), tuple(teams), tuple(rest)))


def of_trf16(team: Team) -> Team:
    """What a record 013 keeps of a team."""
    return Team(0, None, team.name, "", None, None, None, None, team.players)


@st.composite
def all_pairings(draw: st.DrawFn, numbers: list[int]) -> dict[int, Pairing]:
    """A round: some play, some have byes."""
    order = draw(st.permutations(numbers))
    playing = 2 * draw(st.integers(0, len(order) // 2))
    found = {number: draw(st.sampled_from(BYES)) for number in order[playing:]}
    for white, black in zip(order[:playing:2], order[1:playing:2], strict=True):
        ours, theirs = draw(st.sampled_from(list(zip(SIDES[::2], SIDES[1::2], strict=True))))
        found[white] = Pairing(black, "w", Result(ours))
        found[black] = Pairing(white, "b", Result(theirs))
    return found


def numbered(value: Tournament) -> Tournament:
    """The tournament as it is read after it has been written: each line with its number."""
    line = iter(range(1, 10_000))
    sections = [
        tuple(record._replace(line=next(line)) for record in section)
        for section in (value.headers, value.players, value.teams, value.rest)
    ]
    return Tournament(*sections)  # type: ignore[arg-type]


def unnumbered(value: Tournament) -> Tournament:
    sections = (value.headers, value.players, value.teams, value.rest)
    return Tournament(*(tuple(record._replace(line=0) for record in section) for section in sections))  # type: ignore[arg-type]


@given(tournaments())
def test_a_tournament_is_the_same_when_it_is_read_again(value: Tournament) -> None:
    assert tournament(written(value)) == value


@given(tournaments())
def test_what_comes_from_no_file_is_written_section_by_section(value: Tournament) -> None:
    assert written(unnumbered(value)) == written(value)


@given(tournaments())
def test_written_once_more_it_is_the_same_file(value: Tournament) -> None:
    assert written(tournament(written(value))) == written(value)


@pytest.mark.parametrize(
    "text",
    [SWISS, TEAMS, changed("112 Aas, Tor", "112"), SWISS + "013 Bergen and Oslo                    1    4\n"],
)
def test_a_file_as_it_should_be_is_written_byte_for_byte_with_crlf(text: str) -> None:
    assert written(tournament(text)) == text.replace("\n", "\r\n").encode()


def test_an_old_file_is_written_as_it_should_be_and_is_the_same_tournament() -> None:
    """What cannot stay: sex, title and colour as they were, ratings and IDs of 0, blanks at the end."""
    assert tournament(written(tournament(OLD))) == tournament(OLD)
    assert written(tournament(OLD)).decode().splitlines()[3:] == [
        "001    1 w IM Berg, Anna                        2235 NOR         412 1971        1.5     "
        "     2 b 1  0000 - =",
        "001    2 m GM Krog, Ole                              DEN                         0.0          1 w 0",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 wWGM", "1 WWGM"),
        ("2 m FM", "2 mFM "),
        ("2 m FM", "2 m  f"),
        ("   1400010", "1400010   "),
        ("     SWE", "   0 SWE"),
        ("   3 w 1", "0003 w 1"),
        ("   3 w 1", "   3 W 1"),
        ("0000 - H", "0000 - h"),
        ("0000 - H", "   0   H"),
        ("Bergen\n", "Bergen  \n"),
        ("012 ", "\ufeff012 "),
        ("2.0    2", "2.0 2   "),
        (" 2.0    2", "2.0     2"),
        ("- Z\n", "- Z  \n"),
    ],
)
def test_these_are_the_exceptions_to_the_same_bytes(old: str, new: str) -> None:
    odd = changed(old, new)
    assert tournament(odd) == tournament(SWISS)
    assert remarks(odd) == []
    assert written(tournament(odd)) == SWISS.replace("\n", "\r\n").encode()


def test_a_lone_minus_is_written_as_blanks() -> None:
    odd = tournament(changed("  0000 - Z\n", "       -\n"))
    assert written(odd).decode().endswith("  0000 - U     1 w 0\r\n")


def test_results_that_are_left_out_stay_left_out() -> None:
    assert written(tournament(changed("  0000 - Z\n", "\n"))).decode().endswith("  0000 - U     1 w 0\r\n")


def test_a_name_that_is_too_long_is_cut() -> None:
    swiss = tournament(SWISS)
    longer = Tournament(swiss.headers, tuple(player._replace(name="N" * 40) for player in swiss.players))
    names = {player.name for player in tournament(written(longer)).players}
    assert names == {"N" * 33}


@pytest.mark.parametrize(
    "change", [{"start_rank": 10_000}, {"points": 10_000}, {"rank": 10_000}, {"birth": "2001/12/31 Oslo"}]
)
def test_a_value_without_room_is_refused(change: dict[str, int]) -> None:
    swiss = tournament(SWISS)
    broken = Tournament(swiss.headers, (swiss.players[0]._replace(**change),))
    with pytest.raises(ValueError, match="too long for its columns"):
        written(broken)


def test_a_team_without_room_is_refused() -> None:
    match = tournament(TEAMS)
    with pytest.raises(ValueError, match="too long for its columns"):
        written(Tournament(match.headers, match.players, (match.teams[0]._replace(number=1000),)))


def test_a_line_end_in_a_text_makes_no_further_line() -> None:
    swiss = tournament(SWISS)
    broken = Tournament((Record(0, "012", "Fjord\r\n001    9"), *swiss.headers[1:]), swiss.players)
    assert tournament(written(broken)).name == "Fjord\ufffd\ufffd001    9"
