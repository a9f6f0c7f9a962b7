"""The decisions about FIDE's lists."""

import hashlib
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from members.models import Member
from ratings.fide.models import (
    AnnouncedChange,
    Announcement,
    Determination,
    DoubleRating,
    FidePlayer,
    FirstRating,
)
from ratings.fide.services.announcing import COLUMNS, announce
from ratings.fide.services.doubles import choose
from ratings.fide.services.first_ratings import determine_first_ratings, waiting
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet, Job
from ratings.office.uploads import content_of, discard, keep
from ratings.rbb.models import OpeningRating, OtbAdjustment, Rating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, points, rated
from tests.commands import csv_file, run
from tests.decisions import REASONS, DecisionCase, look, shown_on, staff_login
from tests.fide.office import NOVEMBER, OCTOBER, bring_players, listed
from tests.files import brought_files
from tests.pages import words

RAPID, BLITZ, _ = Category
ROW = {"fide_id": 1, "period": "2025-11", "rapid": "2", "blitz": ""}


def stored():
    """All that these decisions may alter."""
    columns = {
        OpeningRating: ("member", "category", "rating", "effective_at"),
        FirstRating: ("opening__member", "opening__category", "control"),
        Determination: ("member", "fide_id"),
        OtbAdjustment: ("member", "category", "period", "change"),
        AnnouncedChange: ("adjustment__member", "adjustment__category", "previous", "new", "games"),
        Announcement: ("period", "source", "count"),
        Rating: ("member", "category", "rating"),
        RatingChange: ("member", "category", "before", "after"),
    }
    return [sorted(map(str, model.objects.values_list(*names))) for model, names in columns.items()]


def two_lists():
    """A rated member whom two successive lists know, rapid and blitz."""
    anna = member("anna", name="Berg, Anna", fide_id=1)
    opening(anna, "1500.55", RAPID)
    opening(anna, "1400.45", BLITZ)
    bring_players(OCTOBER, listed(1, rapid=1800, blitz=1700))
    bring_players(NOVEMBER, listed(1, rapid=1812, blitz=1689))
    return anna


class OfAMonth(DecisionCase):
    """November, announced or to be."""

    def arrange(self):
        self.anna = two_lists()
        return {"period": ["2025-11"]}

    def disturb(self):
        bring_players(NOVEMBER, listed(1, rapid=1815, blitz=1689))

    def state(self):
        return stored()


class TestAnnounce(OfAMonth):
    kind = "announce"


class TestTakeBackAnnouncement(OfAMonth):
    kind = "take-back-announcement"

    def arrange(self):
        parameters = super().arrange()
        announce(period=NOVEMBER, at=timezone.now())
        return parameters

    def disturb(self):
        now = timezone.now()
        game(self.anna, rated(1500), started_at=now, ended_at=now)


