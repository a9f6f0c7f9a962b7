"""What two people do at once: sending, receiving, accepting and appealing."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils import timezone

from ratings.office.models import ChangeSet
from ratings.organizers.models import Scope, Submission
from ratings.organizers.services.inviting import accept_new, end_scope, give_scope
from ratings.organizers.services.submissions import appeal, give_back, take, withdraw
from ratings.otb.services.judging import refuse
from tests.organizers.people import good_report, organizer, sent, tournament
from tests.rbb.test_concurrency import at_once as begin_at_once

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*jobs):
    """What the jobs give that begin together; of one that was refused, what it was told."""

    def told(job):
        try:
            return job()
        except ValidationError as refusal:
            return refusal.messages[0]

    return begin_at_once(*(partial(told, job) for job in jobs))


@pytest.fixture
def scope():
    """That of an organizer with one tournament."""
    return organizer(tournament=tournament())[1]


@pytest.fixture
def by():
    return User.objects.create_superuser("officer")


def test_one_file_sent_twice_at_once_waits_once(scope):
    content = good_report()
    first, second = at_once(lambda: sent(scope, content), lambda: sent(scope, content))
    assert first == second == Submission.objects.get()


def test_of_two_files_sent_at_once_the_later_one_waits(scope):
    contents = good_report(), good_report(kind="Swiss")
    at_once(*(lambda one=one: sent(scope, one) for one in contents))
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["sent", "withdrawn"]


def test_a_file_sent_while_the_office_takes_up_another_waits_beside_it_or_replaces_it(scope, by):
    first = sent(scope, good_report())
    content = good_report(kind="Swiss")
    taken, second = at_once(lambda: take(first, by=by), lambda: sent(scope, content))
    first.refresh_from_db()
    assert second.state == "sent"
    if isinstance(taken, str):
        assert taken == "This report is withdrawn, so it can’t be changed."
        assert first.state == "withdrawn"
    else:
        assert first.state == "taken"


def test_a_file_is_either_taken_up_or_withdrawn(scope, by):
    first, now = sent(scope, good_report()), timezone.now()
    results = at_once(lambda: take(first, by=by), lambda: withdraw(first, by=scope.user, at=now))
    first.refresh_from_db()
    assert first.state == ("withdrawn" if isinstance(results[0], str) else "taken")
    assert sum(isinstance(one, str) for one in results) == 1


def test_a_file_is_returned_once(scope, by):
    first, now = sent(scope, good_report()), timezone.now()
    results = at_once(*(lambda why=why: give_back(first, reason=why, by=by, at=now) for why in ("a", "b")))
    told = "This report is returned, so it can’t be changed."
    assert sorted(results, key=str) == [None, told]


def test_an_invitation_is_accepted_once(by):
    invited = give_scope(email="a@example.org", language="en", by=by, at=timezone.now(), federation="NOR")
    users = at_once(
        *(lambda name=name: accept_new(invited, username=name, password="x") for name in ("anna", "boris"))
    )
    assert sum(isinstance(one, User) for one in users) == 1
    assert "This invitation was used or replaced." in users
    assert User.objects.filter(username__in=("anna", "boris")).get() == Scope.objects.get().user


def test_nothing_is_sent_under_a_scope_that_has_ended(scope, by):
    content, now = good_report(), timezone.now()
    _ended, found = at_once(lambda: end_scope(scope, by=by, at=now), lambda: sent(scope, content))
    told = "You can no longer send reports."
    assert found == told or found.sent_at >= now


def test_two_organizers_of_one_tournament_appeal_once(scope, by):
    other, now = organizer("oskar", tournament=scope.tournament)[1], timezone.now()
    refuse(scope.tournament, "No arbiter.", now.date(), by)
    results = at_once(
        *(
            lambda one=one: appeal(
                scope=one, tournament=one.tournament, text=one.user.username, by=one.user, at=now
            )
            for one in (scope, other)
        )
    )
    assert "An appeal has already been sent. We’ll decide on it." in results
    assert ChangeSet.objects.filter(kind="receive-appeal").count() == 1
