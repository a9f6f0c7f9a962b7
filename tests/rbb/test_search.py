"""One search for members, tournaments, events and teams, and its suggestions while somebody types."""

import re
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foa.rate_limits import count
from foa.spelling import latin, sound
from foa.text import date_text
from members.models import FormerName, Member
from ratings.office import rooms
from ratings.office.search import cleaned
from ratings.rbb.lists.publishing import publish
from ratings.rbb.merging import merge_members
from ratings.rbb.models import ArenaEvent
from ratings.rbb.searching import who_is_meant
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated
from tests.pages import words

SUGGESTIONS = "/search/suggestions/"


class TestSpelling:
    pytestmark = pytest.mark.pure

    @pytest.mark.parametrize(
        ("cyrillic", "expected"),
        [
            ("Ковач", "KOVACH"),
            ("Щербаков", "SHCHERBAKOV"),
            ("Хасанов", "KHASANOV"),
            ("Гашек", "GASHEK"),
            ("Київ", "KIIV"),
            ("Шевченко Євген", "SHEVCHENKO IEVGEN"),
            ("Јовановић", "JOVANOVIC"),
            ("Ђоковић", "DOKOVIC"),
            ("Тодоров", "TODOROV"),
            ("Андрей", "ANDREY"),  # й as и and a breve
            ("Tóth", "Tóth"),
            ("李", "李"),
        ],
    )
    def test_cyrillic_letters_become_latin_ones_and_others_stay(self, cyrillic, expected):
        assert latin(cyrillic) == expected

    @pytest.mark.parametrize(
        "spelled",
        [
            "HAJEK HAJKOVA HAJKOVA",
            "KOVAC KOVACS KOVACH KOVACOVA",
            "TCHAIKOVSKY CHAYKOVSKIY CHAYKOVSKAYA CZAJKOWSKI",
            "IVANOV IVANOVA IVANOFF IWANOW",
            "KHALIFMAN HALIFMAN",
            "CARLSEN KARLSEN",
            "SCHMIDT SCHMITT SMIDT",
            "YAKOVENKO JAKOVENKO IAKOVENKO",
            "DJOKOVIC DOKOVIC DZHOKOVICH",
            "MULLER MUELLER MYLLER",
            "NOVOTNY NOVOTNA",
            "NEMEC NEMCOVA",
        ],
    )
    def test_spellings_and_endings_of_a_name_have_one_sound(self, spelled):
        assert len({sound(word) for word in spelled.split()}) == 1

    @pytest.mark.parametrize(("one", "other"), [("HAJEK", "NOVAK"), ("LEE", "KIM"), ("BERG", "LUND")])
    def test_other_names_have_another_sound(self, one, other):
        assert sound(one) != sound(other)

    @pytest.mark.parametrize(
        ("typed", "searched"),
        [
            ("  anna   berg ", "anna berg"),
            ("a\x00b\x1b\nc", "a b c"),
            ("x" * 5000, "x" * 100),
            ("\ud800", ""),
            ("‮anna", "anna"),
        ],
    )
    def test_a_search_has_at_most_100_characters_and_none_that_cannot_be_seen(self, typed, searched):
        assert cleaned(typed) == searched


ARENA = {
    "hajek_jan": "Hájek, Jan",
    "hajkova_eva": "Hájková, Eva",
    "kovac_m": "Kovač, Marko",
    "kovacs_z": "Kovács, Zoltán",
    "kovac_p": "Kováč, Peter",
    "ivanov": "Иванов, Иван",
    "ivanova": "Ivanova, Anna",
    "chai": "Tchaikovsky, Boris",
    "khalif": "Khalifman, Alexander",
    "lodz": "Łuczak, Maciej",
    "strauss": "Strauß, Ben",
    "oerd": "Ødegård, Nils",
    "duric": "Đurić, Stefan",
    "kam": "Kaminski, Jakub",
    "li": "Li, Wei",
    "liang": "Liang, Mei",
    "magnus": "Berg, Anna Maria",
}


