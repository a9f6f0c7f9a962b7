"""What a published list tells, how it is revised, and its pages."""

import hashlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.publishing import due_months, publish
from ratings.rbb.lists.report import keep_reviews, report
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.commands import run
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

APRIL, MAY = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
DAY = 24 * 60
"""Minutes."""


def freeze(month, **options):
    return publish(category=Category.BLITZ, month=month, at=month + timedelta(hours=1), **options)[0]


def an_arena():
    """Anna beats Bob in March and April; Carl falls through the floor in April; Dora comes in April."""
    people = {name: member(name, name=name.title()) for name in ("anna", "bob", "carl", "dora", "eve")}
    opening(people["anna"], 1600)
    opening(people["bob"], 1600)
    opening(people["carl"], 100)
    opening(people["eve"], 120)
    game(people["anna"], people["bob"], minute=10)
    april = 31 * DAY
    game(people["anna"], people["bob"], minute=april + 10)
    game(people["eve"], people["carl"], minute=april + 20)
    game(people["dora"], people["anna"], "1/2-1/2", minute=april + 30)
    opening(people["dora"], 1500, minute=april + 40)
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def lines(published):
    return [
        (
            entry.rank,
            entry.member.username,
            entry.rating,
            entry.previous,
            entry.change,
            entry.period_games,
            entry.k,
        )
        for entry in published.entries.select_related("member").order_by("position")
    ]


def test_a_line_tells_the_previous_rating_the_change_the_games_of_the_period_and_k(arena):
    april, may = freeze(APRIL), freeze(MAY)
    assert lines(april) == [
        (1, "anna", Decimal("1610.00"), None, None, 1, 20),
        (2, "bob", Decimal("1590.00"), None, None, 1, 20),
        (3, "eve", Decimal("120.00"), None, None, 0, 20),
        (4, "carl", Decimal("100.00"), None, None, 0, 20),
    ]
    # 3.9.2: D = 20: H 0.53, so 1610 + 20 × 0.47; Eve likewise, and Carl's 90.60 are lost (3.3).
    assert lines(may) == [
        (1, "anna", Decimal("1619.40"), Decimal("1610.00"), Decimal("9.40"), 1, 20),
        (2, "bob", Decimal("1580.60"), Decimal("1590.00"), Decimal("-9.40"), 1, 20),
        (3, "dora", Decimal("1500.00"), None, None, 1, 20),
        (4, "eve", Decimal("129.40"), Decimal("120.00"), Decimal("9.40"), 1, 20),
    ]
    assert may.previous == april
    assert (april.period_games, april.unrated_games) == (1, 0)
    # Anna and Bob, Eve and Carl, Dora and Anna: in the last Dora was unrated (3.8).
    assert (may.period_games, may.unrated_games) == (3, 1)
    assert (may.members, may.mean, may.median) == (4, Decimal("1207.35"), Decimal("1540.30"))


def test_k_is_40_for_whoever_was_unrated_and_has_fewer_than_30_games():
    opening(member("new"), 1500, previously_unrated=True, games=29)
    opening(member("old"), 1400, previously_unrated=True, games=30)
    assert [line[-1] for line in lines(freeze(APRIL))] == [40, 20]


def test_a_list_is_the_same_whether_published_at_once_or_after_later_games(arena):
    late = freeze(APRIL)
    early = [line[:3] for line in lines(late)]
    assert early == [
        (1, "anna", Decimal("1610.00")),
        (2, "bob", Decimal("1590.00")),
        (3, "eve", Decimal("120.00")),
        (4, "carl", Decimal("100.00")),
    ]


def test_the_report_tells_who_came_who_left_and_who_moved_most(arena):
    april = report(freeze(APRIL))
    assert (april.new.count, april.left.count, april.mean_drift, april.risers) == (4, 0, None, [])
    may = report(freeze(MAY))
    assert [entry.member.username for entry in may.new.first] == ["dora"]
    assert [entry.member.username for entry in may.left.first] == ["carl"]
    assert [(entry.member.username, entry.change) for entry in may.risers] == [
        ("anna", Decimal("9.40")),
        ("eve", Decimal("9.40")),
    ]
    assert [(entry.member.username, entry.change) for entry in may.fallers] == [("bob", Decimal("-9.40"))]
    # Mean (1610 + 1590 + 120 + 100) / 4 and median (1590 + 120) / 2 were both 855.00.
    assert (may.mean_drift, may.median_drift) == (Decimal("352.35"), Decimal("685.30"))


