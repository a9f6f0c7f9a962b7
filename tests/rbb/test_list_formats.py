"""Rating lists in all their forms: CSV, XLSX, JSON, and the TXT and XML of FIDE’s list of one control."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from openpyxl import load_workbook

from foa.files import FORMATS
from foa.spreadsheet import heading
from members.models import TITLES, Member
from ratings.fide.models import FidePlayer
from ratings.formats.frl import FideControl, FideRating, open_frl
from ratings.formats.problems import Problem
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.as_of import live_ratings, ratings_as_of
from ratings.rbb.lists.columns import PUBLISHED
from ratings.rbb.lists.files import LIST_FORMATS, current_list_file
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Rating
from ratings.rbb.views.games import ChangeListView, GameListView
from ratings.rbb.views.lists import LiveRatingView
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening
from tests.commands import manage, run, utc
from tests.formats.frl_text import rows_of
from tests.pages import is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
HEADER = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit      "
    "     FOA APR26 Gms K  B-day Flag\r\n"
)


def download(client, address):
    """The file at an address."""
    response = client.get(address)
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def players(data):
    """The players and the faults that the reader of FIDE’s lists finds in a file."""
    read = list(rows_of(open_frl(io.BytesIO(data), FideControl.BLITZ)))
    return [row for row in read if not isinstance(row, Problem)], [
        row for row in read if isinstance(row, Problem)
    ]


def usernames(name, data):
    """Whom a file names, in its order; FIDE's forms by name, which here says the username too."""
    if name == "csv":
        return [row["username"] for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]
    if name == "xlsx":
        return [
            row[1] for row in load_workbook(io.BytesIO(data)).active.iter_rows(min_row=2, values_only=True)
        ]
    if name == "json":
        return [row["username"] for row in json.loads(data)["members"]]
    return [row.name.partition(",")[0].lower() for row in players(data)[0]]


def three_people():
    """Three who are rated in blitz, the first and the second after a game."""
    anna = member(
        "anna",
        name="Anna, Łucja & Ö",
        fide_id=1500001,
        federation="NOR",
        sex="F",
        birth_year=1990,
        title="WGM",
    )
    boris = member("boris", name="Boris, B", fide_id=7, federation="POL", sex="M", title="AGM")
    for who, points in ((anna, 2000), (boris, 2000), (member("=c"), "1799.50")):
        opening(who, points)
    game(anna, boris)
    return anna, boris


@pytest.fixture(scope="class")
def people(standing):
    return standing(three_people)


def a_long_list():
    """These and sixty more, half of them from Norway, on the list of April."""
    three_people()
    with deferred():
        for number in range(60):
            points = 1000 + 7 * number
            federation = "NOR" if number % 2 else "POL"
            opening(
                member(f"m{number:02}", name=f"M{number:02}, X", fide_id=100 + number, federation=federation),
                points,
            )
    publish(category=Category.BLITZ, month=APRIL, at=APRIL)


@pytest.fixture(scope="class")
def long_list(standing):
    standing(a_long_list)


@pytest.fixture
def published(people):
    """Their list of April."""
    return publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=5))[0]


