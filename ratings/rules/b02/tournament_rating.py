"""FIDE's regulations over the board: a tournament is rated as one batch, in 2009 (8.5) and in 2024 (8.3).

Pure: players with the ratings of the list in force and the games go in (:mod:`ratings.rules.b02.types`), and
each player gets a rating change or, if new, a result, with all that explains it. What may be rated at all is
in :mod:`ratings.rules.b02.eligibility`.

Readings of 2009 where the text is open, as decided for this office: 8.1(b) is RBB's table, the printed one
an option of the edition; a new player without a point leaves a round robin with all their games, and what
remains is a smaller round robin (6.1); in a round robin 8.21 and 8.31 cancel a new player's own result and
nothing else.

Readings of 2024: games against unrated opponents count for nobody, so that points from them aren't points of
a first event either (8.2.1); the ratings of 1.1 and 7.3.1 are those of the list in force, where an unrated
player counts as below 1800. The kind of a tournament doesn't matter, except that of a match. The amendments
of 1 December 2024 (7.3.1 of rapid and blitz) and 1 October 2025 (8.3.1 of standard) hold for tournaments
from that first day on.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ratings.rules.b02.expected_score import expected_score
from ratings.rules.b02.first_ratings import Score, new_in_round_robin, new_in_swiss, new_player_2024
from ratings.rules.b02.time_controls import Chapter, seconds_needed_2024
from ratings.rules.b02.types import (
    IN_FORCE,
    Choices,
    Entrant,
    EntrantResult,
    Game,
    GameReason,
    GameResult,
    NewPlayer,
    Outcome,
    RoundRobin,
    TournamentRating,
    TournamentToRate,
    TournamentType,
)
from ratings.rules.rounding import divide_half_up
from ratings.rules.units import OPPONENTS_SCORE, HalfPoints, Hundredths, Points


class StageRating(NamedTuple):
    """A stage of an event, rated.

    ``whole``: by start number, new players with a result in several stages: their result in all of them.
    """

    rating: TournamentRating
    whole: Mapping[int, NewPlayer]


FAR_APART: Final = Points(600)
"""7.3.1 of rapid and blitz: difference in points from which a game with a strong player isn't rated."""


FAR_APART_ABOVE: Final = Points(2600)
"""7.3.1 of rapid and blitz: a strong player is rated above this, in points."""


def rate_tournament(tournament: TournamentToRate, choices: Choices = IN_FORCE) -> TournamentRating:
    """Return a tournament's results by player (B.02 8). Raises ValueError if it contradicts itself."""
    check(tournament)
    players = tournament.players
    kind = tournament.kind
    if kind is TournamentType.ROUND_ROBIN and pairs_missing(tournament):
        kind = TournamentType.SWISS
    games = sorted(tournament.games, key=lambda game: game.round)
    left_out = _left_out(kind, tournament, games)
    listed = {player.number: player.rating for player in players}
    # 8.52, 6.42: what a player counts as for their opponents.
    counts_as = dict(listed)
    round_robin = None
    new: dict[int, NewPlayer] = {}
    if kind is TournamentType.ROUND_ROBIN:
        round_robin, new = _new_of_round_robin(listed, games, left_out, choices)
        for number, result in new.items():
            counts_as[number] = (result.first if choices.changes_from_first_ru else result.final).rating
    own = {p.number: p.later_rating if p.rating is None else p.rating for p in players}
    seen = seen_by_both(games, left_out, listed, counts_as, own, choices)
    return TournamentRating(
        kind,
        tuple(
            _result(player, own[player.number], seen[player.number], new.get(player.number), choices)
            for player in players
        ),
        round_robin,
    )


def pairs_missing(tournament: TournamentToRate) -> int:
    """Return how many games of a round robin were not played; 0 if it is complete (B.02 6.43).

    Every pair plays as often as the pair that met most often: once, or twice in a double round robin.
    """
    met = Counter(frozenset((game.player, game.opponent)) for game in tournament.games if game.played)
    n = len(tournament.players)
    return max(met.values(), default=1) * n * (n - 1) // 2 - met.total()


def check(tournament: TournamentToRate) -> None:
    """Raise ValueError for a tournament that no file reader may accept."""
    players = {player.number: player for player in tournament.players}
    if len(players) != len(tournament.players):
        raise ValueError("two players have the same start number")
    for player in tournament.players:
        if player.k is None and (player.rating is not None or player.later_rating is not None):
            raise ValueError(f"player {player.number} has a rating and no K (B.02 8.56)")
    for _, number, opponent, half_points, played, opponents in tournament.games:
        if number not in players or (opponent is not None and opponent not in players):
            raise ValueError(f"a game of {number} and {opponent}: no such player")
        if number == opponent:
            raise ValueError(f"player {number} against themselves")
        if played and opponent is None:
            raise ValueError(f"player {number} played nobody")
        if half_points not in (0, 1, 2) and (played or half_points is not None):
            raise ValueError(f"{half_points} half points in a game of {number}")
        if opponents not in (None, 0, 1, 2) or (opponents is not None and not played):
            raise ValueError(f"{opponents} half points of the opponent in a game of {number}")


