"""Notices and their words: occasions become one for each member who wants it, in the worker's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from foa.text import points, signed
from members.models import Member
from ratings.notices.models import Choice, Digest, Follow, Notice, NoticeType, Occasion
from ratings.notices.services.choosing import chosen_by
from ratings.office.bulk import batches
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet, MovedRating
from ratings.office.upkeep import delete_in_pieces
from ratings.rbb.decisions.base import LedgerKind
from ratings.rbb.labels import CATEGORY_WORDS
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import Hundredths

MAILED_AT: Final = time(6)
"""Time of day at which digests are sent (UTC)."""

KEPT: Final = timedelta(days=180)
"""Time for which a notice is kept."""

_NOTICE, _MEMBER, _CHOICE, _LINE = (one._meta.db_table for one in (Notice, Member, Choice, RatingListEntry))

_UNRATED: Final = -1
"""Stands for no rating where ratings in hundredths are compared."""

_DELIVERED: Final = Q(read_at__isnull=False) | Q(digest__isnull=False)

_OF_NOTICE: Final = "member_id, kind, key, about_id, address, at, page, feed, mail"

# The default: on the page and in the feed.
_WANTED: Final = f"""
    LEFT JOIN {_CHOICE} choice ON choice.member_id = member.id AND choice.kind = %(kind)s
    WHERE member.user_id IS NOT NULL AND (choice.id IS NULL OR choice.page OR choice.feed OR choice.mail)
"""
_HOW: Final = "COALESCE(choice.page, TRUE), COALESCE(choice.feed, TRUE), COALESCE(choice.mail, FALSE)"

_OF_LIST: Final = f"""
    INSERT INTO {_NOTICE} ({_OF_NOTICE})
    SELECT member.id, %(kind)s, line.id, NULL, '', %(at)s, {_HOW}
    FROM {_LINE} line
    JOIN {_MEMBER} member ON member.id = line.member_id
    {_WANTED} AND line.rating_list_id = %(key)s
"""  # noqa: S608  names, no values

_OF_FOLLOWED: Final = f"""
    INSERT INTO {_NOTICE} ({_OF_NOTICE})
    SELECT member.id, %(kind)s, line.id, line.member_id, '', %(at)s, {_HOW}
    FROM {Follow._meta.db_table} follow
    JOIN {_LINE} line ON line.member_id = follow.followed_id
    JOIN {_MEMBER} member ON member.id = follow.follower_id
    {_WANTED} AND line.rating_list_id = %(key)s
"""  # noqa: S608

_OF_CORRECTION: Final = f"""
    INSERT INTO {_NOTICE} ({_OF_NOTICE})
    SELECT member.id, %(kind)s, moved.id, NULL, '', %(at)s, {_HOW}
    FROM {MovedRating._meta.db_table} moved
    JOIN {_MEMBER} member ON member.id = moved.subject
    {_WANTED} AND moved.change_set_id = %(key)s
"""  # noqa: S608

_DIGESTS: Final = f"""
    INSERT INTO {Digest._meta.db_table} (member_id, state, next_attempt_at, attempts)
    SELECT DISTINCT member_id, 'waiting', %(due)s, 0 FROM {_NOTICE} WHERE id > %(last)s AND mail
    ORDER BY member_id
    ON CONFLICT DO NOTHING
