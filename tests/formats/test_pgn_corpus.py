"""PGN files as they really are: what is taken, what is said about it, and what stays open (issue 16)."""

import hashlib
import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.games import UNMARKED, GameRow
from ratings.formats.pgn import AS_PLAYED, AS_RATED
from ratings.formats.problems import FileRefused, Problem
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import UNKNOWN, Control
from tests.formats.pgn_samples import CHESS_COM, CHESS_COM_DOWNLOADED, CHESSBASE, CORPUS, LICHESS, WEEKLY
from tests.formats.pgn_text import MOVES, TAGS, game_of, games, pgn, read_games_pgn, reason_of, remarked
from tests.formats.streams import Trickle

NO_ADDRESS = {"Site": "Lund"}


def test_games_of_chess_com_are_known_by_their_link_and_not_rated_silently() -> None:
    """0.5.0 rated each of them, casual ones too: their Event is “Live Chess” either way."""
    row = game_of(CHESS_COM)
    assert (row.external_id, row.word) == (
        "https://www.chess.com/game/live/900000001",
        "anna-b won by resignation",
    )
    assert (row.rated, row.unrated_reason, row.assumed) == (False, UNMARKED, ())
    assert row.termination is Termination.RESIGNATION
    # By its tags EndDate and EndTime.
    assert row.ended_at == datetime(2026, 3, 1, 9, 17, 9, tzinfo=UTC)
    # 180 − 176.5 by White and 180 − 177.6 by Black: the clock that goes over two lines is read.
    by_clocks = game_of(CHESS_COM.replace("[EndTime", "[Ended")).ended_at
    assert by_clocks == datetime(2026, 3, 1, 9, 17, 3, tzinfo=UTC) + timedelta(seconds=5.9)
    asked = game_of(CHESS_COM, rate_unmarked=True)
    assert (asked.rated, asked.unrated_reason, asked.assumed) == (True, "", (AS_RATED,))


def test_a_game_of_chess_com_without_address_is_known_by_its_players_day_and_moves() -> None:
    """0.5.0: “no Site or Link address”."""
    row = game_of(CHESS_COM_DOWNLOADED)
    assert (row.external_id, row.plies) == ("pgn:db88257688dc1c58a65a71cb829761e4", 23)
    assert row.started_at == row.ended_at == datetime(2026, 3, 2, 14, 46, 20, tzinfo=UTC)


def test_lichess_says_rated_in_lower_case() -> None:
    row = game_of(LICHESS)
    assert (row.rated, row.external_id) == (True, "https://lichess.org/aaaaAAA1")


def test_games_over_the_board_in_iso_8859_1_come_in_with_a_time_control() -> None:
    """0.5.0: “is not UTF-8”, “no Site or Link address”, and text outside a game."""
    first, second = remarked(2 * WEEKLY.encode("latin-1"), control=Control(900, 10))[0]
    assert isinstance(first, GameRow)
    assert (first.white, first.black) == ("Bergström,A", "Müller,O")
    assert (first.control, first.result, first.plies) == (Control(900, 10), "1-0", 16)
    assert first.external_id == "pgn:0003.0012-1eb098f2c70d5103b1f8c0d1165ba406"
    assert (first.rated, first.assumed) == (False, (AS_PLAYED,))
    assert isinstance(second, GameRow)
    assert second.external_id == first.external_id
    assert (game_of(WEEKLY.encode("latin-1")).control, first.plies) == (UNKNOWN, 16)


def test_iso_8859_1_is_said_once_for_a_file() -> None:
    """PGN standard 4.1: ISO 8859-1. 0.5.0 refused each of these games."""
    latin = pgn(White="Müller").encode("latin-1")
    rows, remarks = remarked(latin + pgn(White="Müller").encode() + latin)
    assert [row.white for row in rows if isinstance(row, GameRow)] == ["Müller"] * 3
    assert remarks == [
        "line 3: not UTF-8; such lines are read as ISO 8859-1, the encoding of the PGN standard"
    ]


def test_a_file_with_the_mark_of_utf_8_holds_no_other_bytes() -> None:
    bad, good = games(b"\xef\xbb\xbf" + pgn(White="Müller").encode("latin-1") + pgn().encode())
    assert isinstance(bad, Problem)
    assert bad.reason == 'line 3 is not UTF-8: “[White "M\ufffdller"]”; save the file as UTF-8'
    assert isinstance(good, GameRow)


def test_a_name_in_windows_1250_is_not_guessed() -> None:
    """0x8A is a letter there, and a control character of ISO 8859-1."""
    assert reason_of(b"%%\n" + pgn(White="@imek").encode().replace(b"@", b"\x8a")) == (
        "line 4: the tag White contains control characters: “\ufffdimek”"
    )


