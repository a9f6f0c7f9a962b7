"""RBB 3.4: first ratings carried over from an earlier system."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db import transaction

from foa.text import number_in, utc
from members.former import Arrival, Merge, accounts_called, keep_arrivals
from members.models import Member
from members.usernames import Usernames, key_of
from ratings.formats.csv_rows import Row, hundredths_of
from ratings.formats.games import TRUTH, in_utc
from ratings.formats.problems import Problem, readable, shown
from ratings.rbb.ledger.late_facts import origin_of_batch
from ratings.rbb.ledger.plausibility import Examples, early_among
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import Progress, ReplaySummary
from ratings.rbb.models.games import ImportBatch
from ratings.rbb.models.ledger import RatingChange
from ratings.rbb.models.openings import OpeningRating
from ratings.rules.rbb.rating import FLOOR, Reason
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category

COLUMNS: Final = ("username", "category", "rating", "effective_at")
OPTIONAL_COLUMNS: Final = ("games", "previously_unrated")

_HIGHEST = 4000_00
_RELATION: Final = "ratings.OpeningRating.member"
_AT_ONCE = 2_000


@dataclass(slots=True)
class OpeningsImported:
    """Result of importing starting ratings. ``batch``: its import, None if nothing was stored."""

    batch: ImportBatch | None = None
    read: int = 0
    stored: int = 0
    already_there: int = 0
    refused: int = 0
    not_applied: list[str] = field(default_factory=list)
    early: Examples = field(default_factory=Examples)
    """Starting ratings that take effect before their members became full members."""
    replayed: ReplaySummary = field(default_factory=ReplaySummary)


def import_openings(
    *,
    rows: Iterable[Row | Problem],
    source: str,
    sha256: str,
    at: datetime,
    on_refused: Callable[[Problem], None] = lambda problem: None,
    progress: Progress | None = None,
) -> OpeningsImported:
    """Store new starting ratings and replay from the earliest, in one transaction.

    An account has one starting rating in a category (RBB 3.4); a merged account may bring its own too.
    ``not_applied`` names members who were rated before theirs took effect, so that it wasn't used.
    """
    result = OpeningsImported()
    lines: dict[tuple[int, Category], int] = {}

    def refuse(problem: Problem) -> None:
        result.refused += 1
        on_refused(problem)

    with transaction.atomic():
        with deferred(progress=progress) as work:
            batch = ImportBatch.objects.create(source=readable(source)[-255:], sha256=sha256, imported_at=at)
            rows = iter(rows)
            while some := list(islice(rows, _AT_ONCE)):
                result.read += len(some)
                new = _new_openings(some, at, result, refuse, lines)
                for opening, _account in new:
                    opening.batch = batch
                    opening.source = batch.source
                OpeningRating.objects.bulk_create([opening for opening, _account in new])
                keep_arrivals(_RELATION, {opening.pk: account for opening, account in new})
                result.stored += len(new)
                for doubtful in early_among([opening for opening, _account in new]):
                    result.early.add(doubtful.words["player"])
            if not result.stored:
                batch.delete()
                return result
            result.batch = batch
            batch.stored = result.stored
            batch.already_there = result.already_there
            batch.refused = result.refused
            batch.save()
            work.origin |= origin_of_batch(batch, result.stored)
        result.replayed = work.summary
        result.not_applied = [
            f"{username} ({Category(category).slug})"
            for username, category in RatingChange.objects.filter(
                opening__batch=batch, reason=Reason.OPENING_NOT_APPLIED
            )
            .order_by("member__username", "category")
            .values_list("member__username", "category")
        ]
    return result


def _new_openings(
    some: list[Row | Problem],
    at: datetime,
    result: OpeningsImported,
    refuse: Callable[[Problem], None],
    lines: dict[tuple[int, Category], int],
) -> list[tuple[OpeningRating, int | None]]:
    """Return the new starting ratings among some rows, each with the merged account under whose name it came.

    ``lines``: lines of this file, by the accounts and categories for which they gave starting ratings.
    """
    names = {row.values["username"] for row in some if isinstance(row, Row)}
    members = Usernames(Member.objects.by_username(names))
    accounts = accounts_called(names)
    merges = Merge.objects.filter(pk__in=set(accounts.values())).order_by("-merged_at", "-pk")
    # An opening that came with a merged account belongs to that account: the member may have another.
    came_with = {key: merge.pk for merge in merges for key in merge.kept["Openings"]["moved"]}
    arrivals = Arrival.objects.filter(relation=_RELATION, account__in=set(accounts.values()))
    came_with |= dict(arrivals.order_by("pk").values_list("key", "account"))
    stored: dict[tuple[int, Category], OpeningRating] = {}
    there = set()
    for known in OpeningRating.objects.filter(member__in=members.everything()).order_by("-pk"):
        stored[came_with.get(known.pk, known.member_id), known.category] = known
        there.add(_said(known))
    new = []
    for row in some:
        if isinstance(row, Problem):
            refuse(row)
            continue
        try:
            opening = _parse(row, members, at)
        except ValueError as error:
            refuse(Problem(row.line, str(error), row.values))
            continue
        came_as = accounts.get(key_of(row.values["username"]))
        account = came_as or opening.member_id, opening.category
        if _said(opening) in there:
            result.already_there += 1
        elif (known := stored.get(account)) is None:
            stored[account] = opening
            lines[account] = row.line
            there.add(_said(opening))
            new.append((opening, came_as))
        else:
            line = lines.get(account)
            where = f" on line {line} of this file" if line else ""
            mend = "" if line else "; correct it in the admin"
            refuse(
                Problem(
                    row.line,
                    f"{row.values['username']} already has a starting rating in {opening.category.slug}"
                    f"{where}: {known.rating} of {utc(known.effective_at)} (RBB 3.4: once){mend}",
                    row.values,
                )
            )
    return new


def _said(opening: OpeningRating) -> tuple[Any, ...]:
    """Return the values in which two identical rows agree."""
    names = ("member_id", "category", "rating", "effective_at", "games", "previously_unrated")
    return tuple(getattr(opening, name) for name in names)


def _parse(row: Row, members: Usernames[Member], at: datetime) -> OpeningRating:
    """Return the starting rating of a row; raises ValueError with all its faults."""
    values = row.values
    faults = []
    opening = OpeningRating(member=members.find(values["username"]))
    if opening.member_id is None:
        alike = members.alike(values["username"])
        unknown = f"{shown(values['username'])} is not registered: import the member first"
        faults.append(f"username: {alike or unknown}")
    try:
        opening.category = Category.from_slug(values["category"].strip())
    except ValueError as error:
        faults.append(f"category: {error}")
    try:
        hundredths = hundredths_of(values["rating"])
        if not FLOOR <= hundredths <= _HIGHEST:
            faults.append(f"rating: {shown(values['rating'])} is not between 100.00 (RBB 3.2) and 4000.00")
        opening.rating = from_hundredths(hundredths)
    except ValueError:
        faults.append(
            f"rating: {shown(values['rating'])} is not a number with at most two decimals (RBB 3.1)"
        )
    try:
        opening.effective_at = in_utc(values["effective_at"], date_alone=True)
        if opening.effective_at > at:
            faults.append(f"effective_at: {shown(values['effective_at'])} is in the future")
    except ValueError as error:
        faults.append(f"effective_at: {shown(values['effective_at'])} {error}")
    games = values.get("games", "") or "0"
    if (number := number_in(games, 7)) is not None:
        opening.games = number
    else:
        faults.append(f"games: {shown(games)} isn’t a valid number of games")
    previously_unrated = TRUTH.get((values.get("previously_unrated", "") or "no").lower())
    if previously_unrated is None:
        faults.append(f"previously_unrated: {shown(values['previously_unrated'])} is neither yes nor no")
    else:
        opening.previously_unrated = previously_unrated
    if faults:
        raise ValueError("; ".join(faults))
    return opening
