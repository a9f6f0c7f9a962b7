"""Every kind of page, found by its links on the demo: all is visible and whole, numbers are at the right."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.urls import Resolver404, resolve

from members.models import Member
from ratings.rbb.demo import GUEST
from tests.browser.conftest import PASSWORD
from tests.browser.looking import (
    NARROW,
    TABLET,
    WIDE,
    at_the_left,
    broken,
    cut_off,
    far_down,
    off_screen,
    unseen,
)
from tests.commands import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

LOGIN = "/login/"
LINKS = "[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))"


@pytest.fixture
def demo(live_server, settings):
    """The demo: names as long, lists as full and cases as odd as in an office."""
    # The demo's tournaments over the board are those of the old regulations.
    settings.OTB_REGULATIONS_2024_SINCE = None
    assert run("load_demo").code == 0
    users = get_user_model().objects
    users.create_superuser("officer", password=PASSWORD)
    Member.objects.filter(username=GUEST).update(user=users.create_user("guest", password=PASSWORD))


@pytest.fixture
def walk(page, live_server, demo):
    """Follows links and calls ``look`` on pages: so many of each kind, which is the name of an address.

    Returns the kinds, without those that only ask for a login.
    """

    def walk(look, first, *, each, within):
        met: dict[str, int] = {}
        shown: set[str] = set()
        ahead, known = list(first), set(first)
        while ahead:
            path = ahead.pop(0)
            try:
                kind = resolve(urlsplit(path).path).view_name
            except Resolver404:
                continue
            if met.get(kind, 0) >= each or not within(path):
                continue
            page.set_viewport_size({"width": WIDE, "height": 900})
            if "text/html" not in page.request.head(live_server.url + path).headers.get("content-type", ""):
                continue
            page.goto(live_server.url + path)
            met[kind] = met.get(kind, 0) + 1
            if kind == "login" or urlsplit(page.url).path != LOGIN:
                shown.add(kind)
            links = [link.partition("#")[0] for link in page.evaluate(LINKS)]
            look(path)
            new = {link for link in links if link.startswith("/") and "format=" not in link} - known
            ahead += sorted(new, key=links.index)
            known |= new
        return shown

    return walk


@pytest.fixture
def faults_of(page):
    """Looks at a page in both widths, and keeps what was wrong."""
    found: list[str] = []

    def look(path):
        is_admin = path.startswith("/admin/")
        for width in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": 900})
            # Tables of the admin scroll on a phone.
            wrong = [
                *unseen(page),
                *cut_off(page, whole=not (is_admin and width == NARROW)),
                *at_the_left(page),
                *([] if is_admin else broken(page)),
                *off_screen(page),
                *far_down(page),
            ]
            found.extend(f"{path} at {width}: {text}" for text in wrong)
        if not is_admin:
            page.set_viewport_size({"width": TABLET, "height": 900})
            found.extend(f"{path} at {TABLET}: {text}" for text in (*cut_off(page), *broken(page)))

    look.found = found
    return look


def is_of_the_site(path):
    return not path.startswith(("/admin/", "/logout/"))


def is_of_the_admin(path):
    return path.startswith("/admin/") and "logout" not in path


def test_no_page_of_the_site_hides_a_link_or_is_cut_off(walk, faults_of, log_in):
    as_visitor = walk(faults_of, ["/", "/login/", "/password/forgotten/"], each=2, within=is_of_the_site)
    log_in("guest")
    as_member = walk(
        faults_of,
        ["/account/", "/"],
        each=1,
        within=lambda path: is_of_the_site(path) and resolve(urlsplit(path).path).view_name not in as_visitor,
    )
    assert not faults_of.found, "\n".join(faults_of.found)
    # The footer leads there, and so does nothing else.
    assert {"office:register", "arena:api", "desk:calendar", "notices:public"} <= as_visitor
    assert {"account", "notices:news", "desk:cases"} <= as_member


def test_no_page_of_the_admin_hides_a_link_or_is_cut_off(walk, faults_of, log_in):
    log_in("officer")
    met = walk(faults_of, ["/admin/"], each=1, within=is_of_the_admin)
    assert not faults_of.found, "\n".join(faults_of.found)
    assert len(met) > 200
