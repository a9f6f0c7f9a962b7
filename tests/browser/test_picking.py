"""Members whom a decision concerns are found by typing part of a name, as everywhere in the admin."""

import pytest
from playwright.sync_api import expect

from members.models import AccountClosure
from tests.browser.looking import NARROW, WIDE

pytestmark = pytest.mark.django_db(transaction=True)


def pick(page, text, label):
    """Type into the box that is open, and take what is found."""
    page.locator(".select2-search__field").last.type(text)
    page.get_by_role("option", name=label).click()


def test_the_other_account_of_a_merge_is_picked(page, live_server, arena, log_in, check):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/members/member/merge/?keep={arena.cecilia.pk}")
    page.locator("#id_other + .select2").click()
    pick(page, "ann", "(anna")
    check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("main")).to_contain_text("anna")
    expect(page.locator("#id_other option:checked")).to_have_attribute("value", "anna")
    check()


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_opponents_of_a_closure_are_picked_and_stay_picked_when_the_form_is_refused(
    page, live_server, arena, log_in, check, width
):
    page.set_viewport_size({"width": width, "height": 900})
    log_in("officer")
    page.goto(f"{live_server.url}/admin/members/member/close/?member={arena.anna.pk}")
    check()
    for text, label in (("lun", "(boris"), ("cru", "(cecilia")):
        page.locator("#id_opponents + .select2").click()
        pick(page, text, label)
    check()
    page.get_by_label("Void those against certain opponents from a given day on").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("alert")).to_contain_text("Please correct the errors below.")
    picked = page.locator("#id_opponents option:checked")
    expect(picked).to_have_text(["Lund, Boris (boris, POL)", "Cruz, Cecilia (cecilia, POL)"])
    check()
    page.get_by_label("Reason shown to members").select_option("fair-play")
    page.get_by_label("From:", exact=True).fill("2026-03-01")
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Note for staff").fill("Both games.")
    check()
    page.get_by_role("button", name="Close the account and void 31 games").click()
    expect(page.get_by_role("main")).to_contain_text("Done:")
    assert {one.username for one in AccountClosure.objects.get().opponents.all()} == {"boris", "cecilia"}
