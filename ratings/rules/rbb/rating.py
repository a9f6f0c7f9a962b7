"""The RBB regulations of FIDE Online Arena, section 3, as pure steps.

A step takes a member's last :class:`LedgerLine` in a category and an event, and returns their next line.
Nothing here knows a database, a clock or a float: ratings, sums and changes are integers in hundredths of a
point, scores are half points (0, 1, 2), probabilities are hundredths, differences are whole points.

The numbers that the office may change are those of an :class:`~ratings.rules.rbb.editions.Edition`. A step
without one follows the printed regulations.
"""

from typing import Final, NamedTuple

from ratings.rules.cited import Cited, _
from ratings.rules.rbb.editions import PRINTED, Edition
from ratings.rules.rounding import divide_half_up
from ratings.rules.tables import DP, PD, beyond_table
from ratings.rules.time_controls import Category
from ratings.rules.units import OPPONENTS_SCORE, HalfPoints, Hundredths, Points

FLOOR: Final = Hundredths(100_00)
"""RBB 3.2: the rating floor. 100.00 stays, 99.99 is lost."""

FIRST_RATING_GAMES: Final = 5
"""RBB 3.6: one draw or win against a rated opponent, then four more games against rated opponents."""


class Reason(Cited):
    """Reason why a rating changed, or didn't; each with its article."""

    OPENING = 1, "3.4", _("started with an existing rating")
    OPENING_NOT_APPLIED = 2, "3.4", _("not applied: already rated in this category")
    ADJUSTED = 3, "3.15", _("over-the-board rating change added")
    ADJUSTMENT_UNRATED = 4, "3.15", _("not applied: unrated in this category")
    RATED = 5, "3.9", _("game between two rated players")
    OPPONENT_UNRATED = 6, "3.8", _("opponent unrated: rating not affected")
    BOTH_UNRATED = 7, "3.6.2", _("both players unrated: does not count")
    LOSS_FORGOTTEN = 8, "3.6.1", _("loss before the first draw or win: does not count")
    RESULT_COUNTED = 9, "3.6", _("result counted towards the first rating")
    FIRST_RATING = 10, "3.7", _("first rating reached")
    FIRST_RATING_BELOW_FLOOR = (
        11,
        "3.7, 3.2",
        _("first rating below the floor of 100: the count starts again"),
    )
    LOST_UNDER_FLOOR = 12, "3.3", _("rating fell below the floor of 100: unrated again")

    @property
    def slug(self) -> str:
        """Name in JSON."""
        return self.name.lower()

    @property
    def articles(self) -> list[str]:
        """Articles one by one."""
        return self.article.split(", ")


class LedgerLine(NamedTuple):
    """A line of the ledger: a member's standing in a category after an event, and how it came about.

    The first six fields are the standing, and all that the next step needs:

    ``rating``: hundredths, None while unrated.
    ``games``: the games that count for RBB 3.10.3: while unrated, the results towards the first rating
    (0 to 4; 5 only when they gave less than the floor and they begin again); then every rated game since.
    ``previously_unrated``: RBB 3.10.3 applies to them.
    ``first_half_points``, ``first_opponents``: score and sum of the opponents' ratings (hundredths) over
    the results of RBB 3.6, kept afterwards so that the first rating can be explained.
    ``peak``: the highest rating they ever had here; None means that they were never rated.

    The rest says how: ``before`` the event, ``reason`` (a :class:`Reason`), ``change`` (ΔR × K of RBB 3.9.2
    or the amount of 3.15, in hundredths, also when the rating was then lost under the floor; 0 when nothing
    changed; None where a rating was given), the score in half points, the opponent's rating before the game,
    and, where RBB 3.9 was applied, D in points, PD in hundredths and K.
    """

    rating: Hundredths | None = None
    games: int = 0
    previously_unrated: bool = False
    first_half_points: HalfPoints = HalfPoints(0)
    first_opponents: Hundredths = Hundredths(0)
    peak: Hundredths | None = None
    before: Hundredths | None = None
    reason: int | None = None
    change: Hundredths | None = Hundredths(0)
    half_points: HalfPoints | None = None
    opponent_rating: Hundredths | None = None
    difference: Points | None = None
    expected: Hundredths | None = None
    k: int | None = None

    def kept(
        self,
        reason: Reason,
        half_points: HalfPoints | None = None,
        opponent_rating: Hundredths | None = None,
    ) -> "LedgerLine":
        """Return the next line when an event leaves the standing as it is."""
        return LedgerLine(
            rating=self.rating,
            games=self.games,
            previously_unrated=self.previously_unrated,
            first_half_points=self.first_half_points,
            first_opponents=self.first_opponents,
            peak=self.peak,
            before=self.rating,
            reason=reason,
            half_points=half_points,
            opponent_rating=opponent_rating,
        )


