"""Every kind of decision does the same things in the same way: one test case class that each is run through.

A subclass names its kind, arranges facts and gives the parameters of its form; says how to change the facts
behind a preview so that another effect comes out; and reads what a decision may alter.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from django_tasks_db.management.commands import db_worker

from foa.text import utc_text
from ratings.office.deciding import (
    Proposal,
    StaleError,
    confirm,
    decide_at_once,
    is_long,
    preview,
    second,
    try_again,
)
from ratings.office.decision_types import Decision, kind_of
from ratings.office.models import ChangeSet, Job
from ratings.rules.time_controls import Category
from tests.databases import next_keys, set_next_keys

REASONS = {"public_reason": "error", "staff_note": "seen by two"}


def page_of(kind: str) -> str:
    """The address of the page that decides."""
    return reverse("admin:office_changeset_decide", args=(kind,))


def shown_on(response: Any) -> str:
    """What a page of a decision has shown, as its form posts it."""
    found = re.search(r'name="shown" value="([^"]*)"', response.content.decode())
    assert found, "the page offers nothing to confirm: " + response.content.decode()
    return unescape(found.group(1))


def do_jobs() -> None:
    """Do all jobs that wait, here and now. Only with the fixture ``worker``."""
    db_worker.Worker(
        queue_names=["default"],
        excluded_queue_names=[],
        backend_name="default",
        worker_id="test",
        interval=0,
        startup_delay=False,
        batch=True,
        max_tasks=None,
    ).run()


def look(client: Client, address: str, parameters: Any = None, *, posted: bool = False) -> Any:
    """Look at what a decision would do; what may take long is worked out by the worker."""
    return found(client, (client.post if posted else client.get)(address, parameters))


def found(client: Client, answer: Any, **how: Any) -> Any:
    """Let the worker find out what a page waits for, if it does."""
    if answer.status_code != 302 or "rehearsal=" not in answer["Location"]:
        return answer
    do_jobs()
    return client.get(answer["Location"], **how)


def decide(client: Client, address: str, parameters: dict[str, Any], **reasons: str) -> Any:
    """Look at a decision and confirm what is shown, with the reasons that everybody gives."""
    looked = look(client, address, parameters)
    assert looked.status_code == 200
    return client.post(address, {**parameters, "shown": shown_on(looked), **REASONS, **reasons})


def confirmed_on(client: Client, page: Any, **reasons: str) -> Any:
    """Confirm what a page shows that another page has led to."""
    (form,) = re.findall(
        r'<form method="post" action="([^"]*)"[^>]*id="confirm">(.*?)</form>', page.text, re.S
    )
    hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form[1])
    posted: dict[str, list[str]] = {}
    for name, value in hidden:
        posted.setdefault(name, []).append(unescape(value))
    return client.post(form[0], {**posted, **REASONS, **reasons})


def decided(
    kind: str,
    /,
    *,
    by: Any = None,
    undoes: Any = None,
    reason: str = "routine",
    note: str = "",
    **parameters: list[str],
) -> Any:
    """The change set of a decision that is applied at once; None where there was nothing to do."""
    proposal = Proposal(
        kind=kind_of(kind), parameters=parameters, by=by, reason=reason, note=note, undoes=undoes
    )
    return decide_at_once(proposal)[0]


def undo(change_set: Any) -> Any:
    """Take a decision back as its page does."""
    # Not by decided(): parameters of a decision may be called as the reason or the note of a proposal.
    kind, parameters = kind_of(change_set.undo["kind"]), change_set.undo["parameters"]
    return decide_at_once(Proposal(kind=kind, parameters=parameters, undoes=change_set))[0]


def staff_login(name: str, kind: str | None = None) -> Client:
    """Somebody of the staff, who may make decisions of this kind and look at change sets."""
    user = User.objects.create_user(name, is_staff=True)
    if kind is not None:
        app, _, codename = kind_of(kind).permission.partition(".")
        rights = [(app, codename), ("office", "view_changeset"), ("office", "view_job")]
        for label, right in rights:
            user.user_permissions.add(Permission.objects.get(content_type__app_label=label, codename=right))
    client = Client()
    client.force_login(user)
    client.user = user  # type: ignore[attr-defined]
    return client


@pytest.mark.django_db
class DecisionCase:
    """What holds for every kind."""

    kind: ClassVar[str]
    undoable: ClassVar[bool] = True
    is_public: ClassVar[bool] = True
    says_what_differs: ClassVar[bool] = True
    """False where the change behind the preview makes the decision impossible, which the page says."""
    told_by_number: ClassVar[Mapping[str, str]] = {}
    """How the fact begins that tells a number of inputs instead of each, by the name of their model."""
    shows_mechanism: ClassVar[bool] = False
    """Whether this kind shows what is the same for all where only some do: one done at once, one as a job."""

    def arrange(self) -> dict[str, list[str]]:
        """Enter facts, once for the whole class; the parameters of a decision about them."""
        raise NotImplementedError

    def disturb(self) -> None:
        """Change the facts so that the decision would do something else."""
        raise NotImplementedError

    def state(self) -> Any:
        """Whatever the decision alters, to compare."""
        raise NotImplementedError

    def staff(self, name: str) -> Client:
        """Somebody who may make this decision."""
        return staff_login(name, self.kind)

    @pytest.fixture(scope="class")
    @classmethod
    def once(cls, standing, tmp_path_factory):
        """What the class has as its attributes, and the files that were kept for it."""
        uploads = tmp_path_factory.mktemp("uploads")
        return standing(_arranged, cls, uploads), uploads

    @pytest.fixture(autouse=True)
    def _arranged(self, once, db, worker, settings):
        attributes, uploads = once
        vars(self).update(deepcopy(attributes))
        shutil.copytree(uploads, settings.UPLOAD_DIR)
        self.work = worker

    @pytest.fixture
    def officer(self):
        return self._officer

    def address(self) -> str:
        return page_of(self.kind)

    def proposal(self, by: Any = None) -> Proposal:
        return Proposal(kind=kind_of(self.kind), parameters=self.parameters, by=by)

    def confirmed(self, client: Client) -> ChangeSet:
        """Look, confirm, and let the worker do it where it is a job."""
        response = decide(client, self.address(), self.parameters)
        assert response.status_code == 302, response.content.decode()
        self.work()
        return ChangeSet.objects.latest("pk")

    @pytest.mark.rendered
    def test_nobody_decides_without_the_right(self):
        stranger = staff_login("stranger")
        before = self.state()
        for answer in (
            stranger.get(self.address(), self.parameters),
            stranger.post(self.address(), {**self.parameters, "shown": "x", **REASONS}),
        ):
            assert answer.status_code == 403
        assert self.state() == before

    @pytest.mark.mechanism
    def test_a_preview_shows_and_changes_nothing(self, officer):
        before = self.state()
        looked = look(officer, self.address(), self.parameters)
        assert looked.status_code == 200
        assert shown_on(looked)
        assert self.state() == before
        assert not ChangeSet.objects.decided().exists()

    def test_what_was_shown_is_what_is_done(self, officer):
        effect = preview(self.proposal())
        done = self.confirmed(officer)
        assert done.state == ChangeSet.State.APPLIED, done.outcome
        assert done.fingerprint == effect.fingerprint
        assert (done.proposed_by.username, done.moved) == ("officer", len(effect.moves))
        assert done.moves.count() == done.moved
        register = Client().get(done.get_absolute_url())
        assert register.status_code == (200 if self.is_public else 404)
        assert REASONS["staff_note"] not in register.content.decode()
        assert "officer" not in register.content.decode()

    def test_it_tells_every_input_that_it_writes(self):
        before = stored_inputs()
        _done, effect = decide_at_once(self.proposal())
        after = stored_inputs()
        # Their values alone: what they are called may come from another row.
        values = [{one: fields for one, (fields, _names) in rows.items()} for rows in (before, after)]
        written = [one for one in before.keys() | after.keys() if values[0].get(one) != values[1].get(one)]
        told = [fact.key for fact in effect.facts if fact.section == "inputs"]
        objects = {(one._meta.model_name, one.pk) for one in effect.objects}
        untold = []
        for one in written:
            names = (after.get(one) or before[one])[1] + [f"{one[0]} new"] * (one not in before)
            if one not in objects and not any(is_about(key, name) for key in told for name in names):
                untold.append(one)
        numbers = {}
        for model, key in self.told_by_number.items():
            (fact,) = [fact for fact in effect.facts if is_about(fact.key, key)]
            said = (fact.after, fact.before, fact.key.split()[-1])
            numbers[model] = next(int(text) for text in said if text.isdecimal())
        assert Counter(model for model, _key in untold) == numbers, (untold, told)

    @pytest.mark.mechanism
    def test_a_stale_preview_is_refused_and_says_what_differs(self, officer):
        shown = shown_on(look(officer, self.address(), self.parameters))
        self.disturb()
        before = self.state()
        answer = officer.post(self.address(), {**self.parameters, "shown": shown, **REASONS})
        self.work()
        assert self.state() == before
        assert not ChangeSet.objects.decided().applied().exists()
        if kind_of(self.kind).as_job:
            change_set = ChangeSet.objects.decided().get()
            answer = officer.get(reverse("admin:office_changeset_change", args=(change_set.pk,)))
            assert change_set.state in (ChangeSet.State.STALE, ChangeSet.State.REFUSED)
            assert change_set.outcome
        page = answer.content.decode()
        assert answer.status_code == 200
        if self.says_what_differs and not kind_of(self.kind).as_job:
            assert 'id="differs"' in page
        elif not kind_of(self.kind).as_job:
            assert 'role="alert"' in page

    @pytest.mark.mechanism
    def test_a_second_person_confirms_and_never_the_first(self, officer, settings):
        settings.SECOND_PERSON_KINDS = [self.kind]
        before = self.state()
        waiting = self.confirmed(officer)
        assert waiting.state == ChangeSet.State.PROPOSED
        assert self.state() == before
        own = reverse("admin:office_changeset_change", args=(waiting.pk,))
        assert 'name="second"' not in officer.get(own).content.decode()
        with pytest.raises(ValidationError):
            second(waiting, officer.user, waiting.shown)
        with pytest.raises(IntegrityError), transaction.atomic():
            ChangeSet.objects.filter(pk=waiting.pk).update(seconded_by=officer.user)
        other = self.staff("other")
        looked = other.get(own)
        assert other.post(own, {"second": "yes", "shown": shown_on(looked)}).status_code == 302
        self.work()
        waiting.refresh_from_db()
        assert waiting.state == ChangeSet.State.APPLIED, waiting.outcome
        assert waiting.seconded_by.username == "other"

    @pytest.mark.mechanism
    def test_what_changed_since_it_was_proposed_is_not_seconded(self, officer, settings):
        settings.SECOND_PERSON_KINDS = [self.kind]
        waiting = self.confirmed(officer)
        self.disturb()
        before = self.state()
        other = self.staff("other")
        own = reverse("admin:office_changeset_change", args=(waiting.pk,))
        page = other.get(own)
        if is_long(self.proposal()):
            # The worker finds out.
            other.post(own, {"second": "yes", "shown": shown_on(page)})
            self.work()
            waiting.refresh_from_db()
            assert waiting.state in (ChangeSet.State.STALE, ChangeSet.State.REFUSED)
        else:
            assert 'name="second"' not in page.content.decode()
            assert 'role="alert"' in page.content.decode()
        assert self.state() == before

    @pytest.mark.mechanism
    def test_a_command_of_a_kind_for_two_waits_as_well(self, settings):
        settings.SECOND_PERSON_KINDS = ["all"]
        before = self.state()
        change_set, _effect = decide_at_once(self.proposal())
        assert change_set is not None
        assert change_set.state == ChangeSet.State.PROPOSED
        assert self.state() == before

    def test_what_changes_between_its_form_and_its_lock_is_seen(self, monkeypatch):
        # Otherwise two outcomes differ by their moments.
        monkeypatch.setattr(timezone, "now", partial(lambda moment: moment, timezone.now()))
        arranged, kind, keys = deepcopy(vars(self)), kind_of(self.kind), next_keys()
        for meanwhile in (
            self.disturb,
            lambda: kind.apply(Decision(_asked(self.proposal()), timezone.now())),
        ):
            with transaction.atomic():
                meanwhile()
                known = self._outcome()
                transaction.set_rollback(True)
            vars(self).update(deepcopy(arranged))
            set_next_keys(keys)

            def lock(form, meanwhile=meanwhile):
                meanwhile()
                return type(kind).lock(kind, form)

            with patch.object(kind, "lock", lock):
                assert self._outcome() in (known, "refused", "nothing to do")
            set_next_keys(keys)

    def _outcome(self) -> Any:
        """What the decision alters where it is made without having been shown."""
        try:
            with transaction.atomic():
                done, _effect = decide_at_once(self.proposal())
                # What has nothing to do takes the change with it that the test makes in its transaction.
                outcome = self.state() if done else "nothing to do"
                transaction.set_rollback(True)
                return outcome
        except (ValidationError, IntegrityError):
            return "refused"

    @pytest.mark.mechanism
    def test_of_two_who_confirm_the_same_one_does_it(self, officer):
        shown = preview(self.proposal()).shown()
        other = self.staff("other")
        confirm(self.proposal(officer.user), shown)
        self.work()
        after = self.state()
        # Done at once it is refused; left to the worker, it is refused there.
        with suppress(StaleError, ValidationError):
            confirm(self.proposal(other.user), shown)
        self.work()
        assert ChangeSet.objects.decided().applied().count() == 1
        assert self.state() == after

    def test_it_is_taken_back_by_another_decision_or_says_that_it_cannot(self, officer):
        before = self.state()
        done = self.confirmed(officer)
        assert self.state() != before
        if not self.undoable:
            assert done.undo is None
            return
        undone = undo(done)
        assert undone is not None
        assert undone.state == ChangeSet.State.APPLIED
        assert self.state() == before
        assert done.undone_by.get() == undone

    @pytest.mark.mechanism
    def test_a_job_whose_worker_died_can_be_tried_again(self, officer):
        if not kind_of(self.kind).as_job:
            pytest.skip("It is done at once.")
        before = self.state()
        waiting = confirm(self.proposal(officer.user), preview(self.proposal()).shown())
        Job.objects.filter(pk=waiting.job_id).update(state=Job.State.FAILED)
        assert self.state() == before
        assert try_again(waiting).job_id != Job.objects.earliest("pk").pk
        self.work()
        waiting.refresh_from_db()
        assert waiting.state == ChangeSet.State.APPLIED, waiting.outcome

    @pytest.mark.rendered
    def test_rating_officers_may_decide_it(self):
        app, _, codename = kind_of(self.kind).permission.partition(".")
        group = Group.objects.get(name="Rating officers")
        assert group.permissions.filter(content_type__app_label=app, codename=codename).exists()


INPUTS: dict[str, Callable[[Any], list[str]]] = {
    "ratings.Game": lambda one: [],
    "ratings.OpeningRating": lambda one: [_place(one), f"opening {_place(one)}"],
    "ratings.OtbAdjustment": lambda one: [_place(one)],
    "ratings.RuleEdition": lambda one: [f"edition {one.since}"],
    "members.Member": lambda one: [one.username],
    "members.FullMembership": lambda one: [
        f"{one.member.username} {utc_text(one.full_from)}",
        f"{one.member.username} spans",
    ],
    "members.AccountClosure": lambda one: [f"{one.member.username} closed {utc_text(one.closed_from)}"],
    "fide.Announcement": lambda one: [f"{one.period:%Y-%m}"],
    "fide.DoubleRating": lambda one: [],
    "league.League": lambda one: [],
    "league.Season": lambda one: [],
    "league.Team": lambda one: [f"{one.season} team {one}"],
    "league.Player": lambda one: [],
    "league.SquadPlayer": lambda one: [],
    "league.Board": lambda one: [f"round {one.match.round} board {one.number} of {_teams(one.match)}"],
    "otb.Tournament": lambda one: _of_tournament(one),
    "otb.TournamentReport": lambda one: _of_tournament(one.tournament, "report"),
    "otb.AcceptedFinding": lambda one: _of_tournament(one.tournament, f"finding {one.finds}"),
    "otb.Refusal": lambda one: [
        name
        for field in ("text", "appeal", "decision", "end_reason")
        for name in _of_tournament(one.tournament, field)
    ],
    "otb.RaisedList": lambda one: [],
}
"""What people and servers enter, from which every figure follows, and what facts call it besides its key.

