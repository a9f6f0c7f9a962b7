"""Lists that are refused as a whole, with figures or line numbers, and change nothing."""

import io
import zipfile
from datetime import date

import pytest

from ratings.fide.services.lists import ListDoubtful, Listeners
from ratings.formats.frl import FideControl
from tests.arena import member
from tests.commands import run
from tests.fide.office import NOVEMBER, OCTOBER, bring, combined, everything, in_force, listed, single
from tests.formats.frl_text import COMBINED_TXT, SMALL_XML

pytestmark = pytest.mark.django_db

MANY = [listed(number, f"Berg, Anna{number}", 1800 + number, 1700, 1600) for number in range(1, 41)]
GOOD = combined(*MANY)


def packed(name, content, *more):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in (name, *more):
            archive.writestr(each, content)
    return stream.getvalue()


def moved(number):
    """The list, with the rapid ratings of so many players changed."""
    rows = [row._replace(rapid=row.rapid._replace(rating=1701)) for row in MANY[:number]]
    return combined(*rows, *MANY[number:])


REFUSED = {
    "empty": (b"", "the file is empty"),
    "no header": (b"\r\n".join(GOOD.split(b"\r\n")[1:]), "line 1: “1              Berg, Anna1 "),
    "another header": (GOOD.replace(b"SRtng", b"Srtng "), "isn’t the header line of a FIDE rating list"),
    "cut within a row": (GOOD[:-80], "line 41: the file ends in the middle of the row"),
    "XML cut": (SMALL_XML[:-30].encode(), "the file is incomplete"),
    "XML with DOCTYPE": (b"<!DOCTYPE x>" + SMALL_XML.encode(), "is refused: a rating list has no DOCTYPE"),
    "XML with an entity": (
        b'<!DOCTYPE x [<!ENTITY a "b">]>' + SMALL_XML.encode(),
        "is refused: a rating list has no DOCTYPE",
    ),
    "archive cut": (packed("list.txt", GOOD)[:-40], "the archive is damaged or incomplete"),
    "archive in an archive": (packed("a.zip", packed("list.txt", GOOD)), "the archive is an archive itself"),
    "bomb": (packed("list.txt", GOOD + b" " * 5_000_000), "100 times the packed size"),
    "binary": (b"\x89PNG\r\n" + GOOD, "a PNG picture"),
    "no player": (GOOD.split(b"\r\n")[0] + b"\r\n", "none of its 0 rows is a player"),
    "two lists in an archive": (packed("a.txt", GOOD, "b.txt"), "has 2 rating lists: “a.txt”, “b.txt”"),
}
DOUBTFUL = {
    "half the players gone": (combined(*MANY[:20]), "it has 20 players, less than 90% of the 40 in force"),
    "the ratings of a control gone": (
        combined(*(row._replace(blitz=row.blitz._replace(rating=None)) for row in MANY)),
        "it has 0 players rated in blitz, less than 90% of the 40 in force",
    ),
    "most ratings changed, some lost and some new": (
        combined(
            *(row._replace(standard=row.standard._replace(rating=None)) for row in MANY[:2]),
            *(row._replace(standard=row.standard._replace(rating=1000)) for row in MANY[2:]),
            *(listed(fide_id, standard=1500, rapid=1500, blitz=1500) for fide_id in (97, 98, 99)),
        ),
        "38 of 118 ratings differ from those in force, more than 30%",
    ),
    "most ratings changed": (
        combined(*(row._replace(standard=row.standard._replace(rating=1000)) for row in MANY)),
        "40 of 120 ratings differ from those in force, more than 30%",
    ),
    "IDs twice": (
        combined(*MANY, *MANY[:11]),
        "11 of its 51 rows have the FIDE ID of another row, more than 1 in 1,000",
    ),
    "ratings of 9999": (GOOD.replace(b"1801", b"9999"), "1 of its 40 rows are refused, more than 1 in 1,000"),
}


