"""Over-the-board lists: their pages, their files, and export_frl, whose lists import_frl reads."""

import hashlib
from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ratings.fide.models import FideList, FidePlayer
from ratings.formats.frl import FideControl, PlayerRow, open_frl
from ratings.office.names import folded
from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.services.files import checksum, player_rows
from ratings.rules.b02.lists import Lists
from tests.commands import run
from tests.fide.office import bring, combined, listed
from tests.formats.frl_text import rows_of
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db

ARCHIVE, MAY = "/fide/otb/", date(2026, 5, 1)
AT = datetime(2026, 4, 25, 10, tzinfo=UTC)
ACTIVE, INACTIVE = Lists.ALPHABETICAL | Lists.ACTIVE, Lists.ALPHABETICAL


def entry(otb_list, number, name, rating, listing=ACTIVE, **fields):
    return OtbListEntry.objects.create(
        otb_list=otb_list,
        fide_id=1_000_000 + number,
        name=name,
        folded=folded(name),
        rating=rating,
        listing=listing.value,
        **{"federation": "NOR", "previous": rating, "k": 15 if rating else None, **fields},
    )


def publish(day=MAY, revision=1, **fields):
    return OtbList.objects.create(
        **{"list_day": day, "revision": revision, "published_at": AT, "checksum": "0" * 64, **fields}
    )


@pytest.fixture
def may():
    """A list with everybody that B.02 7.2 tells apart."""
    otb_list = publish(tournaments=3, players=4, new_players=1, delisted=1)
    entry(otb_list, 1, "Åberg, Nils", 2410, k=10, games=9, previous=2398, title="IM", federation="SWE")
    entry(otb_list, 2, "Berg, Anna", 1900, sex="F", women_title="WFM", title="WFM", birth_year=1990)
    entry(otb_list, 3, "Cerny, Petr", 1900, games=7, previous=None, k=25, federation="CZE")
    entry(otb_list, 4, "Dahl, Erik", 2300, INACTIVE, sex="M", other_titles="IA,FT")
    entry(otb_list, 5, "Eder, Max", None, Lists.DELISTED, previous=1203, games=5)
    entry(otb_list, 6, "Fabre, Luc", None, Lists.TITLED, title="CM", previous=None)
    entry(otb_list, 7, "Gone, Since", 2000, Lists.NOWHERE)
    otb_list.checksum = checksum(otb_list)
    otb_list.save()
    return otb_list


def shown(response):
    return [row.record.fide_id - 1_000_000 for row in response.context["table"].rows]


def body(response):
    return b"".join(response)


def test_the_archive_has_a_row_for_each_day_with_earlier_revisions_folded_behind_the_last(client, may):
    publish(revision=2, players=5, tournaments=3, new_players=1)
    publish(chapter=2, players=7, tournaments=2)
    publish(date(2025, 9, 1), taken_from=FideList.objects.create(period=date(2025, 9, 1), imported_at=AT))
    response = client.get(ARCHIVE)
    assert is_friendly(response)
    assert f'<a href="{ARCHIVE}" aria-current="page">Over-the-board lists</a>' in response.text
    text = words(response)
    assert "List dated Standard Rapid Tournaments New Combined 1 May 2026 5 players revision 2 " in text
    assert "revision 1 7 players 5 1 TXT XML " in text
    assert "1 Sep 2025 0 players imported from FIDE – 0 0 TXT XML " in text
    assert f'<details><summary>revision 2</summary><a href="{may.get_absolute_url()}">' in response.text
    assert "<details open><summary>revision 2" in client.get(ARCHIVE, {"revisions": "all"}).text
    assert "Standard Tournaments" in words(client.get(ARCHIVE, {"chapter": "standard"}))
    whole = body(client.get(ARCHIVE, {"format": "csv"})).decode().splitlines()
    days = [line[:12] for line in whole[1:]]
    assert days == ["2026-05-01,2", "2026-05-01,1", "2026-05-01,1", "2025-09-01,1"]
    assert 'href="/fide/otb/2026-05-01/combined.xml"' in response.text
    lines = body(client.get(f"{ARCHIVE}?year=2025&format=csv")).decode().splitlines()
    assert lines[1:] == ["2025-09-01,1,0,0,0,0,2026-04-25T10:00:00Z,{0},standard,{0}".format("0" * 64)]


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("", [1, 2, 3, 4]),
        ("?player=berg", [2]),
        ("?player=erik+dahl", [4]),
        ("?player=Берг", [2]),
        ("?player=ahl", []),
        ("?player=1000003", [3]),
        ("?player=+1000003+", [3]),
        ("?player=1000003+cerny", []),
        ("?player=9999999999", []),
        ("?federation=nor", [2, 4]),
        ("active/", [1, 2, 3]),
        ("active/?federation=NOR", [2]),
        ("delisted/", [5]),
        ("titled/", [6]),
        ("top/", [1, 2, 3]),
        ("top/?federation=cze", [3]),
    ],
)
def test_7_2_each_list_has_the_players_that_belong_on_it(client, may, address, found):
    response = client.get(may.get_absolute_url() + address)
    assert is_friendly(response)
    assert shown(response) == found


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("?sort=name", [1, 2, 3, 4]),
        ("?sort=-name", [4, 3, 2, 1]),
        ("?sort=fide_id", [1, 2, 3, 4]),
        ("?sort=-fide_id", [4, 3, 2, 1]),
        # Berg and Cerny have 1900 each: by FIDE ID.
        ("?sort=-rating", [1, 4, 2, 3]),
        ("?sort=rating", [3, 2, 4, 1]),
        # Only the year of Berg is known.
        ("?sort=-birth_year", [2, 1, 3, 4]),
        ("?sort=birth_year", [1, 3, 4, 2]),
        # 9, 0, 7 and 0 games: equal ones by name.
        ("?sort=-games", [1, 3, 2, 4]),
        ("?sort=games", [2, 4, 3, 1]),
        ("?sort=-rating&federation=NOR", [4, 2]),
        ("?sort=previous", [1, 2, 3, 4]),
        ("active/?sort=rating", [3, 2, 1]),
        ("delisted/?sort=-games", [5, 8]),
        ("delisted/?sort=rating", [5, 8]),
        ("titled/?sort=-name", [6]),
        ("top/?sort=name", [1, 2, 3]),
    ],
)
def test_a_list_is_sorted_by_name_fide_id_rating_year_of_birth_or_games(client, may, address, found):
    entry(may, 8, "Holm, Ada", None, Lists.DELISTED, previous=1210, games=2)
    assert shown(client.get(may.get_absolute_url() + address)) == found