def test_null_moves_and_letters_in_variations_and_a_result_after_a_blank_line_are_read() -> None:
    """0.5.0: “--” is no move; cut off; text outside a game; a FEN; each of these refused the game."""
    row = game_of(CHESSBASE)
    assert (row.plies, row.result, row.rated) == (9, "1-0", True)
    assert row.pgn == CHESSBASE.strip()
    assert row.external_id == "pgn:0002-b04ba1b0038d86ba879370cc237cd830"


def test_moves_may_be_written_in_paragraphs() -> None:
    row = game_of(pgn("1. e4\n\ne5 { so\n\nto say }\n\n2. Nf3\n\n\nNc6\n; a remark\n\n1-0 {White is\nhappy}"))
    assert (row.plies, row.result) == (4, "1-0")


def test_a_game_that_breaks_off_takes_no_other_with_it() -> None:
    bad, good = games(pgn("1. e4 e5 2. Nf3") + pgn(Site="https://arena.example/game/2"))
    assert isinstance(bad, Problem)
    assert bad.reason == "the moves end without a result: the game is incomplete"
    assert isinstance(good, GameRow)


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "",
    ],
)
def test_the_fen_of_the_initial_position_says_nothing_new(fen: str) -> None:
    """0.5.0: “not standard chess from the initial position”."""
    assert game_of(pgn(FEN=fen, SetUp="1" if fen else "0")).rated


@pytest.mark.parametrize(
    "changes",
    [
        {"FEN": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"},
        {"FEN": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"},
        {"FEN": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "Variant": "Chess960"},
        {"SetUp": "1"},
    ],
)
def test_any_other_position_or_variant_is_refused(changes: dict[str, str]) -> None:
    assert (
        reason_of(pgn(**changes)) == "not standard chess from the initial position (tags SetUp, FEN, Variant)"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '[Annotator "A"]\n[Annotator "B"]',
            "the tag Annotator appears twice, with different values; not needed here",
        ),
        ('[WhiteElo "2800"]', "the tag WhiteElo appears twice, with the same value"),
        ('[White "Berg, Anna"]', "the tag White appears twice, with the same value"),
        ('[Round "1"]\n[Round "2"]', "the tag Round appears twice, with different values; not needed here"),
        (
            '[Opening "The "Old" Way"]',
            'quotation marks inside the tag Opening aren’t escaped: “The "Old" Way”',
        ),
        ("[Opening]", '“[Opening]” isn’t a tag such as [White "…"]; not needed here'),
        ('[Opening "a\tb"]', "the tag Opening contains control characters: “a\ufffdb”"),
        ('[Event "Blitz"]', "the tag Event appears twice; both are read"),
    ],
)
def test_a_fault_in_a_tag_without_meaning_here_costs_no_game(line: str, said: str) -> None:
    """0.5.0 refused each of these games."""
    rows, remarks = remarked(pgn().replace("\n\n", f"\n{line}\n\n", 1))
    (row,) = rows
    assert isinstance(row, GameRow), row
    assert row.rated
    assert remarks == [f"line {11 + line.count(chr(10))}: {said}"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('[White "Lind, Maja"]', "line 11: the tag White appears twice, with different values"),
        ('[Result "0-1"]', "line 11: the tag Result appears twice, with different values"),
        ('[Variant "Atomic]', 'line 11: “[Variant "Atomic]” isn’t a tag such as [White "…"]'),
        ("[]", 'line 11: “[]” isn’t a tag such as [White "…"]'),
        (
            '[ECO "a"b"] [Variant "Atomic"]',
            'line 11: “[ECO "a"b"] [Variant "Atomic"]” isn’t a tag such as [White "…"]',
        ),
    ],
)
def test_a_fault_in_a_tag_that_decides_something_refuses_the_game(line: str, fault: str) -> None:
    assert reason_of(pgn().replace("\n\n", f"\n{line}\n\n", 1)) == fault


def test_a_casual_game_stays_casual_whatever_a_second_event_says() -> None:
    row = game_of(pgn(Event='Casual game"]\n[Event "Rated game'))
    assert (row.rated, row.unrated_reason) == (False, "casual game")


def test_the_round_has_to_be_known_where_it_tells_games_apart() -> None:
    text = pgn(**NO_ADDRESS, UTCTime=None, UTCDate=None, Date="2026.03.01", Round='1"]\n[Round "2')
    assert reason_of(text) == "line 11: the tag Round appears twice, with different values"


