"""Every command that reads CSV takes it as a spreadsheet saves it, and says how it was read."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from openpyxl import Workbook

from members.models import Member
from ratings.rbb.models import Game, OpeningRating
from ratings.rbb.models.adjustments import OtbAdjustment
from ratings.rules.time_controls import Category
from tests.arena import member, rated
from tests.commands import COLUMNS, run

pytestmark = pytest.mark.django_db

READ_AS = "Read as semicolon-separated, Windows-1250, dates as dd.mm.yyyy.\n"


@pytest.fixture
def load(tmp_path):
    """A command that reads a file as Excel saves it in Poland."""

    def load(name, text, *options):
        path = tmp_path / "file.csv"
        path.write_bytes(text.replace("\n", "\r\n").encode("cp1250"))
        done = run(name, path, *options)
        assert (done.code, done.err) == (0, "")
        return done.out

    return load


def test_members(load):
    out = load(
        "import_members",
        "username;name;fide_id;federation;sex;birth_year;title;full_from;full_until;;\n"
        "łucja;Żak, Łucja;7;pol;f;1990;wfm;31.01.2026;;;\n",
    )
    how = "semicolon-separated, Windows-1250, dates as dd.mm.yyyy"
    assert out.endswith(f"Read as {how}; empty columns at the end ignored: 2.\n")
    who = Member.objects.get()
    assert (who.username, who.name, who.federation) == ("łucja", "Żak, Łucja", "POL")
    assert who.full_memberships.get().full_from == datetime(2026, 1, 31, tzinfo=UTC)


def test_opening_ratings(load):
    member("łucja")
    out = load("import_ratings", "username;category;rating;effective_at\nłucja;blitz;1799,60;1.3.2026\n;;;\n")
    how = "semicolon-separated, Windows-1250, decimal commas, dates as dd.mm.yyyy"
    assert out.endswith(f"Read as {how}; empty rows ignored: 1 (line 3).\n")
    opening = OpeningRating.objects.get()
    assert (opening.rating, opening.effective_at) == (Decimal("1799.60"), datetime(2026, 3, 1, tzinfo=UTC))


def test_games(load):
    member("łucja")
    member("bob")
    out = load(
        "import_games",
        "external_id;white;black;time_control;rated;result;termination;started_at;ended_at\n"
        "g1;łucja;bob;180+2;yes;0,5-0,5;agreement;01.03.2026 10:00;01.03.2026 10:05\n",
    )
    assert out.endswith(READ_AS)
    game = Game.objects.get()
    assert (game.result, game.rated, game.ended_at) == (
        "1/2-1/2",
        True,
        datetime(2026, 3, 1, 10, 5, tzinfo=UTC),
    )


def test_over_the_board_changes(load, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    who = rated(1800, Category.RAPID)
    Member.objects.filter(pk=who.pk).update(fide_id=7)
    out = load("import_otb_changes", "fide_id;period;rapid;blitz\n7;2026-11;-12,40;\n", "--period", "2026-11")
    assert out.endswith("Read as semicolon-separated, UTF-8, decimal commas.\n")
    assert OtbAdjustment.objects.get().change == Decimal("-12.40")


def test_a_workbook(tmp_path):
    member("łucja")
    member("bob")
    book = Workbook()
    book.active.title = "Games"
    book.active.append(COLUMNS)
    day = datetime(2026, 3, 1, 10)
    ended = day.replace(minute=5)
    book.active.append(["g1", "łucja", "bob", "180+2", True, "1-0", "mate", day, ended])
    book.save(tmp_path / "games.xlsx")
    done = run("import_games", tmp_path / "games.xlsx")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("Read as workbook, sheet “Games”.\n")
    assert Game.objects.get().ended_at == ended.replace(tzinfo=UTC)
