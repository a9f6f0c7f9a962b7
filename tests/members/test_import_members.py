"""Members from a CSV file: people and their spans of full membership."""

from datetime import UTC, datetime

import pytest

from members.importing import COLUMNS
from members.models import FullMembership, Member, this_year
from tests.arena import at, member
from tests.commands import csv_file, read_csv, refusals, run

pytestmark = pytest.mark.django_db

ANNA = {
    "username": "anna",
    "name": "Berg, Anna",
    "fide_id": "1503014",
    "federation": "NOR",
    "sex": "F",
    "birth_year": "1990",
    "title": "WFM",
    "full_from": "2026-01-01",
}


@pytest.fixture
def load(tmp_path):
    """Import rows and give back what the command said."""

    def load(*rows, columns=COLUMNS, options=()):
        return run("import_members", csv_file(tmp_path / "members.csv", rows, columns), *options)

    return load


def spans(username="anna"):
    return list(
        FullMembership.objects.filter(member__username=username)
        .order_by("full_from")
        .values_list("full_from", "full_until")
    )


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_member_is_put_on_the_books_with_everything_the_row_says(load):
    done = load(ANNA)
    assert done == (
        0,
        "Read 1 row: 1 member stored, 1 full membership added, 0 already there, 0 refused.\n"
        "Read as comma-separated, UTF-8.\n",
        "",
    )
    anna = Member.objects.get()
    assert (anna.username, anna.name, anna.fide_id, anna.federation) == ("anna", "Berg, Anna", 1503014, "NOR")
    assert (anna.sex, anna.birth_year, anna.title) == ("F", 1990, "WFM")
    assert spans() == [(day("2026-01-01"), None)]


def test_a_username_alone_is_enough_and_makes_no_full_member(load):
    assert load({"username": "anna"}, columns=COLUMNS[::-1]).code == 0
    anna = Member.objects.get()
    assert (anna.name, anna.fide_id, anna.birth_year, anna.title) == ("", None, None, "")
    assert spans() == []


def test_small_letters_and_noughts_are_read_as_fide_writes_them(load):
    load(ANNA | {"federation": "nor", "sex": "f", "title": "wfm", "fide_id": "0", "birth_year": "0000"})
    anna = Member.objects.get()
    assert (anna.federation, anna.sex, anna.title, anna.fide_id, anna.birth_year) == (
        "NOR",
        "F",
        "WFM",
        None,
        None,
    )


def test_a_year_and_a_fide_id_may_be_written_as_a_spreadsheet_writes_numbers(load):
    load(ANNA | {"birth_year": "1990.0", "fide_id": "1503014.0"})
    anna = Member.objects.get()
    assert (anna.birth_year, anna.fide_id) == (1990, 1503014)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02", "2026-01-02T00:00:00"),
        ("2026-01-02T18:30:00Z", "2026-01-02T18:30:00"),
        ("2026-01-02 18:30", "2026-01-02T18:30:00"),
        ("02.01.2026", "2026-01-02T00:00:00"),
        ("2.1.2026", "2026-01-02T00:00:00"),
        ("02.01.2026 18:30", "2026-01-02T18:30:00"),
        ("2026-01-02T00:30:00+02:00", "2026-01-01T22:30:00"),
    ],
)
def test_a_date_is_its_first_moment_and_a_moment_is_in_utc_unless_it_says_otherwise(load, text, moment):
    load(ANNA | {"full_from": text})
    assert spans() == [(day(moment), None)]


def test_a_member_may_have_several_spans_in_one_file_that_touch(load):
    done = load(
        ANNA | {"full_from": "2026-03-01", "full_until": "2026-05-01"},
        ANNA | {"full_from": "2026-05-01"},
        ANNA | {"full_from": "2025-01-01", "full_until": "2026-03-01"},
    )
    assert "1 member stored, 3 full memberships added, 0 already there, 0 refused" in done.out
    assert spans() == [
        (day("2025-01-01"), day("2026-03-01")),
        (day("2026-03-01"), day("2026-05-01")),
        (day("2026-05-01"), None),
    ]


def test_a_file_a_second_time_changes_nothing(load):
    rows = ANNA | {"full_until": "2026-02-01"}, ANNA | {"full_from": "2026-03-01"}, {"username": "bob"}
    load(*rows)
    before = list(Member.objects.values_list()), list(FullMembership.objects.values_list())
    done = load(*rows)
    assert (done.code, done.err) == (0, "")
    assert "0 members stored, 0 full memberships added, 3 already there, 0 refused" in done.out
    assert (list(Member.objects.values_list()), list(FullMembership.objects.values_list())) == before


