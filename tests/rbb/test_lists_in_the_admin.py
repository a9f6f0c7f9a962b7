"""Published lists in the admin: files of the lists, of a month, and their lines best first."""

import csv
import io
from datetime import UTC, datetime, timedelta
from zipfile import ZipFile

import pytest
from django.test import Client

from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingList, RatingListEntry
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.backoffice import admin_page
from tests.commands import run
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
WHICH = "Choose a category: rapid, blitz, bullet. Only --month without --revision writes all lists together."
FILES = "/admin/ratings/ratinglist/files/2026-04/"


def named(username, points, category=Category.BLITZ):
    who = member(username)
    opening(who, points, category)
    return who


@pytest.fixture
def lists(db):
    """The three lists of April, of which blitz was revised."""
    anna, bob = named("anna", 2000), named("bob", 2300)
    opening(anna, 1500, Category.BULLET)
    opening(bob, 1400, Category.RAPID)
    found = [
        publish(category=category, month=APRIL, at=APRIL + timedelta(hours=1))[0] for category in Category
    ]
    game(anna, bob, "1-0", minute=10)
    found.append(publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=2), revise=True)[0])
    return found


def packed(data):
    """The names of the files in an archive, with their bytes."""
    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_file_of_the_lists_has_values_instead_of_links(staff, lists):
    response = staff.get(admin_page(RatingList, "export"))
    header, first, *others = csv.reader(io.StringIO(response.getvalue().decode()))
    assert header == [
        *("category", "month", "revision", "as_of", "federation"),
        *("requested_by", "members", "published_at", "checksum"),
    ]
    rapid = RatingList.objects.get(category=Category.RAPID)
    assert first == [
        *("Rapid", "2026-04-01", "1", "2026-04-01T00:00:00Z", "", "", "1", "2026-04-01T01:00:00Z"),
        rapid.checksum,
    ]
    assert [(line[0], line[2]) for line in others] == [("Blitz", "2"), ("Blitz", "1"), ("Bullet", "1")]


def test_all_lists_of_a_month_are_one_archive_of_the_files_of_their_last_revisions(staff, client, lists):
    response = staff.get(FILES)
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == 'attachment; filename="lists-2026-04.zip"'
    found = packed(b"".join(response.streaming_content))
    assert list(found) == ["rapid-2026-04.csv", "blitz-2026-04-revision-2.csv", "bullet-2026-04.csv"]
    for one in (lists[0], lists[2], lists[3]):
        public = client.get(f"{one.get_absolute_url()}?format=csv")
        assert b"".join(public.streaming_content) in found.values()


@pytest.mark.parametrize("page", ["changelist", "change"])
def test_the_pages_of_lists_lead_to_the_files_of_the_month(staff, lists, page):
    shown = staff.get(admin_page(RatingList if page == "changelist" else lists[0]))
    assert f'href="{FILES}"' in shown.text
    assert "Download all lists for April 2026" in words(shown)


def test_a_month_without_lists_has_no_files(staff):
    assert staff.get(FILES).status_code == 404
    assert "Download all lists" not in words(staff.get(admin_page(RatingList)))
    assert Client().get(FILES)["Location"].startswith("/admin/login/?next=")


@pytest.mark.parametrize("kind", ["csv", "txt", "xml", "json", "xlsx"])
def test_the_command_writes_all_lists_of_a_month_in_any_format(lists, tmp_path, kind):
    target = tmp_path / "lists.zip"
    done = run("export_list", "--month", "2026-04", "--format", kind, "--output", str(target))
    assert (done.code, done.err) == (0, "")
    found = packed(target.read_bytes())
    assert list(found) == [
        f"rapid-2026-04.{kind}",
        f"blitz-2026-04-revision-2.{kind}",
        f"bullet-2026-04.{kind}",
    ]
    alone = tmp_path / "alone"
    assert (
        run("export_list", "rapid", "--month", "2026-04", "--format", kind, "--output", str(alone)).code == 0
    )
    assert found[f"rapid-2026-04.{kind}"] == alone.read_bytes()


def test_the_command_says_which_lists_a_month_lacks(lists, tmp_path):
    RatingList.objects.filter(category=Category.BULLET).delete()
    target = tmp_path / "lists.zip"
    done = run("export_list", "--month", "2026-04", "--output", str(target))
    assert (done.code, done.err) == (0, "No bullet list was published for 2026-04.\n")
    assert list(packed(target.read_bytes())) == ["rapid-2026-04.csv", "blitz-2026-04-revision-2.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            (),
            WHICH,
        ),
        (
            ("--month", "2026-04", "--revision", "1"),
            WHICH,
        ),
        (("--month", "2026-05"), "No list was published for 2026-05."),
        (("--month", "April"), "“April” isn’t a month such as 2026-03."),
        (("--month", "2026-04"), "A ZIP archive isn’t text: choose a file with --output."),
    ],
)
def test_the_command_refuses_what_is_not_one_month(lists, options, message):
    done = run("export_list", *options)
    assert done.code == 1
    assert message in done.err


def test_the_lines_of_a_list_are_best_first(staff, lists):
    shown = staff.get(admin_page(RatingListEntry), {"rating_list__id__exact": lists[1].pk})
    assert [line.position for line in shown.context["cl"].result_list] == [1, 2]
    every = staff.get(admin_page(RatingListEntry)).context["cl"].result_list
    assert [(line.rating_list_id, line.position) for line in every] == [
        *((lists[3].pk, 1), (lists[3].pk, 2)),
        *((lists[2].pk, 1), (lists[1].pk, 1), (lists[1].pk, 2), (lists[0].pk, 1)),
    ]
