"""The officer's desk: what is due, when, for whom, and where it is done."""

import re
import shutil
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group, Permission
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from foa.moments import beginning_of, month_of
from foa.text import date_text, month_text, utc
from ratings.arena.models import Delivery
from ratings.arena.services.webhooks import change_webhook
from ratings.fide.services.announcing import announce
from ratings.fide.services.watch import redetermine
from ratings.fide.upkeep import look_at_ratings
from ratings.league.services.cycles import close_cycle
from ratings.office.audit import audit
from ratings.office.due import due_for
from ratings.office.jobs import enqueue
from ratings.office.models import AuditedCheck, AuditFinding, ChangeSet, Job, PutOff
from ratings.office.tasks import run_audit
from ratings.office.upkeep import waiting_since
from ratings.otb.services.judging import accept, receive_appeal, refuse
from ratings.otb.services.period_closing import close_period
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.comparing import compare_lists
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.report import keep_reviews
from ratings.rbb.models import Game, RatingChange, RatingList
from ratings.rules.b02.findings import Finds
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, rated
from tests.arena.room import furnish
from tests.decisions import REASONS, decide, look, shown_on, staff_login
from tests.fide.office import bring_players, listed
from tests.league.office import NOW as LEAGUE_NOW
from tests.league.office import ROUND_1, bring_round, small_season
from tests.otb.tournaments import FIRST_DAY, everybody_listed, received, report, round_robin
from tests.pages import words
from tests.rbb.test_concurrency import at_once, while_it_waits

pytestmark = pytest.mark.django_db

MAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
MARCH_1 = datetime(2026, 3, 1, tzinfo=UTC)
APRIL_1 = datetime(2026, 4, 1, tzinfo=UTC)
MAY_1 = datetime(2026, 5, 1, tzinfo=UTC)
WORKER = "No worker is running, so jobs and messages are waiting. Ask the site’s administrator to start one."


@pytest.fixture
def officer(admin_user):
    return admin_user


AT_THE_BEGINNING = (
    "You haven’t set up a second factor",
    "No members yet",
    "No ratings yet",
    "No games yet",
    "The audit has not been run yet",
)
"""What the officers of these tests haven't done, and their offices lack."""


def due(user, now=MAY):
    """Text, button, since when and whose; without FIDE's list of the month, which every office lacks here."""
    every_month = {WORKER, f"{now:%B %Y} FIDE rating list"}
    return [
        (one.text, one.button, one.at, one.mine)
        for one in due_for(user, now)
        if one.text not in every_month and not one.text.startswith(AT_THE_BEGINNING)
    ]


def link_of(user, text, now=MAY):
    (link,) = (one.link for one in due_for(user, now) if one.text == text)
    return link


def parameters_in(link):
    """What an address asks for, as a form posts it."""
    return dict(QueryDict(link.partition("?")[2]).lists())


def two_members():
    anna, bob = rated(1600), rated(1700)
    game(anna, bob)
    return anna, bob


def test_the_months_since_the_last_list_are_due_on_their_first_day(officer, client, worker):
    two_members()
    for category in Category:
        publish(category=category, month=APRIL_1, at=APRIL_1)
    publish(category=Category.RAPID, month=MAY_1, at=MAY)
    text = "May 2026 rating lists: blitz, bullet"
    assert due(officer) == [(text, "Publish", MAY_1, False)]
    client.force_login(officer)
    page = look(client, link_of(officer, text)).text
    assert "Blitz May 2026" in page
    assert "Rapid May 2026" not in page


def test_games_that_their_servers_forgot_are_due_and_led_to(officer, client):
    anna, bob = two_members()
    for minutes in (120, 30):
        started = MAY - timedelta(minutes=minutes)
        game(anna, bob, "", started_at=started, ended_at=None, external_id=f"arena/{minutes}")
    text = (
        "1 game has no result, but can’t still be in progress: ask its server, or enter how it ended",
        "2 games have no result, but can’t still be in progress: ask their servers, or enter how they ended",
    )
    since = MAY - timedelta(minutes=120)
    assert (text[0], "Review them", since, False) in due(officer)
    late = MAY + timedelta(hours=1)
    assert (text[1], "Review them", since, False) in due(officer, late)
    page = client.get(link_of(officer, text[1], late))
    assert page.status_code == 302
    client.force_login(officer)
    listed = client.get(link_of(officer, text[1], late)).context["cl"].result_list
    assert {one.external_id for one in listed} == {"arena/120", "arena/30"}
    void_games(games=Game.objects.in_progress(), by=officer, reason="error", at=MAY)
    assert text[1] not in [told for told, *_more in due(officer, late)]


