"""A whole BAL cycle worked out by hand from the text, CE player against CE player included."""

from fractions import Fraction

from ratings.rules.bal.cycles import Crossing, CyclePlayer, Formula, Game, GameReason, rate_cycle

ADAMS, BAKER, COLE, DIAZ, EVANS, FOX, GRAY = range(1, 8)

PLAYERS = (
    CyclePlayer(ADAMS, 1699_50, 30),
    CyclePlayer(BAKER, 1899_00, 10),
    CyclePlayer(COLE, None, 0, captains_estimate=True),
    CyclePlayer(DIAZ, None, 0, captains_estimate=True),
    CyclePlayer(EVANS, 2099_50, 41),
    CyclePlayer(FOX, None, 0, captains_estimate=True),
    CyclePlayer(GRAY, 1512_25, 4),
)
GAMES = (
    Game(1, COLE, DIAZ, "1-0"),
    Game(2, ADAMS, COLE, "1/2-1/2"),
    Game(3, BAKER, DIAZ, "1-0"),
    Game(3, EVANS, ADAMS, "1-0"),
    Game(4, BAKER, COLE, "0-1"),
    Game(5, FOX, EVANS, "-/+"),
)

# Pass one. Cole: Diaz 1300, Adams 1699.50, Baker 1899; won, drawn, won, so ΣW - ΣL = 2.5 - 0.5.
#   (1300 + 1699.50 + 1899 + 800) ÷ 3 = 5698.50 ÷ 3 = 1899.50.
# Diaz: Cole 1300 (not 1899.50), Baker 1899; lost twice. (3199 - 800) ÷ 2 = 1199.50.
# Fox: a forfeit only, so still unrated.
#
# Pass two. Adams, 30 games: k 32. Drew with Cole, Δr = 1699.50 - 1899.50 = -200:
#   We = 1 ÷ (1 + √10) = 0.24025307.
#   Lost to Evans, Δr = 1699.50 - 2099.50 = -400: We = 1 ÷ 11 = 0.09090909. Together 0.33116216.
#   32 × (0.5 - 0.33116216) = 5.40281074; 1704.90281 gives 1704.90.
# Baker, 10 games: (10 × 1899 + 1199.50 + 1899.50 + 400 × (1 - 1)) ÷ 12 = 22089 ÷ 12 = 1840.75.
# Evans, 41 games: k 32. Beat Adams, We = 10/11: 32 ÷ 11 = 2.90909091; 2102.40909091 is over 2100:
#   2100 + 2.40909091 × 0.75 = 2101.80681818 gives 2101.81.
# Gray did not play.


def test_a_cycle_worked_out_by_hand():
    adams, baker, cole, diaz, evans, fox, gray = rate_cycle(PLAYERS, GAMES)

    assert [line.new for line in (adams, baker, cole, diaz, evans, fox, gray)] == [
        1704_90,
        1840_75,
        1899_50,
        1199_50,
        2101_81,
        None,
        1512_25,
    ]
    assert [line.formula for line in (adams, baker, cole, diaz, evans, fox, gray)] == [
        Formula.ESTABLISHED,
        Formula.PROVISIONAL,
        Formula.PERFORMANCE,
        Formula.PERFORMANCE,
        Formula.ESTABLISHED,
        Formula.STILL_NEW,
        Formula.NOTHING_COUNTED,
    ]
    assert [line.games_after for line in (adams, baker, cole, diaz, evans, fox, gray)] == [
        32,
        12,
        3,
        2,
        42,
        0,
        4,
    ]

    assert (cole.opponents, cole.bonus, cole.gain) == (Fraction("4898.5"), 800, Fraction("599.5"))
    assert [(game.opponent, game.reason, game.opponent_rating, game.bonus) for game in cole.games] == [
        (DIAZ, GameReason.CE_ASSUMED, 1300, 400),
        (ADAMS, GameReason.CYCLE_START, Fraction("1699.5"), 0),
        (BAKER, GameReason.CYCLE_START, 1899, 400),
    ]
    assert (diaz.opponents, diaz.bonus, diaz.gain) == (3199, -800, Fraction("-100.5"))

    assert [(game.opponent, game.reason, game.difference) for game in adams.games] == [
        (COLE, GameReason.CE_PERFORMANCE, -200),
        (EVANS, GameReason.CYCLE_START, -400),
    ]
    # (√10 - 1) ÷ 9 + 1 ÷ 11.
    assert abs(adams.expected - Fraction("0.3311621642611330")) < Fraction(1, 10**15)
    assert abs(adams.gain - Fraction("5.4028107436437")) < Fraction(1, 10**12)
    assert (adams.k, adams.half_points, adams.crossing) == (32, 1, Crossing.NONE)

    assert [(game.opponent, game.reason, game.opponent_rating) for game in baker.games] == [
        (DIAZ, GameReason.CE_PERFORMANCE, Fraction("1199.5")),
        (COLE, GameReason.CE_PERFORMANCE, Fraction("1899.5")),
    ]
    assert (baker.opponents, baker.bonus, baker.gain) == (3099, 0, Fraction("-58.25"))

    assert [(game.opponent, game.reason, game.expected) for game in evans.games] == [
        (ADAMS, GameReason.CYCLE_START, Fraction(10, 11)),
        (FOX, GameReason.FORFEIT, None),
    ]
    assert (evans.crossing, evans.gain) == (Crossing.ROSE_TO_2100, Fraction(32, 11))
    assert evans.adjusted_gain == Fraction("0.5") + (Fraction(32, 11) - Fraction("0.5")) * Fraction(3, 4)


def test_the_next_cycle_begins_with_the_rounded_ratings():
    results = rate_cycle(PLAYERS, GAMES)
    players = [CyclePlayer(line.number, line.new, line.games_after, line.new is None) for line in results]
    again = {
        line.number: line
        for line in rate_cycle(players, [Game(6, EVANS, FOX, "0-1"), Game(7, COLE, DIAZ, "0-1")])
    }
    # Fox: 2101.81 + 400, then 2100 + 401.81 × 0.75 = 2401.3575.
    assert (again[FOX].old, again[FOX].new) == (1300_00, 2401_36)
    # Evans now has k 24; Δr is -400: 24 × (0 - 1/11) = -2.18181818, to 2099.62818182.
    # That is under 2100 by 0.37181818, × 1.33 by 0.49451818: 2099.50548182.
    assert (again[EVANS].k, again[EVANS].crossing) == (24, Crossing.FELL_UNDER_2100)
    assert again[EVANS].new == 2099_51
    # Cole and Diaz are provisional now, at what they had: (3 × 1899.50 + 1199.50 - 400) ÷ 4 = 1624.50 and
    # (2 × 1199.50 + 1899.50 + 400) ÷ 3 = 1566.17.
    assert (again[COLE].new, again[DIAZ].new) == (1624_50, 1566_17)
