"""The audit: what contradicts the rules is found, mended or accepted, and never forgotten in between."""

import json

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils.translation import gettext_noop

from ratings.office import audit as audits
from ratings.office.audit import Check, Finding, audit
from ratings.office.models import AuditedCheck, AuditFinding, ChangeSet, Job
from tests.arena import START, game, rated
from tests.commands import run
from tests.decisions import DecisionCase, confirmed_on, decide, look, staff_login

pytestmark = pytest.mark.django_db

PAGE = "admin:office_auditfinding_changelist"


@pytest.fixture
def found(monkeypatch):
    """What the only check of the audit finds, to be filled by a test."""
    findings = []
    check = Check("colours", "RBB 0.0", "Games of the wrong colour", lambda: iter(findings))
    monkeypatch.setattr(audits, "_CHECKS", {"colours": check})
    return findings


def wrong(number, colour="green", mends=None):
    words = {"number": str(number), "colour": colour}
    return Finding(f"game {number}", gettext_noop("Game %(number)s is %(colour)s."), words, "/games/", mends)


def officer(client):
    user = User.objects.create_user("clerk", is_staff=True)
    user.groups.add(Group.objects.get(name="Rating officers"))
    client.force_login(user)
    return client


def test_the_command_lists_what_is_open_and_ends_with_1(found):
    found += [wrong(1), wrong(2, "blue")]
    done = run("audit")
    assert done.code == 1
    assert done.out.splitlines() == [
        "RBB 0.0: Games of the wrong colour (colours): 2 open",
        "  Game 1 is green.",
        "  Game 2 is blue.",
    ]
    assert done.err == "2 open findings in 1 check."
    found.clear()
    done = run("audit")
    assert (done.code, done.out) == (0, "1 check: no open findings.\n")
    assert not AuditFinding.objects.exists()


def test_findings_are_json_line_by_line(found):
    found.append(wrong(1, mends=("void-games", {"game": ["1"]})))
    done = run("audit", "--json")
    assert done.code == 1
    assert json.loads(done.out) == {
        "article": "RBB 0.0",
        "check": "colours",
        "key": "game 1",
        "text": "Game 1 is green.",
        "address": "/games/",
        "mends": {"kind": "void-games", "parameters": {"game": ["1"]}},
        "accepted": None,
    }


def test_a_check_that_does_not_exist_is_refused_with_those_that_do(found):
    done = run("audit", "--only", "colors")
    assert done.code == 1
    assert "unknown check “colors”; the checks are: colours" in done.err


def test_an_accepted_finding_stays_accepted_until_it_says_something_else(found, client):
    found.append(wrong(1))
    audit()
    finding = AuditFinding.objects.get()
    response = decide(officer(client), reverse("admin:office_auditfinding_accept"), {"finding": [finding.pk]})
    assert response.status_code == 302
    assert audit().open == {"colours": 0}
    kept = AuditFinding.objects.get()
    assert (kept.accepted_by.username, kept.accepted_note) == ("clerk", "seen by two")
    assert run("audit").code == 0
    found.clear()
    assert audit().accepted == {"colours": 0}
    found.append(wrong(1))
    assert audit().accepted == {"colours": 1}
    found[:] = [wrong(1, "blue")]
    assert audit().open == {"colours": 1}
    assert AuditFinding.objects.get().accepted_note == ""


def test_a_finding_that_is_gone_is_forgotten_unless_somebody_has_accepted_it(found):
    found += [wrong(1), wrong(2)]
    audit()
    del found[0]
    audit()
    assert [one.key for one in AuditFinding.objects.all()] == ["game 2"]


def test_a_check_that_fails_leaves_what_it_had_found(found, monkeypatch):
    found.append(wrong(1))
    audit()

    def fail():
        yield wrong(2)
        raise ZeroDivisionError

    monkeypatch.setattr(audits, "_CHECKS", {"colours": Check("colours", "RBB 0.0", "Broken", fail)})
    with pytest.raises(ZeroDivisionError):
        audit()
    assert [one.key for one in AuditFinding.objects.filter(is_there=True)] == ["game 1"]


def test_the_page_leads_to_what_is_found_and_to_the_decision_that_mends_it(found, client):
    one = game(rated(1800), rated(1700))
    found.append(wrong(one.pk, mends=("void-games", {"game": [str(one.pk)]})))
    audit()
    page = officer(client).get(reverse(PAGE)).text
    address = f"{reverse('admin:office_changeset_decide', args=('void-games',))}?game={one.pk}"
    assert "RBB 0.0" in page
    assert f'href="{address}"' in page
    assert 'href="/games/"' in page
    assert client.get(address).status_code == 200
    assert (
        client.get(
            reverse("admin:office_auditfinding_change", args=(AuditFinding.objects.get().pk,))
        ).status_code
        == 200
    )


def test_the_worker_runs_it_for_who_may_ask(found, client, worker):
    found.append(wrong(1))
    auditor = staff_login("auditor")
    assert auditor.post(reverse("admin:office_auditfinding_run")).status_code == 403
    response = officer(client).post(reverse("admin:office_auditfinding_run"))
    assert response.status_code == 302
    worker()
    assert Job.objects.get().state == Job.State.DONE
    assert Job.objects.get().outcome[0]["text"] == "1 open finding."
    assert AuditedCheck.objects.get().name == "colours"
    assert "The audit has not run yet." not in client.get(reverse(PAGE)).text


def test_many_findings_are_accepted_at_once_and_none_of_it_is_public(found, client):
    found += [wrong(number) for number in range(3)]
    audit()
    keys = [one.pk for one in AuditFinding.objects.all()]
    chosen = {"action": "accept", "_selected_action": keys}
    shown = officer(client).post(reverse(PAGE), chosen)
    assert confirmed_on(client, shown).status_code == 302
    assert AuditFinding.objects.open().count() == 0
    change_set = ChangeSet.objects.get()
    assert client.get(change_set.get_absolute_url()).status_code == 404
    assert "Accept findings" not in client.get(reverse("office:register")).text
    accepted = client.get(reverse(PAGE), {"state": "accepted"})
    assert accepted.text.count("is green.") >= 3


class TestAccepting(DecisionCase):
    kind = "accept-findings"
    is_public = False

    @pytest.fixture(autouse=True)
    def _check(self, found):
        """The check of this module."""

    def arrange(self):
        finding = AuditFinding.objects.create(
            check_name="colours", key="game 1", text="Green.", found_at=START
        )
        return {"finding": [str(finding.pk)]}

    def disturb(self):
        AuditFinding.objects.update(words={"colour": "blue"})

    def state(self):
        return list(AuditFinding.objects.values_list("pk", "accepted_at", "accepted_note"))

    def test_a_finding_that_the_last_audit_did_not_find_is_not_accepted(self, client):
        AuditFinding.objects.update(is_there=False)
        page = look(officer(client), self.address(), self.parameters)
        assert "One of these findings is gone: the last audit didn’t find it." in page.text


class TestOpeningAgain(DecisionCase):
    kind = "reopen-findings"
    is_public = False
    undoable = True

    def arrange(self):
        finding = AuditFinding.objects.create(
            check_name="colours",
            key="game 1",
            text="Green.",
            found_at=START,
            accepted_at=START,
            accepted_note="Seen.",
        )
        return {"finding": [str(finding.pk)]}

    def disturb(self):
        AuditFinding.objects.update(words={"colour": "blue"})

    def state(self):
        return list(AuditFinding.objects.values_list("pk", "is_there").filter(accepted_at=None))