def changed_lists(user):
    """Text, button and link of what is due about published lists."""
    found = [one for one in due_for(user, MAY) if "ratinglist/revise" in one.link]
    return [(one.text, one.button, one.link) for one in found]


@pytest.fixture
def april_and_may():
    """Two members with a game in March, and the lists of April and May in all categories."""
    members = two_members()
    for month in (APRIL_1, MAY_1):
        for category in Category:
            publish(category=category, month=month, at=month)
    return members


def test_lists_that_a_correction_changed_are_revised_together_until_none_differs(
    officer, client, worker, april_and_may
):
    assert changed_lists(officer) == []
    game(*april_and_may, minute=5)
    april, may = RatingList.objects.filter(category=Category.BLITZ).order_by("month")
    link = f"/admin/ratings/ratinglist/revise/?list={april.pk}&list={may.pk}"
    assert changed_lists(officer) == [("2 published lists have changed", "Revise 2 lists", link)]
    client.force_login(officer)
    page = words(looked := look(client, link))
    assert "Blitz Revision 2 will be published. 2 lines have changed since publication." in page
    assert page.count("Revision 2 will be published.") == 2
    confirmed = {**parameters_in(link), "shown": shown_on(looked), **REASONS}
    client.post("/admin/ratings/ratinglist/revise/", confirmed)
    worker()
    new = RatingList.objects.filter(category=Category.BLITZ, revision=2).order_by("month")
    assert [one.previous for one in new] == [None, new[0]]
    assert changed_lists(officer) == []


def test_a_list_is_not_due_if_its_corrections_cancel_each_other_out(officer, april_and_may):
    late = game(*april_and_may, minute=5)
    late.delete()
    assert RatingList.objects.touched().count() == 2
    assert changed_lists(officer) == []


def test_of_one_list_the_desk_says_how_many_lines_have_changed(officer, april_and_may):
    game(*april_and_may, minute=45 * 24 * 60)
    may = RatingList.objects.get(category=Category.BLITZ, month=MAY_1)
    text = "2 lines of the May 2026 list have changed: Blitz"
    assert changed_lists(officer) == [
        (text, "Revise 1 list", f"/admin/ratings/ratinglist/revise/?list={may.pk}")
    ]


def test_long_lists_are_compared_by_the_worker(officer, april_and_may, monkeypatch):
    monkeypatch.setattr("ratings.rbb.lists.comparing.ON_THE_SPOT", 1)
    game(*april_and_may, minute=5)
    assert changed_lists(officer) == []
    keep_reviews()
    compare_lists()
    ((text, *_link),) = changed_lists(officer)
    assert text == "2 published lists have changed"
    Game.objects.order_by("ended_at").first().delete()
    compare_lists()
    assert changed_lists(officer) == []


@pytest.mark.parametrize(("limit", "most"), [("_REVISED", 3), ("_LISTS", 1)])
def test_a_proposal_revises_as_many_lists_as_its_preview_can_show(
    officer, april_and_may, monkeypatch, limit, most
):
    monkeypatch.setattr(f"ratings.rbb.due.{limit}", most)
    game(*april_and_may, minute=5)
    april = RatingList.objects.get(category=Category.BLITZ, month=APRIL_1)
    assert changed_lists(officer) == [
        (
            "2 published lists have changed",
            "Revise 1 list",
            f"/admin/ratings/ratinglist/revise/?list={april.pk}",
        )
    ]


def test_the_fide_list_of_the_month_is_due_until_all_controls_are_imported(officer):
    text = "May 2026 FIDE rating list"
    assert text in [one.text for one in due_for(officer, MAY)]
    bring_players(date(2026, 4, 1), listed(1))
    assert text in [one.text for one in due_for(officer, MAY)]
    bring_players(date(2026, 5, 1), listed(1))
    assert text not in [one.text for one in due_for(officer, MAY)]


