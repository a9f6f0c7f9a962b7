"""How a game ended: the words of other programs, and what each means for the ratings."""

from pathlib import Path

import pytest

from ratings.rules.rbb.conditions import contradiction, why_not_played
from ratings.rules.rbb.terminations import (
    DISCONNECTED,
    IN_PROGRESS,
    LEFT,
    NOT_PLAYED,
    POSSIBLE,
    WORDS,
    ContradictsError,
    LastPosition,
    Termination,
    contradiction_of_moves,
    contradiction_of_word,
    termination_of,
)

NOT_PLAYED_WORDS = ["noStart", "walk-over", "default", "forfeited", "unstarted", "aborted by server"]
"""Issue 15, row 11: version 0.4.1 rated games with these words."""


@pytest.mark.parametrize("word", NOT_PLAYED_WORDS)
def test_words_of_games_that_were_not_played_are_known(word):
    assert termination_of(word, "1-0") in NOT_PLAYED
    assert "not played" in why_not_played(None, termination_of(word, "1-0"), word)


@pytest.mark.parametrize("termination", sorted(NOT_PLAYED))
def test_a_game_that_was_not_played_is_not_rated_whatever_moves_are_recorded(termination):
    assert f"not played: “{termination}”" in why_not_played(40, termination)


PGN = {
    "adjudication": Termination.ADJUDICATION,
    "death": Termination.ADJUDICATION,
    "emergency": Termination.ADJUDICATION,
    "normal": Termination.NORMAL,
    "rules infraction": Termination.RULES_INFRACTION,
    "time forfeit": Termination.TIME,
    "unterminated": Termination.UNKNOWN,
}
LICHESS = {
    "Normal": Termination.NORMAL,
    "Time forfeit": Termination.TIME,
    "Rules infraction": Termination.RULES_INFRACTION,
    "Unknown": Termination.UNKNOWN,
    "aborted": Termination.ABORTED,
    "mate": Termination.CHECKMATE,
    "resign": Termination.RESIGNATION,
    "stalemate": Termination.STALEMATE,
    "timeout": Termination.TIME,
    "draw": Termination.NORMAL,
    "outoftime": Termination.TIME,
    "cheat": Termination.RULES_INFRACTION,
    "noStart": Termination.NO_SHOW,
    "unknownFinish": Termination.UNKNOWN,
    "insufficientMaterialClaim": Termination.INSUFFICIENT_MATERIAL,
    "variantEnd": Termination.UNKNOWN,
    "created": Termination.UNKNOWN,
    "started": Termination.UNKNOWN,
}
CHESS_COM = {
    "win": Termination.NORMAL,
    "checkmated": Termination.CHECKMATE,
    "agreed": Termination.AGREEMENT,
    "repetition": Termination.REPETITION,
    "timeout": Termination.TIME,
    "resigned": Termination.RESIGNATION,
    "stalemate": Termination.STALEMATE,
    "lose": Termination.NORMAL,
    "insufficient": Termination.INSUFFICIENT_MATERIAL,
    "50move": Termination.FIFTY_MOVES,
    "timevsinsufficient": Termination.INSUFFICIENT_MATERIAL,
    "threecheck": Termination.UNKNOWN,
    "anna won by resignation": Termination.RESIGNATION,
    "anna won on time": Termination.TIME,
    "anna won by checkmate": Termination.CHECKMATE,
    "Game drawn by agreement": Termination.AGREEMENT,
    "Game drawn by repetition": Termination.REPETITION,
    "Game drawn by stalemate": Termination.STALEMATE,
    "Game drawn by insufficient material": Termination.INSUFFICIENT_MATERIAL,
    "Game drawn by timeout vs insufficient material": Termination.INSUFFICIENT_MATERIAL,
    "Game drawn by 50-move rule": Termination.FIFTY_MOVES,
}
SWISS = {
    "forfeit": Termination.FORFEIT,
    "White wins by forfeit": Termination.FORFEIT,
    "walkover": Termination.FORFEIT,
    "W/O": Termination.FORFEIT,
    "no show": Termination.NO_SHOW,
    "bye": Termination.BYE,
    "half-point bye": Termination.BYE,
    "zero-point bye": Termination.BYE,
    "pairing-allocated bye": Termination.BYE,
}


