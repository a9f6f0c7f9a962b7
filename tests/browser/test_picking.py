"""Members whom a decision concerns are found by typing part of a name, as everywhere in the admin."""

import pytest
from playwright.sync_api import expect

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