def test_a_month_is_announced_once_its_list_and_the_one_before_are_here(officer):
    text = "Over-the-board changes of the May 2026 FIDE list"
    bring_players(date(2026, 5, 1), listed(1))
    assert due(officer) == []
    bring_players(date(2026, 4, 1), listed(1))
    assert due(officer) == [(text, "Announce", MAY_1, False)]
    announce(period=date(2026, 5, 1), at=MAY)
    assert due(officer) == []


def test_members_wait_for_first_ratings_since_the_first_of_them_became_full(officer):
    for number, day in ((1, 3), (2, 1)):
        member(fide_id=number, full_from=datetime(2026, 4, day, tzinfo=UTC))
    bring_players(date(2026, 4, 1), listed(1, rapid=1500), listed(3))
    text = "2 members are waiting for first ratings (RBB 3.4)"
    assert due(officer) == [(text, "Determine first ratings", APRIL_1, False)]


def test_the_list_is_due_for_which_members_wait_and_its_button_names_its_month(
    officer, client, settings, tmp_path
):
    settings.UPLOAD_DIR = tmp_path
    early, late = (member(full_from=datetime(2026, month, 3, tzinfo=UTC)) for month in (3, 4))
    bring_players(date(2026, 4, 1), listed(1, rapid=1500), listed(2, rapid=1600))
    bring_players(date(2026, 5, 1), listed(1, rapid=1520), listed(2, rapid=1620))
    shutil.rmtree(tmp_path / "fide-lists")
    for number, who in enumerate((early, late), 1):
        who.fide_id = number
        who.save()
    # March was never imported, and the file of April is gone: no button offers to look them up.
    march = ("Import the March 2026 FIDE list (1 member waiting)", "Import", MARCH_1, False)
    april = ("Import the April 2026 FIDE list (1 member waiting)", "Import", APRIL_1, False)
    announcing = ("Over-the-board changes of the May 2026 FIDE list", "Announce", MAY_1, False)
    assert due(officer) == [march, april, announcing]
    (found,) = [one for one in due_for(officer, MAY) if one.text == april[0]]
    assert found.link.endswith("/fide/fidelist/import/?month=2026-04&control=")
    client.force_login(officer)
    assert 'value="2026-04"' in client.get(found.link).text
    bring_players(date(2026, 4, 1), listed(1, rapid=1500), listed(2, rapid=1600))
    waits = (
        "1 member is waiting for first ratings (RBB 3.4)",
        "Determine first ratings",
        datetime(2026, 4, 3, tzinfo=UTC),
        False,
    )
    assert due(officer) == [march, announcing, waits]


def test_what_a_corrected_fide_id_changes_is_due_once_the_worker_has_looked(officer):
    bring_players(date(2026, 5, 1), listed(1, rapid=1500), listed(2, rapid=1600))
    who = member(fide_id=1, full_from=MAY_1)
    who.fide_id = 2
    who.save()
    text = "1 member’s ratings differ from the FIDE lists (RBB 3.4, 3.15)"
    assert text not in [one.text for one in due_for(officer, MAY)]
    look_at_ratings(MAY)
    assert text in [one.text for one in due_for(officer, MAY)]
    redetermine(at=MAY)
    # Nothing stays at the top that was done.
    assert text not in [one.text for one in due_for(officer, MAY)]


@pytest.fixture
def tournament():
    players = everybody_listed(2100, 2000, 1900, 1800)
    met = round_robin("*1==", "0*1=", "=0*1", "==0*")
    return received(report(players, met, days=[FIRST_DAY] * 3)).tournament


def test_a_period_is_closed_from_its_closing_day_on_if_something_waits(officer, tournament):
    list_day = date(2026, 5, 1)
    text = "Over-the-board list of 1 May 2026: the period has ended (B.02 7.13)"
    closing = datetime(2026, 4, 24, tzinfo=UTC)
    assert due(officer, closing - timedelta(seconds=1)) == []
    assert due(officer, closing) == [(text, "Close the period", closing, False)]
    close_period(until=list_day, at=MAY)
    assert text not in [one.text for one in due_for(officer, MAY)]


