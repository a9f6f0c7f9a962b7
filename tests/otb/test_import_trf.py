"""``import_trf``: reports from the command line, each as a whole or not at all."""

import os
from datetime import date

import pytest

from ratings.office.models import ChangeSet
from ratings.otb.models import AcceptedFinding, Tournament, TournamentReport
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.types import TournamentType
from tests.commands import manage, run
from tests.files import brought_files
from tests.formats.trf_text import SWISS, changed
from tests.otb.tournaments import FIRST_DAY, entrant, everybody_listed, report, round_robin

pytestmark = pytest.mark.django_db

MET = round_robin("*1==", "0*1=", "=0*1", "==0*")
DAYS = [FIRST_DAY] * 3


@pytest.fixture
def players():
    return everybody_listed(2100, 2000, 1900, None)


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def write(content, name="open.trf"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def stored():
    return Tournament.objects.count(), TournamentReport.objects.count()


def test_it_says_who_played_what_was_found_and_what_will_move(players, file):
    path = file(report(players, MET, days=DAYS, kind="Swiss"))
    done = run("import_trf", path, "--registered", "2026-02-20")
    pk = Tournament.objects.get().pk
    assert (done.code, done.err) == (0, "")
    number = ChangeSet.objects.get().pk
    assert done.out.splitlines() == [
        f"Change set #{number} Import a tournament report: open.trf",
        f"{path}: received as the report of tournament {pk}, Fjord Open, 2026-03-14 to 2026-03-14, received.",
        "  Swiss, by record 092. 4 players: 3 rated, 1 listed without a rating, 0 not listed.",
        "  refusal: Registered on 20 Feb 2026, 22 days before the tournament; it must be registered a "
        "month (28 days) ahead (B.02 0.4).",
        "  Rating changes: 2; results of players without a rating: 1.",
        "  With these findings, the tournament can’t be rated.",
    ]
    assert Tournament.objects.get().registered_on == date(2026, 2, 20)


def test_a_dry_run_says_the_same_and_stores_nothing(players, file):
    path = file(report(players, MET, days=DAYS))
    tried = run("import_trf", path, "--registered", "2026-01-10", "--dry-run").out
    assert stored() == (0, 0)
    done = run("import_trf", path, "--registered", "2026-01-10").out
    number = f"tournament {Tournament.objects.get().pk}, "
    told = tried.replace("would be received", "received").replace("tournament, ", number)
    assert done == f"Change set #{ChangeSet.objects.get().pk} Import a tournament report: open.trf\n{told}"


def test_what_is_received_stands_in_the_register_and_its_file_is_gone(
    players, file, settings, django_capture_on_commit_callbacks
):
    path = file(report(players, MET, days=DAYS))
    with django_capture_on_commit_callbacks(execute=True):
        run("import_trf", path, "--dry-run")
    assert brought_files() == []
    assert not ChangeSet.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        run("import_trf", path, "--reason", "by mail")
    done = ChangeSet.objects.get()
    assert (done.kind, done.state, done.staff_note) == ("receive-report", ChangeSet.State.APPLIED, "by mail")
    assert done.proposed_as
    assert brought_files() == []


def test_where_a_second_person_looks_the_file_waits_for_them(
    players, file, settings, django_capture_on_commit_callbacks
):
    settings.SECOND_PERSON_KINDS = ["receive-report"]
    path = file(report(players, MET, days=DAYS))
    with django_capture_on_commit_callbacks(execute=True):
        done = run("import_trf", path)
    waiting = ChangeSet.objects.get()
    asked = f"Another person has to confirm change set {waiting.pk}."
    assert (done.code, stored()) == (1, (0, 0))
    assert done.err.splitlines() == [
        f"waiting, {path}: Nothing has changed yet. {asked}",
        f"1 file waits for another person to confirm: {path}",
    ]
    assert [one.name for one in brought_files()] == waiting.parameters["upload"]


def test_the_kind_can_be_given(players, file):
    path = file(report(players, MET, kind="Round robin"))
    done = run("import_trf", path, "--kind", "team")
    assert "  Team, as requested. 4 players" in done.out
    assert "  line 6: type in the report: Round robin; rated as: Team" in done.out
    assert Tournament.objects.get().kind == TournamentType.TEAM


def test_all_that_may_be_accepted_is_accepted_for_the_reason(players, file):
    path = file(report(players, MET, days=DAYS, kind="Swiss", control="?"))
    done = run("import_trf", path, "--registered", "2026-02-20", "--accept", "The chairman agreed.")
    assert "  refusal, accepted: Registered on 20 Feb 2026" in done.out
    assert done.out.endswith("\n  Rating changes: 2; results of players without a rating: 1.\n")
    assert sorted(AcceptedFinding.objects.values_list("finds", "reason")) == [
        (Finds.REGISTERED_LATE, "The chairman agreed."),
        (Finds.CONTROL_UNKNOWN, "The chairman agreed."),
    ]


def test_a_file_that_was_received_has_nothing_to_do(players, file):
    path = file(report(players, MET))
    run("import_trf", path)
    done = run("import_trf", path, path)
    pk = Tournament.objects.get().pk
    assert (done.code, stored()) == (0, (1, 1))
    line = (
        f"{path}: already received as the report of tournament {pk}, Fjord Open, 2026-03-14 to 2026-03-14. "
        f"Nothing to do. To receive it again with other options, use --replace {pk}.\n"
    )
    assert done.out == 2 * line


def test_a_report_is_replaced_by_the_number_of_its_tournament(players, file):
    run("import_trf", file(report(players, MET)))
    one = Tournament.objects.get()
    path = file(report(players, MET[:2]), "later.trf")
    refused = run("import_trf", path)
    assert refused.code == 1
    assert f"Fjord Open (14 Mar 2026) already exists as number {one.pk} (received)." in refused.err
    assert stored() == (1, 1)
    done = run("import_trf", path, "--replace", one.pk)
    one.refresh_from_db()
    assert (done.code, stored(), one.report.source) == (0, (1, 2), "later.trf")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--replace", "7"], "There’s no tournament 7."),
        (["--replace", "9" * 30], f"There’s no tournament {'9' * 30}."),
        (["other.trf", "--replace", "7"], "Give only one file with --replace."),
    ],
)
def test_what_cannot_be_replaced_is_said(file, arguments, said):
    done = run("import_trf", file(SWISS.encode()), *arguments)
    assert (done.code, done.err, stored()) == (1, said, (0, 0))