"""  # noqa: S608


def tell_all(at: datetime) -> None:
    """Write the notices of all occasions."""
    for occasion in Occasion.objects.order_by("pk"):
        notify_members(occasion, at)


@transaction.atomic
def notify_members(occasion: Occasion, at: datetime) -> int:
    """Write the notices of an occasion, unless another worker has. Return how many there are."""
    # A second worker waits here, and then finds nothing.
    if not Occasion.objects.filter(pk=occasion.pk).delete()[0]:
        return 0
    last = _last()
    if occasion.kind == NoticeType.LIST and _is_latest(occasion.key):
        _run(_OF_FOLLOWED, kind=NoticeType.FOLLOWED.value, key=occasion.key, at=occasion.at)
        # Own lines come last, so that they are the latest news.
        _run(_OF_LIST, kind=NoticeType.LIST.value, key=occasion.key, at=occasion.at)
    elif occasion.kind == NoticeType.CORRECTION and _is_told(occasion.key):
        _run(_OF_CORRECTION, kind=NoticeType.CORRECTION.value, key=occasion.key, at=occasion.at)
        _leave_out_what_was_undone(occasion.key)
    _wait_for_digest(last, at)
    return Notice.objects.filter(pk__gt=last).count()


def tell_of_case(member: Member, *, number: int, address: str, at: datetime) -> bool:
    """Notify a member of the office's answer. Return True if they want it by mail.

    The desk mails it at once, so no digest repeats it.
    """
    ways = chosen_by(member)[NoticeType.CASE]
    if member.user_id is not None and (ways["page"] or ways["feed"]):
        Notice.objects.create(
            member=member,
            kind=NoticeType.CASE,
            key=number,
            address=address,
            at=at,
            page=ways["page"],
            feed=ways["feed"],
            mail=False,
        )
    return ways["mail"]


def forget(at: datetime) -> None:
    """Delete old notices and digests in batches, because SQLite has one lock."""
    delete_in_pieces(Notice.objects.filter(at__lt=at - KEPT).order_by("at"))
    over = (Digest.State.SENT, Digest.State.FAILED)
    delete_in_pieces(Digest.objects.filter(state__in=over, next_attempt_at__lt=at - KEPT))


def next_digest(at: datetime) -> datetime:
    """Return the next moment at which digests are sent."""
    today = datetime.combine(at.date(), MAILED_AT, at.tzinfo)
    return today if at < today else today + timedelta(days=1)


def _is_latest(key: int) -> bool:
    """Return True if a list is the newest of its category: months published later are no news."""
    published = RatingList.objects.monthly().filter(pk=key).first()
    return published is not None and RatingList.objects.latest_of(published.category) == published


def _is_told(key: int) -> bool:
    """Return True if a decision is public and changed ratings of members."""
    decision = ChangeSet.objects.public().filter(pk=key).first()
    return decision is not None and isinstance(kind_of(decision.kind), LedgerKind)


def _leave_out_what_was_undone(key: int) -> None:
    """Delete the notices of a decision and its undo where together they change nothing.

    Members who have read of the decision, or had it by mail, are also told of the undo.
    """
    undone = ChangeSet.objects.get(pk=key).undoes
    if undone is None:
        return
    moves = MovedRating.objects.order_by()
    notices = Notice.objects.filter(kind=NoticeType.CORRECTION).order_by()
    undelivered = notices.filter(read_at=None, digest=None)
    same = {"subject": OuterRef("subject"), "scale": OuterRef("scale")}
    without = {"was": Coalesce("before", _UNRATED), "is_now": Coalesce("after", _UNRATED)}
    # Games in between move both ratings alike.
    back = moves.annotate(**without).filter(
        Q(was=OuterRef("is_now"), is_now=OuterRef("was"))
        | Q(before__isnull=False, after=F("before") + OuterRef("before") - OuterRef("after")),
        **same,
    )
    of_decision = moves.filter(change_set=undone).annotate(**without)
    of_undo = moves.filter(change_set=key).annotate(**without)
    taken_back = of_decision.filter(Exists(back.filter(change_set=key)))
    untold = Exists(taken_back.filter(Exists(undelivered.filter(key=OuterRef("pk"))), **same))
    told = Exists(taken_back.filter(Exists(notices.filter(_DELIVERED, key=OuterRef("pk"))), **same))
    # Who was told of nothing else needn't hear that it was taken back.
    is_over = untold if undone.undoes_id is not None else ~told
    taking_back = of_undo.filter(Exists(back.filter(change_set=undone)), is_over)
    gone = [
        *notices.filter(key__in=taking_back.values("pk")).values_list("pk", flat=True),
        *undelivered.filter(key__in=taken_back.values("pk")).values_list("pk", flat=True),
    ]
    for some in batches(gone):
        notices.filter(pk__in=some).delete()


def _wait_for_digest(last: int, at: datetime) -> None:
    _run(_DIGESTS, last=last, due=next_digest(at))


def _last() -> int:
    newest = Notice.objects.order_by("-pk").values_list("pk", flat=True).first()
    return newest or 0


def _run(statement: str, **values: Any) -> None:
    values = {
        name: value if not isinstance(value, datetime) else connection.ops.adapt_datetimefield_value(value)
        for name, value in values.items()
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


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
                told = gettext("Case %(number)d: you have a reply") % {"number": one.key}
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
        text=gettext("%(decision)s. Reason: %(reason)s. The rating was %(before)s before.") % words,
    )


def _points(hundredths: int | None) -> str:
    return gettext("unrated") if hundredths is None else points(from_hundredths(Hundredths(hundredths)))
