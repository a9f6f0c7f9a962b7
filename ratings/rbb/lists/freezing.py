"""Freezing a list: the standings at a moment, in one statement, and the figures about the list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, cast

from django.db import connection, connections, transaction
from django.db.models import Count, Max, Sum

from foa.spreadsheet import csv_pieces
from ratings.office.fields import hundredths
from ratings.rbb.ledger.activity import COUNTED, twelve_months_before
from ratings.rbb.lists.columns import published_columns, published_rows
from ratings.rbb.models.editions import RuleEdition
from ratings.rbb.models.lists import RatingList, entry_id
from ratings.rbb.models.recalculations import Recalculation
from ratings.rules.rbb.rating import Reason
from ratings.rules.rounding import divide_half_up, from_hundredths
from ratings.rules.units import Hundredths

_EVER: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""A moment before every event."""

# A member without a later event has the rating of their last line; for others the last line up to the moment
# is looked up. So a list frozen soon after its moment reads only the ratings.
_STANDING: Final = """
    SELECT member_id, rating, games, previously_unrated FROM ratings_rating
    WHERE {any_order}category = %(category)s AND last_event_at <= %(moment)s AND rating IS NOT NULL
    UNION ALL
    SELECT line.member_id, line.after, line.games, line.previously_unrated
    FROM ratings_rating AS now
    JOIN ratings_ratingchange AS line ON line.id = (
        SELECT earlier.id FROM ratings_ratingchange AS earlier
        WHERE earlier.member_id = now.member_id AND earlier.category = %(category)s
        AND earlier.occurred_at <= %(moment)s
        ORDER BY earlier.occurred_at DESC, earlier.id DESC LIMIT 1
    )
    WHERE {any_order}now.category = %(category)s AND now.last_event_at > %(moment)s AND line.after IS NOT NULL
"""
_ANY_ORDER: Final = {"sqlite": "+", "postgresql": ""}
"""A sign before the column that stops SQLite using an index, with which it would read the ratings by rating
and so the members in random order; PostgreSQL would assume that the condition matches few rows."""

_SHOWN: Final = "(standing.rating + 50) / 100"
"""RBB 3.12, 3.13: the displayed rating, rounded half up."""

_LINE: Final = f"""
    SELECT {_SHOWN} AS shown, member.id AS member_id, member.username, member.fide_id, member.name,
        member.title, member.federation, CASE WHEN member.hides_birth THEN '' ELSE member.sex END AS sex,
        CASE WHEN member.hides_birth THEN NULL ELSE member.birth_year END AS birth_year,
        standing.rating, standing.games, standing.previously_unrated
    FROM ({_STANDING}) AS standing JOIN members_member AS member ON member.id = standing.member_id
    WHERE member.federation = %(federation)s OR %(federation)s = ''
"""  # noqa: S608

_BEFORE: Final = "SELECT member_id, rating FROM ratings_ratinglistentry WHERE rating_list_id = %(previous)s"
_COMPARABLE: Final = """
    SELECT line.*, before.rating AS previous, played.games AS period_games, played.by_games,
        played.by_adjustments, played.by_openings, played.year_games
    FROM ({lines}) AS line
    LEFT JOIN played ON played.member_id = line.member_id
    LEFT JOIN {before} ON before.member_id = line.member_id
"""
"""Lines with the rating on the previous list, and with what was played since then and in the year."""

# Position and rank come from window functions over one sort. On SQLite these take three times as long as
# numbering the rows of a table that was filled in order. There, everything is joined in the order of members
# before it is sorted: looking up a million rows at random in a large table takes longer than the rest.
_SORTED: Final = (
    "CREATE TEMPORARY TABLE before (member_id integer PRIMARY KEY, rating integer)",
    f"INSERT INTO before {_BEFORE} ORDER BY +member_id",
    f"""CREATE TEMPORARY TABLE sorted AS
        {_COMPARABLE.format(lines=_LINE.format(any_order="+"), before="before")}
        ORDER BY shown DESC, name, line.member_id""",
)
_LINES: Final = {
    "postgresql": _COMPARABLE.format(
        lines=f"""
            SELECT ROW_NUMBER() OVER (ORDER BY shown DESC, name COLLATE "C", member_id) AS position,
                RANK() OVER (ORDER BY shown DESC) AS rank, line.*
            FROM ({_LINE.format(any_order="")}) AS line
        """,  # noqa: S608
        before=f"({_BEFORE}) AS before",
    ),
    "sqlite": """
        SELECT sorted.rowid AS position, ranks.rank, sorted.* FROM sorted
        CROSS JOIN (SELECT shown, MIN(rowid) AS rank FROM sorted GROUP BY shown) AS ranks
        WHERE ranks.shown = sorted.shown
    """,
}

