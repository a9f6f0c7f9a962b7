"""The decisions over the board."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from ratings.office.deciding import decide_at_once, preview, withdraw
from ratings.office.models import ChangeSet
from ratings.office.uploads import keep
from ratings.otb.models import (
    AcceptedFinding,
    OtbList,
    OtbListEntry,
    Refusal,
    Tournament,
    TournamentResult,
)
from ratings.otb.services.judging import decide_appeal, receive_appeal, refuse, take_back_refusal
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.findings import Finds
from tests.decisions import DecisionCase, look, shown_on
from tests.files import brought_files
from tests.otb.tournaments import (
    AT,
    FIRST_DAY,
    IN_TIME,
    entrant,
    everybody_listed,
    received,
    report,
    round_robin,
)
from tests.pages import words

MAY = date(2026, 5, 1)
CLOSED = datetime(2026, 4, 26, 12, tzinfo=UTC)
LATE = str(Finds.REGISTERED_LATE.value)
MET = round_robin("*111", "0*11", "00*1", "000*")
OTHERWISE = round_robin("*=11", "=*11", "00*1", "000*")


def content(rounds=MET, **options):
    """A report of four players who are rated 2000 to 1700."""
    return report([entrant(number, 2100 - 100 * number) for number in (1, 2, 3, 4)], rounds, **options)


def uploaded(what, **more):
    """The parameters of a decision about this file, which waits."""
    sha256 = hashlib.sha256(what).hexdigest()
    return {"upload": [keep([what])], "sha256": [sha256], "source": ["open.trf"], **more}


class OverTheBoard(DecisionCase):
    """A tournament that was received; ``late``: registered when it had begun."""

    late = False

    def arrange(self):
        everybody_listed(2000, 1900, 1800, 1700)
        self.tournament = received(content(), registered_on=FIRST_DAY if self.late else IN_TIME).tournament
        return self.asked()

    def asked(self):
        return {"tournament": [str(self.tournament.pk)]}

    def change(self, **fields):
        Tournament.objects.filter(pk=self.tournament.pk).update(**fields)

    def state(self):
        fields = (
            "name",
            "city",
            "kind",
            "first_day",
            "registered_on",
            "status",
            "report__sha256",
            "rated_for",
        )
        standing = Refusal.objects.filter(ended_on=None).order_by("tournament")
        latest = [
            OtbList.objects.latest_of(day) for day in OtbList.objects.values_list("list_day", flat=True)
        ]
        entries = OtbListEntry.objects.filter(otb_list__in=latest).order_by("otb_list__list_day", "fide_id")
        return [
            list(Tournament.objects.order_by("pk").values_list(*fields)),
            list(standing.values_list("tournament", "text", "refused_on", "appeal", "upheld", "decision")),
            list(AcceptedFinding.objects.values_list("tournament", "finds", "reason")),
            list(TournamentResult.objects.order_by("tournament", "number").values_list("number", "change")),
            list(entries.values_list("otb_list__list_day", "fide_id", "rating")),
        ]


class TestAcceptFinding(OverTheBoard):
    kind = "accept-finding"
    late = True

    def asked(self):
        return {**super().asked(), "finds": [LATE], "reason": ["The storm"]}

    def disturb(self):
        self.change(time_control="1800")


class TestWithdrawAcceptance(OverTheBoard):
    kind = "withdraw-acceptance"
    late = True

    def asked(self):
        AcceptedFinding.objects.create(
            tournament=self.tournament, finds=Finds.REGISTERED_LATE, reason="The storm", accepted_at=AT
        )
        return {**super().asked(), "finds": [LATE]}

    def disturb(self):
        AcceptedFinding.objects.update(reason="Fog")


class TestRefuseTournament(OverTheBoard):
    kind = "refuse-tournament"
    # It is taken back with a reason (B.02 0.5).
    undoable = False
    says_what_differs = False

    def asked(self):
        return {**super().asked(), "reason": ["No arbiter.\nNo clocks. " + "Wörter " * 600]}

    def disturb(self):
        refuse(self.tournament, "No chairs.", AT.date())

    def test_0_4_a_tournament_that_is_only_registered_is_refused_as_well(self, officer):
        registered = Tournament.objects.create(name="New Year Open", first_day=FIRST_DAY, last_day=FIRST_DAY)
        self.parameters["tournament"] = [str(registered.pk)]
        self.confirmed(officer)
        registered.refresh_from_db()
        assert registered.status == Tournament.Status.REFUSED
        assert registered.refusal.text.startswith("No arbiter.")
        assert registered.refusal.refused_by.username == "officer"


class OfRefusal(OverTheBoard):
    """A tournament that was refused today, ``days`` ago."""

    days = 0

    def asked(self):
        today = datetime.now(UTC).date()
        self.refusal = refuse(self.tournament, "No arbiter.", today - timedelta(days=self.days))
        return super().asked()


class TestTakeBackRefusal(OfRefusal):
    kind = "take-back-refusal"

    def asked(self):
        return {**super().asked(), "reason": ["The arbiter was licensed."]}

    def disturb(self):
        Refusal.objects.update(text="No chairs.")

    def test_what_was_refused_without_a_reason_is_not_refused_again_by_undoing(self, officer):
        Refusal.objects.update(text="")
        assert self.confirmed(officer).undo is None

    def test_0_5_without_a_reason_no_refusal_is_taken_back(self, officer):
        """The refusal of 2020 was, and its text was gone."""
        Refusal.objects.update(refused_on=date(2020, 3, 2))
        before = self.state()
        self.parameters["reason"] = [" "]
        page = officer.post(self.address(), self.parameters)
        assert "This field is required." in page.text
        assert 'name="shown"' not in page.text
        assert self.state() == before

    def test_0_5_what_was_said_stays_readable(self, officer):
        self.confirmed(officer)
        text = Client().get(self.tournament.get_absolute_url()).text
        assert "No arbiter." in text
        assert "We withdrew the refusal on" in text
        assert "The arbiter was licensed." in text


class TestReceiveAppeal(OfRefusal):
    kind = "receive-appeal"
    undoable = False
    says_what_differs = False
    days = 7

    def asked(self):
        today = datetime.now(UTC).date().isoformat()
        return {**super().asked(), "appealed_on": [today], "appeal": ["The arbiter has a licence."]}

    def disturb(self):
        take_back_refusal(self.tournament, "A mistake.", datetime.now(UTC).date())


class TestDecideAppeal(OfRefusal):
    kind = "decide-appeal"
    undoable = False
    says_what_differs = False

    def asked(self):
        asked = super().asked()
        today = datetime.now(UTC).date()
        receive_appeal(self.tournament, "The arbiter has a licence.", today, today)
        return {**asked, "upheld": ["yes"], "reason": ["The licence was shown."]}

    def disturb(self):
        decide_appeal(self.tournament, False, "No licence was shown.", datetime.now(UTC).date())

    def test_0_5_a_dismissed_appeal_leaves_the_refusal_and_is_read_by_everybody(self, officer):
        self.parameters |= {"upheld": ["no"], "reason": ["The licence had expired."]}
        self.confirmed(officer)
        self.tournament.refresh_from_db()
        assert self.tournament.status == Tournament.Status.REFUSED
        text = words(Client().get(self.tournament.get_absolute_url()))
        for said in (
            "No arbiter.",
            "The arbiter has a licence.",
            "The appeal was dismissed on",
            "The licence had expired.",
        ):
            assert said in text

    def test_0_5_an_upheld_appeal_lets_the_tournament_wait_again_and_stays_readable(self, officer):
        self.confirmed(officer)
        self.tournament.refresh_from_db()
        assert self.tournament.status == Tournament.Status.RECEIVED
        assert self.tournament.refusal is None
        text = words(Client().get(self.tournament.get_absolute_url()))
        assert "No arbiter." in text
        assert "The appeal was upheld on" in text
        assert "The licence was shown." in text


class TestReceiveReport(OverTheBoard):
    kind = "receive-report"
    undoable = False

    def arrange(self):
        everybody_listed(2000, 1900, 1800, 1700)
        self.file = content()
        return uploaded(self.file, registered_on=[str(IN_TIME)])

    def disturb(self):
        Tournament.objects.create(
            name="Fjord Open", first_day=FIRST_DAY, last_day=FIRST_DAY, registered_on=IN_TIME
        )

    def kept(self, settings):
        return [file.name for file in brought_files()]

    def test_the_file_waits_for_the_second_person_and_is_gone_with_the_decision(
        self, officer, settings, django_capture_on_commit_callbacks
    ):
        settings.SECOND_PERSON_KINDS = [self.kind]
        with django_capture_on_commit_callbacks(execute=True):
            waiting = self.confirmed(officer)
        assert self.kept(settings) == self.parameters["upload"]
        other = self.staff("other")
        page = reverse("admin:office_changeset_change", args=(waiting.pk,))
        shown = shown_on(other.get(page))
        with django_capture_on_commit_callbacks(execute=True):
            other.post(page, {"second": "yes", "shown": shown})
        assert bytes(Tournament.objects.get().report.content) == self.file
        assert self.kept(settings) == []
        # The page of what was done needs no file.
        assert "Import a tournament report: open.trf" in other.get(page).text

    def test_the_file_of_what_was_withdrawn_or_went_stale_is_deleted_unless_another_decision_waits_for_it(
        self, officer, settings, django_capture_on_commit_callbacks
    ):
        settings.SECOND_PERSON_KINDS = [self.kind]
        first, _effect = decide_at_once(self.proposal(officer.user))
        second, _effect = decide_at_once(self.proposal(self.staff("other").user))
        assert first != second
        with django_capture_on_commit_callbacks(execute=True):
            withdraw(first)
        assert self.kept(settings) == self.parameters["upload"]
        with django_capture_on_commit_callbacks(execute=True):
            withdraw(second)
        assert self.kept(settings) == []

    @pytest.mark.parametrize("name", ["0" * 32, "../../../../../etc/passwd", "x", ""])
    def test_a_file_that_is_not_there_is_not_received(self, officer, name):
        answer = officer.get(self.address(), {**self.parameters, "upload": name})
        assert 'name="shown"' not in answer.text
        assert "errorlist" in answer.text

    def test_it_is_not_the_way_to_replace_a_report(self, officer):
        tournament = received(content(OTHERWISE)).tournament
        asked = {**self.parameters, "tournament": [str(tournament.pk)]}
        assert (
            "The tournament already has a report. You can replace it."
            in officer.get(self.address(), asked).text
        )


class TestReplaceReport(OverTheBoard):
    """Of a tournament whose period is closed, so that its list is revised."""

    kind = "replace-report"

    def asked(self):
        close_period(until=MAY - timedelta(days=6), at=CLOSED)
        return {**super().asked(), **uploaded(content(OTHERWISE))}

    def disturb(self):
        OtbListEntry.objects.filter(fide_id=1_000_001, otb_list__list_day=date(2026, 3, 1)).update(
            rating=2050
        )

    def test_it_says_whose_ratings_move_and_which_list_is_revised(self):
        effect = preview(self.proposal())
        # 1 against 2 is a draw now: 2000 and 1900 change by 7.5, to 2004 and 1911.
        assert [move[:] for move in sorted(effect.moves)] == [
            (1_000_001, "otb", 201_100, 200_400),
            (1_000_002, "otb", 190_400, 191_100),
        ]
        (fact,) = effect.lists
        assert fact.label == "Over-the-board list 1 May 2026, revision 2: 2 ratings change."

    def test_of_a_tournament_that_leaves_its_list_there_is_no_undo(self, officer):
        self.parameters |= uploaded(content(control="1800"))
        done = self.confirmed(officer)
        assert (done.state, done.undo, done.moved) == (ChangeSet.State.APPLIED, None, 4)

    def test_a_report_of_another_tournament_does_not_take_its_place(self, officer):
        other = received(content(name="Other")).tournament
        asked = {"tournament": self.parameters["tournament"], "report": [str(other.report.pk)]}
        answer = officer.get(self.address(), asked)
        assert "This report is for another tournament." in answer.text

    def test_a_tournament_without_a_report_has_none_to_replace(self, officer):
        other = Tournament.objects.create(name="Other", first_day=FIRST_DAY, last_day=FIRST_DAY)
        asked = {**uploaded(content(name="Other")), "tournament": [str(other.pk)]}
        assert "The tournament has no report yet." in look(officer, self.address(), asked).text


class TestClosePeriod(OverTheBoard):
    kind = "close-period"
    undoable = False

    def asked(self):
        return {"until": ["2026-04-24"]}

    def disturb(self):
        received(content(OTHERWISE, name="Another"))

    def test_the_list_that_the_first_one_follows_is_told_of_as_well(self):
        assert [fact.label for fact in preview(self.proposal()).lists] == [
            "Over-the-board list 1 May 2026, revision 1",
            "Over-the-board list 1 Mar 2026, revision 1, imported from March 2026 FIDE rating list",
        ]

    def test_what_waits_is_a_warning_and_what_is_refused_is_not(self):
        waits = received(content(name="Late"), registered_on=FIRST_DAY).tournament
        refused = received(content(name="Fast", control="1800")).tournament
        effect = preview(self.proposal())
        assert [(fact.key, fact.after) for fact in effect.warnings] == [
            (f"tournament {waits.pk}", "received (B.02 0.4)")
        ]
        after = {fact.key: fact.after for fact in effect.inputs}
        assert after == {
            f"tournament {self.tournament.pk}": "rated",
            f"tournament {refused.pk}": "refused (B.02 1.1)",
        }