@pytest.mark.django_db
class TestWhoIsMeant:
    @pytest.fixture(autouse=True)
    def arena(self):
        for username, name in ARENA.items():
            member(username, name=name, fide_id=1503014 if username == "magnus" else None)
        for number, username in enumerate(("kovacs_z", "kovac_m", "kovac_p")):
            opening(Member.objects.get(username=username), 2100 + number)

    @pytest.mark.parametrize(
        ("text", "meant"),
        [
            ("hajek", "hajek_jan hajkova_eva"),
            ("Hájek", "hajek_jan hajkova_eva"),
            ("hajkova", "hajkova_eva hajek_jan"),
            ("HÁJKOVÁ", "hajkova_eva hajek_jan"),
            ("hajk", "hajkova_eva hajek_jan"),
            ("hayek", "hajek_jan hajkova_eva"),
            ("Гайек", "hajek_jan hajkova_eva"),
            ("Ковач", "kovac_p kovac_m kovacs_z"),
            ("kovac", "kovac_p kovac_m kovacs_z"),
            ("kovach", "kovac_p kovac_m kovacs_z"),
            ("Ковач Марко", "kovac_m"),
            ("kovacova", "kovac_p kovac_m kovacs_z"),
            ("Іванов", "ivanov ivanova"),
            ("ivanov", "ivanov ivanova"),
            ("Иванова", "ivanova ivanov"),
            ("чайковский", "chai"),
            ("chaikovskaya", "chai"),
            ("халифман", "khalif"),
            ("halifman", "khalif"),
            ("luczak", "lodz"),
            ("Łuczak maciej", "lodz"),
            ("strauss", "strauss"),
            ("odegard", "oerd"),
            ("Ђурић", "duric"),
            ("djuric", "duric"),
            ("kaminsky", "kam"),
            ("kamniski", "kam"),
            ("kminski", "kam"),
            ("kaminki", "kam"),
            ("kaminskij jak", "kam"),
            ("li", "li liang"),
            ("maria berg", "magnus"),
            ("magnus", "magnus"),
            ("MAGNUS", "magnus"),
            ("1503014", "magnus"),
            ("15030", "magnus"),
            ("aminsk", "kam"),
            ("xyzzy", ""),
            ("%", ""),
            ("\\", ""),
            ("'; drop table", ""),
            ("9" * 40, ""),
        ],
    )
    def test_a_text_finds_whom_it_means_the_likeliest_first(self, text, meant):
        found, _guessed = who_is_meant(text, 8)
        assert [one.username for one in found] == meant.split()

    def test_an_underscore_stands_for_itself(self):
        found, _guessed = who_is_meant("_", 20)
        assert {one.username for one in found} == {one for one in ARENA if "_" in one}

    @pytest.mark.parametrize(
        ("text", "guessed"), [("hajek", False), ("hajecek", True), ("kaminsky", True), ("xyzzy", False)]
    )
    def test_only_a_name_that_nobody_has_is_a_guess(self, text, guessed):
        assert who_is_meant(text, 8)[1] is guessed

    def test_who_is_left_out_is_not_found(self):
        others = Member.objects.exclude(username="hajek_jan")
        assert [one.username for one in who_is_meant("hajek", 8, among=others)[0]] == ["hajkova_eva"]

    def test_former_names_still_lead_to_a_member(self):
        who = Member.objects.get(username="kam")
        who.username, who.name = "jakub", "Nowak, Jakub"
        who.save()
        assert FormerName.objects.filter(member=who).count() == 2
        for text in ("kam", "kaminski", "Каминский"):
            assert who_is_meant(text, 8)[0] == [who]


