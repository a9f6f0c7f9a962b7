"""FIDE's regulations of 1 March 2024, 0.2 to 9.1: what keeps a tournament from being rated."""

from datetime import date

import pytest

from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.findings import Circumstances, Finding, Finds, Severity
from ratings.rules.b02.first_ratings import Publication
from ratings.rules.b02.time_controls import Chapter, Stage
from ratings.rules.b02.types import Entrant, Game, GameReason, Outcome, TournamentToRate, TournamentType
from tests.rules.b02.players import round_robin, swiss

FIRST, LAST = date(2026, 5, 1), date(2026, 5, 9)
BOOK = edition_in_force(FIRST)
SLOW, RAPID, BLITZ = Stage(None, 5400, 30), Stage(None, 900, 10), Stage(None, 180, 2)
GOOD = {"first_day": FIRST, "last_day": LAST, "registered": date(2026, 4, 30), "stages": [SLOW]}
RATED = [Entrant(number, 1900 + 50 * number, 20) for number in range(1, 5)]
FINE = swiss(RATED, (1, 2, 2), (3, 4, 1))


def found(tournament=FINE, chapter=Chapter.STANDARD, without_id=(), **circumstances):
    book = edition_in_force(FIRST, chapter=chapter)
    (rated,) = book.rate([tournament])
    return book.findings(tournament, Circumstances(**GOOD | circumstances), rated, without_id)


def test_nothing_is_found_where_nothing_is_wrong():
    assert found() == []
    assert found(chapter=Chapter.RAPID, stages=[RAPID]) == []
    assert found(chapter=Chapter.BLITZ, stages=[BLITZ]) == []


@pytest.mark.parametrize(
    ("stages", "strongest", "chapter"),
    [
        ([Stage(None, 60 * 60)], None, Chapter.STANDARD),
        ([Stage(None, 60 * 60)], 1799, Chapter.STANDARD),
        ([Stage(None, 60 * 60)], 1800, None),
        ([Stage(None, 90 * 60)], 1800, Chapter.STANDARD),
        ([Stage(None, 90 * 60)], 2399, Chapter.STANDARD),
        ([Stage(None, 90 * 60)], 2400, None),
        ([SLOW], 2400, Chapter.STANDARD),
        ([Stage(40, 5400, 30), Stage(None, 1800, 30)], 2800, Chapter.STANDARD),
        # 59:59, and 50 min + 10 s a move are 60.
        ([Stage(None, 60 * 60 - 1)], 2700, Chapter.RAPID),
        ([Stage(None, 50 * 60, 10)], None, Chapter.STANDARD),
        ([RAPID], 2700, Chapter.RAPID),
        ([Stage(None, 601)], None, Chapter.RAPID),
        ([Stage(None, 600)], None, Chapter.BLITZ),
        # 5 min + 5 s a move are 10, 5 min + 6 s are 11.
        ([Stage(None, 300, 5)], None, Chapter.BLITZ),
        ([Stage(None, 300, 6)], None, Chapter.RAPID),
        ([Stage(None, 181)], None, Chapter.BLITZ),
        ([Stage(None, 180)], None, None),
        ([BLITZ], 2700, Chapter.BLITZ),
        ([], None, None),
    ],
)
def test_1_1_the_time_for_60_moves_decides_the_chapter(stages, strongest, chapter):
    assert BOOK.chapter_of(stages, strongest) is chapter
    assert edition_in_force(FIRST, chapter=Chapter.RAPID).chapter_of(stages, strongest) is chapter


def test_1_1_in_2009_there_is_standard_alone():
    assert B02_2009.chapter_of([Stage(None, 60 * 60)], 1599) is Chapter.STANDARD
    assert B02_2009.chapter_of([Stage(None, 60 * 60)], 1600) is None
    assert B02_2009.chapter_of([RAPID], None) is None


@pytest.mark.parametrize(
    ("chapter", "stages", "finding"),
    [
        (Chapter.STANDARD, [RAPID], Finding(Finds.OTHER_CHAPTER, found=25)),
        (Chapter.STANDARD, [BLITZ], Finding(Finds.OTHER_CHAPTER, found=5)),
        (Chapter.RAPID, [SLOW], Finding(Finds.OTHER_CHAPTER, found=120)),
        (Chapter.RAPID, [BLITZ], Finding(Finds.OTHER_CHAPTER, found=5)),
        (Chapter.BLITZ, [Stage(None, 179)], Finding(Finds.NO_CHAPTER, found=2)),
    ],
)
def test_1_1_the_time_control_is_that_of_the_chapter(chapter, stages, finding):
    refused = [one for one in found(chapter=chapter, stages=stages) if one.severity is Severity.REFUSAL]
    assert refused == [finding]
    assert not finding.acceptable