STANDING: Final = 6
"""Number of fields of a line that make up the standing."""

UNRATED: Final = LedgerLine()
"""RBB 3.5: a member whose first rating cannot be determined by 3.4."""

# Naming the tuple's own constructor halves the cost of a line: the class's would take arguments apart.
_line = tuple.__new__
# A plain number is stored faster than a member of an enumeration, and nearly every line has this one.
_RATED = int(Reason.RATED)
_LISTED = len(PD)


class FirstRating(NamedTuple):
    """RBB 3.7: average of the opponents Ra, what was added to it, and Rf, all in hundredths."""

    average: Hundredths
    added: Hundredths
    rating: Hundredths


def stood_before(line: LedgerLine) -> LedgerLine | None:
    """Return the member's standing before a game between two rated players (RBB 3.9.2).

    None where the line doesn't tell: after other events, and where the rating is the peak, which may be new.
    """
    if line.reason != _RATED or line.rating == line.peak:
        return None
    return LedgerLine(
        line.before,
        line.games - 1,
        line.previously_unrated,
        line.first_half_points,
        line.first_opponents,
        line.peak,
    )


def k_factor(category: Category, standing: LedgerLine, edition: Edition = PRINTED) -> int:
    """Return K for the next game of a rated member with this standing (RBB 3.10)."""
    return edition.k_for(category, standing.rating or 0, standing.games, standing.previously_unrated)


def k_article(category: Category, k: int, edition: Edition = PRINTED) -> str:
    """Return the paragraph that gives this K in this category (RBB 3.10)."""
    if k == edition.k_new:
        return "3.10.3"
    return "3.10.2" if category is Category.BULLET else "3.10.1"


def first_rating(half_points: HalfPoints, opponents: Hundredths, edition: Edition = PRINTED) -> FirstRating:
    """Return the first rating from five results (RBB 3.7).

    ``opponents`` is the sum of the five opponents' exact ratings. Ra is their mean, rounded half up to
    0.01 (3.7.1). At 50 % Rf = Ra (3.7.3); above, 20 points for each half point over 50 %, never dp (3.7.4);
    below, dp of table 4.1 (3.7.5).
    """
    average = divide_half_up(opponents, FIRST_RATING_GAMES)
    over = half_points - FIRST_RATING_GAMES
    added = over * edition.bonus if over >= 0 else 100 * DP[fractional_score(half_points)]
    return FirstRating(Hundredths(average), Hundredths(added), Hundredths(average + added))


def first_rating_article(half_points: HalfPoints) -> str:
    """Return the paragraph for a first rating of this score in five games (RBB 3.7.2)."""
    if half_points == FIRST_RATING_GAMES:
        return "3.7.3"
    return "3.7.4" if half_points > FIRST_RATING_GAMES else "3.7.5"