class TestAnnounceChanges(OfAMonth):
    kind = "announce-changes"

    def arrange(self):
        self.anna = two_lists()
        content = b"fide_id,period,rapid,blitz\n1,2025-11,-12.40,0.05\n"
        self.upload = keep([content])
        return {
            "period": ["2025-11"],
            "upload": [self.upload],
            "source": ["changes.csv"],
            "sha256": [hashlib.sha256(content).hexdigest()],
        }

    def disturb(self):
        now = timezone.now()
        game(self.anna, rated(1500), started_at=now, ended_at=now)

    def test_the_file_waits_until_its_changes_are_stored(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            preview(self.proposal())
        content_of(self.upload, self.parameters["sha256"][0])
        with django_capture_on_commit_callbacks(execute=True):
            decide_at_once(self.proposal())
        with pytest.raises(ValidationError, match="has expired"):
            content_of(self.upload, self.parameters["sha256"][0])

    def test_a_file_that_is_gone_or_another_one_is_refused(self, officer):
        for wrong in ({"sha256": ["0" * 64]}, {"upload": ["../../manage.py"]}, {"upload": ["0" * 32]}):
            page = look(officer, self.address(), {**self.parameters, **wrong})
            assert "The file has expired." in words(page)
            assert 'id="confirm"' not in page.text

    def test_a_row_that_is_refused_refuses_the_file(self):
        content = b"fide_id,period,rapid,blitz\n9,2025-11,1,\n"
        wrong = {"upload": [keep([content])], "sha256": [hashlib.sha256(content).hexdigest()]}
        self.parameters |= wrong
        with pytest.raises(ValidationError, match="1 row was refused, so nothing was stored"):
            preview(self.proposal())

    def test_what_a_file_brought_is_taken_back_for_good(self):
        decide_at_once(self.proposal())
        back = Proposal(kind=kind_of("take-back-announcement"), parameters={"period": ["2025-11"]})
        undone, _effect = decide_at_once(back)
        assert undone.undo is None


def who_waits():
    """A member of before the first list, who played; another one whom no list rates."""
    anna = member("anna", name="Berg, Anna", fide_id=1)
    other = member("boris", name="Lund, Boris", fide_id=2)
    game(anna, rated(1800), minute=30)
    bring_players(OCTOBER, listed(1, standard=2000, rapid=1900, blitz=1800))
    return anna, other


class TestChooseDoubleRating(DecisionCase):
    kind = "choose-double-rating"

    def arrange(self):
        member("anna", name="Berg, Anna", fide_id=1)
        bring_players(OCTOBER, listed(1, rapid=1800), listed(1, rapid=1900))
        self.first, self.second = DoubleRating.objects.order_by("rating")
        return {"row": [str(self.first.pk)]}

    def disturb(self):
        choose(self.second, self.second)

    def state(self):
        return list(DoubleRating.objects.order_by("pk").values_list()), list(FidePlayer.objects.values_list())


class TestTakeBackDoubleRating(TestChooseDoubleRating):
    kind = "take-back-double-rating"

    def arrange(self):
        parameters = super().arrange()
        choose(self.first, self.first)
        return parameters


class TestGiveFirstRatings(DecisionCase):
    kind = "first-ratings"

    def arrange(self):
        self.anna, self.other = who_waits()
        return {}

    def disturb(self):
        Member.objects.filter(pk=self.other.pk).update(fide_id=1000)
        bring_players(OCTOBER, listed(1000, standard=2100), listed(1, standard=2000, rapid=1950, blitz=1800))

    def state(self):
        return stored()

    def test_the_effect_names_every_rating_and_whom_no_list_rates(self, officer):
        text = words(look(officer, self.address()))
        assert "Berg, Anna, Rapid: 1900.00 (FIDE rating list 2025-10, rapid; 1 Mar 2026, 00:00 UTC)" in text
        assert "Lund, Boris: no rating on the FIDE lists, so they stay unrated (RBB 3.5)" in text
        # 1800 and K 20, expected 0.5, as for test_3_4_games_since_joining_are_rated_anew.
        assert "Berg, Anna Blitz unrated 1810.00" in text

    def test_whom_no_list_rates_keeps_what_was_entered_by_hand(self, officer):
        opening(self.other, "2353.40", RAPID)
        opening(self.other, "2100", BLITZ)
        text = words(look(officer, self.address()))
        assert "Lund, Boris: no rating on the FIDE lists; unchanged: Rapid 2353.40, Blitz 2100.00" in text
        assert "unrated (RBB 3.5)" not in text

    def test_it_takes_back_its_own_and_no_others(self):
        done, _effect = decide_at_once(self.proposal())
        Member.objects.filter(pk=self.other.pk).update(fide_id=3)
        bring_players(OCTOBER, listed(3, rapid=1600))
        later, _effect = decide_at_once(self.proposal())
        assert (points(self.anna, RAPID), points(self.other, RAPID)) == (1900, 1600)
        undo = Proposal(kind=kind_of(done.undo["kind"]), parameters=done.undo["parameters"], undoes=done)
        decide_at_once(undo)
        assert list(waiting(at=timezone.now())) == [self.anna]
        assert (points(self.anna, RAPID), points(self.other, RAPID)) == (None, 1600)
        assert later.undo != done.undo
        with pytest.raises(ValidationError, match="was already reversed"):
            decide_at_once(undo)


class TestTakeBackFirstRatings(DecisionCase):
    kind = "take-back-first-ratings"

    def arrange(self):
        self.anna, _other = who_waits()
        moment = timezone.now()
        determine_first_ratings(at=moment)
        return {"determined_at": [moment.isoformat()]}

    def disturb(self):
        game(self.anna, rated(1700), minute=50)

    def state(self):
        return stored()


class TestRedetermineFirstRatings(DecisionCase):
    kind = "redetermine-first-ratings"
    undoable = False

    def arrange(self):
        self.anna = member("anna", name="Berg, Anna", fide_id=9, full_from=datetime(2025, 10, 2, tzinfo=UTC))
        bring_players(OCTOBER, listed(1, rapid=1500), listed(9, rapid=2200))
        determine_first_ratings(at=timezone.now())
        assert points(self.anna, RAPID) == 2200
        Member.objects.filter(pk=self.anna.pk).update(fide_id=1)
        return {"member": [str(self.anna.pk)]}

    def disturb(self):
        bring_players(OCTOBER, listed(1, rapid=1600), listed(9, rapid=2200))

    def state(self):
        return stored()

    def test_the_page_lists_who_is_on_the_watch_and_leads_to_each(self, officer, client):
        address = reverse("admin:fide_fidelist_watch")
        for permission in Permission.objects.filter(codename__in=["view_fidelist", "view_member"]):
            officer.user.user_permissions.add(permission)
        assert f'href="{address}"' in officer.get(reverse("admin:fide_fidelist_changelist")).text
        page = look(officer, address)
        assert f'href="{address}?member={self.anna.pk}"' in page.text
        source = "(FIDE rating list 2025-10, rapid; 2 Oct 2025, 00:00 UTC)"
        told = f"Berg, Anna, Rapid: first rating: 2200.00 {source} → 1500.00 {source}"
        assert told in words(page)
        assert "Berg, Anna Rapid 2200.00 1500.00 −700.00" in words(page)
        assert client.get(address).status_code == 302

    def test_everybody_is_determined_anew_where_nobody_is_chosen(self, officer):
        address = reverse("admin:fide_fidelist_watch")
        officer.post(address, {"shown": shown_on(look(officer, address)), **REASONS})
        self.work()
        assert points(self.anna, RAPID) == 1500
        assert "There’s nothing to do." in words(look(officer, address))


@pytest.mark.django_db
def test_the_register_names_no_file_and_no_member(client, tmp_path):
    two_lists()
    file = csv_file(tmp_path / "secret-changes.csv", [ROW], COLUMNS)
    done = run("import_otb_changes", file, "--period", "2025-11", "--reason", "the November file")
    assert done.code == 0
    change_set = ChangeSet.objects.get()
    assert (change_set.kind, change_set.staff_note) == ("announce-changes", "the November file")
    page = client.get(change_set.get_absolute_url())
    assert "November 2025 over-the-board changes announced" in words(page)
    for secret in ("secret-changes", "the November file"):
        assert secret not in page.text


@pytest.mark.django_db
def test_a_file_for_two_waits_for_the_second_and_a_refused_one_is_deleted(settings, tmp_path, worker):
    two_lists()
    settings.SECOND_PERSON_KINDS = ["announce-changes"]
    file = csv_file(tmp_path / "changes.csv", [ROW], COLUMNS)
    done = run("import_otb_changes", file, "--period", "2025-11")
    waits = ChangeSet.objects.get()
    assert (done.code, f"Another person has to confirm change set {waits.pk}." in done.err) == (1, True)
    (upload,) = waits.parameters["upload"]
    assert [one.name for one in brought_files()] == [upload]
    other = staff_login("other", "announce-changes")
    address = reverse("admin:office_changeset_change", args=(waits.pk,))
    other.post(address, {"second": "yes", "shown": shown_on(other.get(address))})
    worker()
    assert Job.objects.get().outcome[0]["text"] == "November 2025 is announced: 1 adjustment."
    assert Announcement.objects.get().count == 1
    discard(upload)
    settings.SECOND_PERSON_KINDS = []
    assert "Nothing to do" in run("import_otb_changes", file, "--period", "2025-11").out
    assert not brought_files()