# For each line of a game that changed behind a list since the previous list was made: the member who had it
# on that list (had_it), and on this one (has_it); NULL if it doesn't count or is later. The first values that
# were kept show it as it was on that list.
_TOUCHED: Final = """
    SELECT late.line,
        CASE WHEN late.occurred_at <= %(since)s AND late.reason IN ({reasons})
            THEN late.member_id END AS had_it,
        CASE WHEN now.occurred_at <= %(moment)s AND now.reason IN ({reasons})
            THEN now.member_id END AS has_it,
        CASE WHEN now.occurred_at > %(since)s THEN 1 ELSE 0 END AS in_period
    FROM ratings_lateline AS late
    LEFT JOIN ratings_ratingchange AS now ON now.id = late.line AND now.category = %(category)s
    WHERE late.id IN (
        SELECT MIN(first.id) FROM ratings_lateline AS first
        JOIN ratings_recalculation AS recalculation ON recalculation.id = first.recalculation_id
        WHERE first.recalculation_id > %(known)s AND recalculation.category = %(category)s
        GROUP BY first.line
    )
"""

# Lines of the period that were on the previous list already; older ones that weren't; those that were and
# aren't on this one.
_COMPARED: Final = """
    SELECT has_it AS member_id, line, CASE WHEN in_period = 1 AND has_it = had_it THEN 1 ELSE 0 END AS known,
        CASE WHEN in_period = 0 AND (had_it IS NULL OR had_it <> has_it) THEN 1 ELSE 0 END AS late,
        0 AS withdrawn
    FROM ({touched}) AS found WHERE has_it IS NOT NULL
    UNION ALL
    SELECT had_it, line, 0, 0, 1 FROM ({touched}) AS lost
    WHERE had_it IS NOT NULL AND (has_it IS NULL OR has_it <> had_it)
"""


_DIFFERING_LINES: Final = """
    SELECT COALESCE(SUM(CASE WHEN in_period = 1 AND had_it IS NOT NULL AND has_it IS NOT NULL THEN 1 END), 0),
        COALESCE(SUM(CASE WHEN in_period = 0 AND had_it IS NULL AND has_it IS NOT NULL THEN 1 END), 0),
        COALESCE(SUM(CASE WHEN had_it IS NOT NULL AND has_it IS NULL THEN 1 END), 0)
    FROM ({touched}) AS found WHERE line %% %(every)s = 0
"""


def _numbers(reasons: Iterable[Reason]) -> str:
    return ", ".join(str(int(reason)) for reason in reasons)


def _touched(reasons: Iterable[Reason]) -> str:
    """Return the SQL condition for lines with one of these reasons."""
    return _TOUCHED.format(reasons=_numbers(reasons))


# RBB 3.3, 3.5: without a rating, changes count from 0, so that the changes of any set of lines add up.
_MOVED: Final = "COALESCE(after, 0) - COALESCE(before, 0)"

_COUNTS: Final = f"game_id IS NOT NULL AND reason IN ({_numbers(COUNTED)})"

# Each member's lines in the period and rated games in the year: the ledger is read once, by moment. A member
# with neither has no row.
_PLAYED: Final = f"""
CREATE TEMPORARY TABLE played AS
SELECT member_id,
    COUNT(*) FILTER (WHERE in_period AND counts) AS games,
    COALESCE(SUM(moved) FILTER (WHERE in_period AND game_id IS NOT NULL), 0) AS by_games,
    COALESCE(SUM(moved) FILTER (WHERE in_period AND adjustment_id IS NOT NULL), 0) AS by_adjustments,
    COALESCE(SUM(moved) FILTER (WHERE in_period AND opening_id IS NOT NULL), 0) AS by_openings,
    COUNT(*) FILTER (WHERE in_year AND counts) AS year_games,
    COUNT(*) FILTER (WHERE in_period AND game_id IS NOT NULL) AS lines,
    COUNT(*) FILTER (WHERE in_period AND reason = {int(Reason.OPPONENT_UNRATED)}) AS unrated
FROM (
    SELECT member_id, game_id, adjustment_id, opening_id, reason, {_MOVED} AS moved, {_COUNTS} AS counts,
        occurred_at > %(since)s AS in_period, occurred_at > %(year)s AS in_year
    FROM ratings_ratingchange
    WHERE occurred_at > %(earliest)s AND occurred_at <= %(moment)s AND category = %(category)s
) AS line WHERE in_period OR counts GROUP BY member_id
"""  # noqa: S608  numbers of the rules, not values