def test_a_published_list_is_the_same_bytes_as_ever_in_every_form(client, published):
    address = published.get_absolute_url()
    assert download(client, f"{address}?format=csv").decode() == (
        "rank,username,fide_id,name,title,federation,rating,games,previous,change,period_games,k,"
        "late_games,withdrawn_games,exact_change,games_change,adjustments_change,openings_change,"
        "earlier_change,exact_rating\r\n"
        '1,anna,1500001,"Anna, Łucja & Ö",WGM,NOR,2010,1,,,1,20,0,0,,10.00,0.00,2000.00,0.00,2010.00\r\n'
        '2,boris,7,"Boris, B",AGM,POL,1990,1,,,1,20,0,0,,-10.00,0.00,2000.00,0.00,1990.00\r\n'
        "3,'=c,,,,,1800,0,,,0,20,0,0,,0.00,0.00,1799.50,0.00,1799.50\r\n"
    )
    assert download(client, f"{address}?format=txt").decode() == (
        HEADER
        + f"{1500001:<15}{'Anna, Lucja & O':<61}NOR     WGM  WGM  {'':19}2010  1   20 0     {'':4}\r\n"
        + f"{7:<15}{'Boris, B':<61}POL     {'':25}AGM 1990  1   20 0     {'':4}\r\n"
    )
    assert (
        download(client, f"{address}?format=xml")
        .decode()
        .startswith(
            "<playerslist>\n<player>\n<fideid>1500001</fideid>\n<name>Anna, &#321;ucja &amp; &#214;</name>\n"
            "<country>NOR</country>\n<sex></sex>\n<title>WGM</title>\n<w_title>WGM</w_title>\n<o_title></o_title>\n"
            "<foa_title></foa_title>\n<rating>2010</rating>\n<games>1</games>\n<k>20</k>\n<birthday>0</birthday>\n"
            "<flag></flag>\n</player>\n<player>\n<fideid>7</fideid>\n"
        )
    )
    assert download(client, f"{address}?format=json").decode() == (
        '{"category":"blitz",\n"as_of":"2026-04-01T00:00:00Z",\n"month":"2026-04",\n"revision":1,\n'
        '"federation":null,\n"published_at":"2026-04-01T05:00:00Z",\n'
        f'"checksum":"{published.checksum}",\n"members":[\n'
        '{"rank":1,"username":"anna","fide_id":1500001,"name":"Anna, Łucja & Ö","title":"WGM",'
        '"federation":"NOR","rating":2010,"games":1,"previous":null,"change":null,"period_games":1,"k":20,'
        '"late_games":0,"withdrawn_games":0,"exact_change":null,"games_change":"10.00",'
        '"adjustments_change":"0.00","openings_change":"2000.00","earlier_change":"0.00",'
        '"exact_rating":"2010.00"},\n'
        '{"rank":2,"username":"boris","fide_id":7,"name":"Boris, B","title":"AGM","federation":"POL",'
        '"rating":1990,"games":1,"previous":null,"change":null,"period_games":1,"k":20,'
        '"late_games":0,"withdrawn_games":0,"exact_change":null,"games_change":"-10.00",'
        '"adjustments_change":"0.00","openings_change":"2000.00","earlier_change":"0.00",'
        '"exact_rating":"1990.00"},\n'
        '{"rank":3,"username":"=c","fide_id":null,"name":"","title":"","federation":"",'
        '"rating":1800,"games":0,"previous":null,"change":null,"period_games":0,"k":20,'
        '"late_games":0,"withdrawn_games":0,"exact_change":null,"games_change":"0.00",'
        '"adjustments_change":"0.00","openings_change":"1799.50","earlier_change":"0.00",'
        '"exact_rating":"1799.50"}\n]}\n'
    )
    book = load_workbook(io.BytesIO(download(client, f"{address}?format=xlsx")))
    assert list(book.active.values) == [
        tuple(map(heading, PUBLISHED.names)),
        (
            1,
            "anna",
            1500001,
            "Anna, Łucja & Ö",
            "WGM",
            "NOR",
            2010,
            1,
            None,
            None,
            1,
            20,
            0,
            0,
            None,
            10,
            0,
            2000,
            0,
            2010,
        ),
        (
            2,
            "boris",
            7,
            "Boris, B",
            "AGM",
            "POL",
            1990,
            1,
            None,
            None,
            1,
            20,
            0,
            0,
            None,
            -10,
            0,
            2000,
            0,
            1990,
        ),
        (3, "'=c", None, None, None, None, 1800, 0, None, None, 0, 20, 0, 0, None, 0, 0, 1799.5, 0, 1799.5),
    ]
    assert list(book["About"].values) == [
        ("Category", "blitz"),
        ("As of", "2026-04-01T00:00:00Z"),
        ("Month", "2026-04"),
        ("Revision", "1"),
        ("Published at", "2026-04-01T05:00:00Z"),
        ("Checksum", published.checksum),
    ]
    assert book.properties.created == datetime(2026, 4, 1)


