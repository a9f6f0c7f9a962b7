"""2024, 8.2: the steps of a player who has no rating."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext as _

from ratings.office.explanations import Step, equals, equals_rounded, whole
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.labels import expected_text, half_points_text
from ratings.rules.b02.first_ratings import HIGHEST_FIRST_RATING, HYPOTHETICAL_OPPONENTS, HYPOTHETICAL_RATING
from ratings.rules.b02.types import NewPlayer, Outcome, Topic


def write_new_2024(rated: RatedTournament, participant: Participant, new: NewPlayer) -> Iterator[Step]:
    """Yield how a new player's result follows: Ra, p and dp with the hypothetical opponents, and Ru."""
    article, ru = rated.edition.article, new.final
    with_hypothetical = new.games + HYPOTHETICAL_OPPONENTS
    total = new.opponents_sum + HYPOTHETICAL_OPPONENTS * HYPOTHETICAL_RATING
    average = Fraction(total, with_hypothetical)
    points = new.half_points + HYPOTHETICAL_OPPONENTS
    words = {
        "games": new.games,
        "score": half_points_text(new.half_points),
        "sum": new.opponents_sum,
        "hypothetical": HYPOTHETICAL_RATING,
        "added": HYPOTHETICAL_OPPONENTS * HYPOTHETICAL_RATING,
        "all": with_hypothetical,
        "average": equals(average),
        "points": half_points_text(points),
        "p": f"{'=' if ru.p * with_hypothetical == 50 * points else '≈'} {expected_text(ru.p)}",
        "dp": whole(ru.dp or 0),
        "exact": equals(average + (ru.dp or 0)),
        "rounded": equals_rounded(average + (ru.dp or 0), ru.rating),
        "most": HIGHEST_FIRST_RATING,
    }
    text = _("Only games against rated players count: %(games)d, with a score of %(score)s.")
    yield Step(text % words, article(Topic.FIRST_RATING))
    text = _(
        "Two opponents rated %(hypothetical)d are added, with a draw against each: Ra = (%(sum)d +"
        " %(added)d) : %(all)d %(average)s."
    )
    yield Step(text % words, article(Topic.OPPONENTS))
    text = _("p = %(points)s : %(all)d %(p)s, and dp = %(dp)s. Ru = Ra + dp %(rounded)s.")
    if average + (ru.dp or 0) > HIGHEST_FIRST_RATING:
        text = _(
            "p = %(points)s : %(all)d %(p)s, and dp = %(dp)s. Ru = Ra + dp %(exact)s, but a first rating is"
            " at most %(most)d."
        )
    yield Step(text % words, article(Topic.FIRST_RATING))
    if participant.result.outcome is Outcome.ZERO_SCORE:
        text = _("This is the player’s very first event, and it brought no point: it is forgotten.")
    else:
        text = _("The result counts for a first rating, together with those of the last 26 periods.")
    yield Step(text, article(Topic.FIRST_EVENT))
