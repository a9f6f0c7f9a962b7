"""Rating systems of others as yardsticks: what would they have predicted?

Each library is used as it comes, and knows only results: no first ratings from lists, and no rules. They
are slow, so only the last games are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from ratings.lab.arrays import Array, Data

MOST: Final = 200_000
"""Maximum number of games that a yardstick is asked."""

MOST_OF_WHR: Final = 30_000
"""Maximum number of games before the predicted ones from which WHR finds ratings."""

_ROUNDS: Final = 50
_DAY: Final = 24 * 3600 * 1_000_000
_EVERY: Final = 1_000

Game = tuple[int, int, int, int]
"""Row of White, row of Black, White's half points, microseconds since 1970."""


def predictions(
    name: str, data: Data, cut: int, tell: Callable[[], object] = lambda: None
) -> Iterator[tuple[int, float]]:
    """Yield the number of each predicted game from ``cut`` on, and White's expected score.

    A game of somebody who hasn't played before isn't predicted. ``tell`` is called now and then.
    """
    begin = max(0, data.games - MOST)
    games = zip(
        data.white[begin:].tolist(),
        data.black[begin:].tolist(),
        data.points[begin:].tolist(),
        data.moment[begin:].tolist(),
        strict=True,
    )
    if name == "whr":
        yield from _by_whr(list(games), begin, cut)
        return
    make, expected, update = SYSTEMS[name]()
    players: dict[int, Any] = {}
    for number, (white, black, points, moment) in enumerate(games, begin):
        if number % _EVERY == 0:
            tell()
        one, other = players.get(white), players.get(black)
        if number >= cut and one is not None and other is not None:
            yield number, expected(one, other)
        one, other = one or make(), other or make()
        players[white], players[black] = update(one, other, points, moment)


def expected_scores(name: str, data: Data, cut: int, tell: Callable[[], object] = lambda: None) -> Array:
    """Return White's expected scores of all games from ``cut`` on, NaN where there is none."""
    found = np.full(data.games - cut, np.nan)
    for number, expected in predictions(name, data, cut, tell):
        found[number - cut] = expected
    return found


System = tuple[
    Callable[[], Any], Callable[[Any, Any], float], Callable[[Any, Any, int, int], tuple[Any, Any]]
]
"""A new player; White's expected score; both players after a game of these half points and this moment."""


def _of_elote(kind: Callable[..., Any], *, timed: bool) -> System:
    def update(one: Any, other: Any, points: int, moment: int) -> tuple[Any, Any]:
        when = {"match_time": datetime.fromtimestamp(moment / 1_000_000, UTC)} if timed else {}
        if points == 1:
            one.tied(other, **when)
        elif points == 2:
            one.beat(other, **when)
        else:
            other.beat(one, **when)
        return one, other

    return lambda: kind(initial_rating=1500), lambda one, other: one.expected_score(other), update


def _elo() -> System:
    from elote import EloCompetitor

    return _of_elote(EloCompetitor, timed=False)


def _glicko() -> System:
    from elote import GlickoCompetitor

    return _of_elote(GlickoCompetitor, timed=True)


def _openskill() -> System:
    from openskill.models import PlackettLuce

    model = PlackettLuce()

    def update(one: Any, other: Any, points: int, _moment: int) -> tuple[Any, Any]:
        (white,), (black,) = model.rate([[one], [other]], scores=[points, 2 - points])
        return white, black

    return model.rating, lambda one, other: model.predict_win([[one], [other]])[0], update


def _by_whr(games: list[Game], begin: int, cut: int) -> Iterator[tuple[int, float]]:
    """Yield predictions from the ratings that WHR finds from the games before ``cut``, all at once."""
    import whr

    base = whr.Base()
    known = games[max(0, cut - begin - MOST_OF_WHR) : max(0, cut - begin)]
    for white, black, points, moment in known:
        base.create_game(str(black), str(white), ("B", "D", "W")[points], moment // _DAY)
    if not known:
        return
    base.iterate(_ROUNDS)
    players = {player for game in known for player in game[:2]}
    last = {player: base.ratings_for_player(str(player))[-1][1] for player in players}
    for number, (white, black, _points, _moment) in enumerate(games[max(0, cut - begin) :], max(begin, cut)):
        if white in last and black in last:
            yield number, 1 / (1 + 10 ** ((last[black] - last[white]) / 400))


SYSTEMS: Final[dict[str, Callable[[], System]]] = {"elo": _elo, "glicko": _glicko, "openskill": _openskill}
"""Systems that learn game by game; each is imported only when it is asked."""