def test_who_was_on_an_earlier_list_but_not_on_the_last_has_returned(arena):
    freeze(APRIL)
    freeze(MAY)
    for minute in range(5):
        game(arena["carl"], arena["bob"], minute=62 * DAY + minute)
    june = report(freeze(datetime(2026, 6, 1, tzinfo=UTC)))
    assert [entry.member.username for entry in june.returned.first] == ["carl"]
    assert june.new.count == 0
    assert report(freeze(datetime(2026, 7, 1, tzinfo=UTC))).returned.count == 0


def test_a_correction_makes_a_revision_and_alters_nothing_published(arena, client):
    first = freeze(APRIL)
    before = lines(first), first.checksum
    played = arena["anna"].games_as_white.order_by("ended_at").first()
    void_games(games=[played], by=None, reason="engine", at=timezone.now())
    assert publish(category=Category.BLITZ, month=APRIL, at=timezone.now()) == (first, False)
    second, new = publish(category=Category.BLITZ, month=APRIL, at=timezone.now(), revise=True)
    assert new
    assert second.revision == 2
    assert [line[2] for line in lines(second)] == [Decimal(points) for points in (1600, 1600, 120, 100)]
    first.refresh_from_db()
    assert (lines(first), first.checksum) == before
    old = words(client.get(first.get_absolute_url()))
    assert "Replaced by revision 2" in old
    assert "1610.00" in old
    assert client.get("/lists/blitz/2026-04/?sex=F")["Location"] == "/lists/blitz/2026-04/2/?sex=F"
    assert "A correction changed" not in words(client.get(second.get_absolute_url()))


def test_a_revision_that_would_be_the_same_list_is_not_made(arena):
    first = freeze(APRIL)
    assert publish(category=Category.BLITZ, month=APRIL, at=timezone.now(), revise=True) == (first, False)
    assert RatingList.objects.count() == 1


def test_the_next_list_is_compared_with_the_last_revision(arena):
    freeze(APRIL)
    played = arena["anna"].games_as_white.order_by("ended_at").first()
    void_games(games=[played], by=None, reason="engine", at=timezone.now())
    revised = freeze(APRIL, revise=True)
    assert freeze(MAY).previous == revised


def test_the_checksum_is_that_of_the_file(arena, client):
    published = freeze(APRIL)
    file = b"".join(client.get(f"{published.get_absolute_url()}?format=csv").streaming_content)
    assert hashlib.sha256(file).hexdigest() == published.checksum
    done = run("export_list", "blitz", "--month", "2026-04")
    assert done.out.encode() == file
    assert file.decode().splitlines()[:2] == [
        "rank,username,fide_id,name,title,federation,rating,games,previous,change,period_games,k,"
        "late_games,withdrawn_games,exact_change,games_change,adjustments_change,openings_change,"
        "earlier_change,exact_rating",
        "1,anna,,Anna,,,1610,1,,,1,20,0,0,,10.00,0.00,1600.00,0.00,1610.00",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--month", "2026-03"), "No blitz list was published for 2026-03."),
        (("--month", "2026-04", "--revision", "2"), "No blitz list was published for 2026-04, revision 2."),
        (("--month", "x"), "“x” isn’t a month such as 2026-03."),
        (("--revision", "1"), "Only published lists have revisions: add --month."),
    ],
)
def test_an_export_of_a_list_that_is_not_there_is_refused(arena, options, message):
    freeze(APRIL)
    assert run("export_list", "blitz", *options) == (1, "", message)


def test_a_month_before_the_first_game_is_refused(arena):
    assert run("publish_list", "--month", "2026-02") == (
        1,
        "",
        "February 2026 is before the first rated game, so it has no list.",
    )
    assert not RatingList.objects.exists()


def test_only_one_category_is_published_where_that_is_asked(arena):
    assert run("publish_list", "--month", "2026-04", "--category", "blitz").code == 0
    assert [published.category for published in RatingList.objects.all()] == [Category.BLITZ]