@pytest.mark.parametrize(
    ("word", "termination"), [*PGN.items(), *LICHESS.items(), *CHESS_COM.items(), *SWISS.items()]
)
def test_words_of_other_programs(word, termination):
    assert termination_of(word, "0-1", 40) is termination


@pytest.mark.parametrize("termination", Termination)
def test_the_words_of_the_office_mean_themselves(termination):
    assert termination_of(termination.value, "1-0", 40) is termination
    assert termination_of(termination.value.upper().replace(" ", "_"), "1-0") is termination


def test_no_word_means_two_things():
    words = [word for some in WORDS.values() for word in some] + [one.value for one in Termination]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("word", ["abandoned", "Abandoned", "abandonment"])
def test_who_abandons_a_game_after_a_move_of_each_side_is_gone(word):
    assert termination_of(word, "1-0", 2) is Termination.BLACK_GONE
    assert termination_of(word, "0-1", 2) is Termination.WHITE_GONE
    assert termination_of(word, "1-0", 1) is Termination.ABORTED
    assert termination_of(word, "1-0", None) is Termination.ABORTED


def test_chess_com_says_of_an_abandoned_game_that_somebody_won_it():
    """It aborts a game that is abandoned before both have moved."""
    assert termination_of("anna won - game abandoned", "1-0") is Termination.BLACK_GONE
    assert termination_of("anna won - game abandoned", "0-1") is Termination.WHITE_GONE


def test_the_loser_of_a_disconnection_was_gone():
    """RBB 2.4."""
    assert termination_of("disconnection", "1-0") is Termination.BLACK_GONE
    assert termination_of("Disconnected", "0-1") is Termination.WHITE_GONE
    assert termination_of("White disconnected", "0-1") is Termination.WHITE_GONE


@pytest.mark.parametrize("word", ["disconnection", "game drawn by abandonment"])
def test_nobody_draws_a_game_by_disconnection(word):
    """RBB 2.4: whoever is gone for more than 60 seconds has lost."""
    with pytest.raises(ContradictsError, match=r"60 seconds has lost \(RBB 2\.4\)"):
        termination_of(word, "1/2-1/2", 40)


@pytest.mark.parametrize("word", ["unterminated", "created", "started", "disconnected"])
def test_a_game_in_progress_has_not_ended(word):
    assert termination_of(word, "") is Termination.NORMAL


@pytest.mark.parametrize("word", ["goodbye", "variantEnd", "стоп", "1-0"])
def test_an_unknown_word_leaves_a_game_unrated_with_that_word_in_the_reason(word):
    termination = termination_of(word, "1-0", 40)
    assert termination is Termination.UNKNOWN
    assert why_not_played(40, termination, word) == (
        f"“{word}” leaves open whether the game was played "
        "(FIDE B.02 5.1: a game counts once each side has moved)"
    )


def test_who_was_gone_has_lost():
    """RBB 2.4: a draw, or a win of the player who was gone too long, contradicts it."""
    for gone, lost, name in (
        (Termination.WHITE_GONE, "0-1", "White"),
        (Termination.BLACK_GONE, "1-0", "Black"),
    ):
        assert contradiction(gone, lost) is None
        assert contradiction(gone, "") is None
        for result in {"1-0", "1/2-1/2", "0-1"} - {lost}:
            assert str(contradiction(gone, result)) == (
                f"{name} was disconnected for more than 60 seconds and so lost, but the result is {result} "
                "(RBB 2.4)"
            )


def test_both_gone_at_the_same_instant_is_not_rated():
    """RBB 2.4."""
    assert why_not_played(40, Termination.BOTH_GONE).endswith("so neither lost (RBB 2.4)")


LAWS = {
    Termination.CHECKMATE: ("won", "FIDE Laws 5.1.1"),
    Termination.RESIGNATION: ("won", "FIDE Laws 5.1.2"),
    Termination.STALEMATE: ("drawn", "FIDE Laws 5.2.1"),
    Termination.INSUFFICIENT_MATERIAL: ("drawn", "FIDE Laws 5.2.2"),
    Termination.AGREEMENT: ("drawn", "FIDE Laws 5.2.3"),
    Termination.REPETITION: ("drawn", "FIDE Laws 9.2"),
    Termination.FIFTY_MOVES: ("drawn", "FIDE Laws 9.3"),
}


