"""The time machine (RBB 1.4): lists, profiles and their files as of a moment, and who has played lately."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foa.text import utc_text as utc
from foa.web.listing import FilteredTableView
from members.models import Member
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Recalculation
from ratings.rbb.models.recalculations import SETTLED_AFTER
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening
from tests.commands import run
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db

LIST = "/ratings/blitz/"
APRIL = datetime(2026, 4, 1, tzinfo=UTC)
DAY = 24 * 60
"""Minutes."""


def an_arena():
    """Anna beats Boris at minute 10 and, twice in one moment, at 20; Cecilia comes at 30, Dan is in rapid."""
    people = {
        name: member(name, name=name.title(), federation=federation)
        for name, federation in (("anna", "NOR"), ("boris", "POL"), ("cecilia", "NOR"), ("dan", "NOR"))
    }
    opening(people["anna"], 1600)
    opening(people["boris"], 1600)
    opening(people["cecilia"], 1605, minute=30)
    opening(people["dan"], 1900, Category.RAPID)
    people["games"] = [game(people["anna"], people["boris"], minute=minute) for minute in (10, 20, 20)]
    Recalculation.objects.all().delete()
    return people


@pytest.fixture(scope="class")
def arena(standing):
    return standing(an_arena)


def address(moment, more=""):
    return f"{LIST}?as_of={utc(moment)}{more}"


def rows(response):
    """Name, displayed and exact rating and games of each row of a page."""
    assert response.status_code == 200
    return [
        (*(str(row.get_cell(column)) for column in ("displayed", "rating", "games")), str(row.record.member))
        for row in response.context["table"].rows
    ]


def body(response):
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def test_an_event_exactly_at_the_moment_counts_and_one_after_it_does_not(arena, client):
    assert rows(client.get(address(at(10)))) == [
        ("1610", "1610.00", "1", "Anna"),
        ("1590", "1590.00", "1", "Boris"),
    ]
    assert rows(client.get(address(at(10) - timedelta(microseconds=1)))) == [
        ("1600", "1600.00", "0", "Anna"),
        ("1600", "1600.00", "0", "Boris"),
    ]


def test_of_two_events_of_one_moment_both_count(arena, client):
    # 3.9.2: D = 20: H 0.53, 20 × 0.47 = 9.40; then D = 38.80, so 39: H 0.55, 20 × 0.45 = 9.00.
    assert rows(client.get(address(at(20)))) == [
        ("1628", "1628.40", "3", "Anna"),
        ("1572", "1571.60", "3", "Boris"),
    ]
    assert rows(client.get(address(at(20) - timedelta(seconds=1))))[0] == ("1610", "1610.00", "1", "Anna")


def test_before_the_first_event_nobody_is_rated(arena, client):
    response = client.get(address(at(-1)))
    assert rows(response) == []
    assert "Nothing found." in words(response)
    assert rows(client.get(f"{LIST}?as_of=0001-01-01&active=yes")) == []
    assert "unrated" in words(client.get(f"/members/{arena['anna'].pk}/?as_of=0001-01-01"))


def test_a_date_alone_is_its_first_moment_and_one_without_an_offset_is_utc(arena, client):
    late = opening(member("eve", name="Eve"), 1700, minute=DAY).member
    for text, names in (
        ("2026-03-02", ["Eve", "Anna", "Cecilia", "Boris"]),
        ("2026-03-02T00:00", ["Eve", "Anna", "Cecilia", "Boris"]),
        ("2026-03-01T23:59:59.999999Z", ["Anna", "Cecilia", "Boris"]),
        ("2026-03-02T00:30%2B01:00", ["Anna", "Cecilia", "Boris"]),
    ):
        assert [row[-1] for row in rows(client.get(f"{LIST}?as_of={text}"))] == names, text
    assert str(late) == "Eve"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("yesterday", "“yesterday” in as_of isn’t a date and time such as 2026-03-14T20:00Z."),
        ("", "“” in as_of isn’t a date and time such as 2026-03-14T20:00Z."),
        ("2026-02-30", "“2026-02-30” in as_of isn’t a date and time"),
        ("0001-01-01T00:00%2B05:00", "“0001-01-01T00:00+05:00” in as_of isn’t a date and time"),
        ("٢٠٢٦-٠٣-١٤", "in as_of isn’t a date and time"),
        ("9" * 5000, f"“{'9' * 40}” in as_of isn’t a date and time"),
        ("2999-01-01", "“2999-01-01” in as_of is in the future."),
        ("9999-12-31T23:59:59", "in as_of is in the future"),
    ],
)
def test_what_is_no_moment_or_lies_ahead_is_refused(arena, client, text, message):
    who = arena["anna"].pk
    for page in (LIST, f"/members/{who}/", f"/members/{who}/history/"):
        for form in ("", "&format=json"):
            response = client.get(f"{page}?as_of={text}{form}")
            assert response.status_code == 400
            if form:
                assert message in response.json()["error"]["message"]
            else:
                assert is_friendly(response)
                assert message in words(response)


def test_all_filters_work_in_the_past(arena, client):
    Member.objects.filter(username="anna").update(title="GM", sex="F", birth_year=2000, fide_id=77)
    for name, value in (
        ("federation", "nor"),
        ("title", "GM"),
        ("sex", "F"),
        ("born_from", 2000),
        ("born_until", 2000),
        ("games", 3),
        ("member", "ann"),
        ("member", 77),
    ):
        found = [row[-1] for row in rows(client.get(address(at(20), f"&{name}={value}")))]
        assert found == (["Anna", "Boris"] if name == "games" else ["Anna"]), name
    assert rows(client.get(address(at(20), "&games=4"))) == []


def test_pages_go_on_by_key_and_keep_the_moment(arena, client):
    with patch.object(FilteredTableView, "rows_per_page", 1):
        first = client.get(address(at(30), "&federation=NOR&sort=rating"))
        assert [row[-1] for row in rows(first)] == ["Cecilia"]
        page = first.content.decode()
        key = first.context["table"].page.next
        assert f"as_of=2026-03-01T00%3A30%3A00Z&amp;federation=NOR&amp;sort=rating&amp;after={key}" in page
        second = client.get(address(at(30), f"&federation=NOR&sort=rating&after={key}"))
        assert [row[-1] for row in rows(second)] == ["Anna"]
        assert second.context["table"].page.next is None
        back = client.get(
            address(at(30), f"&federation=NOR&sort=rating&before={second.context['table'].page.previous}")
        )
        assert [row[-1] for row in rows(back)] == ["Cecilia"]
    # The filter form goes on from the moment, and without its filters too.
    assert '<input type="hidden" name="as_of" value="2026-03-01T00:30:00Z" form="filters">' in page
    assert 'href="/ratings/blitz/?as_of=2026-03-01T00%3A30%3A00Z">Remove all filters' in page
    # The form of the moment keeps the filters.
    assert '<input type="hidden" name="federation" value="NOR">' in page


def test_the_past_says_that_it_is_not_live_and_leads_back(arena, client):
    who = f"/members/{arena['anna'].pk}/"
    for response in (client.get(address(at(10))), client.get(f"{who}?as_of={utc(at(10))}")):
        assert "These are the ratings on 1 Mar 2026, 00:10 UTC (RBB 1.4), not the live ratings." in words(
            response
        )
        assert '<a href="?">Live ratings</a>' in response.content.decode()
        assert "A correction" not in words(response)
        assert "may still arrive" not in words(response)
    assert "Blitz ratings on 1 Mar 2026, 00:10 UTC" in words(client.get(address(at(10))))
    for live in (client.get(LIST), client.get(who)):
        assert "not the live ratings" not in words(live)


def test_the_same_moment_gives_the_same_bytes(arena, client):
    addresses = [
        address(at(20)),
        *(address(at(20), f"&format={name}") for name in ("csv", "xlsx", "json", "txt", "xml")),
        *(
            f"/members/{arena['anna'].pk}/{page}as_of={utc(at(20))}"
            for page in ("?", "history/?format=json&")
        ),
    ]

    def answers():
        return [
            body(response) if response.streaming else response.content
            for response in map(client.get, addresses)
        ]

    before = answers()
    game(arena["boris"], arena["anna"], minute=DAY)
    opening(member("zoe"), 2000, minute=2 * DAY)
    with patch("django.utils.timezone.now", return_value=timezone.now() + timedelta(days=400)):
        assert answers() == before


def test_a_file_has_the_rows_of_the_page_and_its_moment(arena, client):
    response = client.get(address(at(20), "&federation=POL&format=csv"))
    assert response["Content-Disposition"] == 'attachment; filename="blitz-as-of-20260301T002000Z.csv"'
    assert body(response).decode() == (
        "rank,username,fide_id,name,title,federation,rating,games\r\n1,boris,,Boris,,POL,1572,3\r\n"
    )
    whole = body(client.get(address(at(20), "&format=csv"))).decode()
    assert whole == run("export_list", "blitz", "--as-of", utc(at(20))).out


def test_a_correction_in_between_says_so(arena, client):
    when = timezone.now()
    void_games(games=arena["games"][:1], by=None, reason="engine", at=when)
    correction = Recalculation.objects.get()
    who = f"/members/{arena['anna'].pk}/?as_of="
    for response in (client.get(address(at(20))), client.get(f"{who}{utc(at(20))}")):
        assert "may have differed (1 correction)." in words(response)
        assert "changed ratings from 1 Mar 2026, 00:10 UTC onwards." in words(response)
    # Nothing of an earlier moment has changed, nor in another category.
    for untouched in (address(at(9)), f"/ratings/rapid/?as_of={utc(at(20))}"):
        assert "may have differed" not in words(client.get(untouched))
    # D = 20 between the two that are left: 1600, 1610.00, 1619.40.
    assert rows(client.get(address(at(20))))[0] == ("1619", "1619.40", "2", "Anna")
    told = json.loads(body(client.get(address(at(20), "&format=json"))))
    assert (told["as_of"], told["recalculated_at"]) == (
        "2026-03-01T00:20:00Z",
        correction.at.isoformat().replace("+00:00", "Z"),
    )
    assert json.loads(body(client.get(address(at(9), "&format=json"))))["recalculated_at"] is None
    assert json.loads(body(client.get(f"{LIST}?format=json")))["recalculated_at"] is None
    void_games(games=arena["games"][1:2], by=None, reason="engine", at=when)
    assert "may have differed (2 corrections)." in words(client.get(address(at(20))))
    with patch("ratings.rbb.lists.as_of._TOLD", 1):
        assert "may have differed (more than 1 correction)." in words(client.get(address(at(20))))


def test_whoever_looks_early_is_told_that_results_may_still_come_in_and_later_of_none_of_them(arena, client):
    moment = at(20)
    in_time = moment + SETTLED_AFTER
    reaching = Recalculation(category=Category.BLITZ, since=at(10), at=in_time, lines=2)
    reaching.save()
    with patch("django.utils.timezone.now", return_value=in_time - timedelta(seconds=1)):
        text = words(client.get(address(moment)))
    assert "Results of games that ended before then may still arrive." in text
    with patch("django.utils.timezone.now", return_value=in_time):
        text = words(client.get(address(moment)))
    assert "may still arrive" not in text
    assert "may have differed" not in text
    reaching.at = in_time + timedelta(microseconds=1)
    reaching.save()
    assert "may have differed" in words(client.get(address(moment)))


def test_a_profile_is_as_it_was_then(arena, client):
    anna = arena["anna"]
    april = publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=1))[0]
    game(anna, arena["boris"], minute=40 * DAY)
    publish(category=Category.BLITZ, month=APRIL.replace(month=5), at=APRIL + timedelta(days=31))
    then = client.get(f"/members/{anna.pk}/?as_of={utc(at(10))}")
    blitz = then.context["cards"][Category.BLITZ - 1]
    standing = blitz.standing
    assert (standing.category, standing.rating, standing.games) == (
        Category.BLITZ,
        Decimal("1610.00"),
        1,
    )
    assert (standing.peak, standing.lately, blitz.entry, blitz.played) == (Decimal("1610.00"), None, None, 1)
    assert len(then.context["lines"]) == 2
    played = client.get(f"/members/{anna.pk}/games/?as_of={utc(at(10))}")
    assert len(played.context["page"].rows) == 1
    ((review, _rows),) = played.context["months"]
    assert review.month.results.games == 1
    figures = client.get(f"/members/{anna.pk}/statistics/?as_of={utc(at(10))}")
    (statistics,) = figures.context["statistics"]
    assert statistics["found"].results.both.games == 1
    assert [results.games for _control, results in statistics["controls"]] == [1]
    assert [results.games for _who, results in figures.context["opponents"]] == [1]
    assert f'span=all&amp;as_of={utc(at(10)).replace(":", "%3A")}"' in then.content.decode()
    assert f'href="/members/{anna.pk}/titles/?as_of=' in then.content.decode()
    card = client.get(f"/members/{anna.pk}/?as_of=2026-04-30").context["cards"][Category.BLITZ - 1]
    assert (card.entry.rating_list, card.since) == (april, Decimal("8.40"))
    history = client.get(f"/members/{anna.pk}/history/?format=json&as_of={utc(at(10))}").json()
    assert history["blitz"]["ratings"] == [160000, 161000]
    lines = body(client.get(f"/members/{anna.pk}/history/?format=csv&as_of={utc(at(10))}")).decode()
    assert [line.split(",")[7] for line in lines.splitlines()[1:]] == ["1600.00", "1610.00"]


def test_a_list_of_the_past_takes_few_statements_and_counts_nothing(arena, client):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address(at(20))).status_code == 200
    # The published list to start from, the page, the lists of the trend, and what has happened since.
    assert len(captured) == 4
    with CaptureQueriesContext(connection) as more:
        client.get(address(at(20), "&after=" + str(arena["games"][0].pk)))
    assert not [query for query in (*captured, *more) if "COUNT(" in query["sql"]]


def test_active_is_who_had_a_rated_game_in_the_twelve_months_before(client):
    anna, boris, cecilia = (member(name, name=name.title()) for name in ("anna", "boris", "cecilia"))
    for who in (anna, boris, cecilia):
        opening(who, 1600)
    game(anna, boris, minute=10)
    # 3.8: no rated game of Cecilia's. Games of another category are none of this one.
    game(cecilia, member(), minute=10)
    opening(cecilia, 1600, Category.RAPID)
    opening(anna, 1600, Category.RAPID)
    game(cecilia, anna, minute=20, notation="900+0")
    played = ["Anna", "Boris"]

    def found(more):
        return [row[-1] for row in rows(client.get(f"{LIST}?active=yes{more}"))]

    assert found(f"&as_of={utc(at(10))}") == played
    assert found(f"&as_of={utc(at(9))}") == []
    year_later = at(10).replace(year=2027)
    for now, names in ((year_later, []), (year_later - timedelta(seconds=1), played)):
        with patch("django.utils.timezone.now", return_value=now):
            assert found("") == names
    assert client.get(f"{LIST}?active=no").status_code == 400


def test_a_published_list_shows_and_finds_what_was_frozen_with_it(arena, client):
    Member.objects.filter(username="anna").update(title="FM", sex="F", birth_year=2000, fide_id=77)
    published = publish(category=Category.BLITZ, month=APRIL, at=APRIL + timedelta(hours=1))[0]
    Member.objects.filter(username="anna").update(
        username="other", name="Newname", federation="ESP", title="GM", sex="M", birth_year=1950, fide_id=78
    )
    page = published.get_absolute_url()
    for by_now in ("federation=ESP", "title=GM", "sex=M", "born_until=1950"):
        assert client.get(f"{page}?{by_now}").context["table"].rows.data.data == [], by_now
    # Names of today find a member, too.
    for found in (
        "member=anna",
        "member=77",
        "member=newname",
        "member=other",
        "federation=NOR&title=FM",
        "sex=F",
        "born_from=2000",
        "active=yes&member=ann",
    ):
        response = client.get(f"{page}?{found}")
        assert [row.record.username for row in response.context["table"].rows] == ["anna"], found
        row = response.context["table"].rows[0]
        assert ">FM</abbr>" in row.get_cell("member")
        assert row.get_cell("federation") == '<abbr title="Norway">NOR</abbr>'
        assert f'<a href="/members/{arena["anna"].pk}/"><img class="flag"' in response.content.decode()
        assert "FM Anna" in words(response)
        assert "Newname" not in words(response)
    # Cecilia has no game in the twelve months before the list.
    everybody = client.get(page).context["table"].rows
    assert [row.record.username for row in everybody] == ["anna", "cecilia", "boris"]
    lately = client.get(f"{page}?active=yes").context["table"].rows
    assert [row.record.username for row in lately] == ["anna", "boris"]


def test_wherever_a_rating_stands_it_is_said_to_be_live(arena, client, admin_client):
    assert "Live ratings Rapid" in words(client.get("/"))
    assert "Updated after every game. Published lists may differ." in words(client.get(LIST))
    assert "All members, with their live ratings." in words(client.get("/members/"))
    assert "Live ratings: Rapid · Blitz · Bullet" in words(client.get("/search/suggestions/?q=anna"))
    assert "Live ratings" in words(client.get(f"/members/{arena['anna'].pk}/"))
    assert "Live ratings" in words(admin_client.get("/admin/ratings/rating/"))
