"""RBB 3.4 and 3.15: the steps of an opening rating and of an over-the-board adjustment."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext as _

from foa.text import signed
from ratings.explanation.steps import Steps, in_brackets
from ratings.models import OpeningRating, OtbAdjustment
from ratings.rules.rbb.fide_lists import FIRST_RATING_LISTS, LISTS_OF_CHANGES
from ratings.rules.rbb.steps import K_PREVIOUSLY_UNRATED, PREVIOUSLY_UNRATED_GAMES, Reason
from ratings.rules.rounding import displayed, to_hundredths


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
    _write_source(steps, opening)
    if applied and opening.previously_unrated:
        steps.add(
            "k",
            "3.10.3",
            _("Rated games that came with it: %(game)s. K = %(k)s until there are %(needed)s."),
            k=K_PREVIOUSLY_UNRATED,
            game=opening.games,
            needed=PREVIOUSLY_UNRATED_GAMES,
        )


def _write_source(steps: Steps, opening: OpeningRating) -> None:
    """RBB 3.4.1 to 3.4.3: the FIDE list, control and number that it came from, if it came from one."""
    source = getattr(opening, "first_rating", None)
    if source is None:
        return
    steps.add(
        "first_rating",
        "3.4",
        _(
            "The FIDE list of %(period)s gives %(rating)s for %(control)s. For %(category)s the first of"
            " these counts that rates a new member: %(order)s."
        ),
        words={"order": ", ".join(FIRST_RATING_LISTS[opening.category])},
        period=f"{source.fide_list.period:%Y-%m}",
        control=source.control,
        rating=displayed(to_hundredths(opening.rating)),
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
    _write_lists(steps, adjustment)
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


def _write_lists(steps: Steps, adjustment: OtbAdjustment) -> None:
    """RBB 3.15: the published ratings of the two lists it lies between, unless it was entered by hand."""
    announced = getattr(adjustment, "announced", None)
    if announced is None or announced.new is None:
        return
    period = adjustment.period
    steps.add(
        "lists",
        "3.15",
        _(
            "The FIDE list of %(previous_period)s published %(previous)s for %(control)s, that of %(period)s"
            " %(new)s after rated games in its month (%(games)s): %(new)s − %(previous)s = %(difference)s."
        ),
        words={"difference": f"{announced.new - announced.previous:+d}".replace("-", "−")},
        control=LISTS_OF_CHANGES[adjustment.category],
        previous_period=f"{period - timedelta(days=1):%Y-%m}",
        previous=announced.previous,
        period=f"{period:%Y-%m}",
        new=announced.new,
        games=announced.games,
    )