def test_1_1_each_stage_of_an_event_has_the_time_control_of_the_chapter():
    """An event of a rapid and a blitz stage is registered as two: one of its stages is refused."""
    assert found(chapter=Chapter.RAPID, stages=[RAPID]) == []
    assert [one.finds for one in found(chapter=Chapter.RAPID, stages=[BLITZ])] == [Finds.OTHER_CHAPTER]


def test_1_1_a_game_with_too_little_time_for_its_players_is_noted_and_the_others_are_rated():
    players = [Entrant(1, 2450, 10), Entrant(2, 2000, 20), Entrant(3, 1900, 20)]
    tournament = swiss(players, (1, 2, 1), (2, 3, 2))._replace(seconds=90 * 60)
    assert found(tournament, stages=[Stage(None, 5400)]) == [Finding(Finds.GAME_TOO_FAST, 1, 2, 1)]


def test_1_1_a_control_of_no_chapter_is_found_once_and_not_for_every_game():
    assert found(FINE._replace(seconds=179), stages=[Stage(None, 179)]) == [
        Finding(Finds.NO_CHAPTER, found=2)
    ]


@pytest.mark.parametrize(("moves", "short"), [(29, True), (30, False), (40, False), (None, False)])
def test_1_1_a_first_control_of_standard_has_at_least_30_moves(moves, short):
    stages = [Stage(moves, 7200), Stage(None, 3600)]
    finding = Finding(Finds.SHORT_CONTROL, found=moves, needed=30)
    assert found(stages=stages) == ([finding] if short else [])


def test_1_1_an_unknown_time_control_waits_for_somebody_who_knows_it():
    assert found(stages=(), control="slow") == [Finding(Finds.CONTROL_UNKNOWN, text="slow")]


def test_1_2_of_rapid_and_blitz_players_with_different_times_are_not_rated():
    assert found(chapter=Chapter.RAPID, stages=[RAPID], unequal_times=True) == [Finding(Finds.UNEQUAL_TIMES)]
    assert found(chapter=Chapter.BLITZ, stages=[BLITZ], unequal_times=True) == [Finding(Finds.UNEQUAL_TIMES)]
    assert found(unequal_times=True) == []


def test_0_2_a_tournament_is_registered_beforehand_and_an_official_one_need_not_be():
    assert found(registered=None) == [Finding(Finds.NOT_REGISTERED)]
    assert found(registered=None, official=True) == []


def test_2_1_other_laws_need_consent():
    (finding,) = found(other_laws=True)
    assert (finding, finding.acceptable) == (Finding(Finds.OTHER_LAWS), True)


@pytest.mark.parametrize(
    ("for_list", "late"),
    [(None, False), (date(2026, 6, 1), False), (date(2026, 8, 1), False), (date(2026, 9, 1), True)],
)
def test_9_1_a_report_that_misses_the_third_list_is_not_rated(for_list, late):
    finding = Finding(Finds.REPORTED_LATE, day=date(2026, 8, 1))
    assert found(for_list=for_list) == ([finding] if late else [])
    assert (finding.severity, finding.acceptable) == (Severity.REFUSAL, False)


def test_5_1_games_not_played_are_noted_and_a_penalty_waits_for_consent():
    games = [Game(1, 1, 2, 2, played=False), Game(2, 1, 2, 0, True, 0), Game(3, 1, None, 2, played=False)]
    assert found(TournamentToRate(TournamentType.SWISS, RATED, games)) == [
        Finding(Finds.NOT_PLAYED, 1, 2, 1),
        Finding(Finds.PENALTY, 1, 2, 2, found=0, needed=0),
    ]


def match(*results, rating=2000):
    players = [Entrant(1, 2000, 20), Entrant(2, rating, None if rating is None else 20)]
    return TournamentToRate(
        TournamentType.MATCH, players, [Game(n, 1, 2, one) for n, one in enumerate(results)]
    )


