"""Publishing lists from the admin: which, then what they would be, then a job that freezes them."""

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ratings.office import journal
from ratings.office.journal import Asked
from ratings.office.models import ChangeSet, Job, Journal
from ratings.rbb.ledger import corrections
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import at, game, opening, rated
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import decide, do_jobs, look, shown_on
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered, pytest.mark.usefixtures("worker")]

LIST, PUBLISH = admin_page(RatingList), admin_page(RatingList, "publish")
APRIL = {"month": "2026-04", "category": ["rapid", "blitz", "bullet"]}
MAY = 61 * 24 * 60
"""Minutes from the START of the arena, in March, to the first moment of May."""


def an_arena():
    """Anna, Bob and Carl; Anna has won in March, Carl in April."""
    anna, bob, carl = rated(1600), rated(1600), rated(1500)
    for who in (anna, bob):
        opening(who, 1700, Category.RAPID)
    game(anna, bob, minute=10)
    game(carl, bob, minute=MAY - 10)
    return anna, bob, carl


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


@pytest.fixture
def officer(django_user_model):
    """The login of a rating officer."""
    user = django_user_model.objects.create_user("officer", is_staff=True)
    user.groups.add(Group.objects.get(name="Rating officers"))
    client = Client()
    client.force_login(user)
    return client


def stored():
    return list(RatingList.objects.values_list()), list(RatingListEntry.objects.values_list())


def asked(**changes):
    return {**APRIL, **changes}


def test_the_list_of_lists_leads_to_the_page_for_who_may_publish(officer, staff, django_user_model):
    assert f'href="{PUBLISH}"' in officer.get(LIST).text
    auditor = django_user_model.objects.create_user("auditor", is_staff=True)
    auditor.groups.add(Group.objects.get(name="Auditors"))
    staff.force_login(auditor)
    assert "publish" not in staff.get(LIST).text


def test_the_page_offers_the_months_from_that_of_the_first_game_on(officer, arena):
    response = officer.get(PUBLISH)
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert response.context["effect"] is None
    months = [value for value, _ in response.context["form"].fields["month"].widget.choices]
    assert (months[0], months[-1]) == (f"{timezone.now():%Y-%m}", "2026-03")
    assert months == sorted(months, reverse=True)
    assert response.text.count(" checked") == 3


def test_an_arena_without_games_has_no_month_to_publish(officer):
    assert officer.get(PUBLISH).context["form"].fields["month"].widget.choices == []
    text = words(look(officer, PUBLISH, asked()))
    assert "April 2026 is before the first rated game, so it has no list." in text


def test_the_preview_says_exactly_what_will_be_published_and_publishes_nothing(officer, arena):
    before = stored()
    response = look(officer, PUBLISH, asked())
    assert response.status_code == 200
    assert keeps_the_policy(response)
    assert stored() == before
    text = words(response)
    assert "Publish rating lists: April 2026 (rapid, blitz, bullet)" in text
    # 1610, 1590 and 1500.
    assert "Blitz It will be published. 3 3 0 0 1 1566.67 –" in text
    assert "Rapid It will be published. 2 2 0 0 0 1700.00 –" in text
    assert "Bullet It will be published. 0 0 0 0 0 – –" in text
    assert 'value="Publish 3 lists"' in response.text


def test_what_was_promised_is_published_by_the_worker_and_the_page_of_the_job_leads_to_it(
    officer, arena, worker
):
    response = decide(officer, PUBLISH, asked())
    job = ChangeSet.objects.decided().get().job
    assert response["Location"] == admin_page(job)
    assert job.title == "Publish rating lists: April 2026 (rapid, blitz, bullet)"
    assert "Queued; waiting for a worker." in words(officer.get(admin_page(job)))
    assert not RatingList.objects.exists()
    worker()
    lists = RatingList.objects.order_by("category")
    # As the preview says.
    assert [(one.revision, one.members, one.period_games, one.mean) for one in lists] == [
        (1, 2, 0, 1700),
        (1, 3, 1, Decimal("1566.67")),
        (1, 0, 0, None),
    ]
    text = words(page := officer.get(admin_page(job)))
    assert "Done. Rapid April 2026, revision 1: published, 2 members. List Report CSV" in text
    for published in lists:
        address = published.get_absolute_url()
        for link in (address, f"{address}report/", f"{address}?format=csv"):
            assert f'href="{link}"' in page.text
            response = officer.get(link)
            assert (response.status_code, bool(response.getvalue())) == (200, True)
        entry = LogEntry.objects.get(object_id=str(published.pk))
        assert (entry.user.username, entry.change_message) == ("officer", job.title)
    told = [one.name for one in journal.everything(Asked(action="published"))]
    assert sorted(told) == [f"{name} April 2026, revision 1" for name in ("Blitz", "Bullet", "Rapid")]
    assert not [one for one in journal.everything(Asked(action="changed")) if one.name in told]
    assert "Published: rating list Rapid April 2026, revision 1" in words(officer.get(admin_page(Journal)))


def test_the_preview_of_the_next_month_names_the_list_before(officer, arena, worker):
    decide(officer, PUBLISH, asked())
    worker()
    response = look(officer, PUBLISH, asked(month="2026-05", category=["blitz"]))
    assert "Blitz It will be published. 3 0 0 0 1" in words(response)
    assert "Blitz April 2026, revision 1" in words(response)
    assert 'value="Publish 1 list"' in response.text