def test_an_appeal_waits_for_its_decision_and_a_refusal_without_one_for_nothing(officer, tournament):
    refuse(tournament, "No arbiter.", date(2026, 4, 3), officer)
    until = datetime(2026, 4, 10, tzinfo=UTC)
    assert due(officer, until) == []
    receive_appeal(tournament, "There was one.", date(2026, 4, 9), date(2026, 4, 9))
    appealed = (f"Appeal about {tournament} (B.02 0.5)", "Decide", datetime(2026, 4, 9, tzinfo=UTC), False)
    assert due(officer, until) == [appealed]


def test_a_cycle_can_be_closed_once_its_rounds_are_complete(officer):
    season = small_season()
    assert due(officer) == []
    bring_round(season, *ROUND_1)
    assert due(officer) == [("All rounds entered: 2026, cycle 1", "Close the cycle", None, False)]
    close_cycle(season, at=LEAGUE_NOW)
    assert due(officer) == []


def test_messages_that_were_given_up_are_to_be_sent_again_while_the_webhook_is_used(officer, client):
    two_members()
    furnish()
    Delivery.objects.update(state=Delivery.State.DEAD)
    dead = Delivery.objects.get()
    text = f"1 message for {dead.webhook} couldn’t be delivered"
    assert (text, "Check and send again", dead.created_at, False) in due(officer)
    link = f"/admin/arena/delivery/?state__exact=dead&webhook__id__exact={dead.webhook_id}"
    assert link_of(officer, text) == link
    client.force_login(officer)
    assert list(client.get(link).context["cl"].result_list) == [dead]
    dead.webhook.server.is_active = False
    dead.webhook.server.save()
    assert text not in [one.text for one in due_for(officer, MAY)]
    dead.webhook.server.is_active = True
    dead.webhook.server.save()
    assert text in [one.text for one in due_for(officer, MAY)]
    change_webhook(dead.webhook, is_active=False)
    assert text not in [one.text for one in due_for(officer, MAY)]


def test_a_proposal_waits_for_anybody_but_who_made_it(officer, settings):
    settings.SECOND_PERSON_KINDS = ["void-games"]
    anna, _bob = two_members()
    first = staff_login("first", "void-games")
    address = reverse("admin:ratings_game_void")
    parameters = {"game": anna.games_as_white.get().pk}
    decide(first, address, parameters)
    waiting = ChangeSet.objects.get()
    second = staff_login("second", "void-games")

    def told(client):
        return [
            (one.text, one.button, one.mine)
            for one in due_for(client.user, timezone.now())
            if one.text != WORKER and not one.text.startswith(AT_THE_BEGINNING)
        ]

    assert told(first) == []
    assert told(second) == [(f"first asks you to confirm: {waiting.for_staff}", "Review", True)]
    assert told(staff_login("nobody")) == []


def test_open_findings_of_the_audit_are_counted_for_who_may_accept_them(officer, django_user_model):
    AuditFinding.objects.create(check_name="ledger", key="1", text="x", words={}, found_at=MAY_1)
    assert due(officer) == [("1 audit finding is open", "Review the findings", MAY_1, False)]
    auditor = django_user_model.objects.create_user("auditor", is_staff=True)
    auditor.groups.add(Group.objects.get(name="Auditors"))
    assert due(auditor) == []


def test_a_failed_job_is_there_for_a_week_and_a_waiting_one_tells_on_the_worker(
    officer, worker, django_user_model
):
    job = enqueue(run_audit, title="Audit", by=officer)
    job.refresh_from_db()
    assert waiting_since(timezone.now()) is not None
    assert [one.text for one in due_for(officer, timezone.now()) if one.link.endswith("waiting")] == [WORKER]
    Job.objects.update(state=Job.State.FAILED, ended_at=MAY, error="x")
    failed = ("Failed: Audit", "See why", MAY, True)
    assert failed in due(officer, MAY + timedelta(days=6))
    colleague = django_user_model.objects.create_user("colleague", is_staff=True)
    colleague.user_permissions.add(Permission.objects.get(codename="view_job"))
    assert failed[0] not in [one.text for one in due_for(colleague, MAY)]
    assert failed not in due(officer, MAY + timedelta(days=8))