@pytest.mark.django_db
def test_of_those_who_match_alike_active_members_come_first_then_the_highest_rated():
    unrated = member("c0", name="Lund, Unrated")
    weak, strong, away = (member(f"c{n}", name="Lund, Rated") for n in (1, 2, 3))
    opening(weak, 1500)
    opening(strong, 2400, Category.RAPID)
    opening(away, 2700, minute=-60 * 24 * 500)
    exact = member("lund", name="Zorn, Z")
    longer = member("c4", name="Lundberg, Rated")
    opening(longer, 2900)
    found, _ = who_is_meant("lund", 8)
    assert found == [exact, strong, weak, away, unrated, longer]
    assert who_is_meant("lund", 3)[0] == [exact, strong, weak]


LISTS = [
    ("/games/", {"category": "blitz"}, "?category=blitz&player={0.pk}"),
    ("/changes/", {"kind": "game"}, "?kind=game&player={0.pk}"),
    ("/ratings/blitz/", {"title": "GM"}, "?title=GM&player={0.pk}"),
    ("/ratings/blitz/", {"as_of": "2026-03-20", "title": "GM"}, "?as_of=2026-03-20&title=GM&player={0.pk}"),
    ("/lists/blitz/2026-04/1/", {"title": "GM"}, "?title=GM&player={0.pk}"),
    ("/lists/blitz/compare/", {"show": "gains"}, "?show=gains&player={0.pk}"),
    ("/members/", {"title": "GM"}, "/members/{0.pk}/"),
]
"""Lists of members, other filters, and the address of the list for one member."""