def test_of_a_month_that_is_published_nothing_is_done_and_nothing_can_be(officer, arena, worker):
    decide(officer, PUBLISH, asked())
    worker()
    response = look(officer, PUBLISH, asked(revise="on"))
    text = words(response)
    assert text.count("Already published. Nothing has changed since.") == 3
    assert "There’s nothing to do." in text
    assert '<form method="post" action="/admin/ratings' not in response.text


def test_after_a_correction_the_preview_says_how_many_members_stand_otherwise(officer, arena, worker):
    decide(officer, PUBLISH, asked())
    worker()
    game(arena[0], arena[2], "0-1", minute=20)
    before = stored()
    text = words(look(officer, PUBLISH, asked()))
    assert "Already published. Tick “Publish a new revision” to replace it. 2 lines have changed" in text
    assert "There’s nothing to do." in text
    revising = look(officer, PUBLISH, asked(revise="on"))
    assert "Revision 2 will be published. 2 lines have changed since publication. Blitz April 2026" in words(
        revising
    )
    assert 'value="Publish 1 list"' in revising.text
    assert '<input type="hidden" name="revise" value="on">' in revising.text
    assert stored() == before
    decide(officer, PUBLISH, asked(revise="on"))
    worker()
    text = words(officer.get(admin_page(Job.objects.first())))
    assert "Rapid April 2026, revision 1: already published on " in text
    assert "Blitz April 2026, revision 2: published, 3 members." in text
    assert RatingList.objects.count() == 4
    assert before[1] == list(RatingListEntry.objects.filter(rating_list__revision=1).values_list())


def test_of_two_officers_who_publish_a_month_the_second_is_told_that_it_is_published(officer, arena, worker):
    shown = shown_on(look(officer, PUBLISH, asked()))
    first, second = (officer.post(PUBLISH, {**asked(), "shown": shown})["Location"] for _ in range(2))
    worker()
    assert words(officer.get(first)).count(": published, ") == 3
    assert "The data has changed since the preview. Nothing was done." in words(officer.get(second))
    assert RatingList.objects.count() == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"month": "2999-01"}, "January 2999 has not started. Its lists show the ratings on its first day."),
        ({"month": "2026-02"}, "February 2026 is before the first rated game, so it has no list."),
        ({"month": "2026-13"}, "“2026-13” isn’t a month such as 2026-03."),
        ({"month": "x" * 5000}, "Ensure this value has at most 10 characters (it has 5000)."),
        ({"month": "a\0b"}, "Null characters are not allowed."),
        ({"month": ""}, "This field is required."),
        ({"category": []}, "This field is required."),
        ({"category": ["chess"]}, "Select a valid choice. chess is not one of the available choices."),
    ],
)
def test_what_cannot_be_published_is_said_beside_the_field(officer, arena, changes, message):
    # A NUL byte in an address is refused before it comes to any page.
    asking = [officer.post] if "\0" in str(changes.get("month")) else [officer.get, officer.post]
    for ask in asking:
        response = ask(PUBLISH, asked(**changes))
        assert response.status_code == 200
        assert message in words(response)
        assert 'aria-invalid="true"' in response.text
        assert "Nothing was done." in words(response)
    assert (Job.objects.count(), RatingList.objects.count()) == (0, 0)


def test_a_month_that_can_no_longer_be_published_is_refused_by_the_worker(officer, arena, worker):
    decide(officer, PUBLISH, asked(month="2026-03"))
    corrections.void_games(games=list(arena[0].games_as_white.all()), by=None, reason="error", at=at(MAY))
    worker()
    text = words(officer.get(admin_page(ChangeSet.objects.decided().get().job)))
    assert "March 2026 is before the first rated game, so it has no list." in text
    assert not RatingList.objects.exists()


def test_publishing_needs_the_token_of_the_page(officer, django_user_model, arena):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(django_user_model.objects.get(username="officer"))
    assert strict.post(PUBLISH, {**asked(), "shown": "x"}).status_code == 403
    assert Job.objects.count() == 0


def test_a_preview_takes_as_many_statements_for_many_members_as_for_few(officer, arena):
    address = f"{PUBLISH}?month=2026-04&category=blitz"

    def statements(officer, address):
        officer.get(address)
        with CaptureQueriesContext(connection) as captured:
            do_jobs()
        return len(captured)

    statements(officer, address)
    few = statements(officer, address)
    for _ in range(20):
        rated(1600)
    assert statements(officer, address) == few


def test_each_published_list_is_one_click_away_in_the_admin(officer, arena):
    published, _ = publish(category=Category.BLITZ, month=at(MAY), at=at(MAY))
    content = officer.get(LIST).text
    address = published.get_absolute_url()
    for link, label in ((address, "List"), (f"{address}report/", "Report"), (f"{address}?format=csv", "CSV")):
        assert f'<a href="{link}" aria-label="{label}: Blitz May 2026, revision 1">{label}</a>' in content
    assert officer.get(f"{address}?format=csv").getvalue().startswith(b"rank,username,")
    assert published.mean == Decimal("1566.67")


def test_an_office_without_a_rated_game_says_why_there_is_no_month_to_choose(officer):
    assert "No games have been rated yet, so no month can be published." in words(officer.get(PUBLISH))
    an_arena()
    assert "No games have been rated yet" not in words(officer.get(PUBLISH))