@pytest.mark.parametrize("name", LIST_FORMATS)
def test_a_published_list_follows_no_later_day_game_or_change_of_a_member(
    client, published, name, monkeypatch
):
    anna, boris = Member.objects.filter(username__in=["anna", "boris"]).order_by("username")
    address = f"{published.get_absolute_url()}?format={name}"
    before = download(client, address)
    game(anna, boris, "0-1", minute=60 * 24 * 40)
    Member.objects.filter(pk=anna.pk).update(name="Other", title="", sex="M", birth_year=1950, fide_id=3)
    monkeypatch.setattr(timezone, "now", lambda: APRIL + timedelta(days=900))
    assert download(client, address) == before


@pytest.mark.parametrize("name", LIST_FORMATS)
def test_page_and_command_give_the_same_file(client, published, name, tmp_path):
    output = tmp_path / "list"
    done = run("export_list", "blitz", "--month", "2026-04", "--format", name, "--output", output)
    assert done == (0, "", "")
    response = client.get(f"{published.get_absolute_url()}?format={name}")
    assert response["Content-Disposition"] == f'attachment; filename="blitz-2026-04.{name}"'
    assert response["Content-Type"] == LIST_FORMATS[name].media_type
    assert output.read_bytes() == b"".join(response.streaming_content)
    if name != "xlsx":
        assert (
            run("export_list", "blitz", "--month", "2026-04", "--format", name).out.encode()
            == output.read_bytes()
        )


@pytest.mark.parametrize("name", ["txt", "xml"])
def test_a_list_in_fides_layout_has_everybody_who_has_a_fide_id_and_nobody_else(client, published, name):
    found, problems = players(download(client, f"{published.get_absolute_url()}?format={name}"))
    assert [(row.fide_id, row.blitz, row.federation, row.sex) for row in found] == [
        (1500001, FideRating(2010, 1, 20), "NOR", ""),
        (7, FideRating(1990, 1, 20), "POL", ""),
    ]
    assert [row.name for row in found] == [
        "Anna, Lucja & O" if name == "txt" else "Anna, Łucja & Ö",
        "Boris, B",
    ]
    assert [(row.birth_year, row.flag) for row in found] == [(None, ""), (None, "")]
    assert problems == []


@pytest.mark.parametrize("name", ["txt", "xml"])
@pytest.mark.parametrize(
    "state", [(), ("--month", "2026-04"), ("--as-of", "2026-04-01")], ids=["live", "published", "of a moment"]
)
def test_a_list_in_fides_layout_can_be_imported_as_one(published, name, state, tmp_path, monkeypatch):
    """Members without a FIDE ID would share one key, and such a list is refused."""
    for number in range(20):
        opening(member(f"without-{number}"), 1500)
    opening(member("without-a-name", fide_id=12), 1700)
    monkeypatch.setattr(timezone, "now", lambda: APRIL + timedelta(days=2))
    output = tmp_path / f"list.{name}"
    run("export_list", "blitz", *state, "--format", name, "--output", output)
    done = run("import_frl", output, "--period", "2026-04", "--control", "blitz")
    assert done.code == 0, done.err
    # The published list was made before the third member came.
    on_it = {
        1500001: ("Anna, Lucja & O" if name == "txt" else "Anna, Łucja & Ö", 2010),
        7: ("Boris, B", 1990),
    }
    if not state or state[0] != "--month":
        on_it[12] = ("without-a-name", 1700)
    assert f"read {len(on_it)} rows, {len(on_it)} players, 0 refused." in done.out
    people = FidePlayer.objects.filter(fide_id__in=on_it)
    assert {one.fide_id: (one.name, one.blitz_rating) for one in people} == on_it