@pytest.mark.django_db
class TestPages:
    def test_a_suggestion_has_flag_title_username_and_live_ratings(self, client):
        anna = member("anna", name="Berg, Anna", fide_id=1500001, title="WGM", federation="NOR")
        opening(anna, "1799.60")
        member("boris", name="Lund, Boris")
        for text in ("berg", "ANN", "1500001", " anna "):
            page = client.get(SUGGESTIONS, {"q": text})
            assert "Live ratings: Rapid · Blitz · Bullet WGM Berg, Anna anna – 1800 –" in words(page)
            assert f'href="{anna.get_absolute_url()}" data-username="anna"' in page.text
            assert 'alt="Norway"' in page.text
            assert "Lund" not in page.text

    def test_without_javascript_the_search_opens_a_page_of_results_by_kind(self, client):
        for number in range(21):
            member(f"open{number}", name="Open, Anna")
        ArenaEvent.objects.create(external_id="arena/1", name="Spring Open")
        assert 'action="/search/"' in client.get("/members/").text
        page = client.get("/search/", {"q": "open"})
        text = words(page)
        assert text.index("Members") < text.index("Open, Anna") < text.index("Spring Open")
        assert page.text.count("Open, Anna") == 20
        assert 'href="/members/?member=open">Show all' in page.text

    def test_what_is_similar_only_is_offered_as_such(self, client):
        member("jakub", name="Kaminski, Jakub")
        assert words(client.get(SUGGESTIONS, {"q": "kaminsky"})).startswith("Did you mean: Members")
        assert "Did you mean: " in words(client.get("/search/", {"q": "kaminsky"}))
        assert "Did you mean" not in words(client.get("/search/", {"q": "kaminski"}))

    def test_nothing_found_says_what_to_do(self, client):
        page = words(client.get("/search/", {"q": "xyzzy"}))
        assert "Nothing found for “xyzzy”." in page
        assert "Check the spelling" in page
        assert words(client.get(SUGGESTIONS, {"q": "xyzzy"})) == "Nothing found."

    @pytest.mark.parametrize("address", ["/search/", SUGGESTIONS])
    def test_more_than_300_searches_a_minute_from_one_address_are_429(self, client, address):
        told = "Too many searches from your network. Try again in a minute."
        for _ in range(299):
            count("search:198.51.100.7", 60)
        last, next_one, elsewhere = (
            client.get(address, {"q": "berg"}, REMOTE_ADDR=where, HTTP_COOKIE=f"a={number}")
            for number, where in enumerate(["198.51.100.7", "198.51.100.7", "198.51.100.8"])
        )
        assert [last.status_code, next_one.status_code, elsewhere.status_code] == [200, 429, 200]
        assert told in words(next_one)
        assert told not in words(last)

    @pytest.mark.parametrize("text", ["", "  ", "\x1f"])
    def test_nothing_typed_suggests_nothing(self, client, text):
        member("anna")
        assert words(client.get(SUGGESTIONS, {"q": text})) == ""
        assert client.get("/search/", {"q": text}).status_code == 200

    @pytest.mark.parametrize("text", ["x" * 5000, "%", "_", "\\", "'; drop table", "9" * 40, "\ud800", "<b>"])
    def test_strange_text_finds_nobody_and_does_no_harm(self, client, text):
        member("anna")
        for address in (SUGGESTIONS, "/search/"):
            page = client.get(address, {"q": text.encode("utf-8", "replace")})
            assert page.status_code == 200
            assert "<b>" not in page.text
            assert "anna" not in words(page)

    def test_as_many_queries_for_eight_members_as_for_one(self, client):
        def counted(text):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(SUGGESTIONS, {"q": text, "of": "members"}).status_code == 200
            return len(queries)

        opening(member("solo", name="Solo, Han"), 1900)
        for number in range(8):
            opening(member(f"many{number}", name=f"Many, {number}"), 1500 + number)
        assert counted("many") <= counted("solo") <= 12

    def test_where_a_member_is_asked_for_only_members_are_suggested(self, client):
        member("open", name="Open, Anna")
        ArenaEvent.objects.create(external_id="arena/1", name="Spring Open")
        assert "Spring Open" in words(client.get(SUGGESTIONS, {"q": "open"}))
        page = client.get(SUGGESTIONS, {"q": "open", "of": "members"})
        assert "Spring Open" not in page.text
        assert "All results" not in page.text

    def test_events_are_found_by_part_of_their_names_without_accents(self, client):
        event = ArenaEvent.objects.create(external_id="arena/1", name="Kraków Łódź Cup")
        game(rated(1700), rated(1700), minute=10, event=event)
        for text in ("cup", "krako", "lodz krakow"):
            page = client.get("/search/", {"q": text})
            assert f'href="{event.get_absolute_url()}"' in page.text, text
            assert f"Kraków Łódź Cup {date_text(at(5).date())}" in words(page)
        assert event.get_absolute_url() not in client.get("/search/", {"q": "paris"}).text

    @pytest.mark.parametrize(
        "address",
        [
            "/games/",
            "/changes/",
            "/ratings/blitz/",
            "/members/",
            "/calculators/what-if/",
            "/calculators/needed/",
        ],
    )
    def test_fields_for_a_member_suggest_members(self, client, address):
        assert 'data-suggest="/search/suggestions/?of=members"' in client.get(address).text

    def test_the_filter_of_events_suggests_events_and_finds_what_the_search_finds(self, client):
        event = ArenaEvent.objects.create(external_id="arena/1", name="Kraków Łódź Cup")
        ArenaEvent.objects.create(external_id="arena/2", name="Spring Open")
        member("lodz", name="Lodz, Anna")
        (suggested,) = re.findall(r'data-suggest="([^"]+of=[^"]+)"', client.get("/events/").text)
        for text in ("cup", "cup krak", "lodz krakow"):
            found = client.get(f"{suggested}&q={text}")
            assert words(found).endswith("Kraków Łódź Cup"), text
            assert f'href="{event.get_absolute_url()}"' in found.text
            rows = words(client.get("/events/", {"name": text}))
            assert "Kraków Łódź Cup" in rows
            assert "Spring Open" not in rows
            assert "Lodz, Anna" not in words(found)

    def test_a_kind_that_no_room_finds_is_404(self, client):
        for text in ("", "anna"):
            assert client.get(SUGGESTIONS, {"q": text, "of": "search"}).status_code == 404

    @pytest.fixture
    def hajek(self):
        """Somebody who is on every list with each of ``LISTS``, and somebody else who is on none of them."""
        who = member("hajek", name="Hajek, Tereza", title="GM")
        elsewhere = member("hajek2", name="Hajek, Jan")
        opening(who, "1800.00")
        opening(elsewhere, "2000.00", Category.RAPID)
        # Between the two lists.
        game(who, rated(1700), minute=20_000)
        for month in (3, 4):
            publish(category=Category.BLITZ, month=datetime(2026, month, 1, tzinfo=UTC), at=at(60_000))
        return who

    @pytest.mark.parametrize(("address", "others", "picked"), LISTS)
    def test_every_filter_of_members_asks_who_of_its_list_was_meant(
        self, client, hajek, address, others, picked
    ):
        for text in ("hajkova", "Гаек"):
            page = client.get(address, {**others, "member": text})
            assert "Did you mean: GM Hajek, Tereza hajek" in words(page), text
            assert f'href="{picked.format(hajek).replace("&", "&amp;")}"' in page.text
            assert "Hajek, Jan" not in words(page)

    @pytest.mark.parametrize(("address", "others", "picked"), LISTS)
    def test_who_was_meant_is_shown_alone_though_others_have_names_that_begin_so(
        self, client, hajek, address, others, picked
    ):
        opening(member("hajek3", name="Hajek, Tereza", title="GM"), "1900.00")
        page = client.get(address, {**others, "member": "hajkova"})
        link = picked.format(hajek)
        assert f'href="{link.replace("&", "&amp;")}"' in page.text
        shown = words(client.get(f"{address}{link}" if link.startswith("?") else link))
        assert "Hajek, Tereza" in shown
        assert "hajek3" not in shown
        assert "1900" not in shown

    @pytest.mark.parametrize(
        "address", ["/games/", "/changes/", "/ratings/blitz/", "/lists/blitz/2026-04/1/"]
    )
    def test_a_typed_name_replaces_the_member_to_whom_a_list_was_limited(self, client, hajek, address):
        opponent = Member.objects.get(games_as_black__white=hajek)
        page = words(client.get(address, {"player": hajek.pk, "member": opponent.username}))
        assert "Only Hajek" not in page
        assert str(opponent) in page

    def test_on_an_earlier_list_a_member_has_the_line_of_an_account_merged_into_theirs_since(
        self, client, hajek
    ):
        keeper = member("berg", name="Berg, Anna")
        merge_members(member=keeper, other=hajek, at=at(70_000))
        page = words(client.get("/lists/blitz/2026-04/1/", {"player": keeper.pk}))
        assert "Showing only Berg, Anna." in page
        assert "Hajek, Tereza" in page

    def test_the_calculators_offer_who_may_be_meant(self, client):
        member("jakub", name="Kaminski, Jakub")
        page = client.get(
            "/calculators/what-if/", {"rule_book": "rbb", "member": "kaminsky", "games": "1500 1"}
        )
        assert "Did you mean: Kaminski, Jakub (jakub)" in words(page)


@pytest.mark.django_db
def test_each_room_finds_its_own():
    paths = [path for room in rooms.installed() for path in room.searches]
    assert [path.rpartition(".")[2] for path in paths] == [
        "members",
        "events",
        "players",
        "tournaments",
        "teams",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("first", ["/about/", "/members/{}/against/?member=zzz", "/search/?q=zzz", "/"])
def test_the_search_in_the_header_is_empty_whatever_page_was_shown_first(client, first):
    """It is kept for all pages."""
    who = member("anna")
    cache.clear()
    client.get(first.format(who.pk))
    (box,) = re.findall(r'<input type="search" name="q"[^>]*>', client.get("/games/").text)
    assert " value=" not in box
    assert 'placeholder="Player, tournament, team"' in box
