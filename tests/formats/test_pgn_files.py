"""A PGN file: how it is cut into games, and that a bad place costs no other game."""

import random
import re

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.games import GameRow
from ratings.formats.pgn_cutting import MAX_GAME, MAX_LINE
from ratings.formats.pgn_rated import WITHOUT_EVENT
from ratings.formats.problems import FileRefused, Problem
from tests.formats.pgn_text import FIELDS, TAGS, games, pgn, read_games_pgn, remarked
from tests.formats.streams import Trickle


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\ufeff\n"])
def test_each_game_keeps_its_line_and_its_exact_text(start: str, end: str) -> None:
    texts = [pgn(), pgn("{ one\n\ntwo }\n1. d4 d5\n1/2-1/2", Result="1/2-1/2"), pgn("1. c4 c5 1-0")]
    texts = [text.replace("\n", end) for text in texts]
    first, second, third = games(start.replace("\n", end) + "".join(texts))
    assert [row.pgn for row in (first, second, third) if isinstance(row, GameRow)] == [
        text.strip() for text in texts
    ]
    blank = start.count("\n")
    assert [first.line, second.line, third.line] == [1 + blank, 14 + blank, 31 + blank]


def test_game_begins_at_a_tag_after_moves_even_without_an_empty_line() -> None:
    text = pgn().replace("\n\n", "\n")
    assert [row.line for row in games(text + text)] == [1, 12]


def test_empty_lines_between_tags_and_before_the_moves_end_no_game() -> None:
    text = pgn().replace("\n", "\n\n").replace('"]\n\n\n\n', '"]\n\n\n')
    (row,) = games(text)
    assert isinstance(row, GameRow)
    assert row.pgn == text.strip()


def test_square_bracket_in_a_comment_begins_no_game() -> None:
    (row,) = games(pgn('1. e4 { see\n[Event "Winter cup"]\n[%clk 0:03:00] } e5 1-0'))
    assert isinstance(row, GameRow)
    assert row.plies == 2


@pytest.mark.parametrize("line", ['[Black "1]', "[Black]", '[Round "1] [Board "2"]', '[White "a\x07b"]'])
def test_line_that_is_no_tag_refuses_its_game_alone(line: str) -> None:
    bad, good = games(f"{line}\n{pgn()}{pgn()}")
    assert isinstance(bad, Problem)
    assert bad.reason.startswith("line 1: ")
    assert isinstance(good, GameRow)


def test_comment_never_closed_does_not_swallow_the_next_game() -> None:
    bad, good = games(pgn("1. e4 { oh 1-0") + pgn("1. e4 { fine } e5 1-0"))
    assert bad == Problem(1, "a comment is opened with { and never closed", FIELDS)
    assert isinstance(good, GameRow)
    assert good.line == 14


def test_text_between_games_is_reported_once_with_its_first_line() -> None:
    before, first, between, second, after = games(
        f"Hello\nworld\n\n{pgn()}; a remark\n% another\nBye now\nand again\n\n{pgn()}The end"
    )
    assert isinstance(first, GameRow)
    assert isinstance(second, GameRow)
    assert before == Problem(1, "text outside a game, from here to the next tag: “Hello”")
    assert between == Problem(19, "text outside a game, from here to the next tag: “Bye now”")
    assert after == Problem(35, "text outside a game, from here to the next tag: “The end”")


def test_game_of_tags_alone_ends_where_the_next_event_begins() -> None:
    tags = pgn().split("\n\n")[0]
    bad, good = games(f"{tags}\n\n{pgn()}")
    assert bad == Problem(1, "the moves end without a result: the game is incomplete", FIELDS)
    assert (good.line, type(good)) == (12, GameRow)


@pytest.mark.parametrize("long", ["{" + "x" * MAX_LINE, "e4 " * MAX_LINE])
def test_line_over_200000_characters_is_reported_and_the_next_game_read(long: str) -> None:
    bad, good = games(pgn(f"1. e4\n{long}\nstill }} the same\n\nand this 1-0") + pgn())
    assert bad == Problem(1, "line 13 has more than 200,000 characters", FIELDS)
    assert isinstance(good, GameRow)
    assert good.line == 18


def test_tag_over_200000_characters_refuses_its_game_alone() -> None:
    bad, good = games(pgn(Event="x" * MAX_LINE) + pgn())
    assert bad == Problem(1, "line 1 has more than 200,000 characters", FIELDS)
    assert isinstance(good, GameRow)


