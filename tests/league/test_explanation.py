"""Why a cycle of the league gives a player what it gives him; figures by hand in test_cycles."""

import pytest

from ratings.league.explanation import explain
from ratings.league.models import RESULT_TEXTS, Board, Cycle, League, SquadPlayer
from ratings.league.services.cycles import close_cycle, rate
from ratings.rules.bal.cycles import BoardResult
from tests.league.office import NOW
from tests.league.test_pages import corrected, player, why
from tests.pages import is_friendly, words

TEXT = "So How Did I Get That Rating?"
PROVISIONAL = "Provisional Ratings Calculation"
ESTABLISHED = "Established Ratings Calculation"
ADJUSTMENT = "K-Adjustment"
AFTER = "After the cycle (our reading of the rules)"


def explained(name, number=1):
    """Sentence, games and steps of an explanation."""
    found = explain(rate(Cycle.objects.get(number=number)), player(name).pk)
    games = [
        (one.round, one.opponent.player.name, one.score, one.opponent_rating, one.difference, one.amount)
        for one in found.games
    ]
    return found.sentence, games, [(step.article, step.text) for step in found.steps]


def test_every_result_of_a_board_has_a_way_to_be_written():
    assert list(RESULT_TEXTS) == list(BoardResult)


def test_a_new_player_gets_the_provisional_formula_on_no_games_and_another_new_one_counts_1300(season):
    sentence, games, steps = explained("Abel")
    assert sentence == "First league rating: performance rating 1897.50, new rating 1897.50."
    assert games == [(1, "Boyd", "1", "1300.00", "", "400"), (2, "Cruz", "½", "2095.00", "", "0")]
    assert steps == [
        (
            TEXT,
            "New player: starts at 1300 with 0 games, whatever the captain’s estimate.",
        ),
        (TEXT, "Games in this cycle that count: nc = 2."),
        (
            TEXT,
            "New players are rated first. A new opponent counts as 1300; everybody else counts at their"
            " rating at the start of the cycle.",
        ),
        (PROVISIONAL, "ΣRo = 1300.00 + 2095.00 = 3395.00, the sum of the opponents’ ratings."),
        (PROVISIONAL, "ΣW = 1.5, ΣL = 0.5; a draw counts as half a win and half a loss."),
        (
            PROVISIONAL,
            "G = (np × Rp + ΣRo + 400 × (ΣW − ΣL)) ÷ (np + nc) − Rp = (0 × 1300 + 3395 + 400 × (1.5 − 0.5)) ÷"
            " (0 + 2) − 1300 = 597.5.",
        ),
        (
            PROVISIONAL,
            "Rp + G = 1897.5 is the performance rating. For opponents who aren’t new, it counts as this "
            "player’s rating.",
        ),
        (ADJUSTMENT, "RO = 1300 and RN = 1897.5 are both under 2100: RN is not changed."),
        (AFTER, "Rounded once, to two decimals, halves rounded up: 1897.50. Displayed as 1898."),
        (AFTER, "Games before the next cycle: np = 0 + 2 = 2."),
    ]


def test_a_provisional_player_is_told_the_limit_and_that_it_is_an_assumption(season):
    sentence, games, steps = explained("Dunn")
    assert sentence == "The rating of 1200.00 changes by +60.00 to 1260.00."
    assert games == [(1, "Cole", "½", "1500.00", "", "0"), (2, "Baker", "0", "", "", "")]
    assert steps[1:6] == [
        (
            TEXT,
            "Games in this cycle: 2. Forfeits do not count, for either player: nc = 1.",
        ),
        (
            PROVISIONAL,
            "Provisional: 4 games before the cycle; this league requires 20 for an established rating. "
            "The rules do not say how many.",
        ),
        (PROVISIONAL, "ΣRo = 1500.00, the sum of the opponents’ ratings."),
        (PROVISIONAL, "ΣW = 0.5, ΣL = 0.5; a draw counts as half a win and half a loss."),
        (
            PROVISIONAL,
            "G = (np × Rp + ΣRo + 400 × (ΣW − ΣL)) ÷ (np + nc) − Rp = (4 × 1200 + 1500 + 400 × (0.5 − 0.5)) ÷"
            " (4 + 1) − 1200 = 60.",
        ),
    ]
    League.objects.update(provisional_limit=3)
    assert explained("Dunn")[2][2][1].startswith(
        "Established: 4 games before the cycle; this league requires 3."
    )


