"""The pages “Radar”: a run, its findings, and a case with one click."""

import random
import re
from io import BytesIO
from types import SimpleNamespace
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.utils import timezone

from members.models import Member
from ratings.desk.models import Case
from ratings.desk.services.cases import claim, decide, open_by_office
from ratings.lab.arrays import read
from ratings.lab.findings import text_of_case
from ratings.lab.models import Finding, Sweep
from ratings.lab.sweeping import _disconnections
from ratings.lab.upkeep import KEPT, forget_findings
from ratings.office import subjects
from ratings.office.jobs import StoppedError
from ratings.office.models import Job
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.merging import merge_members
from ratings.rbb.models import Game
from ratings.rbb.personal import erase_member
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, control, game, member, opening, projections
from tests.backoffice import keeps_the_policy
from tests.desk.cases import login
from tests.lab.room import finding_of
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.long]

LIST, ASK = "/admin/lab/finding/", "/admin/lab/sweep/add/"


def arena():
    """Twenty equals who win and lose at random, two of whom always end the same way against each other."""
    dice = random.Random(1)
    everybody = [member(f"player-{n}", name=f"Player, {chr(65 + n)}") for n in range(20)]
    with deferred():
        for who in everybody:
            opening(who, 1600)
        pairs = [dice.sample(everybody, 2) for _ in range(600)]
        results = [dice.choice(["1-0", "0-1"]) for _ in pairs]
        pairs[300:300] = [everybody[:2]] * 30
        results[300:300] = ["1-0"] * 30
        Game.objects.bulk_create(
            Game(
                white=white,
                black=black,
                result=result,
                time_control=control(CONTROL[Category.BLITZ]),
                started_at=at(60 * n + 60),
                ended_at=at(60 * n + 61),
            )
            for n, ((white, black), result) in enumerate(zip(pairs, results, strict=True))
        )


@pytest.fixture
def run(staff, worker):
    arena()
    response = staff.post(ASK, {"limits": "1800; 1600"})
    assert response.status_code == 302, response.context["form"].errors
    worker()
    return Sweep.objects.get()


class TestARun:
    def test_finds_who_always_wins_against_one_opponent(self, run):
        assert (run.job.state, run.limits, run.changed_meanwhile) == (Job.State.DONE, [1600, 1800], False)
        # The job doesn't say how many: they may be about whoever reads it.
        assert [one["text"] for one in run.job.outcome] == ["The radar has searched all games."]
        assert (run.result["games"], run.result["members"], run.result["honest"]) == (630, 20, 0)
        assert run.data_checksum == read().checksum
        finding = Finding.objects.get()
        first, second = Member.objects.order_by("pk")[:2]
        assert (finding.member, [*finding.others.all()], finding.category) == (
            first,
            [second],
            Category.BLITZ,
        )
        together = Game.objects.filter(white__in=[first, second], black__in=[first, second]).order_by(
            "ended_at"
        )
        assert finding.games == list(together.values_list("pk", flat=True))
        assert finding.figures["score"] >= 30
        assert finding.figures["points"] > 100
        assert finding.chance < 0.01

    def test_no_rating_changes(self, staff, worker):
        arena()
        before = projections()
        staff.post(ASK, {"limits": "1600"})
        worker()
        assert projections() == before

    def test_a_run_that_is_stopped_leaves_nothing(self, staff, worker, monkeypatch):
        def stopped(*asked):
            raise StoppedError

        monkeypatch.setattr("ratings.lab.sweeping.search", stopped)
        staff.post(ASK, {"limits": "1600"})
        worker()
        run = Sweep.objects.get()
        assert (run.result, run.data_checksum, run.job.state) == (None, "", Job.State.STOPPED)
        assert not Finding.objects.exists()
        assert "The job was stopped." in words(staff.get(f"/admin/lab/sweep/{run.pk}/change/"))

    def test_the_pages_say_if_the_ledger_has_changed_since(self, staff, run):
        changed = "The ledger has changed since these games were read."
        pages = (LIST, f"/admin/lab/sweep/{run.pk}/change/")
        assert not any(changed in words(staff.get(page)) for page in pages)
        game(*Member.objects.order_by("pk")[3:5], minute=60 * 700)
        assert all(changed in words(staff.get(page)) for page in pages)

    @pytest.mark.parametrize(
        ("limits", "faults"),
        [
            ("", ["This field is required."]),
            (", ", ["Enter at least one rating."]),
            ("16oo", ["“16oo” isn’t a rating from 100 to 9999."]),
            (
                "1600, 20, 0",
                ["“20” isn’t a rating from 100 to 9999.", "“0” isn’t a rating from 100 to 9999."],
            ),
        ],
    )
    def test_a_limit_that_is_no_rating_is_named(self, staff, limits, faults):
        response = staff.post(ASK, {"limits": limits})
        assert response.context["form"].errors == {"limits": faults}
        assert not Sweep.objects.exists()

    def test_without_packages_the_page_says_what_to_install(self, staff, monkeypatch):
        monkeypatch.setattr("ratings.lab.admin.is_installed", lambda: False)
        assert "The rating lab needs packages that aren’t installed." in words(staff.get(ASK))

    def test_an_office_without_games_has_no_findings(self, staff, worker):
        staff.post(ASK, {"limits": "1600"})
        worker()
        assert Sweep.objects.get().result == {"games": 0, "members": 0, "tests": 0, "honest": 0}
        assert "0 findings" in words(staff.get(f"/admin/lab/sweep/{Sweep.objects.get().pk}/change/"))

    def test_disconnections_name_the_side_that_left(self):
        one, other = member("one"), member("other")
        opening(one, 1600)
        opening(other, 1600)
        ends = [("1-0", "disconnection black"), ("1-0", "resignation"), ("0-1", "disconnection white")]
        for number, (result, how) in enumerate(ends, 1):
            game(one, other, minute=10 * number, result=result, termination=how)
        assert list(_disconnections(read())) == [2, 0, 1]


