"""RBB 3.6, 3.7: the steps of an unrated player's game against a rated opponent."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.rbb.explanation.steps import Steps, in_brackets, score_text
from ratings.rbb.models import RatingChange
from ratings.rbb.models.ledger import RatingChangeQuerySet
from ratings.rbb.regulations.tables import dp_excerpt
from ratings.rules.rbb.rating import (
    FIRST_RATING_GAMES,
    FLOOR,
    Reason,
    first_rating,
    first_rating_article,
    fractional_score,
)
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.units import HalfPoints

_COUNTED: Final = (Reason.RESULT_COUNTED, Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)


def first_results(rows: RatingChangeQuerySet, count: int) -> tuple[RatingChange, ...]:
    """RBB 3.6: the last ``count`` results towards a first rating among these rows, oldest first."""
    counted = rows.filter(reason__in=_COUNTED).select_related("opponent").order_by("-occurred_at", "-id")
    return tuple(reversed(counted[:count]))


def write_first_rating(steps: Steps) -> None:
    """RBB 3.6, 3.7: write the step for a result that counts, or a loss that is forgotten."""
    row = steps.row
    steps.before()
    text = _("%(opponent)s’s exact rating at the end of the game: %(rating)s.")
    steps.add("opponent", "3.6", text, rating=row.opponent_rating)
    steps.score("3.6")
    if row.why is Reason.LOSS_FORGOTTEN:
        text = _("A loss before the first draw or win against a rated opponent does not count.")
        steps.add("stage", "3.6.1", text, results=0, needed=FIRST_RATING_GAMES)
        return
    if row.games == 1:
        text = _("The first draw or win against a rated opponent: result 1 of %(needed)s.")
        steps.add("stage", "3.6.1", text, results=row.games, needed=FIRST_RATING_GAMES)
    else:
        text = _(
            "Result %(results)s of %(needed)s: after the first draw or win, every game against a rated "
            "opponent counts."
        )
        steps.add("stage", "3.6.2", text, results=row.games, needed=FIRST_RATING_GAMES)
    _write_results(steps)
    if row.games == FIRST_RATING_GAMES:
        _write_ra_and_rf(steps)


def _write_results(steps: Steps) -> None:
    """RBB 3.6.2: write the results so far, with the opponents' ratings at the time."""
    row = steps.row
    # Counted results follow one another without a gap, five at most.
    if steps.earlier is None:
        rows = RatingChange.objects.filter(member=row.member_id, category=row.category)
        results = (*first_results(rows.earlier_than(row), row.games - 1), row)
    else:
        results = (*steps.earlier[len(steps.earlier) - (row.games - 1) :], row)
    steps.add(
        "results",
        "3.6.2",
        _("Score so far: %(score)s. The opponents’ ratings add up to %(opponents)s."),
        lines=results,
        score=score_text(row.first_half_points),
        opponents=row.first_opponents,
        games=[
            {
                "change": result.pk if result.game_id else None,
                "game": result.game_id,
                "opponent": result.opponent.username if result.opponent else "",
                "opponent_rating": result.opponent_rating,
                "score": score_text(result.half_points or 0),
            }
            for result in results
        ],
    )


def _write_ra_and_rf(steps: Steps) -> None:
    """RBB 3.7: write Ra, what is added to it, and Rf."""
    row = steps.row
    half_points = HalfPoints(row.first_half_points)
    average, added, rating = map(
        from_hundredths, first_rating(half_points, to_hundredths(row.first_opponents))
    )
    exact = row.first_opponents / FIRST_RATING_GAMES
    if exact == average:
        text = _("Ra = %(opponents)s / %(needed)s = %(average)s, the opponents’ average rating.")
    else:
        text = _(
            "Ra = %(opponents)s / %(needed)s = %(exact)s, rounded half up to %(average)s: the opponents’ "
            "average rating."
        )
    steps.add(
        "average",
        "3.7.1",
        text,
        words={"exact": str(exact)},
        opponents=row.first_opponents,
        needed=FIRST_RATING_GAMES,
        average=average,
    )
    article = first_rating_article(half_points)
    score = score_text(half_points)
    if article == "3.7.3":
        text = _("%(score)s out of %(needed)s is exactly 50 %%: nothing is added to Ra.")
        steps.add("addition", article, text, score=score, needed=FIRST_RATING_GAMES, added=added)
    elif article == "3.7.4":
        over = half_points - FIRST_RATING_GAMES
        text = ngettext(
            "%(score)s out of %(needed)s is one half point over 50 %%: %(added)s is added to Ra.",
            "%(score)s out of %(needed)s is %(over)s half points over 50 %%, 20 points each: %(added)s is "
            "added to Ra.",
            over,
        )
        steps.add("addition", article, text, score=score, needed=FIRST_RATING_GAMES, over=over, added=added)
    else:
        p = fractional_score(half_points)
        excerpt = dp_excerpt(p)
        text = _(
            "p = %(score)s / %(needed)s = %(printed)s: table 4.1 gives dp = %(dp)s, which is added to Ra."
        )
        printed, dp = excerpt.chosen.cells
        steps.add(
            "addition",
            f"{article} 4.1",
            text,
            words={"printed": printed, "dp": dp},
            excerpt=excerpt,
            score=score,
            needed=FIRST_RATING_GAMES,
            p=from_hundredths(p),
            added=added,
        )
    text = _("Rf = %(average)s + %(factor)s = %(after)s.")
    words = {"factor": in_brackets(added)}
    steps.add("after", "3.7.2", text, words=words, average=average, added=added, after=rating)
    if row.why is Reason.FIRST_RATING_BELOW_FLOOR:
        text = _(
            "%(computed)s is below the floor of %(floor)s: %(player)s stays unrated, and the first rating "
            "starts again."
        )
        steps.add("floor", "3.2", text, computed=rating, floor=from_hundredths(FLOOR), lost=False)