_FREEZE: Final = f"""
INSERT INTO ratings_ratinglistentry (
    id, rating_list_id, position, rank, member_id, username, fide_id, name, title, federation, sex,
    birth_year, rating, games, previous, period_games, late_games, withdrawn_games, games_change,
    adjustments_change, openings_change, earlier_change, year_games, k
)
WITH compared AS (
    SELECT member_id, SUM(known) AS known, SUM(late) AS late, SUM(withdrawn) AS withdrawn
    FROM ({_COMPARED.format(touched=_touched(COUNTED))}) AS lines GROUP BY member_id
)
SELECT %(first)s + line.position, %(list)s, line.position, line.rank, line.member_id, line.username,
    line.fide_id, line.name, line.title, line.federation, line.sex, line.birth_year, line.rating, line.games,
    line.previous,
    COALESCE(line.period_games, 0) - COALESCE(compared.known, 0) + COALESCE(compared.late, 0),
    COALESCE(compared.late, 0), COALESCE(compared.withdrawn, 0),
    COALESCE(line.by_games, 0), COALESCE(line.by_adjustments, 0), COALESCE(line.by_openings, 0),
    line.rating - COALESCE(line.previous, 0)
        - COALESCE(line.by_games + line.by_adjustments + line.by_openings, 0),
    COALESCE(line.year_games, 0),
    {{k}}
FROM ({{lines}}) AS line
LEFT JOIN compared ON compared.member_id = line.member_id
"""  # noqa: S608  numbers of the rules, not values

_BOTH: Final = f"""
WITH standing (member_id, rating, games) AS (
    SELECT found.member_id, found.rating, found.games FROM ({_STANDING}) AS found
    WHERE %(federation)s = '' OR EXISTS (
        SELECT 1 FROM ratings_ratinglistentry AS entry
        WHERE entry.member_id = found.member_id AND entry.rating_list_id = %(list)s
    )
),
listed (member_id, rating, games) AS (
    SELECT member_id, rating, games FROM ratings_ratinglistentry WHERE rating_list_id = %(list)s
)
"""  # noqa: S608
"""The ledger's standings at the moment of a list, and that list's."""

# Members on only one of the two, or with different values on both.
_DIFFERING: Final = f"""
{_BOTH}
SELECT COUNT(DISTINCT member_id) FROM (
    SELECT * FROM (SELECT * FROM standing EXCEPT SELECT * FROM listed) AS other
    UNION ALL
    SELECT * FROM (SELECT * FROM listed EXCEPT SELECT * FROM standing) AS gone
) AS differing
"""  # noqa: S608

_CORRECTED: Final = f"""
{_BOTH}
SELECT member_id, SUM(rating) FROM (
    SELECT member_id, rating FROM standing
    UNION ALL
    SELECT member_id, -rating FROM listed
) AS one GROUP BY member_id HAVING SUM(rating) <> 0
"""  # noqa: S608