def test_6_1_6_2_a_match_is_between_two_rated_players_and_ends_when_it_is_decided():
    assert found(match(1, 1)) == []
    assert found(match(1, rating=None)) == [Finding(Finds.MATCH_UNRATED, 2)]
    assert found(match(2, 2, 1)) == [Finding(Finds.MATCH_DECIDED, 1, 2, 2)]
    assert found(match(1)._replace(players=RATED[:1] + RATED[1:3])) == [
        Finding(Finds.NOT_TWO_PLAYERS, found=3, needed=2)
    ]


def test_7_3_1_games_too_far_apart_are_noted():
    strong = swiss([Entrant(1, 2700, 10), Entrant(2, 2000, 20)], (1, 2, 2))
    assert found(strong, chapter=Chapter.RAPID, stages=[RAPID]) == [Finding(Finds.TOO_FAR_APART, 1, 2, 1)]


def test_8_2_1_a_first_event_without_a_point_and_7_1_2_a_new_player_without_id_are_noted():
    new = [Entrant(8, None), Entrant(9, None)]
    tournament = swiss([*RATED, *new], (8, 1, 0), (9, 2, 1))
    assert found(tournament, without_id=[8, 9]) == [
        Finding(Finds.NO_FIDE_ID, 9),
        Finding(Finds.ZERO_SCORE, 8),
    ]


def test_the_report_bears_out_what_it_says():
    wrong = {"rounds": 2, "planned_rounds": 9, "other_days": {1: LAST}, "points_of_byes": (3, 4)}
    assert found(**wrong) == [
        Finding(Finds.POINTS_OF_BYES, player=3, found=2),
        Finding(Finds.OTHER_DAYS, round=1, day=LAST),
        Finding(Finds.UNFINISHED, found=2, needed=9),
    ]


def test_what_2009_alone_asks_is_not_found():
    """Registration a month ahead, hours and rounds a day, 90 days, round robins, K of the list, 9.2."""
    tournament = round_robin([Entrant(1, 2000, 15), *(Entrant(n, None) for n in range(2, 13))], {})
    assert {
        finding.finds
        for finding in found(
            tournament._replace(games=tournament.games[1:]),
            registered=FIRST,
            last_day=date(2026, 12, 31),
            round_days=dict.fromkeys(range(1, 12), FIRST),
            stages=[Stage(30, 7200, 30), Stage(None, 7200)],
            announced_unrated=True,
        )
    } == set()


@pytest.mark.parametrize(
    ("reason", "of_2024", "of_2009"),
    [
        (GameReason.RATED, "8.3", "8.51"),
        (GameReason.MATCH_DECIDED, "6.2", "6.5"),
        (GameReason.MATCH_UNRATED, "6.1", "6.6"),
        (Outcome.CHANGED, "8.3.2", "8.55"),
        (Outcome.ZERO_SCORE, "8.2.1", "6.1"),
        (Publication.FEW_GAMES, "7.1.4", "7.14"),
        (Finds.MATCH_UNRATED, "6.1", "6.6"),
        (Finds.UNFINISHED, "7.1.3", "7.13"),
    ],
)
def test_an_edition_cites_its_own_articles(reason, of_2024, of_2009):
    assert (BOOK.article(reason), B02_2009.article(reason)) == (of_2024, of_2009)
    assert B02_2009.sentence(reason) == f"{of_2009} {reason.text}"


def test_an_edition_has_its_own_words():
    assert BOOK.sentence(Outcome.ZERO_SCORE) == "8.2.1 left out: no points in the very first tournament"
    assert BOOK.sentence(Publication.NO_RESULT) == "7.1.4 no result from the last 26 months counts"
    assert B02_2009.text(Publication.NO_RESULT) == "no result from the last two years counts"
    assert BOOK.text(GameReason.RATED) == B02_2009.text(GameReason.RATED) == "game between two rated players"
    assert BOOK.sentence(Finds.TOO_FAR_APART) == "7.3.1 600 points or more apart, one above 2600: not rated"


def test_what_2009_alone_decides_has_no_article_in_2024():
    for reason in (Finds.TOO_MANY_ROUNDS, GameReason.RATED_AGAINST_NEW, Outcome.FEW_POINTS):
        with pytest.raises(KeyError):
            BOOK.article(reason)