def _left_out(
    kind: TournamentType, tournament: TournamentToRate, games: Sequence[Game]
) -> list[GameReason | None]:
    """Return for each game why it counts for neither player, or None (B.02 5.1, 6.1, 6.5, 6.6)."""
    reasons = not_played_or_of_match(tournament, games)
    if kind is not TournamentType.ROUND_ROBIN:
        return reasons
    gone = _without_a_point(tournament.players, games)
    return [
        reason or (GameReason.ZERO_SCORE if game.player in gone or game.opponent in gone else None)
        for reason, game in zip(reasons, games, strict=True)
    ]


def not_played_or_of_match(
    tournament: TournamentToRate, games: Sequence[Game], *, to_the_end: bool = False
) -> list[GameReason | None]:
    """Return for each game why it counts for neither player, or None (B.02 5.1, 6.5, 6.6; 2024: 6.1, 6.2).

    ``to_the_end``: the games of a match count also after it is decided.
    """
    reasons = [None if game.played else GameReason.NOT_PLAYED for game in games]
    if tournament.kind is not TournamentType.MATCH:
        return reasons
    if any(player.rating is None for player in tournament.players):
        return [reason or GameReason.MATCH_UNRATED for reason in reasons]
    if to_the_end:
        return reasons
    later = after_decision(games, tournament.planned_games)
    return [reason or more for reason, more in zip(reasons, later, strict=True)]


def is_decided(games: Iterable[Game], planned: int) -> bool:
    """Return whether a player of a match has more than half the points of all planned games (B.02 6.5)."""
    points: Counter[int] = Counter()
    for game in games:
        _count(game, points)
    # In half points, as many as there are games are half of all.
    return max(points.values(), default=0) > planned


def _count(game: Game, points: Counter[int]) -> None:
    if game.opponent is not None and game.half_points is not None:
        points[game.player] += game.half_points
        points[game.opponent] += _opponents(game.half_points, game.opponents_half_points)


def _opponents(half_points: HalfPoints, opponents: HalfPoints | None) -> HalfPoints:
    """Return the opponent's score: the rest of the two half points, unless there is a penalty."""
    return OPPONENTS_SCORE[half_points] if opponents is None else opponents


def after_decision(games: Sequence[Game], planned: int | None) -> list[GameReason | None]:
    """Leave out games after one player had more than half the points of the whole match (B.02 6.5)."""
    enough = len(games) if planned is None else planned
    points: Counter[int] = Counter()
    reasons: list[GameReason | None] = []
    for game in games:
        reasons.append(GameReason.MATCH_DECIDED if max(points.values(), default=0) > enough else None)
        _count(game, points)
    return reasons


def _without_a_point(players: Sequence[Entrant], games: Sequence[Game]) -> set[int]:
    """Return the new players who leave a round robin with all their games (B.02 6.1).

    Again until nobody is left with no point: a game won against one who leaves is lost with them.
    """
    bound = {
        p.number for p in players if p.rating is None and p.later_rating is None and not p.earlier_result
    }
    points: Counter[int] = Counter()
    given: dict[int, list[tuple[int, HalfPoints]]] = {player.number: [] for player in players}
    for one, other, half_points in _both_sides(games):
        points[one] += half_points
        given[other].append((one, half_points))
    gone = set()
    leaving = [number for number in bound if not points[number]]
    while leaving:
        number = leaving.pop()
        gone.add(number)
        for one, half_points in given[number]:
            points[one] -= half_points
            if half_points and not points[one] and one in bound:
                leaving.append(one)
    return gone


def _both_sides(games: Iterable[Game]) -> Iterator[tuple[int, int, HalfPoints]]:
    """Yield played games as player, opponent and half points, each from both sides."""
    for _, player, opponent, half_points, played, opponents in games:
        if played and opponent is not None and half_points is not None:
            yield player, opponent, half_points
            yield opponent, player, _opponents(half_points, opponents)


def _scores(games: Iterable[Game], listed: Mapping[int, Points | None]) -> dict[int, Score]:
    """Return each player's games and half points, and the number of games against rated players."""
    tallies: dict[int, list[int]] = {}
    for one, other, half_points in _both_sides(games):
        tally = tallies.setdefault(one, [0, 0, 0])
        tally[0] += 1
        tally[1] += half_points
        tally[2] += listed[other] is not None
    return {
        number: Score(games, HalfPoints(half_points), against_rated)
        for number, (games, half_points, against_rated) in tallies.items()
    }