@pytest.fixture
def refusal(tmp_path):
    """Import a file as the list of November after that of October; what was said, nothing being changed."""

    def told(content, *arguments):
        member(fide_id=1)
        bring(OCTOBER, GOOD)
        before = everything()
        file = tmp_path / "list"
        file.write_bytes(content)
        done = run("import_frl", file, "--period", "2025-11", *arguments)
        assert done.code == 1
        assert everything() == before
        assert "Nothing was stored" in done.err
        return done.err

    return told


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "forced"])
def test_a_file_that_is_no_sound_list_is_refused_even_by_force(refusal, what, force):
    content, reason = REFUSED[what]
    assert reason in refusal(content, *force)


@pytest.mark.parametrize("what", DOUBTFUL)
def test_a_doubtful_list_is_refused_with_figures(refusal, what):
    content, reason = DOUBTFUL[what]
    said = refusal(content)
    assert reason in said
    assert "use --force" in said


@pytest.mark.parametrize("what", DOUBTFUL)
def test_a_doubtful_list_is_imported_by_force(what):
    bring(OCTOBER, GOOD)
    content, _ = DOUBTFUL[what]
    result = bring(NOVEMBER, content, force=True)
    assert result.is_new
    assert len(in_force()) == result.fide_list.rows - result.fide_list.refused


@pytest.mark.parametrize(
    ("period", "passes", "told"),
    [
        (date(2025, 11, 1), 12, "more than 30%"),
        (date(2025, 12, 1), 20, "more than 51% after 2 months"),
        (date(2026, 1, 1), 26, "more than 65% after 3 months"),
        (date(2026, 8, 1), 36, "more than 90% after 10 months"),
    ],
)
def test_more_ratings_may_differ_after_several_months(period, passes, told):
    """Of 40. A third and more differed in quarterly lists of FIDE from 2001 to 2009; 0.7³ = 0.343."""

    def after(number):
        rows = [row._replace(rapid=row.rapid._replace(rating=1701)) for row in MANY[:number]]
        what = single(FideControl.RAPID, period, *rows, *MANY[number:])
        return bring(period, what, control=FideControl.RAPID)

    bring(OCTOBER, GOOD)
    with pytest.raises(ListDoubtful, match=told):
        after(passes + 1)
    assert after(passes).is_new


def test_several_doubts_are_told_together(refusal):
    rows = [row._replace(standard=row.standard._replace(rating=1000)) for row in MANY[:20]]
    said = refusal(combined(*rows))
    assert "it has 20 players" in said
    assert "20 of 60 ratings differ" in said


def test_the_limits_themselves_pass():
    bring(OCTOBER, GOOD)
    assert bring(NOVEMBER, combined(*MANY[:36])).is_new
    bring(OCTOBER.replace(month=12), combined(*MANY), force=True)
    assert bring(OCTOBER.replace(year=2026, month=1), moved(36)).is_new  # 36 of 120


@pytest.mark.parametrize("first", [True, False], ids=["first list", "second list"])
def test_of_rows_with_the_same_fide_id_the_one_with_a_rating_is_kept_and_of_several_the_later(first):
    if not first:
        bring(OCTOBER, GOOD)
    rated, unrated = listed(50, "Moe, Ida", rapid=1500), listed(50, "Moe, I")
    earlier, later = listed(60, "Vik, O", 2010, 1910), listed(60, "Vik, Ole", 2010, 1910)
    refused = []
    content = combined(*MANY, rated, earlier, unrated, later, listed(70, "Old"), listed(70, "New"))
    result = bring(NOVEMBER, content, told=Listeners(refused=lambda problem: refused.append(str(problem))))
    assert refused == [
        "line 43: FIDE ID 60 is also on line 45; that row is kept, because it comes later",
        "line 44: FIDE ID 50 is also on line 42; that row is kept, because it has a rating",
        "line 46: FIDE ID 70 is also on line 47; that row is kept, because it comes later",
    ]
    assert (result.twice, result.fide_list.rows, result.fide_list.refused) == (3, 46, 3)
    players = in_force()
    assert len(players) == 43 == result.fide_list.rows - result.fide_list.refused
    assert players[50] == ("Moe, Ida", None, 1500, None)
    assert players[60] == ("Vik, Ole", 2010, 1910, None)
    assert players[70][0] == "New"


