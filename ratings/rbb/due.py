"""Months to publish (RBB 1.4), and published lists changed by corrections."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from itertools import accumulate
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.moments import first_days
from foa.text import month_text, utc
from members.models import Member
from ratings.office.due import ClosingStep, Dated, Due, Looked, finds_dates, finds_due, looks_at
from ratings.rbb.labels import CATEGORY_NAMES, CATEGORY_WORDS
from ratings.rbb.lists.comparing import differing_lists
from ratings.rbb.lists.publishing import due_months
from ratings.rbb.models import Game, OpeningRating, RatingChange, RatingList
from ratings.rules.time_controls import Category

_REVISED: Final = 1_000_000
"""Maximum number of lines in the lists revised together."""
_LISTS: Final = 12
"""Maximum number of these lists, each of which is previewed."""


@finds_due(_("Getting started"), "members.add_member")
def first_members(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the first step of a new office: its members."""
    if not Member.objects.exists():
        text = gettext("No members yet: import them from a file, or add them one by one")
        yield Due(text=text, button=gettext("Import members"), link=_import("import-members"))


@finds_due(_("Getting started"), "ratings.add_openingrating")
def first_openings(user: Any, now: datetime) -> Iterator[Due]:
    """Yield how to enter ratings of an earlier system, while there are none."""
    if not RatingChange.objects.exists() and not OpeningRating.objects.exists():
        text = gettext("No ratings yet: if you have any from an earlier system, import them")
        yield Due(text=text, button=gettext("Import ratings"), link=_import("import-openings"))


@finds_due(_("Getting started"), "ratings.add_game")
def first_games(user: Any, now: datetime) -> Iterator[Due]:
    """Yield how to enter games, while there are none."""
    if not Game.objects.exists():
        text = gettext("No games yet: import some, or connect a game server")
        yield Due(text=text, button=gettext("Import games"), link=_import("import-games"))


def _import(kind: str) -> str:
    return reverse("admin:office_fileimport_bring", args=(kind,))


def due_lists(now: datetime) -> list[tuple[datetime, list[Category]]]:
    """Return each month with an unpublished list, earliest first, with the categories concerned."""
    lacking: dict[datetime, list[Category]] = {}
    for category in Category:
        for month in due_months(category=category, at=now):
            lacking.setdefault(month, []).append(category)
    return sorted(lacking.items())


@finds_due(_("Rating lists"), "ratings.publish_ratinglist", step=ClosingStep.PUBLISHED)
def months(user: Any, now: datetime) -> Iterator[Due]:
    """Yield months with an unpublished list, with the categories concerned."""
    for month, categories in due_lists(now):
        named = {
            "month": month_text(month),
            "categories": ", ".join(str(CATEGORY_WORDS[category]) for category in categories),
        }
        yield Due(
            text=gettext("%(month)s rating lists: %(categories)s") % named,
            button=gettext("Publish"),
            link=_publish(month, categories),
            at=month,
        )


@finds_due(_("Rating lists"), "ratings.publish_ratinglist", step=ClosingStep.REVISED)
def changed_lists(user: Any, now: datetime) -> Iterator[Due]:
    """Yield published lists that differ from the ledger after a correction, oldest first."""
    changed = differing_lists()
    if not changed:
        return
    sizes = accumulate(published.members for published, _lines in changed)
    lists = [published for (published, _lines), size in zip(changed, sizes, strict=True) if size <= _REVISED]
    lists = lists[:_LISTS] or [changed[0][0]]
    if len(changed) == 1:
        (published, lines) = changed[0]
        text = ngettext(
            "%(lines)d line of the %(month)s list has changed: %(category)s",
            "%(lines)d lines of the %(month)s list have changed: %(category)s",
            lines,
        ) % {
            "lines": lines,
            "month": month_text(published.as_of),
            "category": CATEGORY_NAMES[published.category],
        }
    else:
        text = ngettext("%d published list has changed", "%d published lists have changed", len(changed))
        text %= len(changed)
    asked = urlencode({"list": [published.pk for published in lists]}, doseq=True)
    yield Due(
        text=text,
        button=ngettext("Revise %d list", "Revise %d lists", len(lists)) % len(lists),
        link=f"{reverse('admin:ratings_ratinglist_revise')}?{asked}",
    )