def _new_of_round_robin(
    listed: Mapping[int, Points | None],
    games: Sequence[Game],
    left_out: Sequence[GameReason | None],
    choices: Choices,
) -> tuple[RoundRobin | None, dict[int, NewPlayer]]:
    """Return new players of a round robin, if there are any and anyone to measure them by (B.02 8.21(b))."""
    scores = _scores((game for game, reason in zip(games, left_out, strict=True) if reason is None), listed)
    ratings = {number: rating for number, rating in listed.items() if number in scores}
    if len({rating is None for rating in ratings.values()}) < 2:
        return None, {}
    return new_in_round_robin(ratings, scores, choices)


def seen_by_both(
    games: Sequence[Game],
    left_out: Sequence[GameReason | None],
    listed: Mapping[int, Points | None],
    counts_as: Mapping[int, Points | None],
    own: Mapping[int, Points | None],
    choices: Choices,
) -> dict[int, list[GameResult]]:
    """Return every game from both sides (B.02 8.51 to 8.55)."""
    seen: dict[int, list[GameResult]] = {number: [] for number in listed}

    def look(round_: int, player: int, opponent: int, half_points: HalfPoints) -> None:
        rating, against = own[player], counts_as[opponent]
        difference = expected = None
        if against is None:
            reason = GameReason.BOTH_UNRATED if rating is None else GameReason.OPPONENT_UNRATED
        elif rating is None:
            reason = GameReason.TOWARDS_RATING
        else:
            difference = Points(rating - against)
            expected = expected_score(difference, choices, rating)
            reason = GameReason.RATED if listed[opponent] is not None else GameReason.RATED_AGAINST_NEW
        seen[player].append(GameResult(round_, opponent, half_points, reason, against, difference, expected))

    for (round_, player, opponent, half_points, _, opponents), why_not in zip(games, left_out, strict=True):
        if why_not is None and opponent is not None and half_points is not None:
            look(round_, player, opponent, half_points)
            look(round_, opponent, player, _opponents(half_points, opponents))
            continue
        reason = why_not or GameReason.NOT_PLAYED
        seen[player].append(GameResult(round_, opponent, half_points, reason))
        if opponent is not None:
            rest = None if half_points is None else _opponents(half_points, opponents)
            seen[opponent].append(GameResult(round_, player, rest, reason))
    return seen


def score_of(games: Iterable[GameResult]) -> tuple[Score, Hundredths]:
    """Return a player's score in the games that count, and the expected score (B.02 8.2, 8.55(a))."""
    count = half_points = opponents = expected = 0
    for _, _, points, _, opponent_rating, _, game_expected in games:
        if opponent_rating is not None and points is not None:
            count += 1
            half_points += points
            opponents += opponent_rating
            expected += game_expected or 0
    return Score(count, HalfPoints(half_points), count, Points(opponents)), Hundredths(expected)


def line_of_rated_player(
    player: Entrant, rating: Points, k: int, games: Sequence[GameResult], new: NewPlayer | None = None
) -> EntrantResult:
    """Return the line of a player with a rating (B.02 8.55)."""
    (count, half_points, _, opponents), expected = score_of(games)
    if not count:
        return EntrantResult(player.number, Outcome.NOTHING_RATED, tuple(games), rating=rating, k=k, new=new)
    return EntrantResult(
        player.number,
        Outcome.CHANGED,
        tuple(games),
        count,
        half_points,
        average=Points(divide_half_up(opponents, count)),
        rating=rating,
        k=k,
        expected=expected,
        change=Hundredths(k * (50 * half_points - expected)),
        new=new,
    )


def _result(
    player: Entrant, rating: Points | None, games: list[GameResult], new: NewPlayer | None, choices: Choices
) -> EntrantResult:
    """Return a player's line of the cross-table (B.02 8.2, 8.55)."""
    if rating is None or player.k is None:
        return _new_result(player, games, new, score_of(games)[0], choices)
    return line_of_rated_player(player, rating, player.k, games, new)


def _new_result(
    player: Entrant, games: list[GameResult], new: NewPlayer | None, score: Score, choices: Choices
) -> EntrantResult:
    """Return the line of a player without a rating (B.02 6.1, 8.2)."""
    if new is None and score.games:
        new = new_in_swiss(score, choices)
    if not player.earlier_result:
        # A point against somebody who leaves under 6.1 is none.
        points = [
            game.half_points if game.reason is not GameReason.ZERO_SCORE else 0
            for game in games
            if game.reason not in (GameReason.NOT_PLAYED, GameReason.MATCH_UNRATED)
        ]
        if points and not any(points):
            return EntrantResult(player.number, Outcome.ZERO_SCORE, tuple(games), new=new)
        if new is not None and new.why_not_first is not None:
            return line_of_new_player(player.number, tuple(games), new, new.why_not_first)
    if new is None:
        return EntrantResult(player.number, Outcome.NOTHING_RATED, tuple(games))
    return line_of_new_player(player.number, tuple(games), new, Outcome.NEW_RESULT)


