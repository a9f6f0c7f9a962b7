"""Opening FIDE rating lists: from archives, which may be bombs or broken; no bytes make the reader crash."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.formats.frl import FideControl, combined_txt, layouts, open_frl
from ratings.formats.frl.layouts import Part, Players
from ratings.formats.frl.opening import MAX_RATIO, MAX_UNPACKED
from ratings.formats.problems import UNREADABLE, FileRefused
from tests.benchmarks.fide_lists import players
from tests.formats.frl_text import BERG, COMBINED_TXT, KROG, SMALL_XML, TXT_LISTS, read, refusal, rows_of

TXT, XML = COMBINED_TXT.encode(), SMALL_XML.encode()


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return stream.getvalue()


def with_entry(offset: int, form: str, value: int) -> bytes:
    """An archive whose directory states something else, at an offset of its entry."""
    data = bytearray(packed(("list.txt", TXT)))
    struct.pack_into(form, data, data.index(b"PK\x01\x02") + offset, value)
    return bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_list_may_come_in_an_archive(method: int) -> None:
    assert read(packed(("players_list_foa.txt", TXT), method=method)) == [BERG, KROG]
    assert read(packed(("list.xml", XML), method=method)) == [BERG, KROG._replace(line=23)]


def test_folder_beside_the_list_does_no_harm() -> None:
    assert read(packed(("lists/", b""), ("lists/list.txt", TXT))) == [BERG, KROG]


@pytest.mark.parametrize(
    ("data", "control", "expected"),
    [
        (TXT, None, ("", "", tuple(FideControl))),
        (XML, None, ("", "", tuple(FideControl))),
        (TXT_LISTS["single"].encode(), FideControl.RAPID, ("OCT26", "", (FideControl.RAPID,))),
        (TXT_LISTS["2012 to 2015"].encode(), FideControl.BLITZ, ("MAR14", "", (FideControl.BLITZ,))),
        (packed(("list.xml", XML)), None, ("", "list.xml", tuple(FideControl))),
    ],
)
def test_what_the_list_says_of_itself_is_known_before_its_rows(data: bytes, control, expected) -> None:
    opened = open_frl(io.BytesIO(data), control)
    assert (opened.month, opened.inner_name, opened.controls) == expected


def test_list_is_read_from_its_beginning_wherever_the_stream_stands() -> None:
    stream = io.BytesIO(TXT)
    stream.read()
    assert list(rows_of(open_frl(stream))) == [BERG, KROG]


def test_list_is_known_for_what_it_is_from_a_stream_that_gives_little_at_a_time() -> None:
    assert read(b"\xef\xbb\xbf\n" + XML, step=1) == [BERG._replace(line=3), KROG._replace(line=24)]


def test_archive_in_an_archive_is_refused() -> None:
    assert refusal(
        packed(
            (
                "inner.zip",
                packed(("list.txt", TXT)),
            )
        )
    ) == ("“inner.zip” in the archive is an archive itself; zip only the list")


@pytest.mark.parametrize(
    "beside",
    [
        ("__MACOSX/._list.txt", b"\x00\x05\x16\x07" + b"x" * 100),
        (".DS_Store", b"\x00\x00\x00\x01Bud1"),
        ("__MACOSX/", b""),
    ],
)
def test_what_a_computer_puts_into_an_archive_by_itself_is_passed_over(beside: tuple[str, bytes]) -> None:
    assert read(packed(beside, ("list.txt", TXT))) == [BERG, KROG]


@pytest.mark.parametrize("readme", [b"Rating list of October 2026.\r\n", b"", b"<html>Download</html>"])
def test_a_readme_beside_the_list_is_passed_over_and_said(readme: bytes) -> None:
    found = read(packed(("readme.txt", readme), ("list.txt", TXT)))
    assert [str(one) for one in found[:1]] == ["“list.txt” is the list in the archive; ignored: “readme.txt”"]
    assert found[1:] == [BERG, KROG]


def test_archive_of_two_lists_is_refused_with_their_names() -> None:
    assert refusal(packed(("a.txt", TXT), ("b.xml", XML))) == (
        "the archive has 2 rating lists: “a.txt”, “b.xml”; zip each one separately"
    )


def test_archive_without_a_list_is_refused() -> None:
    assert refusal(packed(("__MACOSX/._a", b"x"))) == (
        "the archive has 0 files; it must have the rating list, alone or with a few other files"
    )
    told = refusal(packed(("a.txt", b"Hello"), ("b.txt", b"")))
    assert told.startswith(
        "none of the 2 files in the archive is a rating list: “a.txt”: line 1: “Hello” isn’t"
    )
    assert "; “b.txt”: line 1: the file is empty" in told


def test_byte_order_mark_means_utf_8_and_columns_count_characters() -> None:
    # Saved again by an editor; ø has two bytes, and ł is not in Latin-1.
    text = COMBINED_TXT.replace("Berg, Anna Maria ", "Bergø, Ann Małia ")
    assert read(b"\xef\xbb\xbf" + text.encode()) == [BERG._replace(name="Bergø, Ann Małia"), KROG]


def test_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = packed(("list.txt", TXT + b" " * 10_000_000))
    assert refusal(bomb).startswith("“list.txt” in the archive has 10,000,4")
    assert refusal(bomb).endswith(f"and {MAX_RATIO} times the packed size are read")
    # A size that is too large whatever it is packed to.
    large = bytearray(with_entry(24, "<I", MAX_UNPACKED + 1))
    struct.pack_into("<I", large, large.index(b"PK\x01\x02") + 20, MAX_UNPACKED // 2)
    assert refusal(bytes(large)).startswith("“list.txt” in the archive has 4,000,000,001 bytes")


def test_bomb_that_understates_its_size_gives_no_more_than_it_states() -> None:
    bomb = bytearray(packed(("list.txt", TXT + b"\n" * 10_000_000)))
    struct.pack_into("<I", bomb, bomb.index(b"PK\x01\x02") + 24, len(TXT))
    assert refusal(bytes(bomb)) == (
        "the archive is damaged or incomplete (Bad CRC-32 for file 'list.txt'); download it again"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (with_entry(8, "<H", 1), "“list.txt” in the archive is encrypted"),
        (
            with_entry(10, "<H", 14),
            "“list.txt” in the archive is compressed with a method other than deflate",
        ),
        (with_entry(16, "<I", 7), "the archive is damaged or incomplete (Bad CRC-32"),
        (packed(("list.txt", b"\x1f\x8b\x08")), "line 1: this is a gzip archive, not a FIDE rating list"),
        (packed(("list.txt", b"")), "line 1: the file is empty"),
    ],
)
def test_archive_that_cannot_be_read_safely_is_refused(data: bytes, reason: str) -> None:
    assert refusal(data).startswith(reason)


def test_archive_whose_file_has_no_name_is_read_like_any_other() -> None:
    # A name ends at its first zero byte.
    assert read(packed(("list.txt", TXT)).replace(b"list.txt", b"\0ist.txt")) == read(TXT)


def test_archive_cut_anywhere_is_refused() -> None:
    data = packed(("list.txt", TXT))
    for length in range(4, len(data) - 1):
        assert refusal(data[:length]).startswith("the archive is damaged or incomplete (")


def test_archive_that_turns_out_damaged_after_thousands_of_rows_is_refused_there() -> None:
    data = bytearray(packed(("list.txt", b"".join(combined_txt(players(10_000))))))
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 16, 7)
    rows = rows_of(open_frl(io.BytesIO(data)))
    assert next(rows).line == 2
    with pytest.raises(FileRefused, match=r"^the archive is damaged or incomplete \(Bad CRC-32"):
        list(rows)


def test_memory_is_bounded_whatever_the_parts_of_the_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_REMEMBERED", 10)
    remembered = layouts._Remembered(lambda raw, _: (len(raw),), layouts.itself)
    for number in range(95):
        assert remembered[b"x" * number] == (number,)
        assert len(remembered) <= 10


def test_what_many_players_have_in_common_is_made_once() -> None:
    header, berg, krog = TXT.splitlines(keepends=True)
    data = header + b"".join(b"%-8d" % number + berg[8:] for number in range(1, 2_001)) + krog
    made: list[Part] = []
    first, second, last = open_frl(io.BytesIO(data)).players(lambda part: made.append(part) or len(made))
    assert isinstance(first, Players)
    assert isinstance(second, Players)
    assert made == [
        ("NOR", "F", "WGM", "WGM", "IA,FST,IO", "AGM"), (2235, 9, 20), (2191, 0, 20), (2200, 12, 15),
        (1971, "w"), ("NON", "M", "", "", "", ""), (1709, 0, 40), (None, 0, 0), (None, 0, 0), (None, "i"),
    ]  # fmt: skip
    assert second.fide_ids == list(range(1_001, 2_001))
    assert second.lines == range(1_002, 2_002)
    assert [second.described, second.standard, second.end] == [[1] * 1_000, [2] * 1_000, [5] * 1_000]
    assert last == (range(2_002, 2_003), [499], ["Krog"], [6], [7], [8], [9], [10])


@pytest.mark.parametrize("original", [TXT, XML, packed(("list.txt", TXT)), packed(("list.xml", XML))])
@given(st.data())
def test_damaged_bytes_are_read_reported_or_refused(original: bytes, data: st.DataObject) -> None:
    damaged = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        change: Callable[[bytes], None] = data.draw(
            st.sampled_from(
                [
                    lambda more, at=place: damaged.__setitem__(slice(at, at + len(more)), more),
                    lambda more, at=place: damaged.__setitem__(slice(at, at), more),
                    lambda more, at=place: damaged.__delitem__(slice(at, at + len(more))),
                ]
            )
        )
        change(data.draw(st.binary(min_size=1, max_size=8)))
    read_or_refused(bytes(damaged))


@given(st.sampled_from([b"", b"<", b"<playerslist><player>", b"PK\x03\x04", TXT[:164]]), st.binary())
def test_random_bytes_are_read_reported_or_refused(beginning: bytes, data: bytes) -> None:
    read_or_refused(beginning + data)
    read_or_refused(beginning + data + b"</player></playerslist>")


def read_or_refused(data: bytes) -> None:
    for control in (None, FideControl.STANDARD):
        try:
            said = [str(row) for row in read(data, control)]
        except FileRefused as refused:
            said = [str(refused)]
        assert not UNREADABLE.search("".join(said).replace("\ufffd", "?"))
