"""A complaint from the member’s button to the decision, with a second person’s consent, in a browser."""

import pytest
from django.contrib.auth.models import Permission, User
from playwright.sync_api import expect

from ratings.desk.models import Case
from tests.browser.conftest import PASSWORD, log_out
from tests.browser.looking import NARROW

pytestmark = pytest.mark.django_db(transaction=True)

RIGHTS = ("view_case", "handle_case", "view_game", "change_game", "view_changeset")


@pytest.fixture
def office(arena, settings):
    """Two officers, who correct games together."""
    settings.SECOND_PERSON_KINDS = ["correct-game"]
    # Groups are gone once another test has emptied the database; permissions are made anew.
    rights = Permission.objects.filter(codename__in=RIGHTS)
    assert rights.count() == len(RIGHTS)
    for name in ("first", "second"):
        User.objects.create_user(name, password=PASSWORD, is_staff=True).user_permissions.set(rights)
    return arena


def test_a_member_complains_and_two_officers_put_it_right(page, live_server, office, log_in, check):
    page.set_viewport_size({"width": NARROW, "height": 900})

    def leave():
        page.goto(live_server.url)
        log_out(page)

    game = office.anna.games_as_white.filter(result="1-0", pgn="").latest("ended_at")
    log_in("anna")
    page.goto(live_server.url + game.get_absolute_url())
    check()
    page.get_by_role("link", name="Report a mistake").click()
    check()
    page.get_by_label("What is wrong, and what should it be?").fill("I lost: Boris mated me.")
    page.get_by_role("button", name="Send to the office").click()
    expect(page.get_by_role("status")).to_have_text("We’ve received your case.")
    check()
    page.get_by_role("link", name="My cases").click()
    expect(page.get_by_role("row")).to_have_count(2)
    check()
    case = Case.objects.get()
    leave()

    log_in("first")
    page.goto(f"{live_server.url}/admin/desk/case/")
    check()
    page.get_by_role("link", name=str(case), exact=True).click()
    page.get_by_role("button", name="Claim").click()
    expect(page.get_by_text("The case is yours.")).to_be_visible()
    page.get_by_label("Message to the member").fill("We ask the server.")
    page.get_by_role("button", name="Send to the member").click()
    page.get_by_label("Note for staff").fill("The server says 0-1.")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("Note saved.")).to_be_visible()
    check()
    page.get_by_role("link", name="Correct …").click()
    page.locator("#id_result").select_option("0-1")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("Reason shown to members").select_option("Result corrected")
    page.get_by_label("Note for staff").fill("As the server says.")
    page.get_by_role("button", name="Propose: Correct", exact=True).click()
    expect(page.get_by_text("Another person has to confirm this:")).to_be_visible()
    change_set = page.url
    leave()

    log_in("second")
    page.goto(change_set)
    page.get_by_role("button", name="Confirm as the second person").click()
    expect(page.get_by_text("Confirmed.")).to_be_visible()
    page.goto(f"{live_server.url}/admin/desk/case/{case.pk}/change/")
    expect(page.get_by_role("link", name="Decide …")).to_have_count(0)
    leave()

    log_in("first")
    page.goto(f"{live_server.url}/admin/desk/case/{case.pk}/change/")
    page.get_by_role("link", name="Decide …").click()
    number = change_set.split("/")[-3]
    expect(page.get_by_role("link", name=f"#{number}", exact=True)).to_be_visible()
    page.get_by_role("textbox", name="Decision:").fill("You are right. The result is corrected.")
    page.get_by_label("Public reasons").fill("Anna Berg lost.")
    page.get_by_role("radio", name=f"#{number} ").check()
    page.get_by_role("button", name="Decide the case").click()
    expect(page.get_by_text("don’t name anybody. Remove “anna”, “Berg”.")).to_be_visible()
    check()
    page.get_by_label("Public reasons").fill("The result had been entered the wrong way round.")
    page.get_by_role("button", name="Decide the case").click()
    expect(page.get_by_text("Decided by first.")).to_be_visible()
    check()
    leave()

    log_in("anna")
    page.get_by_role("link", name="My cases").click()
    page.get_by_role("link", name=str(case)).click()
    main = page.get_by_role("main")
    for said in ("We ask the server.", "You are right. The result is corrected."):
        expect(main).to_contain_text(said)
    expect(main).not_to_contain_text("The server says")
    expect(main).not_to_contain_text("first")
    check()
    main.get_by_role("link", name="Game corrected").click()
    expect(page.get_by_role("main")).to_contain_text("The result had been entered the wrong way round.")
    check()
    page.get_by_role("link", name=str(case)).click()
    expect(page.get_by_role("main")).not_to_contain_text("Berg")
    check()
    page.goto(live_server.url + game.get_absolute_url())
    expect(page.get_by_role("heading", level=1)).to_contain_text("0-1")
