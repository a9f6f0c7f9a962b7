"""The register: for everybody, without notes and without names of staff."""

import getpass
import json

import pytest

from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import DecisionType, kind_of, kinds
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game, RatingList
from tests.arena import game, member, rated
from tests.backoffice import admin_page
from tests.commands import run
from tests.decisions import decide, staff_login
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db

LISTS = {"month": ["2026-04"], "category": ["rapid", "blitz"]}


def a_decision():
    """About a game."""
    played = game(rated(1800), rated(1700))
    decide(
        staff_login("registrar", "void-games"),
        admin_page(Game, "void"),
        {"game": played.pk},
        public_reason="fair-play",
        staff_note="engine, case 7",
    )
    return ChangeSet.objects.get()


@pytest.fixture(scope="class")
def voided(standing):
    return standing(a_decision)


def test_it_says_what_when_why_and_how_many_ratings_moved(client, voided):
    text = words(client.get("/register/"))
    assert "1 game voided Fair play 2 7.20" in text
    for secret in ("engine", "registrar"):
        assert secret not in text
    page = words(client.get(voided.get_absolute_url()))
    assert "2 ratings changed." in page
    assert "Blitz 1807.20 1800.00 −7.20" in page
    for secret in ("engine", "registrar"):
        assert secret not in page


def a_void(played):
    return Proposal(kind=kind_of("void-games"), parameters={"game": [str(played.pk)]})


def test_the_lists_that_a_decision_affects_or_publishes_are_links(client):
    played, _other = game(rated(1800), rated(1700)), game(rated(1600), rated(1500), minute=20)
    decide_at_once(Proposal(kind=kind_of("publish-lists"), parameters=LISTS))
    affected, _effect = decide_at_once(a_void(played))
    revised, _effect = decide_at_once(
        Proposal(kind=kind_of("publish-lists"), parameters={**LISTS, "revise": ["on"]})
    )
    page = client.get(affected.get_absolute_url())
    first, second = "/lists/blitz/2026-04/1/", "/lists/blitz/2026-04/2/"
    assert f'<a href="{first}">Blitz April 2026, revision 1 (2 lines)</a>.' in page.text
    page = client.get(revised.get_absolute_url())
    assert f'<a href="{second}">Blitz April 2026, revision 2</a>.' in page.text


def test_a_list_without_the_member_whose_results_change_is_not_affected(client):
    """RBB 3.5: the game changes no rating, and a beginner with one result is on no list."""
    played = game(rated(1800), member(), "0-1")
    decide_at_once(Proposal(kind=kind_of("publish-lists"), parameters=LISTS))
    affected, _effect = decide_at_once(a_void(played))
    assert "Published lists affected" not in words(client.get(affected.get_absolute_url()))


def test_a_decision_that_changes_no_rating_has_no_table(client):
    game(rated(1800), rated(1700))
    published, _effect = decide_at_once(Proposal(kind=kind_of("publish-lists"), parameters=LISTS))
    page = words(client.get(published.get_absolute_url()))
    assert "No ratings changed. Published lists affected:" in page
    for part in ("Changed by at least", "Nothing found", "Download"):
        assert part not in page


def test_the_same_as_json(client, voided):
    (row,) = json.loads(client.get("/register/?format=json").getvalue())["decisions"]
    assert (row["kind"], row["reason"], row["why"], row["moved"], row["largest"]) == (
        "void-games",
        "fair-play",
        "Fair play",
        2,
        "7.20",
    )
    moved = json.loads(client.get(f"{voided.get_absolute_url()}?format=json").getvalue())["moved"]
    assert sorted(one["change"] for one in moved) == ["-7.20", "7.20"]


@pytest.mark.needs("arena")
def test_the_api_has_the_same_and_the_json_says_where_it_went(client, voided):
    for page, api in (
        ("/register/", "/api/v1/decisions"),
        (voided.get_absolute_url(), f"/api/v1/decisions/{voided.pk}/moved"),
    ):
        answer = client.get(f"{page}?format=json")
        assert answer["Link"].startswith(f'<{api}>; rel="successor-version"')
        told = client.get(api).json()
        assert told.pop("next") is told.pop("previous") is None
        assert told == json.loads(answer.getvalue())
    (row,) = client.get("/api/v1/decisions?reason=fair-play").json()["decisions"]
    assert (row["id"], row["takes_back"]) == (voided.pk, None)
    assert client.get("/api/v1/decisions?reason=member-asked").json().get("decisions", []) == []
    assert client.get(f"/api/v1/decisions/{voided.pk}/moved?least=8").json()["moved"] == []
    first = client.get(f"/api/v1/decisions/{voided.pk}/moved?limit=1").json()
    rest = client.get(first["next"]).json()
    assert len(first["moved"] + rest["moved"]) == 2
    ChangeSet.objects.update(state=ChangeSet.State.PROPOSED, applied_at=None)
    assert client.get(f"/api/v1/decisions/{voided.pk}/moved").status_code == 404


@pytest.mark.parametrize("state", [one for one in ChangeSet.State if one is not ChangeSet.State.APPLIED])
def test_what_was_not_applied_is_nobodys_business(client, voided, state):
    ChangeSet.objects.update(state=state, applied_at=None)
    assert client.get(voided.get_absolute_url()).status_code == 404
    assert "Void games" not in words(client.get("/register/"))


def test_a_decision_of_a_rule_book_that_is_gone_is_still_listed(client, voided):
    ChangeSet.objects.update(kind="close-chess-club")
    assert "Close chess club" in words(client.get("/register/"))
    assert client.get(voided.get_absolute_url()).status_code == 200


@pytest.mark.parametrize(("query", "status"), [one for one in BAD_QUERIES if "member" not in one[0]])
def test_addresses_that_make_no_sense_are_answered_in_words(client, voided, query, status):
    for address in ("/register/", voided.get_absolute_url()):
        response = client.get(f"{address}?{query}")
        assert is_friendly(response)
        assert response.status_code == status


@pytest.mark.rendered
def test_a_long_register_takes_as_many_queries_as_a_short_one(client, voided):
    few = queries(client, "/register/")
    officer = staff_login("officer", "void-games")
    for number in range(10):
        played = game(rated(1800), rated(1700), minute=100 + number)
        decide(officer, admin_page(Game, "void"), {"game": played.pk})
    assert queries(client, "/register/") == few


def test_a_command_notes_under_whom_it_ran_and_why():
    game(rated(1800), rated(1700))
    assert run("publish_list", "--month", "2026-04", "--reason", "monthly cron").code == 0
    change_set = ChangeSet.objects.get()
    assert (change_set.proposed_as, change_set.staff_note) == (getpass.getuser(), "monthly cron")
    assert RatingList.objects.count() == 3


def test_a_command_that_needs_a_second_person_says_so_and_does_nothing(settings):
    settings.SECOND_PERSON_LISTS = True
    game(rated(1800), rated(1700))
    done = run("publish_list", "--month", "2026-04")
    assert done.code == 1
    assert "Another person has to confirm change set" in done.err
    assert not RatingList.objects.exists()
    # Run every hour, it proposes the same once.
    run("publish_list", "--month", "2026-04")
    assert ChangeSet.objects.count() == 1


def test_every_decision_of_the_register_says_that_it_is_done():
    """“Two accounts merged”, not “Merge two accounts of one person”."""
    public = [kind for kind in kinds() if kind.is_public and kind.is_decided]
    assert [
        kind.name
        for kind in public
        if not kind.register_title and type(kind).public_heading is DecisionType.public_heading
    ] == []