def test_lines_of_the_escape_are_no_part_of_a_game() -> None:
    """PGN standard 6: % in the first column. A tag there is none, and no result ends a game."""
    text = '%program\n% [Event "no"]\n' + pgn().replace("[White", '% [White "Nobody"]\n[White').replace(
        "1. e4", "% 0-1\n\n1. e4\n%evp }{\n"
    )
    rows, remarks = remarked(f"{text}% the end\n")
    (row,) = rows
    assert isinstance(row, GameRow)
    assert (row.line, row.white, row.plies, remarks) == (3, "Berg, Anna", 4, [])


@given(st.permutations(list(TAGS)))
def test_tags_stand_in_any_order(order: list[str]) -> None:
    tags = "".join(f'[{name} "{TAGS[name]}"]\n' for name in order)
    first, second = games(f"{tags}\n{MOVES}\n\n{tags}\n\n{MOVES}\n")
    assert isinstance(first, GameRow)
    assert isinstance(second, GameRow)
    assert (first.white, first.external_id, first.rated) == ("Berg, Anna", TAGS["Site"], True)
    assert second.plies == 4


@given(st.permutations(list(TAGS)))
def test_a_comment_never_closed_ends_before_tags_in_any_order(order: list[str]) -> None:
    tags = "".join(f'[{name} "{TAGS[name]}"]\n' for name in order)
    seven = next(
        place for place, name in enumerate(order) if name in ("Event", "Site", "White", "Black", "Result")
    )
    rows = games(f"{tags}\n1. e4 {{ oh 1-0\n\n{tags}\n{MOVES}\n")
    assert isinstance(rows[0], Problem)
    assert rows[0].reason == "a comment is opened with { and never closed"
    if seven == 0:
        assert isinstance(rows[1], GameRow)


def test_several_tags_may_stand_on_a_line() -> None:
    """PGN standard 3.2.1, import format. 0.5.0: “is no tag”."""
    head, moves = pgn().split("\n\n", 1)
    assert game_of(head.replace("\n", " ") + "\n\n" + moves).control == Control(180, 2)


@pytest.mark.parametrize("said", [None, "", "?"])
def test_a_given_time_control_is_that_of_games_that_do_not_say_theirs(said: str | None) -> None:
    row = game_of(pgn(TimeControl=said), control=Control(600, 0))
    assert (row.control, row.assumed) == (Control(600, 0), (AS_PLAYED,))
    assert game_of(pgn(), control=Control(600, 0)).control == Control(180, 2)


@pytest.mark.parametrize("said", ["-", "40/7200:3600", "1/259200", "*180"])
def test_a_given_time_control_replaces_none_that_is_said(said: str) -> None:
    assert game_of(pgn(TimeControl=said), control=Control(600, 0)).control == Control(0, 0, said)


def known_as(moves: str = MOVES, /, **changes: str | None) -> str:
    return game_of(pgn(moves, **NO_ADDRESS | changes)).external_id


def test_a_game_without_address_is_known_by_players_time_round_and_moves() -> None:
    """The documented hash: five lines, SHA-256, 32 digits."""
    assert known_as() == "pgn:" + digest(
        "Berg, Anna", "Krog, Otto", "2026-03-01T10:00:00Z", "", "e2e4 e7e5 g1f3 b8c6"
    )
    day = {"UTCDate": None, "UTCTime": None, "Date": "2026.03.01", "Round": "3.12"}
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O h5 5. Re1 h4 6. Kh1 h3 7. a3 hxg2+ 8. Kg1 g1=N 1-0"
    uci = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 h7h5 f1e1 h5h4 g1h1 h4h3 a2a3 h3g2 h1g1"
    assert known_as(moves.replace(" 8. Kg1 g1=N", " 8. Kg1"), **day) == "pgn:0003.0012-" + digest(
        "Berg, Anna", "Krog, Otto", "2026-03-01", "3.12", uci
    )


def digest(*lines: str) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:32]


@pytest.mark.parametrize(
    "changes",
    [
        {"White": "Lind, Maja"},
        {"White": "Krog, Otto", "Black": "Berg, Anna"},
        {"UTCTime": "10:00:01"},
        {"UTCDate": "2026.03.02"},
        {"Round": "1"},
    ],
)
def test_each_of_these_makes_another_game(changes: dict[str, str]) -> None:
    assert known_as(**changes) != known_as()
    assert known_as("1. e4 e5 2. Nf3 Nf6 1-0") != known_as()