def test_the_headline_and_the_picture_of_an_established_player_end_with_the_adjusted_gain(season):
    found = explain(rate(Cycle.objects.get(number=1)), player("Cruz").pk)
    assert found.headline.endswith(" scored more than expected, so the rating rises by 7.42.")
    # 32 × (1.5 − 1.2427) = 8.23; 2103.23 is over 2100 by 3.23, × 0.75 = 2.42.
    assert found.picture.text == "(1½ − 1.2427) × 32 ≈ +8.23 → +7.42"
    new = explain(rate(Cycle.objects.get(number=1)), player("Abel").pk)
    assert new.headline.endswith(" first rating is 1897.50, from the results of this cycle.")
    assert new.picture is None


def test_an_established_player_is_told_k_the_expected_wins_and_the_border_that_he_crossed(season):
    sentence, games, steps = explained("Cruz")
    assert sentence == "The rating of 2095.00 changes by +7.42 to 2102.42."
    assert games == [
        (1, "Diaz", "1", "2105.00", "−10.00", "0.4856"),
        (2, "Abel", "½", "1897.50", "197.50", "0.7571"),
    ]
    assert steps == [
        (TEXT, "Rating at the start of the cycle: 2095.00 after 40 games."),
        (TEXT, "Games in this cycle that count: nc = 2."),
        (
            TEXT,
            "New opponents count at their performance rating in this cycle, unrounded and before any k"
            " adjustment; everybody else counts at their rating at the start of the cycle.",
        ),
        (
            ESTABLISHED,
            "Established: 40 games before the cycle; this league requires 20. The rules do not say how many.",
        ),
        (
            ESTABLISHED,
            "Δr is the player’s rating minus the opponent’s. We = 1 ÷ (1 + 10^(−Δr ÷ 400)); Δr is not "
            "capped.",
        ),
        (ESTABLISHED, "ΣW = 1.5; ΣWe ≈ 0.4856 + 0.7571 ≈ 1.2427, the sum of the expected wins."),
        (ESTABLISHED, "k = 32: the rating at the start, 2095.00, is under 2100."),
        (ESTABLISHED, "G = k × (ΣW − ΣWe) = 32 × (1.5 − 1.2427) ≈ 8.23."),
        (ESTABLISHED, "RN = RO + G ≈ 2103.23."),
        (
            ADJUSTMENT,
            "Going from RO = 2095 to RN ≈ 2103.23, the rating crosses 2100: RN = 2100 + (RN − 2100) × "
            "0.75 = 2100 + (3.23) × 0.75 ≈ 2102.42, so the adjusted gain is ≈ 7.42. The printed rule is "
            "garbled; this is our reading.",
        ),
        (AFTER, "Rounded once, to two decimals, halves rounded up: 2102.42. Displayed as 2102."),
        (AFTER, "Games before the next cycle: np = 40 + 2 = 42."),
    ]


@pytest.mark.parametrize(
    ("rating", "games", "k", "adjustment"),
    [
        ("2105", 50, "k = 24: the rating at the start, 2105.00, is between 2100 and 2399.", "crosses 2100"),
        (
            "2399.50",
            50,
            "k = 24: the rating at the start, 2399.50, is between 2100 and 2399.",
            "from 2100 to 2400",
        ),
        (
            "2400",
            50,
            "k = 16: the rating at the start, 2400.00, is over 2399.",
            "both in the range from 2100 to 2400",
        ),
        ("2500", 50, "k = 16: the rating at the start, 2500.00, is over 2399.", "both 2400 or more"),
        ("2401", 50, "k = 16: the rating at the start, 2401.00, is over 2399.", "× 1.50 = 2400 + (−"),
        ("2700", 3, "", "× 1.50 = 2400 + (−"),
        ("2390", 3, "", "both in the range from 2100 to 2400"),
    ],
)
def test_k_and_the_adjustment_are_told_for_every_range(season, rating, games, k, adjustment):
    SquadPlayer.objects.filter(player__name="Diaz").update(rating=rating, games=games)
    _sentence, _games, steps = explained("Diaz")
    texts = [text for _article, text in steps]
    assert not k or k in texts
    assert adjustment in next(text for article, text in steps if article == ADJUSTMENT)