@pytest.mark.parametrize("sort", ["-name", "-rating", "fide_id", "-birth_year", "birth_year", "games"])
def test_pages_of_a_sorted_list_have_every_player_once(client, may, sort):
    for number in range(100, 160):
        years = {"birth_year": 1950 + number % 7} if number % 3 else {}
        entry(may, number, f"Player {number % 11}", 1800 + number % 5, games=number % 4, **years)
    address = f"{may.get_absolute_url()}?sort={sort}"
    first = client.get(address)
    second = client.get(f"{address}&after={first.context['table'].page.next}")
    found = shown(first) + shown(second)
    assert len(shown(first)) == 50
    assert sorted(found) == [1, 2, 3, 4, *range(100, 160)]
    back = client.get(f"{address}&before={second.context['table'].page.previous}")
    assert shown(back) == shown(first)


def test_a_list_too_long_to_sort_by_year_of_birth_or_games_says_so(client, may, monkeypatch):
    told = "This list is too long to sort by year of birth or games. Use the filters, or download it."
    address = may.get_absolute_url()
    monkeypatch.setattr("foa.web.listing.SORTED_AT_MOST", 4)
    page = client.get(f"{address}?sort=-games")
    assert shown(page) == [1, 3, 2, 4]
    assert told not in words(page)
    monkeypatch.setattr("foa.web.listing.SORTED_AT_MOST", 3)
    for part, by_name in (("", [1, 2, 3, 4]), ("active/", [1, 2, 3])):
        for sort in ("-games", "-birth_year"):
            page = client.get(f"{address}{part}?sort={sort}")
            assert shown(page) == by_name
            assert told in words(page)
            assert 'href="?sort=-rating"' in page.text
            assert 'href="?sort=-birth_year"' not in page.text
    assert shown(client.get(f"{address}?sort=-rating")) == [1, 4, 2, 3]
    page = client.get(f"{address}delisted/?sort=-games")
    assert told not in words(page)