def test_the_first_page_shows_to_each_only_what_they_may_do(client, django_user_model):
    anna, _bob = two_members()
    opening(anna, 1500, Category.RAPID)
    user = django_user_model.objects.create_user("clerk", is_staff=True)
    client.force_login(user)
    page = client.get("/admin/").text
    assert "Nothing is due." in page
    assert "How the arena is doing" not in page
    user.user_permissions.add(
        Permission.objects.get(codename="publish_ratinglist"), Permission.objects.get(codename="view_game")
    )
    page = client.get("/admin/").text
    assert " rating lists: " in page
    assert "1 rated game in 30 days" in page or "0 rated games in 30 days" in page


def test_tasks_of_one_kind_are_a_card_with_their_number_and_a_kind_with_a_day_comes_first(staff):
    text = words(staff.get("/admin/"))
    assert "Getting started 3 No members yet" in text
    assert text.index(f"FIDE rating lists 1 {timezone.now():%B %Y} FIDE rating list ") < text.index(
        "Getting started 3"
    )


def test_numbers_of_a_list_of_the_admin_are_at_the_right_with_their_heading(staff):
    game(rated("1800.00"), rated("1800.00"))
    page = staff.get("/admin/ratings/ratingchange/").text
    assert re.search(r'<th scope="col" class="[^"]*column-[^"]*" data-number>', page)
    assert re.search(r'<td data-number class="field-[a-z_]+[^"]*">[+−]?[0-9.]+</td>', page)
    assert re.search(r'<td class="field-category[^"]*">', page)


def test_a_loss_of_points_has_a_minus_on_the_page_of_the_change_as_in_the_list(staff):
    game(rated("1800.00"), rated("1800.00"))
    lost = RatingChange.objects.get(change__lt=0)
    page = staff.get(f"/admin/ratings/ratingchange/{lost.pk}/change/").text
    assert '<div class="readonly">−10.00</div>' in page


def test_the_menu_is_grouped_by_work_in_the_order_of_a_day(staff):
    groups = [
        (group["name"], [model["object_name"] for model in group["models"]])
        for group in staff.get("/admin/").context["app_list"]
    ]
    names = ["Every day", "Decisions", "Arena", "Over the board", "League", "Logins"]
    assert [name for name in names if name in dict(groups)] == [name for name, _models in groups]
    by_name = dict(groups)
    assert by_name["Every day"] == [
        "Member",
        "Game",
        "Case",
        "RatingList",
        "FileImport",
        "FideList",
    ]
    assert by_name["Decisions"] == ["ChangeSet", "AuditFinding", "Journal", "Run"]
    assert by_name["Logins"] == ["User", "Group"]


def test_the_first_page_asks_no_more_with_more_rows(staff, django_assert_max_num_queries):
    for _ in range(3):
        two_members()
    for category in Category:
        publish(category=category, month=APRIL_1, at=APRIL_1)
    assert RatingList.objects.count() == 3
    staff.get("/admin/")
    with django_assert_max_num_queries(63):
        staff.get("/admin/")


def test_closing_a_month_is_a_list_of_steps_each_with_its_state_and_button(client, django_user_model, staff):
    two_members()
    page = staff.get("/admin/ratings/ratinglist/month/")
    steps = page.context["steps"]
    assert [state.step for state in steps] == [
        "fide-list",
        "announced",
        "first-ratings",
        "cases",
        "audit",
        "games",
        "published",
        "revised",
    ]
    states = {state.step: state for state in steps}
    assert states["cases"].due == []
    # Nothing waits there, but nothing was done either.
    month = month_of(timezone.now())
    since = f"0 cases decided since {date_text(month)}; none is waiting for you."
    assert states["cases"].looked == (False, since)
    assert [one.text for one in states["audit"].due] == ["The audit has not been run yet"]
    for said in (f"Close {month_text(month)}", "– Nothing to do", since):
        assert said in words(page)
    assert "Done" not in words(page)
    (publish_them,) = states["published"].due
    assert publish_them.button == "Publish"
    for category in Category:
        publish(category=category, month=APRIL_1, at=APRIL_1)
    audit(only=["games-kept-unrated"])
    page = staff.get("/admin/ratings/ratinglist/month/")
    # The office is behind: May is the first month without lists.
    assert "Close May 2026" in words(page)
    states = {state.step: state for state in page.context["steps"]}
    looked_at = AuditedCheck.objects.get().looked_at
    assert states["audit"].looked == (True, f"1 check, last run {utc(looked_at)}: no open findings.")
    AuditedCheck.objects.update(looked_at=APRIL_1)
    page = staff.get("/admin/ratings/ratinglist/month/")
    states = {state.step: state for state in page.context["steps"]}
    assert states["audit"].looked == (False, "1 check, last run 1 Apr 2026, 00:00 UTC: no open findings.")
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_ratinglist"))
    client.force_login(clerk)
    states = client.get("/admin/ratings/ratinglist/month/").context["steps"]
    assert all(state.due is None for state in states)