@pytest.mark.parametrize(
    "address", ["/ratings/blitz/", "/lists/blitz/2026-04/1/", "/lists/blitz/2026-04/1/top/NOR/"]
)
def test_a_page_says_who_is_in_its_files_in_fides_layout(client, published, address):
    assert "include only members with a FIDE ID" in words(client.get(address))


def test_a_page_without_files_in_fides_layout_says_nothing_of_them(client, published):
    assert "include only members with a FIDE ID" not in words(client.get("/members/"))


@pytest.mark.parametrize("name", ["txt", "xml"])
def test_every_title_stands_where_fide_has_it(client, name):
    for number, title in enumerate(TITLES, 1):
        opening(member(title.lower(), fide_id=number, title=title), 2000 - number)
    found, problems = players(download(client, f"/ratings/blitz/?format={name}"))
    assert not problems
    assert [(row.title, row.women_title, row.arena_title) for row in found] == [
        ("GM", "", ""),
        ("IM", "", ""),
        ("FM", "", ""),
        ("CM", "", ""),
        ("WGM", "WGM", ""),
        ("WIM", "WIM", ""),
        ("WFM", "WFM", ""),
        ("WCM", "WCM", ""),
        ("", "", "AGM"),
        ("", "", "AIM"),
        ("", "", "AFM"),
        ("", "", "ACM"),
    ]


@pytest.mark.parametrize("address", ["/ratings/blitz/", "/lists/blitz/2026-04/1/"])
@pytest.mark.parametrize("name", LIST_FORMATS)
def test_a_file_has_exactly_the_rows_of_the_screen(client, long_list, address, name):
    address = f"{address}?federation=nor"
    seen, page = [], address
    while page:
        shown = client.get(page).context["table"].page
        seen += [row.member.username for row in shown.rows]
        page = shown.next and f"{address}&after={shown.next}"
    assert len(seen) == 31
    assert usernames(name, download(client, f"{address}&format={name}")) == seen


def test_the_k_of_a_live_list_is_that_of_the_next_game():
    """RBB 3.10.3: 40 up to the 30th rated game of a member once unrated."""
    for username, points, games in (("a", 1900, 29), ("b", 1800, 30)):
        opening(member(username, fide_id=ord(username)), points, games=games, previously_unrated=True)
    opening(member("c", fide_id=9), 1700)
    for rows, as_of in (
        (live_ratings(Category.BLITZ), None),
        (ratings_as_of(Category.BLITZ, APRIL), APRIL),
    ):
        file = current_list_file(Category.BLITZ, rows, as_of)
        found, _problems = players(b"".join(LIST_FORMATS["txt"].pieces(file)))
        assert [row.blitz for row in found] == [
            FideRating(1900, 0, 40),
            FideRating(1800, 0, 20),
            FideRating(1700, 0, 20),
        ]
    opening(member("d", fide_id=10), 1700, Category.BULLET)
    file = current_list_file(Category.BULLET, live_ratings(Category.BULLET))
    found, _problems = players(b"".join(LIST_FORMATS["xml"].pieces(file)))
    assert [row.blitz for row in found] == [FideRating(1700, 0, 10)]


def test_the_list_of_a_moment_is_dated_to_it_and_the_live_list_to_now(people, monkeypatch):
    as_of = run("export_list", "blitz", "--as-of", utc(5), "--format", "json").out
    assert json.loads(as_of)["as_of"] == utc(5)
    assert [row["rating"] for row in json.loads(as_of)["members"]] == [2000, 2000, 1800]
    assert "MAR26" in run("export_list", "blitz", "--as-of", utc(5), "--format", "txt").out
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 23, 59, tzinfo=UTC))
    live = json.loads(run("export_list", "blitz", "--format", "json").out)
    assert [live[name] for name in ("category", "as_of", "month", "revision", "checksum")] == [
        "blitz",
        "2026-12-31T23:59:00Z",
        None,
        None,
        None,
    ]
    assert "DEC26" in run("export_list", "blitz", "--format", "txt").out