def test_a_known_member_gains_a_new_span(load):
    load(ANNA | {"full_until": "2026-02-01"})
    assert "0 members stored, 1 full membership added" in load(ANNA | {"full_from": "2026-03-01"}).out
    assert len(spans()) == 2


@pytest.mark.parametrize(
    ("full_from", "full_until"),
    [
        ("2025-12-01", ""),
        ("2025-12-01", "2026-01-02"),
        ("2026-01-31", "2026-02-02"),
        ("2026-01-10", "2026-01-20"),
        ("2026-01-31T23:59:59", ""),
    ],
)
@pytest.mark.parametrize("where", ["in the file", "on the books"])
def test_a_span_that_overlaps_another_of_the_member_is_refused(load, full_from, full_until, where):
    first = ANNA | {"full_until": "2026-02-01"}
    second = ANNA | {"full_from": full_from, "full_until": full_until}
    done = load(first, second) if where == "in the file" else (load(first), load(second))[1]
    assert refusals(done) == [
        f"line {3 if where == 'in the file' else 2}: "
        "full_from: this membership overlaps another one of this member"
    ]
    assert spans() == [(day("2026-01-01"), day("2026-02-01"))]


def test_another_end_of_a_span_is_refused_and_names_the_flag_that_takes_it(load):
    load(ANNA)
    done = load(ANNA | {"full_until": "2026-02-01"})
    assert refusals(done) == [
        "line 2: full_until: this membership of “anna” is stored with no end, the file has the end "
        "1 Feb 2026, 00:00 UTC: correct it in the admin, or update members from the file"
    ]
    assert spans() == [(day("2026-01-01"), None)]


OTHER = {
    "name": ("Berg, Anne", "“Berg, Anna”", "“Berg, Anne”"),
    "fide_id": ("", "“1503014”", "nothing"),
    "federation": ("SWE", "“NOR”", "“SWE”"),
    "sex": ("", "“F”", "nothing"),
    "birth_year": ("1991", "“1990”", "“1991”"),
    "title": ("WIM", "“WFM”", "“WIM”"),
}


@pytest.mark.parametrize("column", OTHER)
def test_a_row_that_says_something_else_of_a_known_member_is_refused_and_names_it(load, column):
    load(ANNA)
    text, there, here = OTHER[column]
    done = load(ANNA | {column: text, "full_from": "2020-01-01", "full_until": "2021-01-01"})
    assert done.code == 1
    assert refusals(done) == [
        f"line 2: {column}: “anna” is stored with {there}, the file has {here}: correct it in the admin, "
        "or update members from the file"
    ]
    assert done.err.endswith("Nothing could be stored.")
    assert len(spans()) == 1


@pytest.mark.parametrize("where", ["in the file", "on the books"])
def test_a_fide_id_belongs_to_one_member(load, where):
    other = {"username": "bob", "fide_id": "1503014"}
    done = load(ANNA, other) if where == "in the file" else (load(ANNA), load(other))[1]
    assert [line.partition(": ")[2] for line in refusals(done)] == [
        "fide_id: 1503014 already belongs to “anna”" + " on line 2 of this file" * (where == "in the file")
    ]
    assert Member.objects.count() == 1


FAULTS = {
    "no username": ({"username": ""}, "username: “”: This field cannot be blank."),
    "long username": ({"username": "x" * 151}, "at most 150 characters (it has 151)"),
    "zero-width space": (
        {"username": "an\u200bna"},
        "username: U+200B in the username “an\u200bna” is invisible. Remove it",
    ),
    "space that is none": (
        {"username": "an\xa0na"},
        "username: U+00A0 in the username “an\xa0na” is invisible. Remove it",
    ),
    "FIDE ID of letters": ({"fide_id": "12x"}, "fide_id: “12x” is not a number of at most nine digits"),
    "negative FIDE ID": ({"fide_id": "-5"}, "fide_id: “-5” is not a number of at most nine digits"),
    "long FIDE ID": ({"fide_id": "1" * 10}, "fide_id: “1111111111” is not a number of at most nine digits"),
    "other digits": ({"fide_id": "١٢٣"}, "fide_id: “١٢٣” is not a number of at most nine digits"),
    "impossible date": ({"full_from": "2026-02-30"}, "full_from: “2026-02-30” isn’t a date and time"),
    "backwards": ({"full_until": "2025-12-31"}, "full_until: membership must end after it starts"),
    "no time at all": ({"full_until": "2026-01-01"}, "full_until: membership must end after it"),
    "end alone": ({"full_from": "", "full_until": "2026-01-01"}, "full_until without full_from"),
    "control character": ({"full_from": "2026\t-01-01"}, "full_from: the control character U+0009"),
}


