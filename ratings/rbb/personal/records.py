"""Personal data of a member in the arena's records and ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from members.closures import AccountClosure
from members.former import FormerName, Merge
from members.models import FullMembership, Member
from members.usernames import key_of
from ratings.office.models import AuditFinding, ChangeSet
from ratings.office.personal import (
    AT_ONCE,
    Called,
    Erasing,
    Person,
    PersonalData,
    Table,
    holds,
    personal,
    rewrite,
    table,
    texts,
    values,
)
from ratings.rbb.memberships import change_spans
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.personal import games, logins  # noqa: F401  imported for what they register
from ratings.rbb.personal.people import pseudonym


@personal
class People(PersonalData):
    """The member, and the accounts that were merged into them."""

    place = 10
    relations = ("members.Member.merged_into", "members.Merge.other")

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the member as stored, earlier versions, and former names."""
        columns = ("id", "username", "name", "fide_id", "federation", "sex", "birth_year", "title")
        rows = Member.everybody.filter(pk__in=person.keys).order_by("pk")
        yield table("member", rows, (*columns, "hides_birth", "merged_into"))
        history = Member.history.filter(id__in=person.keys).order_by("history_date", "history_id")
        yield table("member-before", history, ("history_date", *columns))

    def erase(self, work: Erasing) -> None:
        """Erase what identifies the member, and its history. The federation stays: lists depend on it."""
        keys = work.person.keys
        # Before the rows: a merge keeps what it moved.
        Merge.objects.filter(other__in=keys).delete()
        Member.history.filter(id__in=keys).delete()
        FormerName.objects.filter(member__in=keys).delete()
        for one in work.person.accounts:
            new = pseudonym(one)
            # With the manager that records no former names.
            Member._base_manager.filter(pk=one.pk).update(
                username=new.username,
                username_key=key_of(new.username),
                name=new.name,
                fide_id=None,
                sex="",
                birth_year=None,
                title="",
                user=None,
                withdrawn_at=work.at,
            )
        work.tell("members.Member", len(keys), str(Member._meta.verbose_name_plural))


holds("members.Invitation.member", "email", "language", "at", name="invitations", goes=True)


@personal
class Spans(PersonalData):
    """RBB 2.1: full membership, which ends when the member leaves."""

    place = 11
    relations = ("members.FullMembership.member",)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the spans."""
        rows = FullMembership.objects.filter(member__in=person.keys).order_by("full_from")
        yield table("full-memberships", rows, ("full_from", "full_until"))

    def erase(self, work: Erasing) -> None:
        """End full membership: no further rated games can be played under the account."""
        member = work.person.member
        held = FullMembership.objects.spans_of([member.pk])[member.pk]
        left = [(begin, min(end or work.at, work.at)) for begin, end in held if begin < work.at]
        if left != held:
            change_spans(member=member, spans=left, rate=(), by=work.by, note=work.note)
            work.tell_rows(FullMembership, len(held))


@personal
class PublishedLines(PersonalData):
    """Lines of published lists. They keep rank and rating, and the list says that its file has changed."""

    relations = ("ratings.RatingListEntry.member",)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the lines, as they were published."""
        columns = (
            "rating_list__category",
            "rating_list__month",
            "rating_list__revision",
            "rank",
            "username",
            "name",
            "fide_id",
            "title",
            "federation",
            "sex",
            "birth_year",
            "rating",
            "games",
        )
        rows = RatingListEntry.objects.filter(member__in=person.keys).order_by("rating_list", "pk")
        yield table("published-lines", rows, columns)

    def erase(self, work: Erasing) -> None:
        """Erase names in place: a revision would suggest that ratings were wrong."""
        lists: set[int] = set()
        number = 0
        for one in work.person.accounts:
            lines = RatingListEntry.objects.filter(member=one).order_by()
            lists.update(lines.values_list("rating_list", flat=True))
            new = pseudonym(one)
            number += lines.update(
                username=new.username, name=new.name, fide_id=None, title="", sex="", birth_year=None
            )
        RatingList.objects.filter(pk__in=lists).update(withdrawn_at=work.at)
        work.tell_rows(RatingListEntry, number)


@personal
class Closures(PersonalData):
    """Closures of the account. The fact that it was closed is kept, because games are void by it."""

    relations = ("members.AccountClosure.member", "members.AccountClosure_opponents.member")

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the dates and categories of the closures, and separately the notes of staff."""
        rows = AccountClosure.objects.filter(member__in=person.keys).order_by("closed_from")
        columns = ("closed_from", "closed_until", "category", "games_since", "decided_at")
        yield table("closed-accounts", rows, columns)
        yield table("closed-accounts-notes", rows, ("closed_from", "note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Empty the notes."""
        rows = AccountClosure.objects.filter(member__in=work.person.keys)
        keys = list(rows.values_list("pk", flat=True))
        work.tell_rows(AccountClosure, rows.exclude(note="").update(note=""))
        AccountClosure.history.filter(id__in=keys).exclude(note="").update(note="")


