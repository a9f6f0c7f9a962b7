"""dry_run=true: each answer as if, and nothing of it is stored, kept, sent or counted."""

from pathlib import Path
from re import sub

import pytest
from django.apps import apps

from ratings.arena.api import lines as limits
from ratings.arena.services.registering import register_server
from tests.arena.conftest import ApiClient
from tests.arena.test_many_members import BLITZ, OPEN, line

pytestmark = pytest.mark.django_db


def everything():
    """Each row of each table but the tokens."""
    models = [one for one in apps.get_models() if one._meta.app_label != "oauth2_provider"]
    return {one: list(one._base_manager.order_by("pk").values()) for one in models}


@pytest.fixture
def unchanged(settings, tmp_path):
    """A check that nothing in the database or among the uploads is another than it was."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    before = []

    def check():
        assert everything() == before[0]
        assert not settings.UPLOAD_DIR.exists() or not list(Path(settings.UPLOAD_DIR).iterdir())

    def begin():
        before.append(everything())
        return check

    return begin


def without_numbers(answer):
    """An answer without the numbers that the office gives."""
    told = {"id", "url", "pgn", "request_id"}
    if isinstance(answer, str):
        return sub(r"(?<=/)\d+(?=/)", "…", answer)
    if isinstance(answer, dict):
        return {name: without_numbers(value) for name, value in answer.items() if name not in told}
    return [without_numbers(one) for one in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 201),
        ({"rated": False}, 201),
        ({"black": "nobody"}, 422),
        ({"result": "2-0"}, 400),
        ({"event": {"id": "e", "name": "E"}, "time_control": "5+5", "pgn": "1. e4"}, 201),
    ],
)
def test_a_game_is_answered_as_if_and_not_stored(api, unchanged, ended, change, status):
    check = unchanged()
    sent = {**ended, **change}
    dry = api.ask("PUT", "games/1?dry_run=true&explain=1", sent, status=status)
    check()
    api.ask("GET", "games/1", status=404)
    real = api.ask("PUT", "games/1?explain=1&dry_run=false", sent, status=status)
    assert without_numbers(dry) == without_numbers(real)


def test_an_end_and_a_contradiction_are_told_and_the_game_stays_in_progress(api, unchanged, begun, ended):
    api.ask("PUT", "games/1", begun, status=201)
    check = unchanged()
    dry = api.ask("PUT", "games/1?dry_run=true", ended)
    assert [one["change"] for one in dry["changes"]] == ["10.00", "-10.00"]
    assert api.ask("PUT", "games/1?dry_run=true", {**begun, "time_control": "60+0"}, status=409)
    check()
    assert without_numbers(api.ask("PUT", "games/1", ended)) == without_numbers(dry)


def dry_lines(client, to, *lines, status=200):
    return client.send_lines(*lines, to=f"{to}?dry_run=true", status=status)


def test_lines_of_games_are_answered_as_if(api, unchanged, begun, ended):
    api.ask("PUT", "games/1", begun, status=201)
    check = unchanged()
    lines = [{"id": "1", **ended}, {"id": "2", **ended}, {"id": "3", **begun, "white": "nobody"}]
    dry = dry_lines(api, "games", *lines)
    check()
    assert [one["verdict"] for one in dry] == ["finished", "stored", "refused"]
    assert [{**one, "game": None} for one in api.send_lines(*lines)] == [{**one, "game": None} for one in dry]


@pytest.mark.parametrize("trusted", [True, False])
def test_members_are_answered_as_if_with_what_waits(unchanged, trusted):
    client = ApiClient(register_server("club", trusted=trusted)[0])
    check = unchanged()
    lines = [line("anna"), line("bert", opening_ratings=[]), {"username": "x", "fide_id": "5"}]
    dry = dry_lines(client, "members", *lines)
    check()
    said = {"spans": OPEN, "opening_ratings": [BLITZ], "email": "carl@arena.example"}
    one = client.ask("PUT", "members/carl?dry_run=true", said, status=201 if trusted else 202)
    check()
    assert [each["verdict"] for each in dry] == ["stored" if trusted else "waits", "stored", "refused"]
    assert one["invited"]
    assert [{**each, "member": ""} for each in client.send_lines(*lines, to="members")] == [
        {**each, "member": ""} for each in dry
    ]
    client.ask("GET", "members/carl", status=404)


def test_the_file_of_a_decision_that_really_waits_stays(api, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path
    api.send_lines(line("anna"), to="members")
    (kept,) = tmp_path.iterdir()
    assert dry_lines(api, "members", line("anna"))[0]["verdict"] == "waits"
    assert list(tmp_path.iterdir()) == [kept]


def test_nothing_happens_after_the_commit_that_never_comes(
    trusted, ended, unchanged, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as callbacks:
        trusted.ask("PUT", "games/1?dry_run=true", ended, status=201)
        dry_lines(trusted, "members", line("anna", fide_id=5))
    assert callbacks == []


def test_a_dry_run_takes_fewer_lines_as_others_wait_for_it(api, monkeypatch, ended):
    monkeypatch.setattr(limits, "MOST_DRY_LINES", 1)
    problem = dry_lines(api, "games", {"id": "1", **ended}, {"id": "2", **ended}, status=413)
    assert (problem["kind"], problem["most"]) == ("too-many-lines", 1)
    api.send_lines({"id": "1", **ended}, {"id": "2", **ended})


@pytest.mark.parametrize("word", ["1", "yes", "True"])
@pytest.mark.parametrize("address", ["games/1", "members/anna"])
def test_another_word_is_refused_before_anything_is_stored(api, ended, unchanged, address, word):
    check = unchanged()
    said = ended if address == "games/1" else {}
    problem = api.ask("PUT", f"{address}?dry_run={word}", said, status=400)
    (told,) = problem["errors"]
    assert told == {"field": "dry_run", "detail": "Send dry_run=true, or leave it out."}
    for to in ("games", "members"):
        assert api.send_lines(line("anna"), to=f"{to}?dry_run={word}", status=400)["kind"] == "invalid"
    check()


def test_reading_has_no_dry_run(api):
    assert api.ask("GET", "games?state=playing&dry_run=true", status=400)["kind"] == "invalid"


def test_each_address_that_has_it_needs_its_scope_all_the_same(server, ended):
    reader = ApiClient(server, "read")
    assert reader.ask("PUT", "games/1?dry_run=true", ended, status=403)["scope"] == "games"
    assert dry_lines(reader, "members", line("anna"), status=403)["scope"] == "members"