@pytest.mark.parametrize(
    ("part", "order"), [("", [1, 2, 3, 4]), ("active/", [1, 2, 3]), ("top/", [1, 2, 3]), ("delisted/", [5])]
)
def test_a_download_keeps_its_order_however_the_page_is_sorted(client, may, part, order):
    for sort in ("", "&sort=-fide_id", "&sort=games", "&sort=rating"):
        lines = body(client.get(f"{may.get_absolute_url()}{part}?format=csv{sort}")).decode().splitlines()
        place = lines[0].split(",").index("fide_id")
        assert [int(line.split(",")[place]) - 1_000_000 for line in lines[1:]] == order


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the plan of PostgreSQL")
@pytest.mark.parametrize("sort", ["name", "-name", "fide_id", "-fide_id", "rating", "-rating"])
def test_a_list_is_sorted_by_an_index(client, may, sort):
    for number in range(100, 160):
        entry(may, number, f"Player {number}", 1800 + number)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # So few rows are read as a whole and sorted more cheaply; a million are not.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        with CaptureQueriesContext(connection) as captured:
            client.get(f"{may.get_absolute_url()}?sort={sort}")
        # By rising rating, those without one come first, in a statement of their own.
        *_, page = [query["sql"] for query in captured.captured_queries if "LIMIT 51" in query["sql"]]
        cursor.execute(f"EXPLAIN {page}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan" in plan
    assert "Sort" not in plan


def test_7_12_a_line_has_what_the_article_asks_for_and_inactive_players_their_flag(client, may):
    text = words(client.get(may.get_absolute_url()))
    assert "IM Åberg, Nils 1000001 SWE – 2410 2398 9 10" in text
    assert "WFM Berg, Anna 1000002 NOR 1990 1900 1900 0 15 w" in text
    assert "Dahl, Erik 1000004 NOR – 2300 2300 0 15 i" in text
    assert "Published on 25 Apr 2026, 10:00 UTC: 4 players. 3 tournaments were" in text
    assert "CM Fabre, Luc 1000006 NOR –" in words(client.get(f"{may.get_absolute_url()}titled/"))


def test_7_24_the_top_list_shares_ranks_and_leaves_out_inactive_players(client, may):
    assert "1 IM Åberg, Nils" in (text := words(client.get(f"{may.get_absolute_url()}top/")))
    assert "2 WFM Berg, Anna" in text
    assert "2 Cerny, Petr" in text
    lines = body(client.get(f"{may.get_absolute_url()}top/?format=csv")).decode().splitlines()
    assert lines[0].startswith("rank,fide_id,name,")
    assert [line[:9] for line in lines[1:]] == ["1,1000001", "2,1000002", "2,1000003"]


def test_the_top_list_ends_with_the_hundredth(client, may):
    for number in range(100, 230):
        entry(may, number, f"Player {number}", 1800 - number)
    assert len(shown(client.get(f"{may.get_absolute_url()}top/"))) == 100
    assert len(body(client.get(f"{may.get_absolute_url()}top/?format=csv")).splitlines()) == 101


def test_a_list_has_pages_by_key_and_takes_as_many_statements_for_fifty_as_for_four(client, may):
    few = {page: queries(client, may.get_absolute_url() + page) for page in ("?x=1", "top/?x=1")}
    for number in range(100, 160):
        entry(may, number, f"Player {number}", 1800)
    for page, statements in few.items():
        assert queries(client, f"{may.get_absolute_url()}{page}2") == statements <= 4
    key = OtbListEntry.objects.get(fide_id=1_000_002).pk
    assert shown(client.get(f"{may.get_absolute_url()}?after={key}"))[:3] == [3, 4, 100]
    assert len(shown(client.get(may.get_absolute_url()))) == 50


def test_a_superseded_list_says_which_has_taken_its_place(client, may):
    revision = publish(revision=2)
    response = client.get(f"{may.get_absolute_url()}delisted/")
    assert f'<a href="{revision.get_absolute_url()}">revision 2</a>' in response.text
    text = words(client.get(revision.get_absolute_url()))
    assert "superseded" not in text
    assert "Over-the-board standard list of 1 May 2026, revision 2" in text


def test_the_files_of_a_list_are_those_of_the_command_and_stay_for_ever(client, may):
    for ending, media_type in (("txt", "text/plain"), ("xml", "application/xml"), ("csv", "text/csv")):
        response = client.get(f"{may.get_absolute_url()}list.{ending}")
        assert response["Content-Type"].startswith(media_type)
        assert response["Cache-Control"] == "public, max-age=31536000, immutable"
        kept = client.get(
            f"{may.get_absolute_url()}list.{ending}", headers={"if-none-match": response["ETag"]}
        )
        assert (kept.status_code, kept["ETag"]) == (304, response["ETag"])
        assert kept["Last-Modified"] == response["Last-Modified"]
        assert f'filename="over-the-board-2026-05-01.{ending}"' in response["Content-Disposition"]
        done = run("export_frl", "--format", ending)
        assert body(response).decode() == done.out
    text = body(client.get(f"{may.get_absolute_url()}list.txt"))
    assert hashlib.sha256(text).hexdigest() == may.checksum
    assert text.startswith(b"ID Number")
    assert b"MAY26" in text.splitlines()[0]
    csv = body(client.get(f"{may.get_absolute_url()}list.csv")).decode().splitlines()
    assert csv[:2] == [
        "fide_id,name,federation,sex,title,women_title,other_titles,birth_year,rating,previous,games,k,flag",
        '1000001,"Åberg, Nils",SWE,,IM,,,,2410,2398,9,10,',
    ]
    assert len(csv) == 5


@pytest.mark.parametrize("form", ["txt", "xml"])
def test_a_published_list_is_read_back_without_a_finding_with_exactly_the_same_players(may, tmp_path, form):
    target = tmp_path / f"list.{form}"
    assert run("export_frl", "--output", target, "--format", form).code == 0
    with target.open("rb") as stream:
        rows = list(rows_of(open_frl(stream, FideControl.STANDARD)))
    assert all(isinstance(row, PlayerRow) for row in rows)
    published = [row._replace(line=0) for row in player_rows(may)]
    if form == "txt":
        # Its letters are those of ASCII.
        published = [row._replace(name=row.name.replace("Å", "A")) for row in published]
    assert [row._replace(line=0) for row in rows] == published
    assert len(published) == 4


def test_a_published_list_is_imported_like_any_list_of_fide(may, tmp_path):
    bring(
        date(2026, 4, 1), combined(*(listed(1_000_000 + n, standard=1500, rapid=1600) for n in range(1, 5)))
    )
    target = tmp_path / "list.xml"
    run("export_frl", "--output", target, "--format", "xml")
    done = run("import_frl", target, "--period", "2026-05", "--control", "standard", "--force")
    assert done.code == 0
    assert "read 4 rows, 4 players, 0 refused" in done.out
    columns = (
        "fide_id",
        "name",
        "federation",
        "sex",
        "title",
        "women_title",
        "other_titles",
        "birth_year",
        "standard_rating",
        "standard_games",
        "standard_k",
        "flag",
        "rapid_rating",
    )
    assert set(FidePlayer.objects.values_list(*columns)) == {
        (
            one.fide_id,
            one.name,
            one.federation,
            one.sex,
            one.title,
            one.women_title,
            one.other_titles,
            one.birth_year,
            one.rating,
            one.games,
            one.k,
            one.flag,
            1600,
        )
        for one in may.entries.on(Lists.ALPHABETICAL)
    }


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ((), "2026-05-01 2"),
        (("--period", "2025-09"), "2025-09-01 1"),
        (("--period", "2026-05-01"), "2026-05-01 2"),
        (("--period", "2026-05", "--revision", 1), "2026-05-01 1"),
    ],
)
def test_export_frl_takes_the_latest_list_and_revision_unless_told_otherwise(may, arguments, title):
    for one in (publish(revision=2), publish(date(2025, 9, 1))):
        entry(one, 1, f"{one.list_day} {one.revision}", 2000)
    entry(may, 9, "2026-05-01 1", 2000)
    done = run("export_frl", "--format", "csv", *arguments)
    assert done.code == 0
    assert f",{title}," in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--period", "2026-06"), "No standard list was published for 2026-06."),
        (("--period", "2026-05-02"), "No standard list was published for 2026-05-02."),
        (("--period", "May"), "“May” isn’t a month or day such as 2026-03 or 2026-03-01."),
        (("--period", "2026-05-32"), "isn’t a month or day"),
        (("--revision", 7), "The 1 May 2026 list has no revision 7."),
        (("--revision", 10**30), "has no revision"),
        (("--revision", -1), "has no revision"),
    ],
)
def test_export_frl_says_in_a_line_what_there_is_not(may, arguments, said):
    done = run("export_frl", *arguments)
    assert done.code == 1
    assert said in done.err