def test_a_new_office_is_told_what_to_begin_with(staff):
    text = words(staff.get("/admin/"))
    for what in ("No members yet", "No ratings yet", "No games yet"):
        assert what in text
    assert 'href="/admin/office/fileimport/bring/import-members/"' in staff.get("/admin/").text
    game(*two_members())
    audit(only=["games-kept-unrated"])
    text = words(staff.get("/admin/"))
    assert not any(what in text for what in ("No members yet", "No ratings yet", "No games yet"))


def test_whoever_has_no_second_factor_is_told_so(staff, django_user_model):
    assert "You haven’t set up a second factor" in words(staff.get("/admin/"))
    TOTPDevice.objects.create(user=django_user_model.objects.get(), name="app", confirmed=True)
    assert "You haven’t set up a second factor" not in words(staff.get("/admin/"))


def test_a_received_tournament_that_findings_keep_from_being_rated_is_due(officer):
    late = report(
        everybody_listed(2100, 2000, 1900, 1800),
        round_robin("*1==", "0*1=", "=0*1", "==0*"),
        days=[FIRST_DAY] * 3,
    )
    tournament = received(late, registered_on=FIRST_DAY).tournament
    text = f"1 finding prevents {tournament} from being rated"
    assert (text, "Review the findings", tournament.report.received_at, False) in due(officer)
    assert link_of(officer, text) == f"/admin/otb/tournament/{tournament.pk}/judge/"
    accept(tournament, Finds.REGISTERED_LATE, "The chairman agreed.", officer, MAY)
    assert text not in [told for told, *_more in due(officer)]


def task_off(officer, text, now=MAY):
    (one,) = (one for one in due_for(officer, now) if one.text == text)
    return f"/admin/office/changeset/put-off/?{urlencode({'key': one.identity})}"


def test_a_task_is_put_off_until_a_day_with_a_reason_and_taken_up_again(officer, client):
    two_members()
    client.force_login(officer)
    now = timezone.now()
    text = f"{month_text(now)} FIDE rating list"
    address = task_off(officer, text, now)
    assert address.replace("&", "&amp;") in client.get("/admin/").text
    until = (now + timedelta(days=2)).date()
    for posted, told in (
        ({"until": "", "reason": "x"}, "This field is required."),
        ({"until": now.date(), "reason": "x"}, "Choose a day after today, no later than "),
        ({"until": "2099-01-01", "reason": "x"}, "Choose a day after today, no later than "),
        ({"until": until, "reason": " "}, "This field is required."),
    ):
        refused = client.post(address, posted)
        assert told in words(refused)
        assert text in words(refused)
    client.post(address, {"until": until, "reason": "FIDE publishes it late."})
    assert text not in [one.text for one in due_for(officer, now)]
    page = client.get("/admin/")
    said = f"{text}. FIDE publishes it late. ({officer}, {date_text(now)})"
    assert (said in words(page), "1 task put off" in words(page)) == (True, True)
    # Nor is its step of the month done.
    page = client.get("/admin/ratings/ratinglist/month/")
    step = page.context["steps"][0]
    assert (step.due, [one.text for one, _row in step.put_off]) == ([], [text])
    assert said in words(page)
    # It is put off for everybody, and due again on its day.
    assert text not in [one.text for one in due_for(officer, now + timedelta(days=1))]
    later = beginning_of(until)
    if later.month == now.month:
        assert text in [one.text for one in due_for(officer, later)]
    client.post(address, {"again": ""})
    assert text in [one.text for one in due_for(officer, now)]