def test_a_name_too_long_or_games_too_many_for_fides_columns_shift_nothing(client):
    opening(member("long", name="x" * 100, fide_id=1), 2000)
    published, _ = publish(category=Category.BLITZ, month=APRIL, at=APRIL)
    published.entries.update(period_games=12_345)
    (row,), problems = players(download(client, f"{published.get_absolute_url()}?format=txt"))
    assert (row.name, row.blitz, problems) == ("x" * 60, FideRating(2000, 999, 20), [])


@pytest.mark.parametrize("address", ["/ratings/blitz/", "/lists/blitz/2026-04/1/", "/members/", "/games/"])
@pytest.mark.parametrize("name", ["exe", "", "CSV", "pdf"])
def test_an_unknown_format_is_a_page_that_says_which_there_are(client, published, address, name):
    response = client.get(f"{address}?format={name}")
    assert response.status_code == 400
    assert is_friendly(response)
    more = "json, txt, xml" if "blitz" in address else "json, pgn" if address == "/games/" else "json"
    assert f"in these formats: csv, xlsx, {more}." in response.content.decode()


@pytest.mark.process
def test_a_command_for_an_unknown_format_or_category_ends_with_exit_code_1(tmp_path):
    none = tmp_path / "none.sqlite3"
    for done, wrong in (
        (manage(none, "export_list", "blitz", "--format", "pdf"), "pdf"),
        (run("export_list", "classical"), "classical"),
    ):
        assert (done.code, done.out) == (1, "")
        assert f"invalid choice: '{wrong}'" in done.err


def test_a_sheet_is_not_written_where_only_text_can_be(people):
    done = run("export_list", "blitz", "--format", "xlsx")
    assert done == (1, "", "xlsx isn’t text: choose a file with --output.")


@pytest.mark.parametrize("name", ["csv", "json", "txt", "xml"])
def test_no_row_of_a_list_is_read_before_its_piece_is_wanted(people, name, django_assert_num_queries):
    with django_assert_num_queries(0):
        pieces = LIST_FORMATS[name].pieces(current_list_file(Category.BLITZ, Rating.objects.all()))
    # FIDE's formats have K of the next game, which depends on the edition of RBB.
    with django_assert_num_queries(2 if name in ("txt", "xml") else 1):
        assert b"".join(pieces)


def test_a_download_reads_its_rows_and_no_page(client, people, django_assert_num_queries):
    for address in ("/ratings/blitz/", "/members/", "/games/", "/changes/"):
        with django_assert_num_queries(1):
            download(client, f"{address}?format=csv")


def test_the_page_links_to_every_form_with_its_filters(client, people):
    shown = client.get(
        "/ratings/blitz/?federation=NOR&after=" + str(Rating.objects.first().pk)
    ).content.decode()
    for name in LIST_FORMATS:
        is_there = f'<a href="?federation=NOR&amp;format={name}" download>{name.upper()}</a>' in shown
        # The API has the list as JSON.
        assert is_there is (name != "json")
    shown = client.get("/members/").content.decode()
    assert '<a href="?format=csv" download>CSV</a>' in shown
    assert "format=txt" not in shown


