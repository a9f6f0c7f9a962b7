"""Personal data of members who report tournaments."""

from __future__ import annotations

from collections.abc import Iterator

from oauth2_provider.models import get_application_model

from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, Text, declare
from ratings.organizers.models import Scope, Submission


class Reporting(Declaration):
    """The scopes of a member's login, and the files that it sent."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the scopes and the facts of sent files, without the contents, which are about the players."""
        scopes = Scope.objects.filter(user__in=person.logins).order_by("pk")
        columns = ("tournament__name", "federation", "team__name", "given_at", "ended_at")
        yield table("reporting", scopes, columns)
        sent = Submission.objects.filter(sent_by__in=person.logins).order_by("pk")
        facts = ("source", "sha256", "sent_at", "state", "confirmed_at", "closed_at", "reason")
        yield table("sent-reports", sent, facts)
        programs = get_application_model().objects.filter(user__in=person.logins).order_by("pk")
        yield table("programs", programs, ("client_id", "created", "updated"))

    def erase(self, work: Erasing) -> None:
        """Keep the files without the people who sent, confirmed or handled them."""
        logins = work.person.logins
        work.tell_rows(Submission, Submission.objects.filter(sent_by__in=logins).update(sent_by=None))
        Submission.objects.filter(confirmed_by__in=logins).update(confirmed_by=None)
        Submission.objects.filter(handled_by__in=logins).update(handled_by=None)
        work.tell_rows(Scope, Scope.objects.filter(user__in=logins).delete()[1].get(Scope._meta.label, 0))


declare(Reporting(), Text("organizers.Submission", "source", "reason"))