def test_records_of_one_line_with_the_same_fide_id_leave_one_player():
    record = SMALL_XML.replace("\n", "").removeprefix("<playerslist>").removesuffix("</playerslist>")
    result = bring(OCTOBER, f"<playerslist>{record}{record}</playerslist>".encode())
    assert (result.twice, set(in_force())) == (2, {499, 30012345})


def test_what_is_left_blank_is_told_with_its_line_and_the_players_stay():
    remarks = []
    content = GOOD.replace(b"NOR F", b"*   F", 2)
    result = bring(OCTOBER, content, told=Listeners(remark=lambda remark: remarks.append(str(remark))))
    assert (result.fide_list.refused, len(in_force())) == (0, 40)
    assert remarks == [
        f"line {line}: federation: “*” isn’t three capital letters; left blank "
        f"(Berg, Anna{line - 1}, {line - 1})"
        for line in (2, 3)
    ]


def test_the_command_says_remarks_and_rows_of_the_same_fide_id(tmp_path):
    file = tmp_path / "list"
    file.write_bytes(combined(*MANY, MANY[3]).replace(b"NOR F", b"*   F", 1))
    done = run("import_frl", file, "--period", "2025-10")
    assert done.code == 0
    assert (
        "remark, line 2: federation: “*” isn’t three capital letters; left blank (Berg, Anna1, 1)" in done.err
    )
    assert (
        "refused, line 5: FIDE ID 4 is also on line 42; that row is kept, because it comes later" in done.err
    )
    assert "read 41 rows, 40 players, 1 refused." in done.out
    assert "Of the refused rows, 1 has the same FIDE ID as a row that was kept." in done.out


@pytest.mark.parametrize("text", ["2025-13", "2025", "x", "2025-11-01", "²025-11", "99999-01", ""])
def test_a_period_that_is_no_month_is_refused(tmp_path, text):
    file = tmp_path / "list"
    file.write_bytes(GOOD)
    done = run("import_frl", file, "--period", text)
    assert (done.code, done.err) == (1, f"“{text}” isn’t a month such as 2026-03.")
    assert everything() == [[], [], []]


def test_a_period_in_the_future_is_refused(refusal, tmp_path):
    bring(OCTOBER, GOOD)
    file = tmp_path / "list"
    file.write_bytes(combined(*MANY, listed(50)))
    done = run("import_frl", file, "--period", "9999-01", "--force")
    assert (done.code, "January 9999 is in the future" in done.err) == (1, True)


def test_a_month_that_the_header_contradicts_is_refused_unless_forced():
    october = single(FideControl.RAPID, OCTOBER, *MANY)
    with pytest.raises(
        Exception, match="its header names OCT25, which is October 2025 and not November 2025"
    ):
        bring(NOVEMBER, october, control=FideControl.RAPID)
    assert everything() == [[], [], []]
    assert bring(NOVEMBER, october, control=FideControl.RAPID, force=True).is_new


def test_a_file_that_was_imported_for_another_month_is_refused_unless_forced(refusal):
    assert "this file was already imported as the October 2025 FIDE rating list" in refusal(GOOD)
    assert bring(NOVEMBER, GOOD, force=True).is_new


def test_a_list_of_one_control_has_to_say_of_which_and_a_combined_one_must_not():
    with pytest.raises(Exception, match="standard, rapid or blitz"):
        bring(OCTOBER, single(FideControl.RAPID, OCTOBER, *MANY))
    with pytest.raises(Exception, match="combined list"):
        bring(OCTOBER, COMBINED_TXT.encode(), control=FideControl.RAPID)
    assert everything() == [[], [], []]