@pytest.mark.parametrize(
    ("address", "noun"),
    [
        ("/members/", "members"),
        ("/games/", "games"),
        ("/changes/", "changes"),
        ("/lists/", "lists"),
    ],
)
def test_every_list_is_a_sheet_and_json_with_the_columns_of_its_csv(client, published, address, noun):
    header, *rows = csv.reader(io.StringIO(download(client, f"{address}?format=csv").decode(), newline=""))
    read = json.loads(download(client, f"{address}?format=json"))
    assert list(read) == [noun]
    assert [list(row) for row in read[noun]] == [header] * len(rows)
    book = load_workbook(io.BytesIO(download(client, f"{address}?format=xlsx")))
    sheet = [["" if cell is None else cell for cell in row] for row in book.active.values]
    assert sheet[0] == list(map(heading, header))
    assert [row[0] for row in sheet[1:]] == [
        type(row[0])(line[0]) for row, line in zip(sheet[1:], rows, strict=True)
    ]
    assert len(rows) == {"members": 3, "games": 1, "changes": 5, "lists": 1}[noun]


@pytest.fixture
def two_rows_at_most(monkeypatch):
    """XLSX as pages offer it, for two rows."""
    kind = replace(FORMATS["xlsx"], most_rows=2)
    for view in (LiveRatingView, ChangeListView, GameListView):
        monkeypatch.setattr(view, "formats", {**view.formats, "xlsx": kind})
    for name in ("anna", "boris", "cecilia"):
        opening(member(name, title="" if name == "anna" else "GM"), 1600)


def test_changes_that_are_too_many_for_xlsx_are_not_offered_so(client, monkeypatch, two_rows_at_most):
    monkeypatch.setattr(ChangeListView, "rows_per_page", 2)
    assert "Download: CSV XLSX" not in words(client.get("/changes/"))
    assert "Download: CSV XLSX" in words(client.get("/changes/", {"member": "anna"}))


@pytest.mark.parametrize("address", ["/ratings/blitz/", "/changes/"])
def test_a_list_that_is_too_long_for_xlsx_links_to_its_csv(client, two_rows_at_most, address):
    response = client.get(f"{address}?sort=-rating&format=xlsx")
    assert response.status_code == 400
    assert is_friendly(response)
    assert "This list is too long: our XLSX files have up to 2 rows." in words(response)
    assert '<a href="?sort=-rating&amp;format=csv" download>Download CSV</a>' in response.text
    assert len(download(client, f"{address}?sort=-rating&format=csv").splitlines()) == 4


def test_all_games_are_too_many_for_xlsx_and_those_of_a_member_may_not_be(client, two_rows_at_most):
    white = Member.objects.get(username="anna")
    for number, black in enumerate(("boris", "boris", "cecilia")):
        game(white, Member.objects.get(username=black), minute=10 + 10 * number)
    response = client.get("/games/?format=xlsx")
    assert response.status_code == 400
    assert "This list is too long: our XLSX files have up to 2 rows." in words(response)
    cecilia = Member.objects.get(username="cecilia")
    assert download(client, f"/games/?format=xlsx&player={cecilia.pk}")[:2] == b"PK"


def test_a_workbook_from_a_page_has_at_most_five_thousand_rows():
    assert {kinds["xlsx"].most_rows for kinds in (FORMATS, LIST_FORMATS)} == {5_000}


def test_filters_make_a_list_short_enough_for_xlsx(client, two_rows_at_most):
    data = download(client, "/ratings/blitz/?format=xlsx&title=GM")
    assert sorted(usernames("xlsx", data)) == ["boris", "cecilia"]


@pytest.mark.parametrize("looked_up_first", [1, 3])
def test_a_list_as_of_a_moment_that_is_too_long_for_xlsx_is_refused_once_some_members_are_too_many(
    client, two_rows_at_most, monkeypatch, looked_up_first
):
    monkeypatch.setattr("ratings.rbb.views.lists._SOME_MEMBERS", looked_up_first)
    address = "/ratings/blitz/?as_of=2026-11-01&format=xlsx"
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 400
    asked = [query["sql"] for query in captured if "OFFSET 2" in query["sql"]]
    assert len(asked) == (1 if looked_up_first == 3 else 2)
    assert sorted(usernames("xlsx", download(client, f"{address}&title=GM"))) == ["boris", "cecilia"]