@pytest.mark.parametrize(
    "changes",
    [
        {"Site": "?"},
        {"Site": "ftp://arena.example/1"},
        {"Site": "https://arena.example/"},
        {"Site": None, "Event": "Blitz"},
        {"TimeControl": "300+0"},
        {"Result": "1-0", "Termination": "Normal"},
        {"Round": "-"},
        {"WhiteElo": "1000"},
        {"White": "Berg,  Anna".replace("  ", " ")},
    ],
)
def test_none_of_these_makes_another_game(changes: dict[str, str | None]) -> None:
    assert known_as(**changes) == known_as()
    assert known_as("1. e4! {best} e5 (1... c5) 2. Nf3 Nc6 1-0") == known_as()
    assert known_as("1. e4 e5 2. Nf3 Nc6 0-1", Result="0-1") == known_as()


def test_games_of_a_day_follow_their_rounds() -> None:
    """RBB 3.11: equal moments of a file are ordered by external id."""
    day = {"UTCDate": None, "UTCTime": None, "Date": "2026.03.01"}
    rounds = ["1", "2", "10", "10.2", "11"]
    assert sorted(known_as(Round=number, **day) for number in rounds) == [
        known_as(Round=number, **day) for number in rounds
    ]


def test_what_does_not_tell_a_game_from_another_is_refused_as_before() -> None:
    day = {"UTCDate": None, "UTCTime": None, "Date": "2026.03.01"}
    fault = "no Site or Link address: without one, the game can’t be told apart from others, because it "
    assert reason_of(pgn(**NO_ADDRESS, **day)) == f"{fault}has no time, no round and fewer than 20 half-moves"
    assert reason_of(pgn("1. e4 e5 *", **NO_ADDRESS, Result="*")) == f"{fault}is not over"
    assert reason_of(pgn(**NO_ADDRESS, UTCDate="????.??.??")).startswith(
        "UTCDate: “????.??.??” isn’t a full date"
    )
    assert known_as(**day, Round="1")
    assert known_as(**day, Time="18:00:00")
    shuffle = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 Ng8" for n in range(5))
    assert game_of(pgn(f"{shuffle} 1/2-1/2", **NO_ADDRESS, **day, Result="1/2-1/2")).plies == 20


def test_a_refused_game_is_named_by_its_identity() -> None:
    """So that the file of refused games, corrected, brings the same game."""
    (row,) = games(pgn(**NO_ADDRESS, Variant="Atomic"))
    assert isinstance(row, Problem)
    assert row.fields["external_id"] == known_as()


@given(
    seed=st.integers(0, 2**32),
    faults=st.lists(
        st.sampled_from([b"}", b"{", b"(", b")", b'"', b"]", b"[", b"\n\n", b"%", b";", b"\xe9", b"-- "]),
        max_size=3,
    ),
)
def test_a_mutated_file_loses_no_game_silently(seed: int, faults: list[bytes]) -> None:
    """Each game of the file is in a row by itself, or among the lines of one that is refused."""
    chance = random.Random(seed)
    data = "".join(pgn(Site=f"https://arena.example/game/{number}") for number in range(4)).encode()
    for fault in faults:
        place = chance.randrange(len(data))
        data = data[:place] + fault + data[place:]
    try:
        rows = sorted(games(data), key=lambda row: row.line)
    except FileRefused:
        return
    lines = data.split(b"\n")
    taken = [row for row in rows if isinstance(row, GameRow)]
    for row, following in zip(rows, [*(row.line for row in rows[1:]), len(lines) + 1], strict=True):
        if isinstance(row, GameRow):
            sites = [line for line in lines[row.line - 1 : following - 1] if b"/game/" in line]
            assert len(sites) <= 1
    # A break within the first tags may part them from the game, but not the line that names it.
    assert rows[0].line <= next(number for number, line in enumerate(lines, 1) if b"/game/" in line)
    assert len(taken) >= 4 - 2 * len(faults)


@given(st.lists(st.sampled_from(CORPUS), min_size=1, max_size=5), st.integers(1, 400))
def test_every_game_of_a_file_is_read_or_refused_with_its_line(texts: list[str], step: int) -> None:
    rows = list(read_games_pgn(Trickle("".join(texts).encode("latin-1"), step)))
    first = 1
    for row, text in zip(rows, texts, strict=True):
        assert row.line == first
        assert isinstance(row, GameRow)
        first += text.count("\n")


@pytest.mark.parametrize("text", CORPUS)
def test_a_stored_game_read_again_is_the_same(text: str) -> None:
    """As it is downloaded from its page."""
    row = game_of(text.encode("latin-1"), control=Control(900, 10))
    assert game_of(f"{row.pgn}\n", control=Control(900, 10)) == row