def test_due_are_the_months_since_the_last_list_or_the_current_one(arena):
    july = datetime(2026, 7, 15, tzinfo=UTC)
    blitz = {"category": Category.BLITZ}
    assert [f"{month:%m}" for month in due_months(**blitz, at=july)] == ["07"]
    freeze(APRIL)
    assert [f"{month:%m}" for month in due_months(**blitz, at=july)] == ["05", "06", "07"]
    freeze(datetime(2026, 7, 1, tzinfo=UTC))
    assert due_months(**blitz, at=july) == []


def test_what_is_due_is_published_once(arena):
    with patch("django.utils.timezone.now", return_value=datetime(2026, 5, 3, tzinfo=UTC)):
        first = run("publish_due")
        second = run("publish_due")
    assert first.out.splitlines() == [
        f"Change set #{ChangeSet.objects.get().pk} Publish rating lists: May 2026 (rapid, blitz, bullet)",
        "Rapid May 2026, revision 1: 0 members.",
        "Blitz May 2026, revision 1: 4 members.",
        "Bullet May 2026, revision 1: 0 members.",
    ]
    assert second == (0, "No list is due.\n", "")


def test_lists_that_another_person_has_to_confirm_are_proposed_once_and_later_months_wait(arena, settings):
    settings.SECOND_PERSON_KINDS = ["publish-lists"]
    freeze(APRIL)
    with patch("django.utils.timezone.now", return_value=datetime(2026, 6, 3, tzinfo=UTC)):
        first = run("publish_due")
        second = run("publish_due")
    waiting = ChangeSet.objects.get()
    assert (waiting.state, waiting.parameters["month"]) == (ChangeSet.State.PROPOSED, ["2026-05"])
    told = f"Nothing has changed yet. Another person has to confirm change set {waiting.pk}."
    assert first == second == (1, "", told)


def test_months_published_before_one_that_fails_stay_published(arena, monkeypatch):
    freeze(APRIL)
    publish_lists = kind_of("publish-lists")
    apply = publish_lists.apply

    def refuse_june(decision):
        if decision.asked["month"].month == 6:
            raise ValidationError("June is refused.")
        return apply(decision)

    monkeypatch.setattr(publish_lists, "apply", refuse_june)
    with patch("django.utils.timezone.now", return_value=datetime(2026, 6, 3, tzinfo=UTC)):
        done = run("publish_due")
    change_set = ChangeSet.objects.get()
    assert (done.code, done.err) == (1, "June is refused.")
    assert f"Change set {change_set.for_staff}" in done.out
    assert [str(one) for one in RatingList.objects.filter(month__gt=APRIL)] == ["Blitz May 2026, revision 1"]


def test_an_empty_office_has_nothing_due():
    assert run("publish_due") == (0, "No list is due.\n", "")


def test_the_archive_has_a_row_for_each_month_latest_first(arena, client):
    freeze(APRIL)
    freeze(MAY)
    text = words(client.get("/lists/"))
    assert "Month Blitz Games May 2026 4 members 3 April 2026 4 members 1 since the first game" in text
    assert "April 2026" not in words(client.get("/lists/?category=rapid"))
    assert "April 2026" not in words(client.get("/lists/?year=2025"))
    assert "April 2026" in words(client.get("/lists/?year=2026"))
    file = b"".join(client.get("/lists/?format=csv").streaming_content).decode()
    assert file.splitlines()[1].startswith("2026-05,blitz,1,2026-05-01T01:00:00Z,4,3,1,1207.35,1540.30,")


def test_the_archive_says_which_lists_are_in_force_and_when_the_next_are_due(arena, client):
    assert "In force" not in words(client.get("/lists/"))
    freeze(APRIL)
    freeze(MAY)
    with patch("django.utils.timezone.now", return_value=datetime(2026, 5, 31, 23, 59, tzinfo=UTC)):
        text = words(client.get("/lists/"))
    assert "In force: the lists of May 2026 . The next lists are due on 1 Jun 2026." in text
    with patch("django.utils.timezone.now", return_value=datetime(2026, 6, 1, tzinfo=UTC)):
        text = words(client.get("/lists/"))
    assert "In force: the lists of May 2026 ." in text
    assert "The next lists" not in text


