"""RBB 3.4 and 3.15: the steps of an opening rating and of an over-the-board adjustment."""

from __future__ import annotations

from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.text import month_text, signed
from ratings.rbb.explanation.steps import Steps, in_brackets
from ratings.rbb.models import OpeningRating, OtbAdjustment
from ratings.rules.rbb.fide_lists import FIRST_RATING_LISTS, LISTS_OF_CHANGES
from ratings.rules.rbb.rating import K_PREVIOUSLY_UNRATED, PREVIOUSLY_UNRATED_GAMES, Reason
from ratings.rules.rounding import displayed, to_hundredths


def write_opening(steps: Steps, opening: OpeningRating) -> None:
    """Explain a first rating from a FIDE list or an earlier system, or that it came too late (RBB 3.4)."""
    applied = steps.row.why is Reason.OPENING
    if applied:
        text = _("%(player)s started with an existing %(category)s rating of %(rating)s. Source: %(source)s.")
    elif steps.row.peak is None:
        text = _(
            "A first rating of %(rating)s (%(source)s) was not applied: of several of the same moment the "
            "highest %(category)s rating of %(player)s counts."
        )
    else:
        steps.before()
        text = _(
            "A first rating of %(rating)s (%(source)s) was not applied: %(player)s already had a "
            "%(category)s rating, and a first rating is given once."
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
            ngettext(
                "The rating came with %(game)s rated game. K = %(k)s until game %(needed)s.",
                "The rating came with %(game)s rated games. K = %(k)s until game %(needed)s.",
                opening.games,
            ),
            k=K_PREVIOUSLY_UNRATED,
            game=opening.games,
            needed=PREVIOUSLY_UNRATED_GAMES,
        )


def _write_source(steps: Steps, opening: OpeningRating) -> None:
    """Write the FIDE list, control and number that a rating came from, if any (RBB 3.4.1 to 3.4.3)."""
    source = getattr(opening, "first_rating", None)
    if source is None:
        return
    steps.add(
        "first_rating",
        "3.4",
        _(
            "The %(month)s FIDE list has a %(control)s rating of %(rating)s. For %(category)s, the first"
            " available rating is used, in this order: %(order)s."
        ),
        words={
            "month": month_text(source.fide_list.period),
            "order": ", ".join(FIRST_RATING_LISTS[opening.category]),
        },
        period=f"{source.fide_list.period:%Y-%m}",
        control=source.control,
        rating=displayed(to_hundredths(opening.rating)),
    )


def write_adjustment(steps: Steps, adjustment: OtbAdjustment) -> None:
    """Explain the over-the-board changes of one FIDE list, or why they weren't added (RBB 3.15)."""
    row = steps.row
    steps.before()
    if row.before is None:
        text = _(
            "The %(month)s FIDE list would add %(signed)s (%(source)s), but %(player)s was unrated in "
            "%(category)s."
        )
    else:
        text = _("The %(month)s FIDE list adds %(signed)s (%(source)s).")
    steps.add(
        "adjustment",
        "3.15 1.3",
        text,
        words={"month": month_text(adjustment.period), "signed": signed(adjustment.change)},
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
        _("Rn = %(before)s + %(factor)s = %(after)s. The number of games and K stay the same."),
        words={"factor": in_brackets(row.change)},
        before=row.before,
        amount=row.change,
        after=row.before + row.change,
    )
    steps.floor()


def _write_lists(steps: Steps, adjustment: OtbAdjustment) -> None:
    """Write the published ratings on the two lists, unless the change was entered by hand (RBB 3.15)."""
    announced = getattr(adjustment, "announced", None)
    if announced is None or announced.new is None:
        return
    period = adjustment.period
    steps.add(
        "lists",
        "3.15",
        ngettext(
            "FIDE published a %(control)s rating of %(previous)s in %(previous_month)s and of %(new)s in"
            " %(month)s, after %(games)s rated game: %(new)s − %(previous)s = %(difference)s.",
            "FIDE published a %(control)s rating of %(previous)s in %(previous_month)s and of %(new)s in"
            " %(month)s, after %(games)s rated games: %(new)s − %(previous)s = %(difference)s.",
            announced.games,
        ),
        words={
            "previous_month": month_text(period - timedelta(days=1)),
            "month": month_text(period),
            "difference": f"{announced.new - announced.previous:+d}".replace("-", "−"),
        },
        control=LISTS_OF_CHANGES[adjustment.category],
        previous_period=f"{period - timedelta(days=1):%Y-%m}",
        previous=announced.previous,
        period=f"{period:%Y-%m}",
        new=announced.new,
        games=announced.games,
    )