def test_who_has_no_game_that_counts_is_told_why_nothing_changed(season):
    sentence, games, steps = explained("Avery")
    assert (sentence, games) == ("No games count, so the rating stays 1444.44.", [])
    assert [text for _article, text in steps] == [
        "Rating at the start of the cycle: 1444.44 after 12 games.",
        "Games in this cycle that count: nc = 0.",
        "Games before the next cycle: np = 12 + 0 = 12.",
    ]
    sentence, _games, steps = explained("Brook")
    assert sentence == "A new player stays unrated until a game counts."
    assert steps[-1] == (AFTER, "In the next cycle they are a new player again.")


def test_the_page_has_games_with_reasons_steps_under_their_headings_and_the_list(client, season):
    response = client.get(why("Cruz"))
    assert is_friendly(response)
    text = words(response)
    assert "Cruz, cycle 1 BAL 2026" in text
    assert "Revision 1, 2 Nov 2026, 09:00 UTC : 2102.42" in text
    assert "Established formula: enough games before the cycle (Established Ratings Calculation)" in text
    assert (
        # The team is in a column of its own, and on a phone below the name.
        "1 Diaz West West 1 2105.00 −10.00 0.4856 opponent’s rating at the start of the cycle 2 Abel "
        "North North ½ 1897.50 197.50 0.7571 new opponent’s performance rating in this cycle" in text
    )
    headings = [text.index(f" {heading} ") for heading in (TEXT, ESTABLISHED, ADJUSTMENT, AFTER)]
    assert headings == sorted(headings)
    assert "A preview" not in text
    assert "2 Baker South South 0 – – forfeit: does not count" in words(client.get(why("Dunn")))


def test_the_cycle_that_is_open_is_a_preview_and_later_ones_have_no_page(client, season):
    text = words(client.get(why("Avery", 2)))
    assert "Preview: this cycle is still open." in text
    # (12 × 1444.44 + 2102.42 + 400) ÷ 13 = 19835.70 ÷ 13 = 1525.82.
    assert "The rating of 1444.44 changes by +81.38 to 1525.82." in text
    assert client.get(why("Avery", 3)).status_code == 404
    link = words(client.get(player("Avery").get_absolute_url()))
    assert "See how the games so far would change the rating in cycle 2 of 2026" in link


def test_an_inexact_performance_is_marked_as_rounded(season):
    Cycle.objects.filter(number=2).update(last_round=9)
    Cycle.objects.filter(number=1).update(last_round=3)
    # Abel: 1300 + 2095 + 1500 + 400 × (2 − 1) = 5295, ÷ 3 = 1765.
    assert explained("Cole", 1)[1][-1] == (3, "Abel", "½", "1765.00", "", "0")
    Board.objects.filter(home_player__name="Abel", away_player__name="Boyd").update(result="1/2-1/2")
    # 4895 + 400 × (1.5 − 1.5) = 4895, ÷ 3 = 1631.666…
    assert explained("Cole", 1)[1][-1] == (3, "Abel", "½", "≈ 1631.67", "", "0")
    steps = [text for _article, text in explained("Cole", 1)[2]]
    assert "ΣRo ≈ 1200.00 + 1600.00 + 1631.67 ≈ 4431.67, the sum of the opponents’ ratings." in steps


def test_where_a_list_says_otherwise_than_boards_and_squads_the_page_says_so(client, season):
    address = why("Abel")
    assert "The published list says otherwise" not in words(client.get(address))
    Board.objects.filter(home_player__name="Abel", away_player__name="Cruz").update(result="1-0")
    text = words(client.get(address))
    assert "The published list differs: revision 1 has a rating of 1897.50." in text
    assert "First league rating: performance rating 2097.50, new rating 2097.50." in text


def test_a_correction_leaves_both_revisions_on_the_page(client, season):
    corrected()
    text = words(client.get(why("Abel")))
    assert "Revision 2, 2 Nov 2026, 09:00 UTC : 2097.50" in text
    assert "Revision 1, 2 Nov 2026, 09:00 UTC : 1897.50 (replaced)" in text
    assert "The published list says otherwise" not in text


def test_what_cannot_be_worked_out_is_told_and_is_no_fault_of_the_page(client, season):
    address = why("Avery")
    SquadPlayer.objects.filter(player__name="Adams").delete()
    response = client.get(address)
    assert is_friendly(response)
    assert "The rating can’t be calculated: round 1," in words(response)


def test_the_pages_of_a_player_lead_from_cycle_to_cycle(client, season):
    close_cycle(season, at=NOW)
    assert f'<a rel="next" href="{why("Cole", 2)}">' in client.get(why("Cole")).text
    assert f'<a rel="prev" href="{why("Cole")}">' in client.get(why("Cole", 2)).text
