"""Personal data of a member in published lists, decisions, findings and the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType

from members.models import Member
from ratings.office.models import AuditFinding, ChangeSet
from ratings.office.personal import AT_ONCE, Called, Erasing, Person, Table, rewrite, table, values
from ratings.office.relations import Declaration
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rbb.personal.people import pseudonym


class PublishedLines(Declaration):
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


class Decisions(Declaration):
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
            was = one.parameters, one.undo, one.shown, one.outcome, one.subject_meant
            one.parameters = _asked(called, one.parameters)
            if one.undo:
                one.undo = {**one.undo, "parameters": _asked(called, one.undo["parameters"])}
            if one.shown:
                facts = [[section, *called.out_of_json(rest)] for section, *rest in one.shown["facts"]]
                meant = called.out_of_json(one.shown.get("meant"))
                one.shown = {**one.shown, "facts": facts, "meant": meant}
            one.outcome = called.out_of_json(one.outcome)
            one.subject_meant = called.out_of_json(one.subject_meant)
            changed = was != (one.parameters, one.undo, one.shown, one.outcome, one.subject_meant)
            if changed:
                one.save(update_fields=["parameters", "undo", "shown", "outcome", "subject_meant"])
            number += rewrite(one, called, ("subject", "staff_note", "public_text")) or changed
        work.tell_rows(ChangeSet, number)


class Findings(Declaration):
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


class Log(Declaration):
    """The admin's log. Entries about the member's own row may name them in any form."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield when and what was changed, but not by which user."""
        rows = _log_of(person)
        yield Table("log", ("action_time", "change_message"), values(rows, ("action_time", "change_message")))

    def erase(self, work: Erasing) -> None:
        """Replace the names in the log; the changed fields and the times stay."""
        rows = _log_of(work.person)
        work.tell("admin.LogEntry", rows.update(object_repr=work.person.called.instead), "log")


_OF_CHANGE_SETS = (
    *("parameters", "undo", "shown", "outcome", "subject", "subject_meant", "staff_note", "public_text"),
)


def _log_of(person: Person) -> Any:
    content_type = ContentType.objects.get_for_model(Member)
    keys = [str(key) for key in person.keys]
    return LogEntry.objects.filter(content_type=content_type, object_id__in=keys).order_by("pk")


def _asked(called: Called, parameters: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a decision's parameters without the names. Numbers are keys of rows, except a FIDE ID."""
    return {
        name: [text if text.isdigit() and name != "fide_id" else called.out_of(text) for text in told]
        for name, told in parameters.items()
    }
