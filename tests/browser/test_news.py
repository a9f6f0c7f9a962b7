"""A member is invited, follows another one and chooses what they are told, in a browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from members.inviting import invite, token_of
from ratings.notices.models import Choice
from ratings.notices.services.telling import tell_all
from tests.browser.looking import WIDE

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[WIDE, 320], autouse=True)
def width(request, page):
    """A screen, and a small phone."""
    page.set_viewport_size({"width": request.param, "height": 900})


def test_a_member_follows_another_reads_the_news_and_asks_for_mails(page, live_server, arena, log_in, check):
    log_in("anna")
    page.goto(live_server.url + arena.boris.get_absolute_url())
    page.get_by_role("button", name="Follow", exact=True).click()
    expect(page.get_by_role("button", name="Unfollow")).to_be_visible()
    check()
    page.goto(f"{live_server.url}/news/following/")
    expect(page.get_by_role("link", name="Lund, Boris")).to_be_visible()
    check()
    tell_all(timezone.now())
    page.get_by_role("link", name="News", exact=True).first.click()
    expect(page.get_by_role("link", name="Lund, Boris on the April 2026 blitz list")).to_be_visible()
    expect(page.get_by_role("link", name="Your rating on the April 2026 blitz list")).to_be_visible()
    check()
    page.get_by_role("link", name="Notification settings").click()
    page.get_by_role("checkbox", name="My rating on a new list: email").check()
    page.locator("#news").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Your choice has been saved.")
    check()
    assert Choice.objects.get(member=arena.anna, kind="list").mail


def test_who_was_invited_makes_a_login_and_asks_for_a_list_in_two_clicks(page, live_server, arena, check):
    invitation = invite(
        member=arena.cecilia, email="c@arena.example", by="office", language="en", at=timezone.now()
    )
    page.goto(f"{live_server.url}/members/invitation/{token_of(invitation)}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    check()
    for label in ("Password", "Password again"):
        page.get_by_label(label, exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Set up my login").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My account")
    check()
    page.get_by_role("link", name="Request a rating list").click()
    expect(page.get_by_role("button", name="Create the list")).to_be_visible()