@pytest.mark.parametrize("termination", Termination)
@pytest.mark.parametrize("result", ["1-0", "1/2-1/2", "0-1"])
def test_an_end_has_the_results_that_the_laws_of_chess_leave_it(termination, result):
    """On time: a draw if the opponent can’t checkmate (6.9). An arbiter may decide anything (12.9)."""
    found = contradiction_of_word(termination, result)
    how, article = LAWS.get(termination, ("", ""))
    if how == ("won" if result == "1/2-1/2" else "drawn"):
        assert found.article == article
        assert str(found).startswith(f"“{termination}” means ")
        assert str(found).endswith(f", but the result is {result} ({article})")
    else:
        assert found is None


@pytest.mark.parametrize("termination", Termination)
def test_a_game_in_progress_contradicts_nothing(termination):
    assert contradiction_of_word(termination, "") is None
    assert contradiction_of_moves(termination, "", LastPosition(Termination.CHECKMATE, "1-0")) is None


@pytest.mark.parametrize(
    ("word", "result"),
    [
        ("draw", "1-0"),
        ("Game drawn by repetition", "0-1"),
        ("Game drawn by resignation", "1-0"),
        ("win", "1/2-1/2"),
        ("lose", "1/2-1/2"),
        ("anna won on time", "1/2-1/2"),
        ("White wins by checkmate", "1/2-1/2"),
    ],
)
def test_a_sentence_that_says_who_won_contradicts_a_draw_and_the_other_way_round(word, result):
    termination = termination_of(word, result, 40)
    assert word in str(contradiction_of_word(termination, result, word))
    other = "1/2-1/2" if result != "1/2-1/2" else "1-0"
    if word != "Game drawn by resignation":
        assert contradiction_of_word(termination, other, word) is None


MATE = LastPosition(Termination.CHECKMATE, "0-1")
BARE_BLACK_KING = LastPosition(Termination.NORMAL, "", ("0-1",))


@pytest.mark.parametrize(
    ("last", "termination", "result", "why"),
    [
        (
            MATE,
            "normal",
            "1-0",
            "the moves end with checkmate, so the result must be 0-1, not 1-0 (FIDE Laws 5.1.1)",
        ),
        (MATE, "time", "1/2-1/2", "the result must be 0-1, not 1/2-1/2 (FIDE Laws 5.1.1)"),
        (LastPosition(Termination.STALEMATE, "1/2-1/2"), "time", "1-0", "(FIDE Laws 5.2.1)"),
        (LastPosition(Termination.INSUFFICIENT_MATERIAL, "1/2-1/2"), "normal", "1-0", "(FIDE Laws 5.2.2)"),
        (BARE_BLACK_KING, "time", "0-1", "can’t checkmate from the last position"),
    ],
)
def test_the_last_position_contradicts_a_result(last, termination, result, why):
    assert why in str(contradiction_of_moves(termination, result, last))


@pytest.mark.parametrize(
    ("last", "termination", "result"),
    [
        (MATE, "checkmate", "0-1"),
        (BARE_BLACK_KING, "time", "1/2-1/2"),
        (BARE_BLACK_KING, "time", "1-0"),
        # Who resigns has lost, whatever the opponent has left (5.1.2).
        (BARE_BLACK_KING, "resignation", "0-1"),
        # RBB 2.4 and arbiters decide by what happened beside the board.
        (MATE, "disconnection black", "1-0"),
        (MATE, "rules infraction", "1-0"),
        (MATE, "adjudication", "1/2-1/2"),
    ],
)
def test_what_the_last_position_allows(last, termination, result):
    assert contradiction_of_moves(termination, result, last) is None


def test_the_documents_list_every_word():
    text = (Path(__file__).parents[2] / "docs" / "regulations.md").read_text("utf-8")
    for termination in Termination:
        assert f"| {termination} | {', '.join(WORDS[termination]) or '–'} |" in text
    for word in (*LEFT, *DISCONNECTED, *IN_PROGRESS):
        assert f"“{word}”" in text
    for termination, (results, article) in POSSIBLE.items():
        assert f"| {termination} | {', '.join(results)} | {article} |" in text