@pytest.fixture
def finding():
    one, other = member("anna", name="Berg, Anna"), member("bob", name="Toth, Bob")
    played = [game(one, other, minute=10 * n + 10, result="1-0").pk for n in range(3)]
    searched = {"games": 3, "members": 2, "tests": 2, "honest": 0}
    sweep = Sweep.objects.create(limits=[], asked_at=at(0), data_read_at=at(0), result=searched)
    return finding_of(sweep, one, other, games=played)


TOLD = (
    "Berg, Anna scored 2½ of 3 against Toth, Bob; 1.3 were expected from both players’ other games."
    " Points gained: 25."
)


class TestAFinding:
    def test_is_told_with_its_strength_and_links_to_its_games(self, staff, finding):
        assert f"One-sided results between two players , Blitz {TOLD} once in 30,000 runs" in words(
            staff.get(LIST)
        )
        page = staff.get(f"{LIST}{finding.pk}/change/")
        assert keeps_the_policy(page)
        said = words(page)
        assert TOLD in said
        assert "Once in 30,000 runs, if everybody plays honestly." in said
        assert "at most 0.000034 are expected to be due to chance" in said
        assert "Innocent explanations They train together" in said
        for key in finding.games:
            assert f'href="{Game.objects.get(pk=key).get_absolute_url()}"' in page.text

    def test_a_case_is_opened_with_one_click_and_leads_back(self, staff, finding):
        page = staff.get(f"{LIST}{finding.pk}/change/")
        assert "No cases" in words(page)
        [part] = page.context["parts"]
        asked = {name: part.context[name] for name in ("about", "key", "text")}
        response = staff.post("/admin/desk/case/add/", asked)
        case = Case.objects.get()
        assert response["Location"] == f"/admin/desk/case/{case.pk}/change/"
        assert (case.about, case.key, case.opener) == ("finding", finding.pk, None)
        games = ", ".join(f"#{key}" for key in finding.games)
        assert case.entries.get().text.splitlines() == [
            TOLD,
            "By chance: once in 30,000 runs.",
            "Innocent explanations: They train together, one has a style that the other finds awkward, "
            "or two people share an account.",
            f"Games: {games}",
        ]
        assert f'<a href="{LIST}{finding.pk}/change/">' in staff.get(response["Location"]).text
        again = staff.get(f"{LIST}{finding.pk}/change/")
        assert f"Case {case.pk} : open" in words(again)
        assert 'value="Open a case"' not in again.text
        assert finding.get_absolute_url() in staff.get(LIST, {"case": "with"}).text
        assert finding.get_absolute_url() not in staff.get(LIST, {"case": "without"}).text

    def test_the_list_has_the_latest_run_unless_another_is_asked_for(self, staff, finding):
        Sweep.objects.create(limits=[], asked_at=at(1), data_read_at=at(1), result=finding.sweep.result)
        Sweep.objects.create(limits=[], asked_at=at(2))
        assert finding.get_absolute_url() not in staff.get(LIST).text
        for asked in ("all", finding.sweep_id):
            assert finding.get_absolute_url() in staff.get(LIST, {"run": asked}).text

    @pytest.mark.parametrize(("name", "found"), [("berg", True), ("toth", True), ("kiss", False)])
    def test_is_found_by_each_member_in_it(self, staff, finding, name, found):
        member("kiss", name="Kiss, Eva")
        assert (finding.get_absolute_url() in staff.get(LIST, {"q": name}).text) is found

    @pytest.mark.parametrize("who", ["anna", "bob"])
    def test_nobody_sees_what_was_found_about_themselves(self, client, finding, who):
        user = User.objects.create_user("officer", is_staff=True)
        user.groups.add(Group.objects.get(name="Fair play"))
        client.force_login(user)
        page = f"{LIST}{finding.pk}/change/"
        assert client.get(page).status_code == 200
        Member.objects.filter(username=who).update(user=user)
        assert finding.get_absolute_url() not in client.get(LIST).text
        assert client.get(page).status_code == 302

    @pytest.mark.parametrize("who", ["anna", "bob"])
    def test_goes_when_a_member_in_it_is_erased(self, finding, who):
        erase_member(member=Member.objects.get(username=who), at=timezone.now())
        assert not Finding.objects.exists()

    @pytest.mark.parametrize("who", ["anna", "bob"])
    def test_is_told_in_its_case_without_a_member_who_was_erased(self, finding, who):
        by = User.objects.create_user("officer")
        told = text_of_case(finding)
        case = open_by_office(about="finding", key=finding.pk, by=by, text=told, at=timezone.now())
        erased = Member.objects.get(username=who)
        erase_member(member=erased, at=timezone.now())
        text = case.entries.get().text
        assert f"withdrawn-{erased.pk}" in text
        assert not re.search(rf"\b({'|'.join(erased.name.split(', '))})\b", text)

    def test_goes_with_its_run_after_a_year_unless_there_is_a_case_about_it(self, staff, finding):
        kept = finding_of(finding.sweep, finding.member)
        asked = {"about": "finding", "key": kept.pk, "text": "x"}
        assert staff.post("/admin/desk/case/add/", asked).status_code == 302
        forget_findings(at(0) + KEPT)
        assert Finding.objects.count() == 2
        forget_findings(at(1) + KEPT)
        assert Finding.objects.get() == kept
        Case.objects.all().delete()
        forget_findings(at(1) + KEPT)
        assert not Finding.objects.exists()
        assert not Sweep.objects.exists()

    def test_is_on_no_public_page(self, client, finding):
        for page in (
            finding.member.get_absolute_url(),
            Game.objects.get(pk=finding.games[0]).get_absolute_url(),
        ):
            assert "radar" not in client.get(page).text.lower()
        assert client.get(f"{LIST}{finding.pk}/change/").status_code == 302

    def test_is_not_named_by_the_public_reasons_of_its_case(self, client, finding):
        by = User.objects.create_user("officer")
        case = open_by_office(about="finding", key=finding.pk, by=by, text="x", at=timezone.now())
        said = {"decision": "Done.", "public_reasons": "Games were void.", "staff_reasons": ""}
        claim(case, by=by, at=timezone.now())
        decide(case, by=by, **said, change_set=None, at=timezone.now(), link="")
        page = words(client.get(f"/register/cases/{case.pk}/"))
        assert f"Case {case.pk}: Review by the office" in page
        assert "Games were void." in page
        assert "radar" not in page.lower()


