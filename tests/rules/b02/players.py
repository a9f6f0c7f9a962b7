"""Tournaments for the tests of FIDE B.02."""

from itertools import combinations

from ratings.rules.b02.types import Entrant, Game, TournamentToRate, TournamentType

NAMES = "ABCDEFGHIJ"

# 8.58: rating, points, K. "b.r." has none.
EXAMPLE_8_58 = {
    "A": (2600, 8, 10),
    "B": (2500, 7, 10),
    "C": (None, 7, None),
    "D": (2400, 6, 10),
    "E": (None, 6, None),
    "F": (2150, 4, 15),
    "G": (2300, 3, 15),
    "H": (None, 2, None),
    "I": (None, 1, None),
    "J": (2300, 1, 15),
}


def example_8_58() -> TournamentToRate:
    """The round robin of the example, with games that give its points: they are not printed."""
    players = [Entrant(number, rating, k) for number, (rating, _, k) in enumerate(EXAMPLE_8_58.values())]
    left = {number: points for number, (_, points, _) in enumerate(EXAMPLE_8_58.values())}
    games = []
    while left:
        # The one with the most points loses to the next strongest, if he loses at all, and beats the rest.
        best, *others = sorted(left, key=lambda number: -left[number])
        losses = len(others) - left.pop(best)
        for place, other in enumerate(others):
            games.append(Game(1, best, other, 0 if place < losses else 2))
            left[other] -= place < losses
    return TournamentToRate(TournamentType.ROUND_ROBIN, players, games)


def round_robin(players, half_points, cycles=1) -> TournamentToRate:
    """Everybody against everybody; ``half_points`` by pair of numbers, of the first; 1 where not named."""
    games = [
        Game(cycle, one.number, other.number, half_points.get((one.number, other.number), 1))
        for cycle in range(cycles)
        for one, other in combinations(players, 2)
    ]
    return TournamentToRate(TournamentType.ROUND_ROBIN, players, games)


def swiss(players, *games) -> TournamentToRate:
    """Games as (player, opponent, half points), one a round."""
    return TournamentToRate(
        TournamentType.SWISS, players, [Game(round_, *game) for round_, game in enumerate(games, 1)]
    )
