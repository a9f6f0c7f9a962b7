"""Two accounts of one person: an officer merges them from the worklist, and takes it back."""

import pytest
from playwright.sync_api import expect

from members.models import Member
from ratings.desk.services.duplicates import find_duplicates
from tests.arena import at, game, member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def other(arena):
    """A second account of Anna's, with a game."""
    other = member("anna_old", name="Anna Berg")
    game(other, arena.boris, minute=70)
    find_duplicates(at=at(100))
    return other


def test_an_officer_merges_two_accounts_and_takes_it_back(
    page, live_server, arena, other, log_in, check, complaints
):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/desk/likelyduplicate/")
    row = page.get_by_role("row").filter(has_text="anna_old")
    expect(row).to_contain_text("same name, birth year unknown")
    check()
    row.get_by_role("link", name="Merge …").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("one person: Anna Berg (anna_old)")
    expect(page.get_by_role("link", name="Keep anna_old instead")).to_be_visible()
    check()
    page.get_by_label("Reason shown to members").select_option("duplicate")
    page.get_by_label("Note for staff").fill("Wrote from both addresses.")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_text("Done:")).to_be_visible()
    decision = page.url
    assert not Member.objects.filter(pk=other.pk).exists()
    page.goto(f"{live_server.url}{other.get_absolute_url()}")
    expect(page).to_have_url(f"{live_server.url}{arena.anna.get_absolute_url()}")
    expect(page.get_by_text("Anna Berg, anna_old")).to_be_visible()
    check()
    page.goto(f"{live_server.url}/admin/members/member/{arena.anna.pk}/change/")
    expect(page.get_by_role("heading", name="Former names")).to_be_visible()
    check()
    page.goto(decision)
    page.get_by_role("link", name="Reverse …").click()
    page.get_by_label("Reason shown to members").select_option("error")
    page.get_by_label("Note for staff").fill("Two people after all.")
    page.get_by_role("button", name="Reverse").click()
    expect(page.get_by_text("Done:")).to_be_visible()
    assert Member.objects.filter(pk=other.pk, merged_into=None).exists()
    page.goto(f"{live_server.url}/admin/desk/likelyduplicate/")
    page.get_by_role("row").filter(has_text="anna_old").get_by_role(
        "button", name="Not the same person"
    ).click()
    expect(page.get_by_text("We won’t ask again.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="anna_old")).to_have_count(0)
    assert not complaints