def test_the_archive_folds_earlier_revisions_behind_the_last_one_and_unfolds_them_for_who_asks(arena, client):
    first = freeze(APRIL)
    second = RatingList.objects.get(pk=first.pk)
    second.pk, second.revision = None, 2
    second.save()

    def cell(**asked):
        page = client.get("/lists/", asked).content.decode()
        return page.partition('<a href="/lists/blitz/2026-04/2/">4 members</a>')[2].partition("</td>")[0]

    folded = '<summary>revision 2</summary><a href="/lists/blitz/2026-04/1/">revision 1</a></details>'
    assert cell() == f"<details>{folded}"
    assert cell(category="blitz") == f"<details>{folded}"
    assert cell(revisions="all") == f"<details open>{folded}"
    file = b"".join(client.get("/lists/?format=csv").streaming_content).decode()
    assert [line[:15] for line in file.splitlines()[1:]] == ["2026-04,blitz,2", "2026-04,blitz,1"]


@pytest.mark.parametrize("year", [0, -1, 10_000, 10**30])
@pytest.mark.parametrize("address", ["/lists/", "/api/v1/lists"])
def test_a_year_that_no_date_has_is_refused(client, address, year):
    assert client.get(address, {"year": year}).status_code == 400


@pytest.mark.parametrize("year", [1, 2999])
@pytest.mark.parametrize("address", ["/lists/", "/api/v1/lists"])
def test_a_year_without_lists_has_none(client, address, year):
    assert client.get(address, {"year": year}).status_code == 200


def test_a_position_leads_to_the_page_that_begins_there(arena, client):
    published = freeze(APRIL)
    page = client.get(f"{published.get_absolute_url()}?position=2", follow=True)
    assert [entry.position for entry in page.context["table"].page.rows] == [2, 3, 4]
    assert (
        client.get(f"{published.get_absolute_url()}?position=1")["Location"] == published.get_absolute_url()
    )


@pytest.mark.parametrize(
    "query",
    [
        "position=0",
        "position=5",
        "position=x",
        "position=",
        "position=9999999999999",
        f"position={'1'.zfill(10)}{'9' * 5000}",
    ],
)
def test_a_position_that_is_not_on_the_list_is_refused(arena, client, query):
    response = client.get(f"{freeze(APRIL).get_absolute_url()}?{query}")
    assert response.status_code == 400
    assert "Enter a position from 1 to 4." in words(response)
    assert is_friendly(response)


@pytest.mark.parametrize(
    ("query", "found"),
    [("born_from=2000", ["anna"]), ("born_until=1999", ["bob"]), ("games=1", ["anna", "bob"])],
)
def test_lines_are_found_by_birth_year_and_games(arena, client, query, found):
    for name, year in (("anna", 2000), ("bob", 1999)):
        arena[name].birth_year = year
        arena[name].save()
    page = client.get(f"{freeze(APRIL).get_absolute_url()}?{query}")
    assert [entry.member.username for entry in page.context["table"].page.rows] == found


@pytest.mark.parametrize(
    "query", ["games=-1", "games=x", "born_from=99999", "games=1e9", "games=NaN", "games=1.5"]
)
def test_a_number_that_makes_no_sense_is_refused(arena, client, query):
    assert client.get(f"{freeze(APRIL).get_absolute_url()}?{query}").status_code == 400


def test_the_report_page_shows_it(arena, client):
    freeze(APRIL)
    may = freeze(MAY)
    address = f"{may.get_absolute_url()}report/"
    assert keep_reviews() == 2
    with CaptureQueriesContext(connection) as captured:
        text = words(client.get(address))
    assert len(captured) <= 9
    assert "Blitz, May 2026 list: what changed" in text
    assert "Mean 1207.35 (+352.35) Median 1540.30 (+685.30)" in text
    assert "Biggest gains Anna 1619 +9.40" in text
    assert "Fell below the floor (RBB 3.3) 1 Carl 100" in text
    assert may.checksum in text


@pytest.mark.parametrize(
    "address",
    [
        "/lists/blitz/2026-04/2/",
        "/lists/blitz/2026-04/99999999999999999999/",
        "/lists/blitz/2026-04/2/report/",
    ],
)
def test_a_revision_that_was_not_published_is_not_found(arena, client, address):
    freeze(APRIL)
    assert client.get(address).status_code == 404
    assert at(0).year == 2026