def line_of_new_player(
    number: int, games: tuple[GameResult, ...], new: NewPlayer, outcome: Outcome
) -> EntrantResult:
    """Return the line of a new player whose result counts, or is left out (B.02 8.2)."""
    if outcome is not Outcome.NEW_RESULT:
        return EntrantResult(number, outcome, games, new=new)
    return EntrantResult(
        number, outcome, games, new.games, new.half_points, average=new.final.average, new=new
    )


def freed(stage: TournamentToRate, ids: Mapping[int, Hashable], scored: set[Hashable]) -> TournamentToRate:
    """Free players of a stage from 6.1 there (2024: 8.2.1); whether their result counts is decided later."""
    players = [
        player._replace(earlier_result=True)
        if is_new(player) and ids.get(player.number) in scored
        else player
        for player in stage.players
    ]
    return stage._replace(players=players)


def is_new(player: Entrant) -> bool:
    return player.rating is None and player.later_rating is None


def rate_stages_2024(
    stages: Sequence[TournamentToRate],
    who: Sequence[Mapping[int, Hashable]],
    choices: Choices,
    chapter: Chapter,
    rates_far_apart: bool,
) -> list[StageRating]:
    """Return the ratings of each stage of an event, in the same order (8).

    ``who``: for each stage, who has which start number; not needed for an event of one stage. All stages are
    one event for 8.2.1: whoever has a point in one isn't without a point in another.
    Raises ValueError if a stage contradicts itself.
    """
    ratings = [_rate_2024(stage, choices, chapter, rates_far_apart) for stage in stages]
    if len(stages) > 1:
        scored = {
            ids.get(result.number)
            for ids, rating in zip(who, ratings, strict=True)
            for result in rating.results
            if result.new is not None and result.new.half_points
        } - {None}
        ratings = [
            _rate_2024(freed(stage, ids, scored), choices, chapter, rates_far_apart)
            for stage, ids in zip(stages, who, strict=True)
        ]
    return [StageRating(rating, {}) for rating in ratings]


def _rate_2024(
    tournament: TournamentToRate, choices: Choices, chapter: Chapter, rates_far_apart: bool
) -> TournamentRating:
    check(tournament)
    games = sorted(tournament.games, key=lambda game: game.round)
    listed = {player.number: player.rating for player in tournament.players}

    def by_ratings(game: Game) -> GameReason | None:
        if game.opponent is None:
            return None
        ratings = listed[game.player], listed[game.opponent]
        if chapter is Chapter.STANDARD:
            return _too_fast(tournament.seconds, *ratings)
        return None if rates_far_apart else _too_far_apart(*ratings)

    reasons = not_played_or_of_match(tournament, games, to_the_end=tournament.to_the_end)
    left_out = [reason or by_ratings(game) for reason, game in zip(reasons, games, strict=True)]
    own = {p.number: p.later_rating if p.rating is None else p.rating for p in tournament.players}
    seen = seen_by_both(games, left_out, listed, listed, own, choices)
    return TournamentRating(
        tournament.kind,
        tuple(_line_2024(player, own[player.number], seen[player.number]) for player in tournament.players),
    )


def _too_fast(seconds: int | None, one: Points | None, other: Points | None) -> GameReason | None:
    """Standard 1.1: the stronger of the two decides how much time each must have had."""
    strongest = max(one or Points(0), other or Points(0))
    return GameReason.TOO_FAST if seconds is not None and seconds < seconds_needed_2024(strongest) else None


def _too_far_apart(one: Points | None, other: Points | None) -> GameReason | None:
    """Rapid and blitz 7.3.1, since 1 December 2024: both ratings are those of the list in force."""
    if one is None or other is None or max(one, other) <= FAR_APART_ABOVE:
        return None
    return GameReason.TOO_FAR_APART if abs(one - other) >= FAR_APART else None


def _line_2024(player: Entrant, rating: Points | None, games: Sequence[GameResult]) -> EntrantResult:
    """Return a player's line of the cross-table (8.2, 8.3)."""
    if rating is not None and player.k is not None:
        return line_of_rated_player(player, rating, player.k, games)
    score, _ = score_of(games)
    if not score.games:
        return EntrantResult(player.number, Outcome.NOTHING_RATED, tuple(games))
    new = new_player_2024(score, player.earlier_result)
    return line_of_new_player(player.number, tuple(games), new, new.why_not_first or Outcome.NEW_RESULT)
