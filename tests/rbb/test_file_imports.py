"""Files in the browser: brought, rehearsed by the worker, then applied as shown or dropped."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from members.models import Member
from ratings.office.importing import KEPT, forget_old_files
from ratings.office.jobs import retry
from ratings.office.models import ChangeSet, FileImport, Job
from ratings.office.uploads import discard_leftovers
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import Game, ImportBatch, OpeningRating
from tests.arena import game, member, projections, rated
from tests.commands import csv_file, game_row, run
from tests.files import LIST, brought, games_csv, page_of, posted
from tests.formats.pgn_text import pgn as pgn_text
from tests.pages import is_friendly, words

pytestmark = pytest.mark.django_db


TWO = games_csv(game_row(1), game_row(2, "bob", "anna"))


def kept_files(settings):
    return sorted(path.name for path in settings.UPLOAD_DIR.iterdir())


def test_the_worker_says_what_a_file_would_do_and_stores_nothing_of_it(arena, officer, worker):
    before = projections()
    one = brought(officer, "import-games", TWO, "games.csv")
    assert "Queued; waiting for a worker." in words(officer.get(page_of(one)))
    worker()
    one.refresh_from_db()
    page = words(officer.get(page_of(one)))
    assert "Read as comma-separated, UTF-8." in page
    assert "Games read: 2. New: 2. Already there: 0. Refused: 0." in page
    assert "Games stored: 2" in page
    assert "2 ratings change" in page
    assert (projections(), Game.objects.count(), ImportBatch.objects.count()) == (before, 0, 0)
    assert one.is_ready
    assert not ChangeSet.objects.exists()
    assert "The file games.csv is waiting: apply or discard it" in words(officer.get("/admin/"))


def test_applied_it_does_what_the_command_does(
    arena, officer, worker, settings, tmp_path, django_capture_on_commit_callbacks
):
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    assert officer.post(page_of(one), {"apply": "on"}).status_code == 302
    assert Game.objects.count() == 0
    with django_capture_on_commit_callbacks(execute=True):
        worker()
    one.refresh_from_db()
    done = one.change_set
    assert (done.state, done.moved, done.proposed_by.username) == (ChangeSet.State.APPLIED, 2, "officer")
    assert done.fingerprint == one.shown["fingerprint"]
    assert ImportBatch.objects.get().imported_by.username == "officer"
    page = words(officer.get(page_of(one)))
    assert "Done." in page
    assert "Games read: 2. New: 2." in page
    assert kept_files(settings) == []
    browser = projections()
    again = run("import_games", csv_file(tmp_path / "games.csv", [game_row(1), game_row(2, "bob", "anna")]))
    assert "2 games: 0 stored, 2 already there" in again.out
    assert projections() == browser


def test_refused_rows_are_left_out_named_and_offered_as_a_file_to_correct(arena, officer, worker, tmp_path):
    rows = [game_row(1), *(game_row(number, "carl", "bob") for number in range(2, 104))]
    one = brought(officer, "import-games", games_csv(*rows), "games.csv")
    worker()
    response = officer.get(page_of(one))
    page = words(response)
    assert "102 rows refused" in page
    assert "line 3: white “carl” is not registered" in page
    assert "102 rows: players who are not registered" in page
    assert "line 22: " in page
    assert "line 23: " not in page
    assert "82 more rows are not shown." in page
    file = officer.get(f"{LIST}{one.pk}/refused/")
    assert file["Content-Disposition"] == 'attachment; filename="games-refused.csv"'
    content = file.getvalue()
    lines = list(csv.DictReader(io.StringIO(content.decode())))
    assert [line["line"] for line in lines] == [str(number) for number in range(3, 105)]
    assert lines[0]["reason"].startswith("white “carl” is not registered")
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert Game.objects.count() == 1
    # The corrected file is brought as it is, with its two further columns.
    member("carl")
    again = brought(officer, "import-games", content, "games-refused.csv")
    worker()
    again.refresh_from_db()
    assert again.report["refused"] == 0
    assert [fact[4] for fact in again.shown["facts"]] == ["102"]


def test_a_file_whose_rows_are_all_there_has_nothing_to_apply(arena, officer, worker):
    for _ in range(2):
        one = brought(officer, "import-games", TWO, "games.csv")
        worker()
        officer.post(page_of(one), {"apply": "on"})
        worker()
    page = officer.get(page_of(one))
    assert "There’s nothing to do." in words(page)
    assert 'name="apply"' not in page.text
    assert ChangeSet.objects.count() == 1


def test_a_file_that_cannot_be_read_says_why(arena, officer, worker):
    for content, name, said in (
        (b"\n", "games.csv", "line 1: the file is empty"),
        (b"PK\x03\x04 no workbook", "games.xlsx", "this is neither CSV nor a valid workbook (.xlsx)"),
        (b"white;black\n", "games.csv", "columns missing: “external_id”"),
        (b"no tags", "games.pgn", "the file is empty or is not PGN"),
    ):
        one = brought(officer, "import-games", content, name)
        worker()
        page = officer.get(page_of(one))
        assert said in words(page)
        assert 'name="apply"' not in page.text
        assert Job.objects.latest("pk").state == Job.State.DONE


def test_of_two_uploads_of_one_file_the_second_says_what_differs(arena, officer, worker):
    one, other = (brought(officer, "import-games", TWO, "games.csv") for _ in range(2))
    worker()
    for each in (one, other):
        officer.post(page_of(each), {"apply": "on"})
    worker()
    other.refresh_from_db()
    assert other.change_set.state == ChangeSet.State.STALE
    assert Game.objects.count() == 2
    page = officer.get(page_of(other))
    assert "The data has changed since the preview. Nothing was done." in words(page)
    officer.post(page_of(other), {"again": "on"})
    worker()
    assert "There’s nothing to do." in words(officer.get(page_of(other)))


def test_what_changes_between_rehearsal_and_applying_is_found_and_rehearsed_again(
    arena, officer, worker, tmp_path
):
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    run("import_games", csv_file(tmp_path / "other.csv", [game_row(2, "bob", "anna")]))
    officer.post(page_of(one), {"apply": "on"})
    worker()
    one.refresh_from_db()
    assert one.change_set.state == ChangeSet.State.STALE
    assert Game.objects.count() == 1
    officer.post(page_of(one), {"again": "on"})
    worker()
    officer.post(page_of(one), {"apply": "on"})
    worker()
    one.refresh_from_db()
    assert one.change_set.state == ChangeSet.State.APPLIED
    assert Game.objects.count() == 2


def test_games_of_a_file_are_facts_whatever_else_is_played_meanwhile(arena, officer, worker):
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    one.refresh_from_db()
    shown = one.shown
    game(*arena, minute=5)
    officer.post(page_of(one), {"apply": "on"})
    worker()
    one.refresh_from_db()
    assert one.change_set.state == ChangeSet.State.APPLIED
    assert Game.objects.count() == 3
    # What is kept is what it did, not what it would have done before.
    moved = {tuple(move) for move in one.change_set.shown["moves"]}
    assert moved != {tuple(move) for move in shown["moves"]}
    assert {(move.subject, move.before, move.after) for move in one.change_set.moves.all()} == {
        (subject, before, after) for subject, _scale, before, after in moved
    }
    assert replay(check=True).differences == 0


def test_a_file_that_has_come_to_need_a_second_person_says_so(arena, officer, worker, settings):
    settings.SECOND_PERSON_RATINGS = 3
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    # Carl's opponent was another one, had these two games been known.
    game(arena[0], rated("1750"), minute=30)
    officer.post(page_of(one), {"apply": "on"})
    worker()
    one.refresh_from_db()
    assert one.change_set.state == ChangeSet.State.STALE
    assert Game.objects.count() == 1
    assert one.change_set.outcome[0]["text"] == "Ratings that change: 2 → 3"


def test_a_kept_file_that_is_another_one_since_is_not_applied(arena, officer, worker, settings):
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    (settings.UPLOAD_DIR / one.parameters["upload"][0]).write_bytes(games_csv(game_row(3)))
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert "The file has expired. Choose it again." in words(officer.get(page_of(one)))
    assert Game.objects.count() == 0


def test_nobody_applies_twice_or_drops_what_was_applied(arena, officer, worker):
    one = brought(officer, "import-games", TWO, "games.csv")
    worker()
    for _ in range(2):
        answer = officer.post(page_of(one), {"apply": "on"}, follow=True)
    assert "Nothing to apply" in words(answer)
    answer = officer.post(page_of(one), {"drop": "on"}, follow=True)
    assert "The file was already applied, or is about to be." in words(answer)
    worker()
    assert ChangeSet.objects.applied().count() == 1


def test_a_dropped_file_leaves_nothing_behind(arena, officer, worker, settings):
    one = brought(officer, "import-games", games_csv(game_row(1), game_row(2, "carl")), "games.csv")
    worker()
    assert len(kept_files(settings)) == 2
    assert "Nothing in the file was stored." in words(officer.post(page_of(one), {"drop": "on"}, follow=True))
    one.refresh_from_db()
    assert (one.report, one.shown, Game.objects.count()) == ({}, {}, 0)
    assert kept_files(settings) == []
    assert officer.get(f"{LIST}{one.pk}/refused/").status_code == 404


def test_a_file_that_is_dropped_before_the_worker_looks_is_not_looked_at(arena, officer, worker, settings):
    one = brought(officer, "import-games", TWO, "games.csv")
    officer.post(page_of(one), {"drop": "on"})
    worker()
    one.refresh_from_db()
    assert one.report == {}
    assert Job.objects.get().error == "The file was already applied or discarded."


def test_a_rehearsal_whose_worker_died_is_asked_for_again(arena, officer, worker):
    one = brought(officer, "import-games", TWO, "games.csv")
    Job.objects.filter(pk=one.job_id).update(state=Job.State.FAILED, error="The worker was stopped.")
    assert "The worker was stopped." in words(officer.get(page_of(one)))
    officer.post(page_of(one), {"again": "on"})
    worker()
    one.refresh_from_db()
    assert one.is_ready
    Job.objects.filter(pk=one.job_id).update(state=Job.State.FAILED)
    # From the page of the job it is the same.
    FileImport.objects.update(shown={}, report={})
    retry(one.job, None)
    worker()
    one.refresh_from_db()
    assert one.is_ready
    assert one.job.state == Job.State.DONE


def test_the_files_of_a_month_ago_are_forgotten(arena, officer, worker, settings):
    one = brought(officer, "import-games", games_csv(game_row(1, "carl")), "games.csv")
    worker()
    discard_leftovers()
    assert len(kept_files(settings)) == 2
    forget_old_files(timezone.now() + KEPT - timedelta(hours=1))
    assert FileImport.objects.filter(pk=one.pk).exists()
    forget_old_files(timezone.now() + KEPT)
    assert not FileImport.objects.exists()


@pytest.mark.needs("league", "otb")
def test_files_are_brought_by_who_may_bring_their_kind_and_by_nobody_else(worker, django_user_model):
    clients = {}
    for name in ("Rating officers", "Registrars", "Auditors"):
        user = User.objects.create_user(name, is_staff=True)
        user.groups.add(Group.objects.get(name=name))
        clients[name] = Client()
        clients[name].force_login(user)
    people = "username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\ncarl,,,,,,,,\n"
    expected = {
        "import-games": ["Rating officers"],
        "import-openings": ["Rating officers"],
        "import-members": ["Rating officers", "Registrars"],
        "update-members": ["Rating officers"],
        "announce-changes": ["Rating officers"],
        "import-squads": ["Rating officers"],
        "import-rounds": ["Rating officers"],
        "void-games": [],
    }
    for kind, may in expected.items():
        found = [name for name, one in clients.items() if one.get(f"{LIST}bring/{kind}/").status_code == 200]
        assert found == may, kind
        listed = [name for name, one in clients.items() if f"/bring/{kind}/" in one.get(LIST).text]
        assert listed == may, kind
    assert Client().get(f"{LIST}bring/import-games/").status_code == 302
    one = brought(clients["Registrars"], "import-members", people.encode(), "people.csv")
    worker()
    assert clients["Auditors"].get(page_of(one)).status_code == 200
    assert clients["Auditors"].post(page_of(one), {"apply": "on"}).status_code == 403
    assert 'name="apply"' not in clients["Auditors"].get(page_of(one)).text
    clients["Registrars"].post(page_of(one), {"apply": "on"})
    worker()
    assert Member.objects.get().username == "carl"


def test_an_option_needs_its_own_right(arena, worker, client):
    clerk = User.objects.create_user("clerk", is_staff=True)
    for right in ("add_game", "view_fileimport"):
        clerk.user_permissions.add(Group.objects.get(name="Rating officers").permissions.get(codename=right))
    client.force_login(clerk)
    one = brought(client, "import-games", games_csv(game_row(1, "carl")), "games.csv", create_members="on")
    worker()
    assert "You aren’t allowed to choose “Register unknown players”." in words(client.get(page_of(one)))


def test_what_is_no_fit_file_is_refused_at_once(arena, officer, worker, settings):
    answer = posted(officer, "import-games", TWO, "games.doc")
    assert "“games.doc” must be one of these kinds of file: .csv, .xlsx, .pgn." in words(answer)
    answer = posted(officer, "import-games", TWO, "games.pgn", time_control="x")
    assert "“x” is not seconds+increment such as 600+10" in words(answer)
    answer = posted(officer, "import-openings", b"x" * 10_000_001, "openings.csv")
    assert "The file is larger than 10 MB." in words(answer)
    answer = officer.get(f"{LIST}bring/nothing/")
    assert answer.status_code == 404
    assert is_friendly(answer)
    assert not FileImport.objects.exists()


def test_pgn_is_imported_with_what_the_form_says_beside_it(arena, officer, worker):
    pgn = (
        '[Event "Friday"]\n[Site "https://arena.example/1"]\n[UTCDate "2026.03.02"]\n[UTCTime "10:00:00"]\n'
        '[White "anna"]\n[Black "bob"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'
    )
    options = {"rate_unmarked": "on", "time_control": "180+2"}
    one = brought(officer, "import-games", pgn.encode(), "games.PGN", **options)
    worker()
    page = words(officer.get(page_of(one)))
    assert "Read as PGN." in page
    assert "New games that count for ratings: 1." in page
    assert "Games with only a start time, which count as ended then: 1." in page
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert Game.objects.get().rated


def test_games_of_one_moment_in_pgn_have_the_order_of_the_file(arena, officer, worker):
    sites = [f"https://arena.example/{number}" for number in (3, 1, 2)]
    text = "".join(pgn_text(White="anna", Black="bob", Site=site) for site in sites)
    one = brought(officer, "import-games", text.encode(), "games.PGN")
    worker()
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert list(Game.objects.order_by("ended_at", "id").values_list("external_id", flat=True)) == sites


@pytest.mark.needs("league", "otb")
def test_lists_lead_to_the_files_that_they_can_be_filled_from(officer, worker):
    for model, kinds in {
        "ratings/game": ["import-games"],
        "ratings/openingrating": ["import-openings"],
        "ratings/otbadjustment": ["announce-changes"],
        "members/member": ["import-members", "update-members"],
        "league/squadplayer": ["import-squads"],
        "league/match": ["import-rounds"],
        "ratings/ratinglist": [],
    }.items():
        page = officer.get(f"/admin/{model}/").text
        assert re.findall(r"/admin/office/fileimport/bring/([a-z-]+)/", page) == kinds
    page = officer.get(LIST).text
    for address in ("/admin/fide/fidelist/import/", "/admin/otb/tournament/receive/"):
        assert address in page


def test_opening_ratings_of_a_spreadsheet_are_read_and_said_back(worker, officer):
    member("łucja")
    text = "Username;Category;Rating;Effective at\r\nłucja;blitz;1799,60;1.3.2026\r\n"
    one = brought(officer, "import-openings", text.encode("cp1250"), "ratings.csv")
    worker()
    page = words(officer.get(page_of(one)))
    said = "semicolon-separated, Windows-1250, decimal commas, dates as dd.mm.yyyy"
    assert f"Read as {said}; columns renamed: “Effective at” is effective_at." in page
    officer.post(page_of(one), {"apply": "on"})
    worker()
    assert str(OpeningRating.objects.get().rating) == "1799.60"
