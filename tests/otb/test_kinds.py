"""How a report was played: by its words, its teams, or who met whom."""

import pytest

from ratings.formats import trf
from ratings.otb.services.receiving import KnownBy, kind_of
from ratings.rules.b02.types import TournamentType
from tests.formats.trf_text import TEAMS, changed
from tests.formats.trf_text import tournament as read
from tests.otb.tournaments import entrant, report, round_robin

THREE = [entrant(1), entrant(2), entrant(3)]
ALL_MET = round_robin("*1=", "0*1", "=0*")
TEAM = f"013 {'Bergen':<32}   1    2    3\r\n"


def of(players=THREE, rounds=ALL_MET, **options):
    return kind_of(read(report(players, rounds, **options)))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Individual: Swiss-System", TournamentType.SWISS),
        ("Schweizer System", TournamentType.SWISS),
        ("swiss", TournamentType.SWISS),
        ("System szwajcarski", TournamentType.SWISS),
        ("Individual: Round-Robin", TournamentType.ROUND_ROBIN),
        ("Double Round Robin", TournamentType.ROUND_ROBIN),
        ("Berger", TournamentType.ROUND_ROBIN),
        ("Turniej kołowy", TournamentType.ROUND_ROBIN),
        ("każdy z każdym", TournamentType.ROUND_ROBIN),
        ("Team: Swiss-System", TournamentType.TEAM),
        ("Team: Match", TournamentType.TEAM),
        ("Scheveningen", TournamentType.TEAM),
        ("Mannschaftskampf", TournamentType.TEAM),
        ("Turniej drużynowy", TournamentType.TEAM),
        ("Individual: Match", TournamentType.MATCH),
    ],
)
def test_the_words_of_record_092_say_it(words, kind):
    assert of(kind=words) == (kind, KnownBy.WORDS)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("FIDE_DUTCH_2025", TournamentType.SWISS),
        ("FIDE_DUBOV", TournamentType.SWISS),
        ("FIDE_LIM", TournamentType.SWISS),
        ("FIDE_ROUNDROBIN", TournamentType.ROUND_ROBIN),
        ("BERGER_ROUND_ROBIN", TournamentType.ROUND_ROBIN),
        ("FIDE_TEAM_BAKU", TournamentType.TEAM),
    ],
)
def test_the_code_of_record_192_goes_before_the_words(code, kind):
    assert of(kind="Individual: Match", more=[("192", code)]) == (kind, KnownBy.CODE)


def test_a_code_that_says_nothing_leaves_it_to_the_words():
    assert kind_of(read(TEAMS)) == (TournamentType.TEAM, KnownBy.WORDS)
    assert kind_of(read(changed("092 Team: Match\n", "", TEAMS))) == (TournamentType.TEAM, KnownBy.TEAMS)


def test_a_word_within_another_is_none():
    assert of(kind="Climbers’ matchless steam limit") == (TournamentType.ROUND_ROBIN, KnownBy.PAIRINGS)


def test_a_swiss_that_names_the_clubs_of_its_players_is_no_team_tournament():
    text = report(THREE, ALL_MET, kind="Individual: Swiss-System").decode()
    with_team = read(f"{text}{TEAM}")
    assert len(with_team.teams) == 1
    assert kind_of(with_team) == (TournamentType.SWISS, KnownBy.WORDS)


def test_without_words_two_players_have_played_a_match():
    assert of([entrant(1), entrant(2)], [{(1, 2): "1"}, {(2, 1): "="}]) == (
        TournamentType.MATCH,
        KnownBy.PAIRINGS,
    )


@pytest.mark.parametrize("rounds", [ALL_MET, ALL_MET * 2, [*ALL_MET[:2], {(1, 2): "+"}]])
def test_without_words_a_round_robin_is_where_each_met_each_equally_often(rounds):
    """A forfeit is a pairing: that the round robin has a game missing is found later (6.43)."""
    assert of(rounds=rounds) == (TournamentType.ROUND_ROBIN, KnownBy.PAIRINGS)


@pytest.mark.parametrize("rounds", [ALL_MET[:2], [*ALL_MET, {(1, 2): "1"}]])
def test_without_words_anything_else_is_a_swiss(rounds):
    assert of(rounds=rounds) == (TournamentType.SWISS, KnownBy.PAIRINGS)


def test_a_report_without_a_game_is_a_swiss():
    assert kind_of(trf.Tournament((), (entrant(1), entrant(2), entrant(3)))) == (
        TournamentType.SWISS,
        KnownBy.PAIRINGS,
    )