@pytest.mark.parametrize(("changes", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_row_with_a_fault_is_refused_and_the_others_are_stored(load, changes, reason):
    done = load({"username": "bob"}, ANNA | changes, {"username": "carl"})
    assert done.code == 0
    (refused,) = refusals(done)
    assert refused.startswith("line 3: ")
    assert reason in refused
    assert set(Member.objects.values_list("username", flat=True)) == {"bob", "carl"}


def test_all_faults_of_a_row_are_told_together(load):
    (refused,) = refusals(load(ANNA | {"title": "XM", "fide_id": "x", "full_until": "yesterday"}))
    assert [fault.partition(":")[0] for fault in refused.removeprefix("line 2: ").split("; ")] == [
        "fide_id",
        "full_until",
        "title",
    ]


LEFT_OUT = {
    "unknown title": ({"title": "XM"}, "title: “XM”: Value 'XM' is not a valid choice.; left out"),
    "unknown sex": ({"sex": "X"}, "sex: “X”: Value 'X' is not a valid choice.; left out"),
    "long federation": (
        {"federation": "NORWAY"},
        "federation: “NORWAY”: NORWAY isn’t a federation code. Enter FIDE’s code, such as NOR. "
        "Ensure this value has at most 3 "
        "characters (it has 6).; left out",
    ),
    "ancient": (
        {"birth_year": "1792"},
        "birth_year: “1792”: Ensure this value is greater than or equal to 1900.; left out",
    ),
    "unborn": (
        {"birth_year": str(this_year() + 1)},
        f"birth_year: “{this_year() + 1}”: Ensure this value is less than or equal to {this_year()}.; "
        "left out",
    ),
    "no year": (
        {"birth_year": "199O"},
        "birth_year: “199O” is not a year such as 1990; left out",
    ),
    "control character": (
        {"name": "Berg,\tAnna"},
        "name: the control character U+0009 in “Berg,\ufffdAnna”; left out",
    ),
    "direction mark": (
        {"name": "Berg,\u202e Anna"},
        "name: U+202E in “Berg,\u202e Anna” can’t be seen; left out",
    ),
}


@pytest.mark.parametrize("options", [(), ("--update",)])
def test_what_may_mislead_in_new_members_is_remarked_once_and_taken(load, options):
    load(ANNA)
    other = ANNA | {"username": "аnna", "fide_id": "7"}
    done = load(other, options=options)
    assert done.code == 0
    assert done.err.splitlines() == [
        "remark, line 2: “аnna” mixes letters from several alphabets, so it may look like another name: "
        "а + nna (аnna)",
        "remark, line 2: “anna” has the same name and birth year; if they are the same person, "
        "merge the accounts (аnna)",
    ]
    assert Member.objects.count() == 2
    assert load(other, options=options).err == ""


@pytest.mark.parametrize("options", [(), ("--update",)])
def test_a_file_adds_nothing_unfit_but_names_members_from_before(load, options):
    member("a/b", full_from=None)
    done = load({"username": "a/b"}, {"username": "c/d"}, options=options)
    assert refusals(done) == ["line 3: username: The username “c/d” contains a slash. Remove it"]
    assert list(Member.objects.values_list("username", flat=True)) == ["a/b"]


@pytest.mark.parametrize(("changes", "remark"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_fault_where_no_rating_depends_on_it_leaves_that_field_out_and_keeps_the_member(
    load, changes, remark
):
    done = load({"username": "bob"}, ANNA | changes)
    assert (done.code, done.err) == (0, f"remark, line 3: {remark}\n")
    assert "2 members stored" in done.out
    ((column, _text),) = changes.items()
    anna = Member.objects.get(username="anna")
    assert getattr(anna, column) in ("", None)
    assert (anna.fide_id, spans()) == (1503014, [(day("2026-01-01"), None)])
    # A known member keeps what is known.
    Member.objects.filter(username="anna").update(**{column: 1990 if column == "birth_year" else "FM"[:1]})
    assert "2 already there, 0 refused" in load({"username": "bob"}, ANNA | changes).out


def test_the_first_hundred_remarks_are_told_and_then_a_number(load):
    done = load(*({"username": f"u{number}", "sex": "X"} for number in range(103)))
    assert len(done.err.splitlines()) == 101
    assert done.err.endswith("… and 3 more remarks\n")


@pytest.mark.parametrize(
    ("there", "here"), [("anna", "Anna"), ("jos\u00e9", "JOSE\u0301"), ("straße", "STRASSE")]
)
@pytest.mark.parametrize("where", ["in the file", "on the books"])
def test_usernames_are_unique_regardless_of_case_and_composition(load, there, here, where):
    rows = {"username": there}, {"username": here}
    done = load(*rows) if where == "in the file" else (load(rows[0]), load(rows[1]))[1]
    (refused,) = refusals(done)
    assert refused.endswith(
        f"username: “{there}” is registered. Capital letters don’t make a different username: write "
        "it that way"
    )
    assert Member.objects.get().username == there


def test_a_username_is_stored_in_nfc_and_known_however_it_is_composed(load):
    assert load({"username": "jose\u0301"}).code == 0
    assert Member.objects.get().username == "jos\u00e9"
    done = load({"username": "jos\u00e9"}, {"username": "jose\u0301"})
    assert "2 already there" in done.out
    assert done.out.endswith(
        "Read as comma-separated, UTF-8; rows whose letters and accents were combined (Unicode NFC): "
        "1 (line 3).\n"
    )


def test_members_from_before_who_are_stored_otherwise_are_still_known(load):
    """A database of an earlier version may have a username that isn’t composed, and clashes."""
    apart = member("jose\u0301", full_from=None)
    assert "1 already there" in load({"username": "jos\u00e9"}).out
    member("bob", full_from=None)
    member("Bob", full_from=None)
    assert "2 already there" in load({"username": "bob"}, {"username": "Bob"}).out
    assert Member.objects.get(pk=apart.pk).username == "jose\u0301"


def test_two_members_whom_only_composition_tells_apart_are_not_guessed(load):
    member("jose\u0301", full_from=None)
    member("jos\u00e9", full_from=None)
    (refused,) = refusals(load({"username": "jos\u00e9"}))
    assert refused == (
        "line 2: username: 2 members have the username “jos\u00e9”, composed in different ways: change one "
        "of them in the admin"
    )


def test_the_file_of_refused_rows_can_be_corrected_and_imported(load, tmp_path):
    refused = tmp_path / "refused.csv"
    load(ANNA | {"fide_id": "XM"}, {"username": "bob"}, options=("--refused", refused))
    (back,) = read_csv(refused)
    assert (back["username"], back["fide_id"], back["line"]) == ("anna", "XM", "2")
    assert back["reason"].startswith("fide_id: “XM”")
    back["fide_id"] = "1503014"
    done = run("import_members", csv_file(refused, [back], (*COLUMNS, "line", "reason")))
    assert (done.code, done.err) == (0, "")
    assert Member.objects.get(username="anna").title == "WFM"


def test_rows_that_do_not_fit_the_columns_are_kept_as_they_were(tmp_path):
    path, refused = tmp_path / "members.csv", tmp_path / "refused.csv"
    header = ",".join(COLUMNS)
    lines = ["dora,=Dora,1503014", 'emil,"Emil" K,,NOR,,,,,', "fred,Berg, Fred,,NOR,M,,,,2026-01-01"]
    path.write_text("\n".join([header, *lines]), encoding="utf-8")
    run("import_members", path, "--refused", refused)
    short, unsplit, long = refused.read_text(encoding="utf-8").splitlines()[1:]
    assert short.startswith("dora,'=Dora,1503014,,,,,,,2,")
    assert unsplit.startswith(",,,,,,,,,3,")
    assert unsplit.endswith(',"emil,""Emil"" K,,NOR,,,,,"')
    assert long.startswith("fred,Berg,Fred,,NOR,M,,,,4,")
    assert long.endswith(",2026-01-01")
    assert not Member.objects.exists()
    # Text that follows the reason is refused again, until somebody has put it into the columns.
    again = tmp_path / "again.csv"
    done = run("import_members", refused, "--refused", again)
    assert [one.partition(":")[0] for one in refusals(done)] == ["line 3", "line 4"]
    assert [line.rpartition(",")[2] for line in again.read_text(encoding="utf-8").splitlines()[1:]] == [
        unsplit.rpartition(",")[2],
        "2026-01-01",
    ]


def test_an_imported_member_is_a_full_member_from_that_moment(load):
    load(ANNA | {"full_from": "2026-03-01T00:00:00Z"})
    member("bob")
    assert {who.username for who in Member.objects.full(at=at(0))} == {"anna", "bob"}
    assert not Member.objects.full(at=at(-1)).exists()


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04", b"username,name\nanna,Berg\n"])
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(tmp_path, content):
    path = tmp_path / "members.csv"
    if content is not None:
        path.write_bytes(content)
    done = run("import_members", path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"{path}: ")
    assert not Member.objects.exists()
