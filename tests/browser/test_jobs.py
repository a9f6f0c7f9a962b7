"""Publishing in a browser: from the preview to the lists, while the page of the job watches the worker."""

import re

import pytest
from playwright.sync_api import expect

from ratings.office import jobs

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_month_is_published_and_the_page_of_the_job_follows_by_itself(
    page, live_server, arena, log_in, worker, complaints
):
    log_in("officer")
    page.goto(f"{live_server.url}/admin/ratings/ratinglist/")
    page.get_by_role("link", name="Publish …").click()
    page.get_by_label("Month").select_option("2026-03")
    page.get_by_label("Bullet").uncheck()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Publish rating lists: March 2026", level=1)).to_be_visible()
    status = page.locator("#job [role=status]")
    expect(status).to_have_text("Queued; waiting for a worker.")
    worker()
    # The page shows by itself what the worker found out.
    page.get_by_role("button", name="Publish 2 lists").click()
    expect(status).to_have_text("Queued; waiting for a worker.")

    mine = jobs.Job.objects.filter(pk=jobs.Job.objects.latest("pk").pk)
    work = jobs.Work(mine.get())
    work.tell(1, 2, "2 of 2: Blitz")
    work.note()
    mine.update(state="running")
    expect(status).to_have_text("2 of 2: Blitz")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")

    mine.update(state="waiting")
    worker()
    expect(status).to_have_text("Done.")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.locator(".field-ended_at")).not_to_contain_text(re.compile("-$"))
    page.locator("#job").get_by_role("link", name="List").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Blitz, March 2026 list")
    assert not complaints