def test_who_puts_off_what_a_colleague_has_put_off_reads_their_reason_before_it_is_replaced(officer, client):
    client.force_login(officer)
    now = timezone.now()
    days = [(now + timedelta(days=days)).date() for days in (2, 9)]
    address = task_off(officer, f"{month_text(now)} FIDE rating list", now)
    client.post(address, {"until": days[0], "reason": "FIDE publishes it late."})
    mine = {"until": days[1], "reason": "I am away."}
    refused = client.post(address, mine)
    stored = PutOff.objects.values_list("until", "reason")
    assert list(stored.all()) == [(days[0], "FIDE publishes it late.")]
    text = words(refused)
    assert "A colleague has already put this task off, so nothing was done." in text
    theirs = f"{date_text(days[0])}: FIDE publishes it late. ({officer}, {date_text(now)})"
    assert f"Already put off until {theirs}" in text
    # What was typed is still there.
    assert refused.context["form"]["reason"].value() == "I am away."
    seen = refused.context["earlier"].at.isoformat()
    assert f'name="seen" value="{seen}"' in refused.text
    # Whoever opens the page sees it at once.
    assert theirs in words(client.get(address))
    client.post(address, {**mine, "seen": seen})
    assert list(stored.all()) == [(days[1], "I am away.")]
    # The page of whoever saw the first one is stale now.
    client.post(address, {"until": days[0], "reason": "Stale.", "seen": seen})
    assert list(stored.all()) == [(days[1], "I am away.")]
    # What was put off until a day that has come is replaced without a question.
    PutOff.objects.update(until=now.date())
    client.post(address, mine)
    assert list(stored.all()) == [(days[1], "I am away.")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("shared_database")
def test_of_two_who_put_a_task_off_at_once_one_is_told_that_the_other_did(officer):
    until = (timezone.now() + timedelta(days=2)).date()
    address = task_off(officer, f"{month_text(timezone.now())} FIDE rating list", timezone.now())

    def puts_off(reason):
        client = Client()
        client.force_login(officer)
        return lambda: client.post(address, {"until": until, "reason": reason})

    reasons = ["FIDE publishes it late.", "I am away."]
    for put_off_together in (at_once, while_it_waits):
        PutOff.objects.all().delete()
        answers = put_off_together(*map(puts_off, reasons))
        assert sorted(one.status_code for one in answers) == [200, 302]
        (loser,) = (answer for answer in answers if answer.status_code == 200)
        kept = PutOff.objects.get().reason
        assert {kept, loser.context["form"]["reason"].value()} == set(reasons)
        assert f": {kept} (" in words(loser)


def test_what_waits_for_one_person_or_is_not_theirs_to_see_is_not_put_off(officer, client, django_user_model):
    client.force_login(officer)
    (mine,) = (one for one in due_for(officer, MAY) if one.mine)
    off = "/admin/office/changeset/put-off/"
    until = {"until": (timezone.now() + timedelta(days=2)).date(), "reason": "x"}
    assert client.post(f"{off}?{urlencode({'key': mine.identity})}", until).status_code == 404
    assert client.get(off).status_code == client.get(f"{off}?key={'x' * 5000}").status_code == 404
    address = task_off(officer, f"{month_text(timezone.now())} FIDE rating list", timezone.now())
    client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
    assert client.post(address, until).status_code == 404
    client.force_login(officer)
    client.post(address, until)
    client.force_login(django_user_model.objects.get(username="clerk"))
    client.post(address, {"again": ""})
    assert PutOff.objects.count() == 1


@pytest.mark.rendered
def test_a_task_put_off_in_polish_is_the_same_task_in_english(officer, client):
    client.force_login(officer)
    address = task_off(officer, f"{month_text(timezone.now())} FIDE rating list", timezone.now())
    client.cookies["django_language"] = "pl"
    client.post(address, {"until": (timezone.now() + timedelta(days=2)).date(), "reason": "x"})
    client.cookies["django_language"] = "en"
    assert "1 task put off" in words(client.get("/admin/"))