@personal
class Decisions(PersonalData):
    """Change sets that name the member. Their effects stay, and so do the means to undo them."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the decisions about the person, and separately the notes of staff."""
        found = person.called.match(ChangeSet, _OF_CHANGE_SETS)
        columns = ("id", "kind", "state", "public_reason", "public_text", "proposed_at", "applied_at")
        yield table("decisions", found, columns)
        yield table("decisions-notes", found, ("id", "staff_note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Replace the person's names in parameters, texts shown and notes."""
        called = work.person.called
        number = 0
        for one in called.match(ChangeSet, _OF_CHANGE_SETS).iterator(AT_ONCE):
            was = one.parameters, one.undo, one.shown, one.outcome
            one.parameters = _asked(called, one.parameters)
            if one.undo:
                one.undo = {**one.undo, "parameters": _asked(called, one.undo["parameters"])}
            if one.shown:
                facts = [[section, *called.out_of_json(rest)] for section, *rest in one.shown["facts"]]
                one.shown = {**one.shown, "facts": facts}
            one.outcome = called.out_of_json(one.outcome)
            changed = was != (one.parameters, one.undo, one.shown, one.outcome)
            if changed:
                one.save(update_fields=["parameters", "undo", "shown", "outcome"])
            number += rewrite(one, called, ("subject", "staff_note", "public_text")) or changed
        work.tell_rows(ChangeSet, number)


@personal
class Findings(PersonalData):
    """Findings of the audit that name the member. Those that are still true will be found again."""

    def erase(self, work: Erasing) -> None:
        """Delete the findings: with different words they wouldn't be the accepted ones."""
        called = work.person.called
        found = called.match(AuditFinding, ("words", "key"))
        keys = [
            one.pk for one in found if called.is_in(one.key) or called.out_of_json(one.words) != one.words
        ]
        AuditFinding.objects.filter(pk__in=keys).delete()
        work.tell_rows(AuditFinding, len(keys))


@personal
class Log(PersonalData):
    """The admin's log. Entries about the member's own row may name them in any form."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield when and what was changed, but not by which user."""
        rows = _log_of(person)
        yield Table("log", ("action_time", "change_message"), values(rows, ("action_time", "change_message")))

    def erase(self, work: Erasing) -> None:
        """Replace the names in the log; the changed fields and the times stay."""
        rows = _log_of(work.person)
        work.tell("admin.LogEntry", rows.update(object_repr=work.person.called.instead), "log")


_OF_CHANGE_SETS = ("parameters", "undo", "shown", "outcome", "subject", "staff_note", "public_text")


def _log_of(person: Person) -> Any:
    from django.contrib.admin.models import LogEntry
    from django.contrib.contenttypes.models import ContentType

    content_type = ContentType.objects.get_for_model(Member)
    keys = [str(key) for key in person.keys]
    return LogEntry.objects.filter(content_type=content_type, object_id__in=keys).order_by("pk")


def _asked(called: Called, parameters: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a decision's parameters without the names. Numbers are keys of rows, except a FIDE ID."""
    return {
        name: [text if text.isdigit() and name != "fide_id" else called.out_of(text) for text in told]
        for name, told in parameters.items()
    }


holds("members.FormerName.member", "text", "since", "until", name="former-names")
holds(
    "ratings.OpeningRating.member",
    *("category", "rating", "games", "previously_unrated", "effective_at", "source"),
    name="opening-ratings",
)
holds(
    "ratings.OtbAdjustment.member",
    *("category", "period", "change", "effective_at", "source"),
    name="over-the-board-changes",
)
holds(
    "ratings.RatingChange.member",
    *("id", "category", "occurred_at", "game", "opponent__username", "before", "after", "change", "expected"),
    *("k", "games", "reason"),
    name="ledger",
)
# They are derived from names, and are rewritten at the end.
holds("members.NameWord.member")
holds("ratings.RatingChange.opponent")
holds("ratings.Rating.member", "category", "rating", "games", "peak", "last_event_at", name="ratings")
holds(
    "ratings.RecalculatedLine.member",
    *("line", "category", "occurred_at", "opponent__username", "before", "after", "change", "gone"),
    name="corrected-lines",
)
holds("ratings.RecalculatedLine.opponent")
holds("ratings.LateLine.member", "line", "occurred_at", "reason", name="late-lines")
holds("ratings.RatingList.requested_by", "id", "category", "as_of", "federation", name="requested-lists")

texts("admin.LogEntry", "object_repr", "change_message")
texts("office.FileImport", "parameters", "source", "report", "shown")
texts("office.Job", "title", "outcome", "error")
texts("django_tasks_database.DBTaskResult", "traceback")
texts("ratings.OpeningRating", "source")
texts("ratings.OtbAdjustment", "source")
texts("ratings.HistoricalOpeningRating", "source", "history_change_reason")
texts("ratings.HistoricalOtbAdjustment", "source", "history_change_reason")
texts("ratings.HistoricalGame", "history_change_reason")
texts("members.AccountClosure", "note")
texts("members.HistoricalAccountClosure", "note", "history_change_reason")
texts("members.HistoricalMember", "history_change_reason")
texts("members.HistoricalFullMembership", "history_change_reason")