def freeze(published: RatingList) -> None:
    """Fill a stored list, whose moment, federation and previous list are set: lines, figures and checksum."""
    recalculations = Recalculation.objects.filter(category=published.category)
    published.last_recalculation_id = recalculations.aggregate(last=Max("pk"))["last"]
    previous = published.previous
    since = previous.as_of if previous else _EVER
    year = twelve_months_before(published.as_of)
    values = {
        **_place(published),
        "previous": previous.pk if previous else None,
        # Lists up to version 0.5.0 have no kept lines.
        "known": (previous.last_recalculation_id if previous else None) or 0,
        "since": connection.ops.adapt_datetimefield_value(since),
        "year": connection.ops.adapt_datetimefield_value(year),
        "earliest": connection.ops.adapt_datetimefield_value(min(since, year)),
    }
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A million members are sorted and joined in memory; compiling the statement would take another
            # second.
            cursor.execute("SET LOCAL work_mem = '256MB'; SET LOCAL jit = off; SET LOCAL enable_sort = on")
            cursor.execute(f"{_PLAYED}; ANALYZE played", values)
        else:
            cursor.execute(_PLAYED, values)
            for statement in _SORTED:
                cursor.execute(statement, values)
        cursor.execute(_FREEZE.format(lines=_LINES[connection.vendor], k=_k_of(published)), values)
        if connection.vendor == "postgresql":
            # It has no statistics for uncommitted lines; the index has them in order.
            cursor.execute("SET LOCAL enable_sort = off")
            transaction.on_commit(_tell_planner)
        else:
            cursor.execute("DROP TABLE before")
            cursor.execute("DROP TABLE sorted")
        cursor.execute("SELECT COALESCE(SUM(lines), 0), COALESCE(SUM(unrated), 0) FROM played")
        lines, unrated = map(int, cursor.fetchone())
        cursor.execute("DROP TABLE played")
    # Each game has two lines, but one against an unrated player is counted by the rated player's line only.
    _count(published, values, games=lines // 2, unrated=unrated)
    published.checksum = checksum_of(published)
    published.save()


def _k_of(published: RatingList) -> str:
    """Return the SQL for K of the next game after the list (RBB 3.10)."""
    category, edition = published.category, RuleEdition.objects.editions().at(published.as_of)
    new = f"(line.previously_unrated AND line.games < {edition.new_games})"
    cases = [
        f"WHEN {new if rule.new else f'NOT {new}'} AND line.rating >= {rule.ratings[0]}"
        f" AND line.rating < {rule.ratings[1]} AND line.games >= {rule.games[0]}"
        f" AND line.games < {rule.games[1]} THEN {rule.k}"
        for rule in edition.k_rules
        if category in rule.categories
    ]
    return f"CASE {' '.join(cases)} WHEN {new} THEN {edition.k_new} ELSE {edition.k[category]} END"


def checksum_of(published: RatingList) -> str:
    """Return the SHA-256 of a list as CSV, from its stored lines."""
    digest, columns = hashlib.sha256(), published_columns(published)
    for piece in csv_pieces(columns, published_rows(published.entries, columns)):
        digest.update(piece.encode())
    return digest.hexdigest()


def _tell_planner() -> None:
    """Update PostgreSQL's statistics for the new lines, in the columns by which they are found.

    Don't call it within the transaction: two such calls would wait for each other.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ratings_ratinglistentry (rating_list_id, position, member_id, rating)")


def differing_members(published: RatingList) -> int:
    """Return the number of members whose lines on a list differ from the ledger now.

    On a list of one federation only its members count: who belongs to the federation today is another
    question.
    """
    ((count,),) = _compared(_DIFFERING, published)
    return count


def corrected_since(published: RatingList) -> dict[int, int]:
    """Return by member how many hundredths the ledger now has more than the list; no rating counts as 0."""
    return dict(cast("list[tuple[int, int]]", _compared(_CORRECTED, published)))


def _compared(statement: str, published: RatingList) -> list[tuple[int, ...]]:
    with connections[published._state.db or "default"].cursor() as cursor:
        cursor.execute(statement.format(any_order=_ANY_ORDER[connection.vendor]), _place(published))
        return [tuple(map(int, row)) for row in cursor.fetchall()]


def _place(published: RatingList) -> dict[str, Any]:
    return {
        "list": published.pk,
        "first": entry_id(published.pk, 0),
        "category": int(published.category),
        "moment": connection.ops.adapt_datetimefield_value(published.as_of),
        "federation": published.federation,
    }


def _count(published: RatingList, values: dict[str, Any], games: int, unrated: int) -> None:
    """Set the figures of a list's report; ``games`` of the period, and those against ``unrated`` players."""
    entries = published.entries.order_by().annotate(points=hundredths("rating"))
    found = entries.aggregate(members=Count("pk"), total=Sum("points"))
    published.members = found["members"]
    if published.members:
        by_rating = entries.order_by("rating").values_list("points", flat=True)
        middle = (published.members - 1) // 2
        two = list(by_rating[middle : middle + 2 - published.members % 2])
        published.mean = from_hundredths(Hundredths(divide_half_up(found["total"], published.members)))
        published.median = from_hundredths(Hundredths(divide_half_up(sum(two), len(two))))
    known, late, withdrawn = _differing_lines(values, Reason, every=2)
    published.period_games = games - known + late
    published.late_games, published.withdrawn_games = late, withdrawn
    known, late, _withdrawn = _differing_lines(values, (Reason.OPPONENT_UNRATED,), every=1)
    published.unrated_games = unrated - known + late


def _differing_lines(values: dict[str, Any], reasons: Iterable[Reason], every: int) -> tuple[int, int, int]:
    """Count the period's lines with these reasons: lines also on the previous list, late and withdrawn ones.

    ``every``: 2 for White's lines only, that is, for games.
    """
    with connection.cursor() as cursor:
        cursor.execute(_DIFFERING_LINES.format(touched=_touched(reasons)), {**values, "every": every})
        known, late, withdrawn = cursor.fetchone()
    return int(known), int(late), int(withdrawn)