def test_good_files_are_stored_beside_refused_ones(players, file):
    good, other = file(report(players, MET)), file(report(players, MET, name="Other"), "other.trf")
    bad = file(changed("2.5    1", "9.5    1").encode(), "bad.trf")
    missing = bad.with_name("missing.trf")
    done = run("import_trf", good, bad, missing, other)
    assert done.code == 1
    assert done.err.splitlines() == [
        f"refused, {bad}, line 15: 9.5 points, but the results give 2.5",
        f"refused, {missing}: No such file or directory",
        f"2 files were refused of 4; nothing was stored from them: {bad}, {missing}",
    ]
    assert sorted(Tournament.objects.values_list("name", flat=True)) == ["Fjord Open", "Other"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: the file is empty"),
        (b"PK\x03\x04", "line 1: this is a ZIP archive"),
        (SWISS.encode("utf-16"), "line 1: this is UTF-16 text"),
        (b"\x00" * 100, "line 1: this is a binary file"),
        (b"{}", "line 1: no players"),
        (b"x" * (2**23 + 1), "line 1: the file has more than 8,388,608 bytes"),
        (
            changed("     1 b 0", "     3 b 0").encode(),
            "line 17: round 1: the player is paired with themselves",
        ),
        (
            changed("     1 b 0", "    33 b 0").encode(),
            "the opponent is 33, but no player has this start rank",
        ),
        (changed("     1 b 0", "     1 b -").encode(), "the result is “1” here and “-” there"),
        (changed("     1 b 0", "     1 w 0").encode(), "both have the colour “w”"),
        (changed("     1 b 0", "     1 b ?").encode(), "line 17: round 1: "),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_stores_nothing(file, content, said):
    path = file(content, "a {0} %s.trf")
    done = run("import_trf", path)
    assert (done.code, stored()) == (1, (0, 0))
    assert done.err.startswith(f"refused, {path}, ")
    assert said in done.err
    assert done.err.endswith(f"1 file was refused of 1; nothing was stored from them: {path}")


def test_lines_that_end_in_cr_only_are_read_like_any_others(players, file):
    content = report(players, MET, days=DAYS)
    whole = run("import_trf", file(content), "--dry-run").out
    assert run("import_trf", file(content.replace(b"\r\n", b"\r")), "--dry-run").out == whole


def test_latin_1_is_told_and_stored(file):
    done = run("import_trf", file(SWISS.replace("Bergen", "Bodø").encode("latin-1")))
    assert "  line 2: not UTF-8; the file is read as Latin-1" in done.out
    assert Tournament.objects.get().city == "Bodø"


def test_of_many_remarks_the_first_hundred_are_listed(file):
    players = [entrant(number) for number in range(1, 151)]
    games = {(number, number + 75): "=" for number in range(1, 76)}
    done = run("import_trf", file(report(players, [games])), "--dry-run")
    assert done.out.count("is not on the list in force") == 100
    assert "  … and 50 more\n" in done.out


def test_a_report_of_9999_players_is_received(file):
    players = [entrant(number) for number in range(1, 10_000)]
    games = {(number, number + 1): "=" for number in range(1, 9_999, 2)}
    done = run("import_trf", file(report(players, [games])))
    assert (done.code, stored()) == (0, (1, 1))
    assert (
        "  Swiss, by the pairings. 9999 players: 0 rated, 0 listed without a rating, 9999 not listed."
        in done.out
    )


def test_from_the_shell_every_end_is_a_line(office, tmp_path):
    """Also for a directory, and a name that is no UTF-8."""
    path = tmp_path / os.fsdecode(b"\xff.trf")
    path.write_bytes(SWISS.encode())
    done = manage(office, "import_trf", str(path))
    assert done.code == 0
    assert "received as the report of tournament 1, Fjord Open" in done.out
    done = manage(office, "import_trf", str(tmp_path))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"refused, {tmp_path}: Is a directory\n")
    assert manage(office, "import_trf", str(path), "--kind", "blitz").code == 1


def test_a_day_that_is_none_ends_it_with_1(file):
    assert run("import_trf", file(SWISS.encode()), "--registered", "2026-02-30").code == 1