A match comes with its boards, and the source of a first rating with its opening.
"""


def stored_inputs() -> dict[tuple[str, Any], tuple[dict[str, Any], list[str]]]:
    """Every stored input by the name of its model and its key: its fields, and what facts may call it."""
    stored = {}
    for label, called in INPUTS.items():
        model = apps.get_model(label)
        for row in model._base_manager.all():
            fields = {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}
            names = [f"{model._meta.model_name} {row.pk}", *called(row)]
            stored[model._meta.model_name, row.pk] = fields, names
    return stored


def is_about(key: str, name: str) -> bool:
    """Whether the key of a fact begins with this name."""
    return f"{key} ".startswith(f"{name} ")


def _place(one: Any) -> str:
    return f"{Category(one.category).slug} {one.member_id}"


def _teams(match: Any) -> str:
    return f"{match.home_team} – {match.away_team}"


def _of_tournament(one: Any, what: str = "") -> list[str]:
    """What facts call something of a tournament, which may be new or a part of another."""
    part = [f"tournament {one.part_of_id} part {one.name}"] if one.part_of_id else []
    return [*part, *(f"tournament {key} {what}".rstrip() for key in (one.pk, "new"))]


def _asked(proposal: Proposal) -> dict[str, Any]:
    """What the form of a proposal has read."""
    form = proposal.kind.bind(proposal.parameters)
    assert form.is_valid(), form.errors
    return form.cleaned_data


def _arranged(case: type[DecisionCase], uploads: Path) -> dict[str, Any]:
    """What a case has as its attributes once its facts are entered, and its officer."""
    one = case()
    with override_settings(UPLOAD_DIR=uploads):
        one.parameters = one.arrange()
    one._officer = one.staff("officer")
    return vars(one)