def test_export_frl_without_any_list_says_so():
    assert run("export_frl").err == "No standard list was published yet."


@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
@pytest.mark.parametrize("part", ["", "top/", "delisted/"])
def test_odd_addresses_of_a_list_get_an_answer(client, may, part, query, status):
    query = query.replace("member=", "federation=" if part == "top/" else "player=")
    response = client.get(f"{may.get_absolute_url()}{part}?{query}")
    if part == "top/":
        # It has no pages, and its field takes three letters.
        assert response.status_code in (200, 400)
    else:
        assert response.status_code == status


@pytest.mark.parametrize(
    "address",
    [
        "2026-05-01/2/",
        "2026-05-01/0/",
        f"2026-05-01/{'9' * 30}/",
        "2026-05-32/1/",
        "2026-02-30/1/",
        "2026-05-01/1/list.exe",
        "2026-05-01/1/bottom/",
        "2026-06-01/1/list.txt",
        "2026-5-1/1/",
    ],
)
def test_a_list_that_there_is_not_is_answered_with_404(client, may, address):
    response = client.get(ARCHIVE + address)
    assert response.status_code == 404
    assert is_friendly(response)


def test_the_lists_of_the_ratings_lead_to_tournaments_and_over_the_board_lists(client):
    page = client.get("/lists/").text
    for address in ("/fide/tournaments/", ARCHIVE):
        assert f'href="{address}"' in page
    for address in ("/fide/tournaments/", ARCHIVE, "/fide/players/", "/fide/lists/"):
        page = client.get(address).text
        assert all(f'href="{other}"' in page for other in (ARCHIVE, "/fide/tournaments/", "/fide/lists/"))
