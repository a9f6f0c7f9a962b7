"""Words of notices, in the language of whoever reads them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from foa.text import points, signed
from ratings.notices.models import Notice, NoticeType
from ratings.office.models import MovedRating
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rbb.models import RatingListEntry
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths


class Item(NamedTuple):
    """A notice in words. ``title``: what happened; ``address``: its page.

    ``figure``: a rating; ``change``: how much it rose, with its sign. Both are empty if there is none.
    """

    key: int
    kind: str
    at: datetime
    title: str
    address: str
    figure: str = ""
    change: str = ""
    text: str = ""

    @property
    def is_gain(self) -> bool:
        """Return True if the rating rose."""
        return self.change.startswith("+")

    @property
    def is_loss(self) -> bool:
        """Return True if the rating fell."""
        return self.change.startswith("\N{MINUS SIGN}")


def items(notices: Iterable[Notice], language: str | None = None) -> list[Item]:
    """Return the notices in words, in one query for each kind, without those whose line or decision is gone.

    ``language``: that of the current request if None.
    """
    notices = list(notices)
    with translation.override(language or translation.get_language()):
        lines = RatingListEntry.objects.select_related("rating_list", "member").in_bulk(
            _keys(notices, NoticeType.LIST, NoticeType.FOLLOWED)
        )
        moves = MovedRating.objects.select_related("change_set").in_bulk(
            _keys(notices, NoticeType.CORRECTION)
        )
        found = []
        for one in notices:
            if one.kind == NoticeType.CASE:
                told = gettext("Case %(number)d: the office has answered") % {"number": one.key}
                found.append(Item(one.pk, one.kind, one.at, told, one.address))
            elif one.kind == NoticeType.CORRECTION and one.key in moves:
                found.append(_of_correction(one, moves[one.key]))
            elif one.key in lines:
                found.append(_of_line(one, lines[one.key]))
    return found


def _keys(notices: Iterable[Notice], *kinds: NoticeType) -> set[int]:
    return {one.key for one in notices if one.kind in kinds}


def _of_line(notice: Notice, line: RatingListEntry) -> Item:
    """Describe a line of a list: the displayed rating, the exact change, and rank and games of the period."""
    words = {
        "category": CATEGORY_WORDS[line.rating_list.category],
        "month": date_format(line.rating_list.as_of, "YEAR_MONTH_FORMAT"),
        "member": line.member,
    }
    if notice.kind == NoticeType.FOLLOWED:
        title = gettext("%(member)s on the %(month)s %(category)s list") % words
    else:
        title = gettext("Your rating on the %(month)s %(category)s list") % words
    rank = gettext("rank %(rank)d") % {"rank": line.rank}
    games = ngettext("%(number)d game", "%(number)d games", line.period_games) % {"number": line.period_games}
    return Item(
        notice.pk,
        notice.kind,
        notice.at,
        title,
        line.get_absolute_url(),
        figure=str(line.displayed),
        change=gettext("new") if line.change is None else signed(line.change),
        text=f"{rank}, {games}",
    )


def _of_correction(notice: Notice, moved: MovedRating) -> Item:
    """Describe a rating that a decision moved, with the public reason."""
    words = {
        "category": CATEGORY_WORDS[Category.from_slug(moved.scale)],
        "before": _points(moved.before),
        "decision": moved.change_set,
        "reason": moved.change_set.public_why,
    }
    change = moved.move.change
    return Item(
        notice.pk,
        notice.kind,
        notice.at,
        gettext("A decision changed your %(category)s rating") % words,
        moved.change_set.get_absolute_url(),
        figure=_points(moved.after),
        change="" if change is None else signed(from_hundredths(change)),
        text=gettext("%(decision)s. Reason: %(reason)s. It was %(before)s before.") % words,
    )


def _points(hundredths: int | None) -> str:
    return gettext("unrated") if hundredths is None else points(from_hundredths(Hundredths(hundredths)))