@pytest.fixture
def accused(finding):
    """Officers and members: Anna's account was merged into another, Bob's has the login."""
    anna, bob = (login(name, "Rating officers") for name in ("anna-o", "bob-o"))
    Member.objects.filter(username="anna").update(user=anna.user)
    Member.objects.filter(username="bob").update(user=bob.user)
    for keep, other in (("later", "anna"), ("latest", "later")):
        merge_members(member=member(keep), other=Member.objects.get(username=other), at=timezone.now())
    assert Member.objects.get(user=anna.user).username == "latest"
    return SimpleNamespace(anna=anna, bob=bob, colleague=login("carl", "Rating officers"))


class TestWhoIsInAFinding:
    """Staff are members, too. Each page is read by both of them, and by a colleague."""

    def pages_differ(self, accused, page, said):
        assert said in accused.colleague.get(page).text
        for who in (accused.anna, accused.bob):
            assert said not in who.get(page).text

    @pytest.mark.parametrize("query", ["", "?run=all", "?q=toth", "?case=without", "export/"])
    def test_finds_it_in_no_list_and_no_file(self, accused, finding, query):
        for who, number in ((accused.colleague, 1), (accused.anna, 0), (accused.bob, 0)):
            page = who.get(f"{LIST}{query}")
            said = b"".join(page).decode() if page.streaming else page.text
            assert said.count(TOLD) == number

    def test_is_told_of_none_by_the_number_of_a_run(self, accused, finding):
        run = finding.sweep
        page = f"/admin/lab/sweep/{run.pk}/change/"
        self.pages_differ(accused, page, "1 finding<")
        assert "0 findings" in accused.bob.get(page).text

    def test_sees_no_case_about_it(self, accused, finding):
        case = open_by_office(
            about="finding", key=finding.pk, by=accused.colleague.user, text="SECRET", at=timezone.now()
        )
        page = f"/admin/desk/case/{case.pk}/"
        for address in (f"{page}change/", f"/cases/{case.pk}/"):
            self.pages_differ(accused, address, "SECRET")
        lists = [f"/admin/desk/case/?{asked}" for asked in (f"q={case.pk}", "kind=finding")]
        for address in (*lists, "/admin/"):
            self.pages_differ(accused, address, f"{page}change/")
        for who, sees in ((accused.colleague, True), (accused.anna, False), (accused.bob, False)):
            found = who.get(f"/admin/find/?q={case.pk}")
            # Whatever is found alone is opened at once.
            assert (f"{page}change/" in found.text + found.get("Location", "")) is sees
        for who in (accused.anna, accused.bob):
            for step in ("decide", "correct"):
                assert who.get(f"{page}{step}/").status_code == 404
            assert who.get(f"{page}history/").status_code == 302
            assert str(case.pk) not in b"".join(who.get("/admin/desk/case/export/")).decode()
            assert who.get(f"/cases/{case.pk}/").status_code == 404

    def test_decides_no_case_about_it(self, accused, finding):
        case = open_by_office(
            about="finding", key=finding.pk, by=accused.colleague.user, text="x", at=timezone.now()
        )
        with pytest.raises(ValidationError, match="a colleague has to decide it"):
            claim(case, by=accused.bob.user, at=timezone.now())
        # Who got the login after the case was theirs decides it no more.
        Case.objects.update(owner=accused.anna.user)
        said = {"decision": "Nothing.", "public_reasons": "", "staff_reasons": "", "change_set": None}
        with pytest.raises(ValidationError, match="a colleague has to decide it"):
            decide(case, by=accused.anna.user, **said, at=timezone.now(), link="")
        case.refresh_from_db()
        assert case.state == Case.State.OPEN

    def test_opens_no_case_about_it_and_is_told_what_everybody_is_of_one_that_is_not_there(
        self, accused, finding
    ):
        told = "Radar finding {} doesn’t exist, or is about you. If it is about you, ask a colleague."
        for who in (accused.anna, accused.bob):
            for key in (finding.pk, finding.pk + 1):
                asked = {"about": "finding", "key": key, "text": "x"}
                response = who.post("/admin/desk/case/add/", asked)
                assert response.context["adminform"].form.errors == {"key": [told.format(key)]}
        assert not Case.objects.exists()

    @pytest.mark.parametrize("gone", ["erased", "room"])
    def test_sees_no_case_about_one_that_is_gone(self, accused, finding, gone, monkeypatch):
        case = open_by_office(
            about="finding", key=finding.pk, by=accused.colleague.user, text="SECRET", at=timezone.now()
        )
        if gone == "erased":
            Member.objects.filter(username="latest").update(user=None)
            erase_member(member=Member.objects.get(username="latest"), at=timezone.now())
            assert not Finding.objects.exists()
        else:
            monkeypatch.delitem(subjects._KINDS, "finding")
        page = f"/admin/desk/case/{case.pk}/change/"
        assert "SECRET" in accused.colleague.get(page).text
        assert "SECRET" not in accused.bob.get(page).text

    def test_gets_what_is_stored_about_them_without_it(self, accused, finding):
        def tables(who, username):
            page = f"/admin/members/member/{Member.objects.get(username=username).pk}/stored/"
            return ZipFile(BytesIO(b"".join(who.get(page)))).namelist()

        assert "radar.csv" in tables(accused.colleague, "bob")
        assert "radar.csv" not in tables(accused.bob, "bob")
        assert "radar.csv" not in tables(accused.anna, "latest")
        assert "radar.csv" in tables(accused.bob, "latest")
