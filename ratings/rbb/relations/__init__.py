"""RBB's relations to members: how each is merged, exported, and erased when they leave."""

from ratings.office.relations import Relation, Text, declare
from ratings.rbb.relations.games import Adjustments, Decisions, Findings, Games, Log, Openings, PublishedLines
from ratings.rbb.relations.members import Closures, FormerNames, Logins, People, Spans

# The order matters in a merge and when it is undone (decision 0113).
declare(
    People(),
    FormerNames("members.FormerName.member", "text", "since", "until", table="former-names", moves=True),
    # After a merge they can no longer be accepted.
    Relation(
        "members.Invitation.member",
        *("email", "language", "at"),
        table="invitations",
        moves=False,
        goes=True,
    ),
    # They go to the account that they came for as soon as it is a member again.
    Relation("members.Arrival.account", moves=False, goes=True),
    # They are derived from names, and are rewritten at the end.
    Relation("members.NameWord.member", moves=False),
    Games(),
    Openings(
        "ratings.OpeningRating.member",
        *("category", "rating", "games", "previously_unrated", "effective_at", "source"),
        table="opening-ratings",
        moves=True,
    ),
    Adjustments(
        "ratings.OtbAdjustment.member",
        *("category", "period", "change", "effective_at", "source"),
        table="over-the-board-changes",
        moves=True,
    ),
    # Projections: the replay rewrites them.
    Relation(
        "ratings.RatingChange.member",
        *("id", "category", "occurred_at", "game", "opponent__username", "before", "after", "change"),
        *("expected", "k", "games", "reason"),
        table="ledger",
        moves=False,
    ),
    Relation("ratings.RatingChange.opponent", moves=False),
    Relation(
        "ratings.Rating.member",
        *("category", "rating", "games", "peak", "last_event_at"),
        table="ratings",
        moves=False,
    ),
    Spans(),
    # Before the closures: the members affected by one must be known before it moves.
    Relation("members.AccountClosure_opponents.member", moves=True),
    Closures(),
    # Publications and records of corrections keep the names they were made with.
    PublishedLines(),
    Relation(
        "ratings.RecalculatedLine.member",
        *("line", "category", "occurred_at", "opponent__username", "before", "after", "change", "gone"),
        table="corrected-lines",
        moves=False,
    ),
    Relation("ratings.RecalculatedLine.opponent", moves=False),
    Relation("ratings.LateLine.member", "line", "occurred_at", "reason", table="late-lines", moves=False),
    Relation(
        "ratings.RatingList.requested_by",
        *("id", "category", "as_of", "federation"),
        table="requested-lists",
        moves=True,
    ),
    Logins(),
    Decisions(),
    Findings(),
    Log(),
    Text("admin.LogEntry", "object_repr", "change_message"),
    Text("office.FileImport", "parameters", "source", "report", "shown"),
    Text("office.Job", "title", "outcome", "error"),
    Text("django_tasks_database.DBTaskResult", "traceback"),
    Text("ratings.OpeningRating", "source"),
    Text("ratings.OtbAdjustment", "source"),
    Text("ratings.HistoricalOpeningRating", "source", "history_change_reason"),
    Text("ratings.HistoricalOtbAdjustment", "source", "history_change_reason"),
    Text("ratings.HistoricalGame", "history_change_reason"),
    Text("members.AccountClosure", "note"),
    Text("members.HistoricalAccountClosure", "note", "history_change_reason"),
    Text("members.HistoricalMember", "history_change_reason"),
    Text("members.HistoricalFullMembership", "history_change_reason"),
)
