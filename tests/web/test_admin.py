"""The admin as a whole: what every page of it keeps to."""

import csv
import io
import re
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foa.templatetags.office import admin_address
from foa.web import admin as office
from members.models import Member
from ratings.notices.models import Choice
from ratings.office.models import Journal
from ratings.rbb.models import Game, OpeningRating, Rating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import game, member, opening, rated
from tests.backoffice import admin_page, furnish, keeps_the_policy
from tests.pages import is_friendly, words

pytestmark = [pytest.mark.django_db, pytest.mark.long]

REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
every_model = pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)


def every_model_and_on_both(shown):
    """Every model; of all but these, PostgreSQL gets to see nothing that these don't show it."""
    models = [
        model if model in shown else pytest.param(model, marks=pytest.mark.rendered) for model in REGISTERED
    ]
    return pytest.mark.parametrize("model", models, ids=lambda model: model._meta.label)


searched_in = every_model_and_on_both({Game, Member, User})
"""PostgreSQL gets to see what three lists make of an address."""

every_key = every_model_and_on_both({type(model._meta.pk): model for model in REGISTERED}.values())
"""PostgreSQL gets to see each kind of key once."""


@pytest.fixture(scope="class")
def rows(standing):
    """A row of every model."""
    standing(furnish)


@pytest.fixture(scope="class")
def many_rows(standing):
    standing(furnish, 30)