def test_game_that_never_ends_is_reported_and_the_next_one_read() -> None:
    bad, good = games(pgn("1. e4 {\n" + "so it goes\n" * (MAX_GAME // 10)).rstrip() + "\n" + pgn())
    assert isinstance(bad, Problem)
    assert bad.reason.startswith("the game is longer than 500,000 characters")
    assert isinstance(good, GameRow)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty or is not PGN"),
        (b"\n\n", "the file is empty or is not PGN"),
        (b"name,born\nAnna Berg,1990\n", "the file is empty or is not PGN"),
        (b"PK\x03\x04", "line 1: this is a ZIP archive"),
        (b"\x1f\x8b\x08", "line 1: this is a gzip archive"),
        (pgn().encode("utf-16"), "line 1: this is UTF-16 text"),
        (b"<html>", "line 1: this is XML or HTML"),
        (pgn().encode() + b"\0\0\0", "line 14: this is a binary file"),
    ],
)
def test_file_that_is_no_pgn_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(FileRefused, match=words):
        games(data)


def test_list_of_another_format_in_square_brackets_is_refused() -> None:
    with pytest.raises(FileRefused, match="is not PGN"):
        games('[{"white": "Anna Berg"}]\n')


@given(seed=st.integers(0, 2**32), length=st.integers(0, 80), step=st.integers(1, 500))
def test_game_written_by_python_chess_is_read_back(seed: int, length: int, step: int) -> None:
    chance = random.Random(seed)
    # Some random games end with mate for Black: an arbiter may still decide otherwise.
    written = chess.pgn.Game(TAGS | {"Termination": "Adjudication"})
    node: chess.pgn.GameNode = written
    while node.ply() < length and (moves := list(node.board().legal_moves)):
        for move in chance.sample(moves, min(len(moves), chance.choice((1, 1, 3)))):
            node.add_variation(move, comment=chance.choice(("", "good [%eval 0.3]", "[%clk 0:01:00]")))
        node = node.variations[0]
    text = str(written)
    (row,) = read_games_pgn(Trickle(text.encode(), step))
    assert isinstance(row, GameRow)
    assert (row.plies, row.pgn) == (node.ply(), text)


@given(
    st.lists(
        st.sampled_from(
            [*pgn().splitlines(keepends=True), *'{}();%\n\r["*½\ufeff\x1a', "[%clk 0:00:01]", " e4 ", "1-0"]
        ).map(str.encode)
        | st.binary(max_size=4),
        max_size=40,
    )
)
def test_no_bytes_raise_anything_but_a_refusal(pieces: list[bytes]) -> None:
    try:
        for row in games(b"".join(pieces)):
            if isinstance(row, Problem):
                "".join([row.reason, *row.fields.values()]).encode()
    except FileRefused as refused:
        str(refused).encode()


CASUAL = 'Event "Casual blitz game"'
DAMAGED = [
    f"\u200b[{CASUAL}]",
    f"\ufeff\u200b[{CASUAL}]",
    f"> [{CASUAL}]",
    f"- [{CASUAL}]",
    f"\x1a[{CASUAL}]",
    f"{CASUAL}]",
    f"({CASUAL}]",
    '[Event: "Casual blitz game"]',
    "[Event Casual blitz game]",
    "[Event “Casual blitz game”]",
    '[Ev\u200bent "Casual blitz game"]',
    '[Ev\xadent "Casual blitz game"]',
    "[Event 'Casual blitz game']",
    f"&#91;{CASUAL}]",
    f"ï»¿[{CASUAL}]",
    'vent "Casual blitz game"]',
    f"\\[{CASUAL}\\]",
    f"1-0 [{CASUAL}]",
    f"**{CASUAL}**",
]


@pytest.mark.parametrize("line", DAMAGED)
@pytest.mark.parametrize("before", ["", pgn(), pgn().rstrip() + "\n"])
def test_a_damaged_event_faults_its_game_and_no_other(line: str, before: str) -> None:
    """Read without it, a casual game would be one that doesn’t say if it was rated."""
    rest = pgn(Event=None, Site="https://arena.example/game/2")
    *first, damaged, last = games(
        f"{before}{line}\n{rest}{pgn(Site='https://arena.example/game/3')}", rate_unmarked=True
    )
    assert [row.line for row in first] == ([1] if before else [])
    assert isinstance(damaged, Problem)
    assert "isn’t a tag such as" in damaged.reason
    assert isinstance(last, GameRow)


@pytest.mark.parametrize("space", ["\n", "\n\n", "\n% escaped\n"])
def test_a_damaged_event_may_be_far_from_its_game(space: str) -> None:
    for before in (pgn(), pgn().rstrip() + "\n", pgn("1. e4 e5 2. Nf3").rstrip() + "\n\n"):
        rest = pgn(Event=None, Site="https://arena.example/game/2")
        rows = games(f"{before}> [{CASUAL}]{space}{rest}", rate_unmarked=True)
        assert isinstance(rows[-1], Problem)
        assert rows[-1].fields["external_id"] == "https://arena.example/game/2"


@pytest.mark.parametrize("line", [f"> [{CASUAL}]", f"\u200b[{CASUAL}]", f"{CASUAL}]", "what is this?"])
def test_a_line_between_tags_that_is_none_faults_the_game(line: str) -> None:
    """It ended the game’s tags, and the rest was another game, without its Event."""
    (row,) = games(pgn().replace("[White ", f"{line}\n[White "), rate_unmarked=True)
    assert isinstance(row, Problem)
    assert row.line == 1
    assert re.match("line [34]: ", row.reason)


def test_a_damaged_tag_that_decides_nothing_is_only_told() -> None:
    (row,), remarks = remarked(f'> [Link "x"]\n{pgn()}')
    assert isinstance(row, GameRow)
    assert remarks == ['line 1: “> [Link "x"]” isn’t a tag such as [White "…"]; not needed here']


@pytest.mark.parametrize("start", ["\ufeff", " ", "\xa0", "\t", "\ufeff "])
def test_a_mark_of_utf_8_or_a_space_before_a_tag_damages_nothing(start: str) -> None:
    _first, second = games(f"{pgn()}{start}{pgn(Event='Casual game')}", rate_unmarked=True)
    assert isinstance(second, GameRow)
    assert (second.rated, second.unrated_reason) == (False, "casual game")


@pytest.mark.parametrize("name", ["EVENT", "event", "eVENT"])
def test_a_tag_in_other_capital_letters_is_read(name: str) -> None:
    (row,), remarks = remarked(pgn(Event="Casual game").replace("Event", name), rate_unmarked=True)
    assert isinstance(row, GameRow)
    assert row.unrated_reason == "casual game"
    assert remarks == [f"line 1: the tag {name} is read as Event"]


@pytest.mark.parametrize("line", ["Event: Casual blitz game", "* Rated = no"])
def test_a_line_directly_before_a_game_that_tells_of_a_tag_in_other_signs_faults_it(line: str) -> None:
    damaged = games(f"{pgn()}{line}\n{pgn(Event='Live Chess')}", rate_unmarked=True)[-1]
    assert isinstance(damaged, Problem)
    assert damaged.reason == f'line 14: “{line}” isn’t a tag such as [White "…"]'
    stray, row = games(f"{line}\n\n{pgn()}")
    assert isinstance(stray, Problem)
    assert isinstance(row, GameRow)


@pytest.mark.parametrize(
    "line",
    [
        f"{{[{CASUAL}]}}",
        f"; [{CASUAL}]",
        f"%[{CASUAL}]",
        'ual blitz game"]',
        '[Evemt "Casual blitz game"]',
        "Casual blitz game",
    ],
)
def test_a_game_whose_event_is_lost_is_never_taken_as_rated(line: str) -> None:
    row = games(f"{line}\n{pgn(Event=None)}", rate_unmarked=True)[-1]
    assert isinstance(row, GameRow)
    assert (row.rated, row.unrated_reason) == (False, WITHOUT_EVENT)


@pytest.mark.parametrize("text", ["Round 1", "White won (on time)", "Black’s move", "Hello “you” there"])
def test_other_text_before_a_game_faults_nothing(text: str) -> None:
    stray, row = games(f"{text}\n{pgn()}")
    assert isinstance(stray, Problem)
    assert isinstance(row, GameRow)


def test_a_damaged_tag_that_no_game_follows_is_text_outside_a_game() -> None:
    row, stray = games(f"{pgn()}> [{CASUAL}]\n")
    assert isinstance(row, GameRow)
    assert isinstance(stray, Problem)
    assert stray.line == 14
