"""import_members --update: a file that says something else about known members is one decision."""

import csv
import hashlib
import io
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from members.comparing import compare_members
from members.importing import COLUMNS, read_members
from members.models import FullMembership, Member
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.office.uploads import content_of, keep
from ratings.rbb.member_files import update_members
from ratings.rbb.models import Game
from tests.arena import game, member, opening, points, projections, rated
from tests.commands import csv_file, run
from tests.decisions import DecisionCase, undo
from tests.files import brought, page_of
from tests.pages import words

pytestmark = pytest.mark.django_db

SINCE = "2026-03-01"
"""The day on which everybody in the arena of the tests became a full member."""


def row(who, **values):
    """What a file says of a member as they are, but for these values."""
    facts = {name: getattr(who, name) or "" for name in COLUMNS[:7]}
    return {**facts, "full_from": SINCE, "full_until": "", **values}


def content(*rows):
    """A file of members."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def load(tmp_path):
    """Import rows and give back what the command said."""

    def load(*rows, options=("--update",)):
        return run("import_members", csv_file(tmp_path / "members.csv", rows, COLUMNS), *options)

    return load


@pytest.fixture
def anna():
    who = member("anna", name="Berg, Anna", fide_id=1503014, federation="NOR", title="WFM")
    opening(who, 1800)
    return who


def people():
    """Members, spans and games; keys of spans may differ after one is entered again."""
    return [
        list(
            Member.objects.order_by("username").values_list(
                "username", "name", "fide_id", "title", "federation"
            )
        ),
        list(
            FullMembership.objects.order_by("member", "full_from").values_list(
                "member__username", "full_from", "full_until"
            )
        ),
        list(Game.objects.order_by("pk").values_list("pk", "rated", "unrated_reason")),
        projections(),
    ]


def test_every_difference_is_shown_and_all_of_them_are_one_change_set(load, anna):
    bob = rated(1700)
    game(anna, bob, minute=60 * 24 * 3)
    assert points(anna) == Decimal("1807.20")
    rows = [
        row(
            anna,
            name="Berg-Lund, Anna",
            title="WIM",
            fide_id="1503015",
            federation="SWE",
            full_until="2026-03-02",
        ),
        row(bob),
    ]
    looked = load(*rows, options=("--update", "--dry-run"))
    done = load(*rows)
    assert (done.code, done.err) == (0, "")
    number = ChangeSet.objects.get().pk
    assert done.out.splitlines() == [
        f"Change set #{number} Update members from a file: members.csv",
        f"Undo with: manage.py undo_change {number}",
        "  Berg-Lund, Anna: name: Berg, Anna → Berg-Lund, Anna",
        "  Berg-Lund, Anna: FIDE ID: 1503014 → 1503015",
        "  Berg-Lund, Anna: federation: NOR → SWE",
        "  Berg-Lund, Anna: title: WFM → WIM",
        "  Berg-Lund, Anna: full membership: 1 Mar 2026, 00:00 UTC – … → "
        "1 Mar 2026, 00:00 UTC – 2 Mar 2026, 00:00 UTC",
        f"  Berg-Lund, Anna – {bob} 1-0, 4 Mar 2026, 00:00 UTC: rated → "
        "White was not a full member when the game started (RBB 2.1)",
        "Read 2 rows: 1 member updated, 1 already there. 2 ratings changed.",
        "Read as comma-separated, UTF-8.",
    ]
    _number, _undo, shown = done.out.split("\n", 2)
    assert looked.out == shown.replace("1 member updated", "1 member would be updated")
    anna.refresh_from_db()
    assert (anna.name, anna.title, anna.fide_id, anna.federation) == (
        "Berg-Lund, Anna",
        "WIM",
        1503015,
        "SWE",
    )
    assert anna.full_memberships.get().full_until == datetime(2026, 3, 2, tzinfo=UTC)
    assert points(anna) == 1800
    assert ChangeSet.objects.get().kind == "update-members"


def test_an_update_a_second_time_changes_nothing_and_is_no_decision(load, anna):
    load(row(anna, title="WIM"))
    before = people()
    done = load(row(anna, title="WIM"))
    assert done.out == (
        "Read 1 row: 0 members updated, 1 already there. 0 ratings changed.\nRead as comma-separated, "
        "UTF-8.\n"
    )
    assert people() == before
    assert ChangeSet.objects.count() == 1


def test_without_the_flag_it_is_refused_row_by_row_and_the_flag_is_named(load, anna):
    done = load(row(anna, title="WIM"), options=())
    assert done.code == 1
    assert "or update members from the file" in done.err
    anna.refresh_from_db()
    assert anna.title == "WFM"


def test_an_empty_cell_empties_what_is_on_the_books(load, anna):
    load(row(anna, fide_id="", title=""))
    anna.refresh_from_db()
    assert (anna.fide_id, anna.title, anna.name) == (None, "", "Berg, Anna")


def test_2_1_a_span_in_a_file_rates_the_games_kept_unrated_for_lack_of_it(load, anna):
    bob = rated(1700)
    played = game(anna, bob, minute=60 * 24 * 3)
    before = people()
    load(row(anna, full_until="2026-03-02"))
    assert not Game.objects.get(pk=played.pk).rated
    load(row(anna))
    assert people() == before


def test_a_fide_id_goes_from_one_member_to_another_and_two_members_swap_theirs(load, anna):
    bob = member("bob", fide_id=7)
    assert load(row(anna, fide_id="7"), row(bob, fide_id="")).code == 0
    assert dict(Member.objects.values_list("username", "fide_id")) == {"anna": 7, "bob": None}
    load(row(anna, fide_id="7"), row(bob, fide_id="8"))
    assert load(row(anna, fide_id="8"), row(bob, fide_id="7")).code == 0
    assert dict(Member.objects.values_list("username", "fide_id")) == {"anna": 8, "bob": 7}


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        ([{"fide_id": "7"}], 2, "fide_id: 7 already belongs to “bob”"),
        ([{"title": "WIM"}, {"title": "WGM"}], 3, "title: line 2 has something different for “anna”"),
        (
            [{"full_from": "2026-01-01"}],
            2,
            "full_from: this membership overlaps another one of this member",
        ),
    ],
)
def test_a_row_that_is_refused_refuses_the_file(load, anna, rows, line, said):
    bob = member("bob", fide_id=7)
    before = people()
    done = load(*(row(anna, **values) for values in rows), row(bob, title="GM"))
    assert done.code == 1
    assert f"refused, line {line}: {said}" in done.err
    assert done.err.endswith("1 row was refused, so nothing was stored.")
    assert people() == before


def test_a_fault_where_no_rating_depends_on_it_leaves_that_field_as_it_was(load, anna):
    done = load(row(anna, title="XM", birth_year="1990"))
    assert done.code == 0
    assert done.err == "remark, line 2: title: “XM”: Value 'XM' is not a valid choice.; left out\n"
    anna.refresh_from_db()
    assert (anna.title, anna.birth_year) == ("WFM", 1990)


def test_a_new_username_that_differs_only_in_case_refuses_the_file(load, anna):
    done = load({"username": "ANNA"}, {"username": "José"}, {"username": "JOSÉ"})
    assert done.code == 1
    assert "refused, line 2: username: “anna” is registered. Capital letters don’t make" in done.err
    assert "refused, line 4: username: “José” is registered" in done.err
    assert Member.objects.count() == 1


def test_who_is_not_on_the_books_is_put_there_and_leaves_when_the_update_is_taken_back(load, anna):
    before = people()
    new = {"username": "carl", "name": "Lund, Carl", "full_from": SINCE}
    assert "carl" in str(load(row(anna, title="WIM"), new).out).lower()
    assert Member.objects.get(username="carl").full_memberships.count() == 1
    undo(ChangeSet.objects.get())
    assert people() == before


def test_who_has_played_meanwhile_stays_and_so_does_the_rest_of_the_update(load, anna):
    load(row(anna, title="WIM"), {"username": "carl", "full_from": SINCE})
    game(Member.objects.get(username="carl"), anna)
    before = people()
    done = ChangeSet.objects.get()
    assert done.undo["kind"] == "revert-members"
    with pytest.raises(ValidationError, match="carl has games or ratings"):
        undo(done)
    assert people() == before


@pytest.mark.parametrize(
    "said",
    ["x", "{}", '{"member": "x"}', '{"member": 1, "facts": {"fide_id": "x"}, "spans": [], "games": []}'],
)
def test_nonsense_in_the_address_of_a_revert_is_an_answer(said):
    form = kind_of("revert-members").bind({"member": [said]})
    assert not form.is_valid()


def test_after_an_import_the_games_kept_unrated_that_are_covered_now_are_named(load, anna):
    bob = member("bob", full_from=None)
    game(anna, bob, rated=False, unrated_reason="Black was not a full member when the game started (RBB 2.1)")
    done = load(row(bob), options=())
    assert "1 game is now covered by full membership (RBB 2.1) but still unrated." in done.out
    assert Game.objects.filter(rated=True).count() == 0


class OfAFile(DecisionCase):
    """Anna, whose title and end of membership a file says otherwise; two games."""

    def arrange(self):
        self.anna, self.bob, self.carl = rated(1800), rated(1700), rated(1600)
        game(self.anna, self.bob, minute=10)
        game(self.bob, self.anna, minute=60 * 24 * 3)
        return self.asked(content(row(self.anna, title="WIM", full_until="2026-03-02")))

    def asked(self, file):
        upload = {"upload": [keep([file])], "sha256": [hashlib.sha256(file).hexdigest()]}
        return {**upload, "source": ["members.csv"], "rate_games": ["on"]}

    def disturb(self):
        game(self.carl, self.bob, minute=15)

    def state(self):
        return people()


class TestUpdateMembers(OfAFile):
    kind = "update-members"

    def test_the_file_waits_until_it_is_stored(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            preview(self.proposal())
        content_of(self.parameters["upload"][0], self.parameters["sha256"][0])
        with django_capture_on_commit_callbacks(execute=True):
            decide_at_once(self.proposal())
        with pytest.raises(ValidationError, match="has expired"):
            content_of(self.parameters["upload"][0], self.parameters["sha256"][0])


class TestRevertMembers(OfAFile):
    kind = "revert-members"
    undoable = False

    def asked(self, file):
        update = Proposal(kind=kind_of("update-members"), parameters=super().asked(file))
        parameters = preview(update).undo[1]
        update_members(updates=compare_members(rows=read_members(io.BytesIO(file))).updates)
        assert json.loads(parameters["member"][0])["facts"] == {"title": ""}
        return parameters


def test_an_update_is_rehearsed_and_applied_from_its_page(staff, anna, worker):
    one = brought(staff, "update-members", content(row(anna, title="WIM")), "members.csv", rate_games="on")
    worker()
    page = words(staff.get(page_of(one)))
    assert "Rows read: 1. Members to change: 1. Already up to date: 0." in page
    assert "WFM → WIM" in page
    staff.post(page_of(one), {"apply": "on"})
    worker()
    anna.refresh_from_db()
    assert anna.title == "WIM"


def test_a_row_that_is_refused_refuses_an_update(staff, anna, worker):
    file = content(row(anna, title="WIM"), row(anna, title="WGM"))
    one = brought(staff, "update-members", file, "members.csv")
    worker()
    page = staff.get(page_of(one))
    assert "1 row was refused, so nothing was stored." in words(page)
    assert "line 3: title: line 2 has something different for “anna”" in words(page)
    assert 'name="apply"' not in page.text


def test_the_page_says_how_a_file_of_members_was_read_and_what_was_left_out(staff, anna, worker):
    file = content(row(anna, title="XM", sex="F"), {"username": "Łucja", "birth_year": "2999"})
    saved = file.decode().replace(",", ";").replace("Berg; Anna", "Berg, Anna").encode("cp1250")
    title = "line 2: title: “XM”: Value 'XM' is not a valid choice.; left out"
    born = "line 3: birth_year: “2999”: Ensure this value is less than or equal to"
    for kind in ("update-members", "import-members"):
        one = brought(staff, kind, saved, "members.csv")
        worker()
        page = words(staff.get(page_of(one)))
        assert "Read as semicolon-separated, Windows-1250." in page
        assert born in page
        assert (title in page) == (kind == "update-members")
    # That of anna is refused for another sex, and then says nothing about the title.
    assert "line 2: sex: “anna” is stored with nothing, the file has “F”" in page
    staff.post(page_of(one), {"apply": "on"})
    worker()
    assert Member.objects.get(username="Łucja").birth_year is None


def test_the_page_names_a_hundred_remarks_and_then_a_number(staff, worker):
    people = ({"username": f"u{number}", "sex": "X"} for number in range(103))
    one = brought(staff, "import-members", content(*people), "members.csv")
    worker()
    page = words(staff.get(page_of(one)))
    assert "3 more remarks" in page
    assert page.count("left out") == 100