def fractional_score(half_points: HalfPoints) -> Hundredths:
    """Return p in hundredths, the part of the points scored in the first five games (RBB 4.1)."""
    return Hundredths(half_points * 50 // FIRST_RATING_GAMES)


def rate_game(
    category: Category,
    white: LedgerLine,
    black: LedgerLine,
    white_half_points: HalfPoints,
    edition: Edition = PRINTED,
) -> tuple[LedgerLine, LedgerLine]:
    """Return White's and Black's lines after a rated game (RBB 3.6 to 3.11).

    Both use both ratings from before the game (3.9, 3.11).
    """
    white_rating = white.rating
    black_rating = black.rating
    black_half_points = OPPONENTS_SCORE[white_half_points]
    if white_rating is None or black_rating is None:
        return (
            _unrated_involved(white, white_half_points, black_rating, edition),
            _unrated_involved(black, black_half_points, white_rating, edition),
        )
    # RBB 3.9.1: D is the difference of the exact ratings, rounded half up to whole points.
    if white_rating >= black_rating:
        whole = divide_half_up(white_rating - black_rating, 100)
        difference, white_expected, black_expected = PD[whole] if whole < _LISTED else beyond_table(whole)
    else:
        whole = divide_half_up(black_rating - white_rating, 100)
        difference, black_expected, white_expected = PD[whole] if whole < _LISTED else beyond_table(whole)
    if edition.cap is not None and whole > edition.cap:
        _, higher, lower = PD[min(edition.cap, _LISTED - 1)]
        white_expected, black_expected = (higher, lower) if white_rating > black_rating else (lower, higher)
    return (
        _rated(
            category,
            white,
            white_rating,
            white_half_points,
            black_rating,
            difference,
            white_expected,
            edition,
        ),
        _rated(
            category,
            black,
            black_rating,
            black_half_points,
            white_rating,
            difference,
            black_expected,
            edition,
        ),
    )


def _rated(
    category: Category,
    standing: LedgerLine,
    before: Hundredths,
    half_points: HalfPoints,
    opponent_rating: Hundredths,
    difference: Points,
    expected: Hundredths,
    edition: Edition,
) -> LedgerLine:
    """Return the line with Rn = Ro + ΔR × K (RBB 3.9.2), with the floor of 3.2 and 3.3."""
    k = edition.k_for(category, before, standing.games, standing.previously_unrated)
    change = k * (50 * half_points - expected)
    rating = before + change
    peak = standing.peak
    if rating < FLOOR:
        return LedgerLine(
            peak=peak,
            before=before,
            reason=Reason.LOST_UNDER_FLOOR,
            change=Hundredths(change),
            half_points=half_points,
            opponent_rating=opponent_rating,
            difference=difference,
            expected=expected,
            k=k,
        )
    return _line(
        LedgerLine,
        (
            rating,
            standing.games + 1,
            standing.previously_unrated,
            standing.first_half_points,
            standing.first_opponents,
            rating if peak is None or rating > peak else peak,
            before,
            _RATED,
            change,
            half_points,
            opponent_rating,
            difference,
            expected,
            k,
        ),
    )


def _unrated_involved(
    standing: LedgerLine, half_points: HalfPoints, opponent_rating: Hundredths | None, edition: Edition
) -> LedgerLine:
    """Return the line after a game in which at least one player is unrated (RBB 3.6 to 3.8)."""
    if standing.rating is not None:
        return standing.kept(Reason.OPPONENT_UNRATED, half_points)
    if opponent_rating is None:
        return standing.kept(Reason.BOTH_UNRATED, half_points)
    return _towards_first_rating(standing, half_points, opponent_rating, edition)


def _towards_first_rating(
    standing: LedgerLine, half_points: HalfPoints, opponent_rating: Hundredths, edition: Edition
) -> LedgerLine:
    """Return the line after an unrated player's game against a rated opponent (RBB 3.6, 3.7)."""
    peak = standing.peak
    if standing.games == FIRST_RATING_GAMES:
        # The last five results gave less than the floor (3.2): they begin again.
        standing = LedgerLine(peak=peak)
    if standing.games == 0 and half_points == 0:
        return standing.kept(Reason.LOSS_FORGOTTEN, half_points, opponent_rating)
    line = LedgerLine(
        games=standing.games + 1,
        first_half_points=HalfPoints(standing.first_half_points + half_points),
        first_opponents=Hundredths(standing.first_opponents + opponent_rating),
        peak=peak,
        reason=Reason.RESULT_COUNTED,
        half_points=half_points,
        opponent_rating=opponent_rating,
    )
    if line.games < FIRST_RATING_GAMES:
        return line
    rating = first_rating(line.first_half_points, line.first_opponents, edition).rating
    if rating < FLOOR:
        return line._replace(reason=Reason.FIRST_RATING_BELOW_FLOOR)
    return line._replace(
        rating=rating,
        previously_unrated=True,
        peak=rating if peak is None else max(peak, rating),
        reason=Reason.FIRST_RATING,
        change=None,
    )


def open_rating(
    standing: LedgerLine,
    rating: Hundredths,
    games: int = 0,
    previously_unrated: bool = False,
    outranked: bool = False,
) -> LedgerLine:
    """Give a first rating from a FIDE list, or one carried over from an earlier system (RBB 3.4).

    It is given once: a member who was ever rated in the category keeps what they have, also when they fell
    through the floor since (3.3 sends them to 3.6, not back to 3.4). ``outranked``: of two of one moment the
    other is applied. Raises ValueError under the floor.
    """
    if rating < FLOOR:
        raise ValueError("a starting rating below the floor of 100.00 isn’t a rating (RBB 3.2)")
    if standing.peak is not None or outranked:
        return standing.kept(Reason.OPENING_NOT_APPLIED)
    return LedgerLine(rating, games, previously_unrated, peak=rating, reason=Reason.OPENING, change=None)


def adjust(category: Category, standing: LedgerLine, amount: Hundredths) -> LedgerLine:
    """Add the over-the-board changes of a FIDE list, in hundredths, to a rating (RBB 3.15).

    Games and K are not touched; the floor holds here too. Raises ValueError for bullet, which has no
    over-the-board list (RBB 1.3).
    """
    if category is Category.BULLET:
        raise ValueError("bullet ratings have no over-the-board changes (RBB 1.3)")
    before = standing.rating
    if before is None:
        return standing.kept(Reason.ADJUSTMENT_UNRATED)
    rating = Hundredths(before + amount)
    if rating < FLOOR:
        return LedgerLine(peak=standing.peak, before=before, reason=Reason.LOST_UNDER_FLOOR, change=amount)
    return standing.kept(Reason.ADJUSTED)._replace(
        rating=rating, peak=rating if standing.peak is None else max(standing.peak, rating), change=amount
    )
