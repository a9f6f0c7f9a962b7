"""The search for members and events: whoever is meant, best first."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.db.models import Case, F, Max, Value, When
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.text import date_text
from members.models import Member, MemberQuerySet
from members.words import with_words_anywhere
from ratings.office.search import Hit, Hits
from ratings.rbb.event_standings import with_spans
from ratings.rbb.ledger.activity import twelve_months_before
from ratings.rbb.models import ArenaEvent

_ORDERED: Final = 3_000
"""Maximum number of matching members who are put in order; a letter or two match far more."""

_SHORTEST: Final = 2
"""Minimum number of characters of a search for anything but members."""


def who_is_meant(text: str, most: int, *, among: MemberQuerySet | None = None) -> tuple[list[Member], bool]:
    """Return up to so many members who may be meant, with their ratings, and True if they are only similar.

    ``among``: the members of whom one is meant, by default all.

    First those with this username or FIDE ID, then those with these words in their names, with words that
    begin so, and with words that sound alike or are spelled similarly. Among them those who have played in
    the last twelve months come first, then the highest rated.
    """
    members = Member.objects.all() if among is None else among
    found: dict[int, Member] = {}

    def add(some: MemberQuerySet) -> None:
        if len(found) < most:
            rows = _best_first(some.exclude(pk__in=list(found)))[: most - len(found)]
            found.update((one.pk, one) for one in rows)

    add(members.exactly(text))
    add(members.with_words(text))
    add(members.beginning_with(text))
    matching = bool(found)
    add(members.resembling(text))
    if not found:
        add(members.containing(text))
        matching = bool(found)
    return list(found.values()), bool(found) and not matching


def _best_first(members: MemberQuerySet) -> MemberQuerySet:
    lately = twelve_months_before(timezone.now())
    some = Member.objects.filter(pk__in=members.order_by().values("pk")[:_ORDERED])
    return (
        some.annotate(best=Max("ratings__rating"), last=Max("ratings__last_event_at"))
        .order_by(
            Case(When(last__gte=lately, then=Value(0)), default=Value(1)),
            F("best").desc(nulls_last=True),
            "name",
            "username",
            "pk",
        )
        .prefetch_related("ratings")
    )


def members(text: str, most: int) -> Hits:
    """Find members."""
    found, guessed = who_is_meant(text, most + 1)
    more = f"{reverse('ratings:members')}?{urlencode({'member': text})}"
    return Hits(
        _("Members"),
        [
            Hit(str(one), one.get_absolute_url(), one.username, one.title, one.federation, one)
            for one in found[:most]
        ],
        more if len(found) > most and not guessed else "",
        guessed,
    )


def events(text: str, most: int) -> Hits:
    """Find events of arenas, the latest first."""
    rows = with_words_anywhere(ArenaEvent.objects.order_by("-pk"), text)
    found = list(rows[: most + 1]) if len(text) >= _SHORTEST else []
    spans = with_spans(ArenaEvent.objects.filter(pk__in=[one.pk for one in found[:most]])).in_bulk()
    more = f"{reverse('ratings:events')}?{urlencode({'name': text})}"
    return Hits(
        pgettext_lazy("of an arena", "Events"),
        [
            Hit(
                one.name,
                one.get_absolute_url(),
                date_text(started.date()) if (started := spans[one.pk].started_at) else "",
            )
            for one in found[:most]
        ],
        more if len(found) > most else "",
    )
