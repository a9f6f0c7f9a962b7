"""RBB 3.4 and 3.15: the steps of an opening rating and of an over-the-board adjustment."""

from __future__ import annotations

from django.utils.translation import gettext as _

from foa.web.text import signed
from ratings.explanation.steps import Steps, in_brackets
from ratings.models import OpeningRating, OtbAdjustment
from ratings.rules.rbb import K_PREVIOUSLY_UNRATED, PREVIOUSLY_UNRATED_GAMES, Reason

__all__ = ["write_adjustment", "write_opening"]


def write_opening(steps: Steps, opening: OpeningRating) -> None:
    """RBB 3.4: a first rating from a FIDE list or an earlier system, or that it came too late."""
    applied = steps.row.why is Reason.OPENING
    if applied:
        text = _(
            "%(player)s was given a first %(category)s rating of %(rating)s, carried in from: %(source)s."
        )
    else:
        steps.before()
        text = _(
            "A first rating of %(rating)s (%(source)s) was not applied: %(player)s was rated in %(category)s "
            "before, and a first rating is given once."
        )
    steps.add(
        "opening",
        "3.4",
        text,
        rating=opening.rating,
        source=opening.source,
        games=opening.games,
        previously_unrated=opening.previously_unrated,
    )
    if applied and opening.previously_unrated:
        steps.add(
            "k",
            "3.10.3",
            _("Rated games that came with it: %(game)s. K = %(k)s until there are %(needed)s."),
            k=K_PREVIOUSLY_UNRATED,
            game=opening.games,
            needed=PREVIOUSLY_UNRATED_GAMES,
        )


def write_adjustment(steps: Steps, adjustment: OtbAdjustment) -> None:
    """RBB 3.15: the over-the-board changes of one FIDE list, or that there was nothing to add them to."""
    row = steps.row
    steps.before()
    if row.before is None:
        text = _(
            "The over-the-board changes of the FIDE list of %(period)s (%(source)s) are %(signed)s together, "
            "but %(player)s was unrated in %(category)s: there is nothing to add them to."
        )
    else:
        text = _(
            "The over-the-board changes of the FIDE list of %(period)s (%(source)s) are %(signed)s together."
        )
    steps.add(
        "adjustment",
        "3.15 1.3",
        text,
        words={"signed": signed(adjustment.change)},
        period=f"{adjustment.period:%Y-%m}",
        source=adjustment.source,
        amount=adjustment.change,
    )
    if row.before is None:
        return
    steps.add(
        "after",
        "3.15",
        _("Rn = %(before)s + %(factor)s = %(after)s. The number of games and K stay as they are."),
        words={"factor": in_brackets(row.change)},
        before=row.before,
        amount=row.change,
        after=row.before + row.change,
    )
    steps.floor()