@finds_due(_("Games"), "ratings.change_game", step=ClosingStep.GAMES)
def possibly_same_games(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the games that may be stored twice, until somebody has said whether they are."""
    found = Game.objects.to_tell_apart().aggregate(number=Count("pk"), first=Min("ended_at"))
    if not found["number"]:
        return
    text = ngettext(
        "%(number)d game may be another report of a stored game. It won’t be rated until you decide.",
        "%(number)d games may be other reports of stored games. They won’t be rated until you decide.",
        found["number"],
    )
    yield Due(
        text=text % found,
        button=gettext("Compare them"),
        link=f"{reverse('admin:ratings_game_changelist')}?same=yes",
        at=found["first"],
    )


@finds_due(_("Games"), "ratings.change_game", step=ClosingStep.GAMES)
def forgotten_games(user: Any, now: datetime) -> Iterator[Due]:
    """Yield the games in progress for longer than their controls allow, since the start of the first."""
    found = Game.objects.forgotten(now).aggregate(number=Count("pk"), first=Min("started_at"))
    if not found["number"]:
        return
    text = ngettext(
        "%(number)d game has no result, but can’t still be in progress: ask its server, or enter how "
        "it ended",
        "%(number)d games have no result, but can’t still be in progress: ask their servers, or "
        "enter how they ended",
        found["number"],
    )
    yield Due(
        text=text % found,
        button=gettext("Review them"),
        link=f"{reverse('admin:ratings_game_changelist')}?state=overdue",
        at=found["first"],
    )


@looks_at(ClosingStep.GAMES)
def games_in_progress(month: datetime, now: datetime) -> Looked:
    """Say how many games are in progress: none of them for too long."""
    number = Game.objects.in_progress().count()
    text = ngettext(
        "%(number)d game in progress at %(at)s, none overdue.",
        "%(number)d games in progress at %(at)s, none overdue.",
        number,
    )
    return Looked(False, text % {"number": number, "at": utc(now)})


@looks_at(ClosingStep.PUBLISHED)
def lists_of_month(month: datetime, now: datetime) -> Looked:
    """Name the published lists of the month."""
    published = RatingList.objects.monthly().filter(month=month).order_by("category", "revision")
    latest = {one.category: one for one in published}
    if not latest:
        text = gettext("No %(month)s rating lists: nothing had been rated by then.")
        return Looked(False, text % {"month": month_text(month)})
    last = max(one.published_at for one in latest.values())
    words = {"lists": ", ".join(map(str, latest.values())), "at": utc(last)}
    return Looked(True, gettext("%(lists)s. Last published %(at)s.") % words)


@looks_at(ClosingStep.REVISED)
def lists_revised(month: datetime, now: datetime) -> Looked:
    """Say how many published lists agree with the ledger, and how many were revised in the month."""
    monthly = RatingList.objects.monthly()
    number, revised = monthly.count(), monthly.filter(revision__gt=1, published_at__gte=month).count()
    text = ngettext(
        "%(number)d published list compared with the ledger at %(at)s: no differences.",
        "%(number)d published lists compared with the ledger at %(at)s: no differences.",
        number,
    )
    return Looked(revised > 0, text % {"number": number, "at": utc(now)})


def _publish(month: datetime, categories: list[Category]) -> str:
    asked = {"month": f"{month:%Y-%m}", "category": [category.slug for category in categories]}
    return f"{reverse('admin:ratings_ratinglist_publish')}?{urlencode(asked, doseq=True)}"


@finds_dates
def list_days(first: date, last: date) -> Iterator[Dated]:
    """Yield the dates of monthly lists: the first day of each month (RBB 1.4)."""
    for day in first_days(first, last):
        yield Dated(
            day=day,
            key="lists",
            heading=gettext("Rating lists"),
            text=gettext("%(month)s rating lists") % {"month": month_text(day)},
            link=reverse("ratings:lists"),
        )
