"""Lists that are refused as a whole, with figures or line numbers, and change nothing."""

import io
import re
import zipfile

import pytest

from ratings.formats.frl import FideControl
from tests.arena import member
from tests.commands import run
from tests.fide.office import NOVEMBER, OCTOBER, bring, combined, everything, in_force, listed, single
from tests.formats.frl_text import COMBINED_TXT, SMALL_XML

pytestmark = pytest.mark.django_db

MANY = [listed(number, f"Berg, Anna{number}", 1800 + number, 1700, 1600) for number in range(1, 41)]
GOOD = combined(*MANY)


def packed(name, content, **more):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def moved(number):
    """The list, with the rapid ratings of so many players changed."""
    rows = [row._replace(rapid=row.rapid._replace(rating=1701)) for row in MANY[:number]]
    return combined(*rows, *MANY[number:])


REFUSED = {
    "empty": (b"", "the file is empty"),
    "no header": (b"\r\n".join(GOOD.split(b"\r\n")[1:]), "line 1: “1              Berg, Anna1 "),
    "another header": (GOOD.replace(b"SRtng", b"Srtng "), "is not the header line of a FIDE rating list"),
    "cut within a row": (GOOD[:-80], "line 41: the file breaks off within the row"),
    "XML cut": (SMALL_XML[:-30].encode(), "the file breaks off"),
    "XML with DOCTYPE": (b"<!DOCTYPE x>" + SMALL_XML.encode(), "is refused: a rating list has no DOCTYPE"),
    "XML with an entity": (
        b'<!DOCTYPE x [<!ENTITY a "b">]>' + SMALL_XML.encode(),
        "is refused: a rating list has no DOCTYPE",
    ),
    "archive cut": (packed("list.txt", GOOD)[:-40], "the archive is damaged or not whole"),
    "archive in an archive": (packed("a.zip", packed("list.txt", GOOD)), "the archive is an archive itself"),
    "bomb": (packed("list.txt", GOOD + b" " * 5_000_000), "100 times the packed size"),
    "binary": (b"\x89PNG\r\n" + GOOD, "a PNG picture"),
    "no player": (GOOD.split(b"\r\n")[0] + b"\r\n", "not one of its 0 rows is a player"),
    "IDs twice": (
        combined(*MANY, listed(7), listed(9)),
        "FIDE IDs stand in it more than once: 7 in lines 8 and 42; 9 in lines 10 and 43",
    ),
}
DOUBTFUL = {
    "half the players gone": (combined(*MANY[:20]), "it has 20 players, less than 90 % of the 40 in force"),
    "the ratings of a control gone": (
        combined(*(row._replace(blitz=row.blitz._replace(rating=None)) for row in MANY)),
        "it has 0 players rated in blitz, less than 90 % of the 40 in force",
    ),
    "most ratings changed": (
        combined(*(row._replace(standard=row.standard._replace(rating=1000)) for row in MANY)),
        "40 of 120 ratings differ from those in force, more than 30 %",
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
    assert "--force imports it" in said


@pytest.mark.parametrize("what", DOUBTFUL)
def test_a_doubtful_list_is_imported_by_force(what):
    bring(OCTOBER, GOOD)
    content, _ = DOUBTFUL[what]
    result = bring(NOVEMBER, content, force=True)
    assert result.is_new
    assert len(in_force()) == result.fide_list.rows - result.fide_list.refused


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


def test_fide_ids_twice_are_told_also_where_there_was_no_list_before():
    content, reason = REFUSED["IDs twice"]
    with pytest.raises(Exception, match=re.escape(reason)):
        bring(OCTOBER, content)
    assert everything() == [[], [], []]


@pytest.mark.parametrize("text", ["2025-13", "2025", "x", "2025-11-01", "²025-11", "99999-01", ""])
def test_a_period_that_is_no_month_is_refused(tmp_path, text):
    file = tmp_path / "list"
    file.write_bytes(GOOD)
    done = run("import_frl", file, "--period", text)
    assert (done.code, done.err) == (1, f"“{text}” is no month such as 2026-03.")
    assert everything() == [[], [], []]


def test_a_period_in_the_future_is_refused(refusal, tmp_path):
    bring(OCTOBER, GOOD)
    file = tmp_path / "list"
    file.write_bytes(combined(*MANY, listed(50)))
    done = run("import_frl", file, "--period", "9999-01", "--force")
    assert (done.code, "9999-01 lies in the future" in done.err) == (1, True)


def test_a_month_that_the_header_contradicts_is_refused_unless_forced():
    october = single(FideControl.RAPID, OCTOBER, *MANY)
    with pytest.raises(Exception, match="its header names OCT25, which is 2025-10 and not 2025-11"):
        bring(NOVEMBER, october, control=FideControl.RAPID)
    assert everything() == [[], [], []]
    assert bring(NOVEMBER, october, control=FideControl.RAPID, force=True).is_new


def test_a_file_that_was_imported_for_another_month_is_refused_unless_forced(refusal):
    assert "this very file was imported as the FIDE rating list 2025-10" in refusal(GOOD)
    assert bring(NOVEMBER, GOOD, force=True).is_new


def test_a_list_of_one_control_has_to_say_of_which_and_a_combined_one_must_not():
    with pytest.raises(Exception, match="standard, rapid or blitz"):
        bring(OCTOBER, single(FideControl.RAPID, OCTOBER, *MANY))
    with pytest.raises(Exception, match="combined list of all controls"):
        bring(OCTOBER, COMBINED_TXT.encode(), control=FideControl.RAPID)
    assert everything() == [[], [], []]
