"""The public pages of members."""

import pytest

from members.models import Member
from ratings.rules.time_controls import Category
from tests.arena import member, opening, rated
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("login", [None, "staff"])
def test_the_pages_of_members_open_for_strangers_and_for_staff(client, login, request):
    if login:
        request.getfixturevalue(login)
    who = member("anna", name="Berg, Anna")
    for address in ("/members/", who.get_absolute_url()):
        response = client.get(address)
        assert response.status_code == 200
        assert is_friendly(response)
        assert "Berg, Anna" in words(response)
        assert ("/admin/" in response.content.decode()) is bool(login)


@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
def test_a_list_answers_a_broken_address_with_a_friendly_page(client, query, status):
    member()
    response = client.get(f"/members/?{query}")
    assert response.status_code == status
    assert is_friendly(response)


@pytest.mark.parametrize("query", ["title=Dr", "sex=X", "full=maybe", "federation=NOWHERE", "title=%01"])
def test_a_filter_that_makes_no_sense_shows_nothing_and_says_so(client, query):
    member("anna")
    response = client.get(f"/members/?{query}")
    assert response.status_code == 400
    assert "anna" not in words(response)
    assert "Please correct these filters:" in words(response)


def test_the_list_finds_members_by_name_username_fide_id_and_country(client):
    member("anna", name="Berg, Anna", fide_id=1500001, federation="NOR", title="WGM", sex="F")
    member("boris", name="Lund, Boris", fide_id=1500002, federation="POL", full_from=None)
    opening(Member.objects.get(username="anna"), 1800, Category.RAPID)
    for query in (
        "rated=rapid",
        "member=berg",
        "member=ANNA",
        "member=1500001",
        "federation=nor",
        "title=WGM",
        "sex=F",
        "full=yes",
    ):
        text = words(client.get(f"/members/?{query}"))
        assert "Berg, Anna" in text
        assert "Lund, Boris" not in text
    text = words(client.get("/members/?full=no"))
    assert "Lund, Boris" in text
    assert "Berg, Anna" not in text


def test_equal_names_stand_in_the_order_of_usernames_and_ids(client):
    for username in ("zoe", "adam", "mia"):
        member(username, name="Li, Wei", federation="CHN")
    for query in ("", "?sort=name", "?sort=federation"):
        text = words(client.get(f"/members/{query}"))
        assert text.index("adam") < text.index("mia") < text.index("zoe")
    text = words(client.get("/members/?sort=-username"))
    assert text.index("zoe") < text.index("mia") < text.index("adam")


def test_members_can_be_sorted_by_their_rating_the_unrated_last(client):
    for username, points in (("b", 1700), ("c", 1800), ("a", 1700)):
        opening(member(username, name=username), points)
    opening(member("d", name="d"), 2000, Category.RAPID)
    member("e", name="e")

    def names(query):
        return [row.username for row in client.get(f"/members/?{query}").context["table"].page.rows]

    assert names("sort=-blitz") == ["c", "a", "b", "d", "e"]
    assert names("sort=blitz") == ["d", "e", "a", "b", "c"]
    assert names("sort=-rapid") == ["d", "a", "b", "c", "e"]
    content = b"".join(client.get("/members/?sort=-blitz&format=csv")).decode().splitlines()
    assert [line.partition(",")[0] for line in content[1:]] == ["c", "a", "b", "d", "e"]
    marks = {one.username: one.pk for one in Member.objects.all()}
    assert names(f"sort=-blitz&after={marks['c']}") == ["a", "b", "d", "e"]
    assert names(f"sort=-blitz&after={marks['d']}") == ["e"]
    assert names(f"sort=-blitz&before={marks['d']}") == ["c", "a", "b"]
    assert names(f"sort=blitz&before={marks['a']}") == ["d", "e"]
    assert names("sort=-blitz&rated=blitz") == ["c", "a", "b"]


def test_a_page_has_fifty_rows_and_leads_to_the_next(client):
    for number in range(51):
        member(f"m{number:02}")
    first = client.get("/members/?sort=username")
    assert "m49" in words(first)
    assert "m50" not in words(first)
    last_of_it = Member.objects.get(username="m49").pk
    assert f'rel="next" href="?sort=username&amp;after={last_of_it}"' in first.content.decode()
    second = client.get(f"/members/?sort=username&after={last_of_it}")
    assert "m50" in words(second)
    assert "m49" not in words(second)
    assert 'rel="next"' not in second.content.decode()
    only = Member.objects.get(username="m50").pk
    assert f'rel="prev" href="?sort=username&amp;before={only}"' in second.content.decode()


def test_a_list_takes_as_many_queries_for_25_members_as_for_5(client):
    def five():
        for _ in range(5):
            rated(1800)

    five()
    few = queries(client, "/members/")
    for _ in range(4):
        five()
    assert queries(client, "/members/") == few


def test_a_name_is_escaped(client):
    who = member("x", name="<script>alert(1)</script>")
    for address in ("/members/", who.get_absolute_url(), "/"):
        assert b"<script>" not in client.get(address).content


def test_the_list_shows_the_displayed_rating_of_each_category(client):
    who = member("anna")
    opening(who, "1799.60", Category.RAPID)
    opening(who, "2215.50", Category.BULLET)
    assert "anna anna – – 1800 – 2216" in words(client.get("/members/"))


@pytest.mark.parametrize(
    "address", ["/members/0/", "/members/99999999999999999999999/", "/members/x/", "/members/%01/"]
)
def test_an_unknown_member_is_not_found(client, address):
    response = client.get(address)
    assert response.status_code == 404
    assert is_friendly(response)


def test_who_misspells_a_name_is_asked_whom_they_mean(client):
    who = member("jakub", name="Kaminski, Jakub")
    member("maria", name="Kaminska, Zofia")
    page = client.get("/members/", {"member": "kaminsky jakub"})
    assert "Did you mean: Kaminski, Jakub jakub" in words(page)
    assert f'href="{who.get_absolute_url()}"' in page.text
    assert "Did you mean" not in words(client.get("/members/", {"member": "xyzzy"}))
    assert "Did you mean" not in words(client.get("/members/", {"member": "kaminski"}))


@pytest.mark.parametrize(
    ("digits", "finds"),
    [
        ("1503", "magnus other"),
        ("15030", "magnus other"),
        ("150301", "magnus"),
        ("1503014", "magnus"),
        ("150", ""),
    ],
)
def test_the_beginning_of_a_fide_id_finds_its_member_from_four_digits_on(client, digits, finds):
    members = member("magnus", fide_id=1503014), member("other", fide_id=15030999)
    page = client.get("/members/", {"member": digits}).text
    found = [one.username for one in members if f'href="{one.get_absolute_url()}"' in page]
    assert found == finds.split()
