"""What the tags of a PGN game say of whether it was rated. Nothing is guessed."""

import pytest

from ratings.formats.games import UNMARKED
from ratings.formats.pgn_rated import CASUAL, OVER_THE_BOARD, WITHOUT_EVENT
from tests.formats.pgn_text import game_of, pgn, reason_of


@pytest.mark.parametrize(
    "event",
    [
        *("Rated blitz game", "FICS rated blitz game", "ICS Rated match", "Rated game, 3m + 0s", "rated"),
        *("Rated: yes", "rated=true", "Rated 180+2", "Match no. 3 rated", "Rated no. 5 of 10"),
        *(
            "FIDE Online Arena rated blitz game",
            "Spring 2024 rated blitz",
            "Rated 1500+10 game",
            "Casualty Cup, rated",
            "rated: Casualties cup",
        ),
        *("Rated Blitz tournament https://arena.example/tournament/x1", "Top-rated players, rated match"),
    ],
)
def test_an_event_calls_its_game_rated(event: str) -> None:
    row = game_of(pgn(Event=event))
    assert (row.rated, row.assumed) == (True, ())


@pytest.mark.parametrize(
    "event",
    [
        *("Casual blitz game", "UNRATED Arena", "unrated standard match", "non-rated game", "Friendly match"),
        *("not a rated game", "This isn’t a rated game", "not rated", "no rated game", "un-rated"),
        *("rated: no", "rated=false", "Rated (no)", "rated - N", "Rated: 0", "rated: not"),
        *("Rated game: no", "ICC 5 0 u", "ICC w16 3 0 u"),
        *(
            "un\u200brated game",
            "un\xadrated",
            "un–rated game",
            "un\u2011rated",
            "non – rated",
            "(un)rated game",
        ),
        *("Cas\u200bual game", "Ｃａｓｕａｌ blitz", "CasualBlitz", "casual_blitz", "unrated_blitz"),
        *("Rated? No", "nicht rated", "not\xa0a\xa0rated game", "Not rated: club evening"),
        *("Friday (casual)", "FICS unrated blitz game"),
        *("Partie amicale", "Partida amistosa", "Freundschaftsspiel", "Partia towarzyska", "ungewertet"),
        *("Partia nierankingowa", "Partie non classée", "Товарищеская партия"),
    ],
)
@pytest.mark.parametrize("rate_unmarked", [False, True])
def test_an_event_calls_its_game_casual(event: str, rate_unmarked: bool) -> None:
    row = game_of(pgn(Event=event), rate_unmarked=rate_unmarked)
    assert (row.rated, row.unrated_reason, row.assumed) == (False, CASUAL, ())


@pytest.mark.parametrize(
    "event",
    [
        *("FIDE-rated rapid", "FIDE rated open", "Rapid rated by FIDE", "USCF Rated quads", "Elo-rated"),
        *("All India FIDE Rapid Rated Open", "FIDE Open Blitz-Rated"),
    ],
)
@pytest.mark.parametrize("rate_unmarked", [False, True])
def test_1_2_a_rating_of_somebody_else_is_none_of_the_arena(event: str, rate_unmarked: bool) -> None:
    row = game_of(pgn(Event=event), rate_unmarked=rate_unmarked)
    assert (row.rated, row.unrated_reason) == (False, OVER_THE_BOARD)


@pytest.mark.parametrize(
    "event",
    [
        *("Live Chess", "Players rated below 2000", "Rated U1600", "rated 1500 players", "Berated"),
        *("Players rated 2000+", "Match of 2000-rated players", "ICC 5 0", "?"),
        "Hourly Blitz Arena",
    ],
)
def test_an_event_says_neither(event: str) -> None:
    row = game_of(pgn(Event=event))
    assert (row.rated, row.unrated_reason) == (False, UNMARKED)


def test_a_game_without_event_is_not_rated_unless_the_tag_rated_says_so() -> None:
    row = game_of(pgn(Event=None), rate_unmarked=True)
    assert (row.rated, row.unrated_reason) == (False, WITHOUT_EVENT)
    assert game_of(pgn(Event=None, Rated="yes")).rated


@pytest.mark.parametrize(
    ("word", "rated"),
    [
        ("yes", True),
        ("True", True),
        ("1", True),
        ("Rated", True),
        ("no", False),
        ("0", False),
        ("False", False),
    ],
)
def test_the_tag_rated_says_it(word: str, rated: bool) -> None:
    row = game_of(pgn(Event="Live Chess", Rated=word), rate_unmarked=True)
    assert (row.rated, row.assumed, row.unrated_reason) == (rated, (), "" if rated else CASUAL)


@pytest.mark.parametrize(("event", "word"), [("Rated game", "no"), ("Casual game", "yes")])
def test_tags_that_contradict_each_other_refuse_the_game(event: str, word: str) -> None:
    assert (
        reason_of(pgn(Event=event, Rated=word))
        == f"the tag Rated says “{word}”, but the tag Event says “{event}”"
    )


def test_another_word_in_the_tag_rated_refuses_the_game() -> None:
    assert reason_of(pgn(Rated="1873")) == "the tag Rated says “1873”, which is neither yes nor no"
    assert game_of(pgn(Rated="?")).rated