def statements(client, address):
    """What a page asks the database."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured]


def test_the_admin_bears_the_name_and_the_icon_of_the_office_and_leads_to_the_site(staff):
    response = staff.get("/admin/")
    content = response.content.decode()
    assert "<title>Rating office | Rating office</title>" in " ".join(content.split())
    assert '<a href="/">View site</a>' in content
    assert 'href="/static/foa/icon.svg"' in content
    assert "Django" not in words(response)


def test_the_menu_follows_rights_and_language_at_once(client, django_user_model):
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    client.force_login(clerk)

    def menu():
        return [
            (
                group["name"],
                [(model["name"], model["admin_url"], model["add_url"]) for model in group["models"]],
            )
            for group in client.get("/admin/").context["available_apps"]
        ]

    page, form = admin_page(Game), admin_page(Game, "add")
    assert menu() == []
    clerk.user_permissions.add(Permission.objects.get(codename="view_game"))
    assert menu() == [("Every day", [("Games", page, None)])]
    clerk.user_permissions.add(Permission.objects.get(codename="add_game"))
    assert menu() == [("Every day", [("Games", page, form)])]
    client.cookies["django_language"] = "pl"
    assert menu() == [("Na co dzień", [("Partie", page, form)])]
    clerk.user_permissions.clear()
    assert menu() == []


def test_every_page_has_an_entry_in_the_menu_or_is_a_tab_of_one(staff):
    entries = [
        model["admin_url"] for group in staff.get("/admin/").context["app_list"] for model in group["models"]
    ]
    assert len(entries) <= 25
    reached = set(entries)
    for entry in entries:
        reached |= {tab.address for tab in staff.get(entry).context.get("tabs") or ()}
    assert reached == {admin_page(model) for model in admin.site._registry}


def test_a_tab_whose_entry_somebody_may_not_see_is_an_entry(client, django_user_model):
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_rating"))
    client.force_login(clerk)
    (group,) = client.get("/admin/").context["available_apps"]
    assert [model["name"] for model in group["models"]] == ["Ratings"]
    assert client.get(admin_page(Rating)).context["tabs"] == []


def test_one_search_finds_members_games_and_decisions_by_what_they_are_called(staff):
    anna, bob = member("anna", name="Berg, Anna", fide_id=1500001), member("bob", name="Lund, Bob")
    played = game(anna, bob)
    text = words(staff.get("/admin/find/?q=berg"))
    assert "Members Berg, Anna" in text
    assert f"Games {played}" in text
    # What is found alone is opened.
    bob_alone = member("carl", name="Cruz, Carl")
    assert staff.get("/admin/find/?q=cruz")["Location"] == admin_page(bob_alone)
    assert "Members Berg, Anna" in words(staff.get("/admin/find/?q=1500001"))
    assert "Nothing matches" in words(staff.get("/admin/find/?q=nobody"))
    assert "Enter a name" in words(staff.get("/admin/find/"))


def test_the_search_finds_nothing_that_somebody_may_not_see(client, django_user_model):
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_member"))
    client.force_login(clerk)
    game(member("anna", name="Berg, Anna"), member("bob", name="Berg, Bob"))
    found = client.get("/admin/find/?q=berg").context["found"]
    assert [group.name for group in found] == ["Members"]


def test_members_are_filtered_by_full_membership_and_closure(staff):
    full, never = member("anna"), member("bob", full_from=None)
    for asked, names in (
        ("full=yes", ["anna"]),
        ("full=no", ["bob"]),
        ("closed=no", ["anna", "bob"]),
        ("closed=yes", []),
    ):
        rows = staff.get(f"{admin_page(Member)}?{asked}").context["cl"].result_list
        assert [row.username for row in rows] == names, asked
    assert {full.username, never.username} == {"anna", "bob"}


def test_members_and_games_lead_to_their_public_pages(staff):
    played = game(member(), member())
    for thing in (played, played.white, RatingChange.objects.first()):
        (link,) = re.findall(
            r'<a href="(/admin/r/[^"]+)" class="viewsitelink"', staff.get(admin_page(thing)).text
        )
        assert staff.get(link)["Location"].endswith(thing.get_absolute_url())


@every_model
@pytest.mark.rendered
def test_no_page_needs_what_the_policy_forbids(rows, staff, model):
    Group.objects.create(name="more")
    pages = [admin_page(model), f"{admin_page(model)}?q=x"]
    if row := model.objects.first():
        pages += [admin_page(row), admin_page(row, "delete"), admin_page(row, "history")]
    if hasattr(model, "history"):
        pages.append(admin_page(model, "history"))
    for page in (*pages, admin_page(model, "add")):
        response = staff.get(page)
        assert response.status_code in (200, 403)
        assert keeps_the_policy(response) or response.status_code == 403, page


@pytest.mark.parametrize("page", ["/admin/", "/admin/password_change/"])
@pytest.mark.rendered
def test_no_page_of_all_staff_needs_what_the_policy_forbids(rows, staff, page):
    response = staff.get(page)
    assert response.status_code == 200
    assert keeps_the_policy(response)


def test_the_login_page_keeps_the_policy(client):
    assert keeps_the_policy(client.get("/admin/login/"))


@every_model
@pytest.mark.rendered
def test_an_empty_value_is_a_dash_as_on_the_site(rows, staff, model):
    pages = [admin_page(model)]
    if row := model.objects.first():
        pages.append(admin_page(row))
    for page in pages:
        assert re.findall(r">\s*-\s*<", staff.get(page).content.decode()) == [], page


@every_model
@pytest.mark.rendered
def test_a_list_takes_at_most_twelve_queries_and_counts_no_whole_table(many_rows, staff, model):
    addresses = [admin_page(model)]
    if admin.site._registry[model].search_fields:
        addresses.append(f"{admin_page(model)}?q=player")
    for address in addresses:
        asked = statements(staff, address)
        if model is Journal:
            # It asks each of its sources once, and counts nothing.
            assert len(asked) <= 18
            assert not [sql for sql in asked if "COUNT(" in sql]
            continue
        # Who looks for findings is asked, since nobody sees those about themselves.
        assert len(asked) <= (13 if model._meta.label == "lab.Finding" else 12)
        counts = [sql for sql in asked if "COUNT(" in sql]
        assert len(counts) == 1
        assert re.fullmatch(r"SELECT COUNT\(\*\) FROM \(SELECT .* LIMIT 10001\) subquery", counts[0])
        assert not [sql for sql in asked if "DISTINCT" in sql]


@every_model
@pytest.mark.rendered
def test_a_file_of_a_list_has_all_its_rows_and_asks_for_no_row_by_itself(many_rows, staff, model):
    with CaptureQueriesContext(connection) as captured:
        response = staff.get(admin_page(model, "export"))
        header, *lines = csv.reader(io.StringIO(response.getvalue().decode()))
    assert len(lines) == model._default_manager.count()
    assert {len(line) for line in lines} <= {len(header)}
    assert len(captured) <= 14


def test_a_file_has_what_the_filters_of_the_list_leave_in_its_order_as_values(staff):
    anna, bob = member("anna"), member("bob", name="=1+1", federation="NOR", birth_year=1990)
    opening(bob, "2215.50", Category.BULLET)
    first = game(anna, bob, "1-0", minute=10)
    game(anna, bob, "0-1", minute=20)
    game(anna, bob, "1-0", minute=30, rated=False)

    def rows(model, **query):
        response = staff.get(admin_page(model, "export"), query)
        assert response["Content-Disposition"].endswith(f'filename="{model._meta.model_name}.csv"')
        return list(csv.reader(io.StringIO(response.getvalue().decode())))

    assert rows(Member, q="bob")[1:] == [["bob", "'=1+1", "", "NOR", "", "yes", "", "", "", "2216"]]
    header, *played = rows(Game, result__exact="1-0", o="1")
    assert header == ["ended_at", "white", "black", "result", "time_control", "rated", "voided_at"]
    assert [line[5] for line in played] == ["yes", "no"]
    assert played[0][:4] == [first.ended_at.isoformat().replace("+00:00", "Z"), "anna", "'=1+1", "1-0"]
    link = re.search(r'href="([^"]*/export/[^"]*)"', staff.get(f"{admin_page(Game)}?result__exact=1-0").text)
    assert link[1] == f"{admin_page(Game, 'export')}?result__exact=1-0"
    assert staff.get(admin_page(Game, "export"), {"rated__exact": "2"}).status_code == 400


def test_a_page_of_choices_counts_no_whole_table(staff):
    furnish(3)
    asked = statements(
        staff, "/admin/autocomplete/?app_label=ratings&model_name=game&field_name=white&term=player"
    )
    assert len(asked) <= 5
    assert [sql for sql in asked if "COUNT(" in sql and "LIMIT 10001" not in sql] == []


def test_a_list_of_more_rows_than_are_counted_says_so_and_offers_no_page_beyond(staff):
    for number in range(7):
        member(f"m{number}")
    with patch.object(office, "COUNTED", 5), patch.object(admin.site._registry[Member], "list_per_page", 2):
        response = staff.get(admin_page(Member))
        text, content = words(response), response.content.decode()
        assert "1 2 3 5+ members Too many to show. Search or filter to see the rest." in text
        assert "?p=4" not in content
        assert "Select all" not in content.replace("Select all objects on this page", "")
        third = staff.get(f"{admin_page(Member)}?p=3").context["cl"].result_list
        assert [who.username for who in third] == ["m4"]
        beyond = staff.get(f"{admin_page(Member)}?p=4").context["cl"].result_list
        assert [who.username for who in beyond] == ["m0", "m1"]
        narrowed = words(staff.get(f"{admin_page(Member)}?q=m3"))
        assert "1 member" in narrowed
        assert "Too many to show" not in narrowed


def test_a_list_of_as_many_rows_as_are_counted_offers_them_all(staff):
    for number in range(5):
        member(f"m{number}")
    with patch.object(office, "COUNTED", 5), patch.object(admin.site._registry[Member], "list_per_page", 2):
        response = staff.get(admin_page(Member))
    assert "1 2 3 5 members" in words(response)
    assert "Select all 5 members" in words(response)


def test_the_number_beyond_which_nothing_is_counted_is_written_for_people():
    assert str(office._AtLeast(10_000)) == "10,000+"
    assert office._AtLeast(10_000) == 10_000


def test_an_action_on_all_rows_is_refused_where_they_were_not_counted(staff):
    for number in range(7):
        member(f"m{number}")
    posted = {"action": "delete_selected", "_selected_action": [1], "select_across": "1", "index": "0"}
    with patch.object(office, "COUNTED", 5):
        response = staff.post(admin_page(Member), posted | {"post": "yes"}, follow=True)
        told = "There are too many rows to select them all, so nothing was done. Narrow the search first."
        assert told in words(response)
        assert Member.objects.count() == 7
        narrowed = staff.post(f"{admin_page(Member)}?q=m3", posted, follow=True)
        assert "Are you sure you want to delete the selected member? " in words(narrowed)


def test_games_without_an_end_come_last_in_the_order_of_the_address_too(staff):
    anna, bob = member(), member()
    ended = game(anna, bob)
    waiting = game(anna, bob, "", ended_at=None)

    def listed(query):
        return list(staff.get(f"{admin_page(Game)}?{query}").context["cl"].result_list)

    assert listed("") == listed("o=-1") == [ended, waiting]
    assert listed("o=1") == [waiting, ended]
    assert listed("state=overdue") == [waiting]
    assert listed("state=finished") == [ended]


def test_dates_are_offered_from_the_first_to_the_last_without_reading_what_lies_between(staff):
    anna, bob = (
        member(full_from=datetime(2000, 1, 1, tzinfo=UTC)),
        member(full_from=datetime(2000, 1, 1, tzinfo=UTC)),
    )
    for end in (datetime(2024, 11, 29, 23, 59, 59, tzinfo=UTC), datetime(2026, 2, 2, tzinfo=UTC)):
        game(anna, bob, started_at=end, ended_at=end)
    game(anna, bob, ended_at=None, result="")

    def dates(query):
        address = f"{admin_page(Game)}?{query}"
        assert len([sql for sql in statements(staff, address) if '"ended_at" IS NOT NULL' in sql]) == 2
        listed = staff.get(address).context["cl"]
        offered = listed.dates()
        return (
            offered["back"] and offered["back"]["title"],
            [choice["title"] for choice in offered["choices"]],
            listed.result_count,
        )

    year, month, day = "ended_at__year", "ended_at__month", "ended_at__day"
    assert dates("") == (None, ["2024", "2025", "2026"], 3)
    assert dates(f"{year}=2024") == ("All dates", ["November 2024", "December 2024"], 1)
    assert dates(f"{year}=2025")[1:] == ([f"{name} 2025" for name in MONTHS], 0)
    assert dates(f"{year}=2026") == ("All dates", ["January 2026", "February 2026"], 1)
    assert dates(f"{year}=2024&{month}=11") == ("2024", ["29 Nov", "30 Nov"], 1)
    assert dates(f"{year}=2026&{month}=2") == ("2026", ["1 Feb", "2 Feb"], 1)
    assert dates(f"{year}=2026&{month}=2&{day}=2") == ("February 2026", ["2 Feb"], 1)
    assert dates(f"{year}=2026&{month}=7") == ("2026", ["July 2026"], 0)


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def test_the_dates_of_one_year_are_offered_by_month(staff):
    game(member(), member())
    offered = staff.get(admin_page(Game)).context["cl"].dates()
    assert offered["back"] is None
    assert [choice["title"] for choice in offered["choices"]] == ["March 2026"]
    assert offered["choices"][0]["link"] == "?ended_at__month=3&ended_at__year=2026"
    assert "March 2026" in words(staff.get(admin_page(Game)))


NONSENSE = [
    "q=%00",
    "id__exact=%00",
    "id__exact=1",
    "id__exact=x",
    "pk__in=1",
    "id__in=99999999999999999999",
    "foo=bar",
    "username__regex=(",
    "member__user__password__startswith=p",
    "_to_field=password",
    "_to_field=%00",
    "_to_field=x",
]
HARMLESS = [
    "p=x",
    "p=0",
    "p=-1",
    f"p={'9' * 30}",
    "p=",
    "o=77.-x.99999999999999999999",
    "o=",
    "all=",
    "e=1",
    "_facets=True",
    "_popup=1",
    f"q={'9' * 5000}",
    "q=%FF%FE",
    "q=%22",
    "q=%27%22%25_",
    "q=%F0%9F%92%A9",
]


@searched_in
def test_a_list_refuses_an_address_that_it_never_wrote(staff, model):
    for query in NONSENSE:
        response = staff.get(f"{admin_page(model)}?{query}")
        assert response.status_code == 400, query
        assert is_friendly(response), query


@searched_in
def test_a_list_opens_where_an_address_asks_for_nothing_that_could_fail(rows, staff, model):
    for query in HARMLESS:
        assert staff.get(f"{admin_page(model)}?{query}").status_code == 200, query


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (Game, "ended_at__year=x"),
        (Game, "ended_at__year=99999"),
        (Game, "ended_at__year=9999"),
        (Game, "ended_at__year=9999&ended_at__month=12"),
        (Game, "ended_at__year=-1"),
        (Game, "ended_at__year=0"),
        (Game, "ended_at__year=2026&ended_at__month=13"),
        (Game, f"ended_at__year={'9' * 5000}"),
        (Game, "ended_at__year=2026&ended_at__month=2&ended_at__day=30"),
        (Game, "rated__exact=2"),
        (Game, "time_control__category__exact=x"),
        (Game, "rated__exact=%00"),
        (Game, "ended_at__gte=yesterday"),
        (OpeningRating, "category__exact=x"),
        (OpeningRating, "previously_unrated__exact=maybe"),
    ],
)
def test_a_filter_with_a_value_that_makes_no_sense_is_refused(rows, staff, model, query):
    response = staff.get(f"{admin_page(model)}?{query}")
    assert response.status_code == 400
    assert is_friendly(response)


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (Game, "time_control__category__exact=99999999999999999999"),
        (Game, "result__exact=2-0"),
        (OpeningRating, "category__exact=7"),
        (Member, "federation=%FF"),
        (Member, f"federation={'N' * 5000}"),
        (Member, "title__exact=Dr"),
        (User, "groups__id__exact=99999999999999999999"),
    ],
)
def test_a_filter_for_what_there_is_not_finds_nothing(rows, staff, model, query):
    response = staff.get(f"{admin_page(model)}?{query}")
    assert response.status_code == 200
    assert response.context["cl"].result_count == 0


def end_of(client, address):
    """The answer after all redirects but the last, if that leads to the first page of the admin."""
    response = client.get(address)
    while response.status_code == 302 and response["Location"] != "/admin/":
        response = client.get(response["Location"])
    return response


@every_key
def test_an_object_that_cannot_be_is_not_there(staff, model):
    assert staff.get(admin_page(model)).status_code == 200
    for key in ("%00", "x", "_00", "9" * 30, "-1", "1.5", "%FF"):
        for page in ("", "change/", "delete/", "history/"):
            response = end_of(staff, f"{admin_page(model)}{key}/{page}")
            assert response.status_code in (302, 400, 403, 404), (key, page)
            assert (response.status_code == 400) == (key == "%00"), (key, page)


@pytest.mark.parametrize(
    "query",
    [
        "white=x",
        "white=99999999999999999999",
        "white=",
        "white=-1",
        "started_at=yesterday",
        "plies=" + "9" * 400,
        "result=2-0",
        "rated=perhaps",
        "time_control=x",
        "id=7",
        "batch=x",
        "ledger=x",
        "white__name=x",
    ],
)
def test_an_empty_form_ignores_what_an_address_would_put_into_it(staff, query):
    assert staff.get(f"{admin_page(Game, 'add')}?{query}").status_code == 200


def test_a_link_to_an_empty_form_says_whom_it_is_about(staff):
    who = rated(1600)
    content = staff.get(f"{admin_page(OpeningRating, 'add')}?member={who.pk}").content.decode()
    assert f'<option value="{who.pk}" selected' in content


@every_key
def test_an_action_on_a_row_that_cannot_be_is_refused(staff, model):
    for key in ("x", "9" * 30, "\0", "9" * 5000, ""):
        posted = {"action": "delete_selected", "_selected_action": key, "post": "yes", "index": "0"}
        response = staff.post(admin_page(model), posted)
        has_actions = bool(admin.site._registry[model].get_actions(response.wsgi_request))
        assert response.status_code == (400 if has_actions else 200), key


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("app_label=ratings&model_name=game&field_name=white&term=%00", 400),
        ("app_label=ratings&model_name=game&field_name=white&term=x&page=x", 404),
        ("app_label=ratings&model_name=game&field_name=white&term=x&page=" + "9" * 30, 404),
        ("app_label=ratings&model_name=game&field_name=white&term=" + "9" * 5000, 200),
        ("app_label=ratings&model_name=game&field_name=plies&term=x", 403),
        ("app_label=ratings&model_name=game&field_name=time_control&term=x", 404),
        ("app_label=auth&model_name=nothing&field_name=x&term=x", 403),
        ("term=x", 403),
        ("", 403),
    ],
)
def test_a_search_for_choices_answers_anything(staff, query, status):
    assert staff.get(f"/admin/autocomplete/?{query}").status_code == status


@pytest.mark.parametrize(
    "address",
    [
        "/%00",
        "/?x=%00",
        "/admin/%00/",
        "/admin/?next=%00",
        "/games/?member=a%00b",
        "/static/%00",
        "/login/?next=%00",
    ],
)
def test_a_nul_byte_in_an_address_is_refused_everywhere(client, address):
    response = client.get(address)
    assert response.status_code == 400
    assert is_friendly(response)


def test_a_percent_sign_before_two_noughts_is_no_nul_byte(client):
    assert client.get("/games/?member=%2500").status_code == 200


def test_what_protects_an_object_is_named_by_its_kind_and_not_row_by_row(staff):
    who = rated(1600)
    for number in range(30):
        game(who, rated(1600), minute=10 + number)
    asked = statements(staff, admin_page(who, "delete"))
    # One for each kind that refers to a member.
    assert len(asked) <= 18
    text = words(staff.get(admin_page(who, "delete")))
    assert "Cannot delete member" in text
    assert "games (White) starting ratings (member) rating changes (member) ratings (member)" in text
    chosen = {"action": "delete_selected", "_selected_action": who.pk, "post": "yes"}
    assert "games (White)" in words(staff.post(admin_page(Member), chosen))
    assert Member.objects.filter(pk=who.pk).exists()


def test_members_of_a_federation_are_found_by_typing(staff):
    member("anna", federation="NOR", title="WGM")
    member("berit", federation="NOR")
    member("carl", federation="POL", title="WGM")
    response = staff.get(admin_page(Member), {"federation": " nor ", "title__exact": "WGM"})
    assert [who.username for who in response.context["cl"].result_list] == ["anna"]
    content = response.content.decode()
    assert 'name="federation" value=" nor "' in content
    assert '<input type="hidden" name="title__exact" value="WGM">' in content
    assert '<input type="hidden" name="federation"' in content  # in the search, which keeps the filter


def test_the_list_of_members_shows_their_three_ratings_rounded(staff):
    who = rated("1799.60")
    opening(who, "2215.50", Category.BULLET)
    assert f"{who.username} – – – – yes – – 1800 2216" in words(staff.get(admin_page(Member)))


@pytest.mark.parametrize("text", ["x", "9" * 40, "-1.5", "1 OR 1"])
@pytest.mark.parametrize(
    ("model", "field"),
    [(Game, "white"), (Game, "time_control"), (OpeningRating, "member"), (Member, "user")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_posted_link_that_is_no_key_is_refused(staff, model, field, text):
    for address in (
        admin_page(model, "add"),
        *([admin_page(model.objects.first())] if model.objects.first() else []),
    ):
        response = staff.post(address, {field: text})
        assert response.status_code == 400
        assert is_friendly(response)


def test_clearing_the_filters_of_a_list_keeps_its_month(staff):
    asked = {"ended_at__year": 2026, "ended_at__month": 3, "state": "overdue"}
    page = staff.get(admin_page(Game), asked)
    cleared = page.context["cl"].clear_all_filters_qs
    assert (page.status_code, cleared) == (200, "?ended_at__month=3&ended_at__year=2026")
    assert staff.get(f"{admin_page(Game)}{cleared}").status_code == 200


def test_a_staff_link_to_what_has_no_page_in_the_admin_leads_to_its_first_page(rf):
    request = rf.get("/")
    request.user = User(is_superuser=True, is_active=True, is_staff=True)
    assert admin_address({"request": request}, Choice(pk=1)) == "/admin/"
    assert admin_address({"request": request}, Member(pk=1)) == "/admin/members/member/1/change/"


def test_a_refusal_does_not_ask_somebody_to_log_in_who_is_logged_in(client, django_user_model):
    superuser = django_user_model.objects.create_superuser("root")
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    page = "/admin/ratings/ratinglist/add/"
    for user, told in (
        (superuser, "This can’t be done here, even by a superuser. It has its own page or button"),
        (clerk, "You are logged in as clerk. This login doesn’t have permission to do this."),
    ):
        client.force_login(user)
        refused = client.get(page)
        assert refused.status_code == 403
        assert told in words(refused)
        assert "Log in with" not in words(refused)
        assert 'href="/admin/"' in refused.text
