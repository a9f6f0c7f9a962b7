"""B.02 7.2.2: who is inactive on the office’s first list of a chapter, by FIDE’s list of that control."""

from datetime import UTC, date, datetime

import pytest

from ratings.formats.frl import FideControl
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.time_controls import Chapter
from tests.commands import run
from tests.fide.office import bring, listed, single
from tests.otb.test_regulations_2024 import AUGUST, BLITZ, ID, of_2024, sent
from tests.otb.tournaments import entrant

__all__ = ["of_2024"]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("first", [FideControl.STANDARD, FideControl.BLITZ])
def test_7_2_2_a_blitz_list_has_the_flags_of_blitz_whichever_list_was_imported_last(first):
    def player(number, name, games, flag):
        return listed(ID + number, name, 2000, None, 2000, games, flag=flag)

    playing = [player(1, "Alpha, A", 5, ""), player(2, "Bravo, B", 5, "")]
    files = {
        FideControl.STANDARD: [*playing, player(3, "Golf, G", 0, "i"), player(4, "Hotel, H", 9, "")],
        FideControl.BLITZ: [*playing, player(3, "Golf, G", 9, ""), player(4, "Hotel, H", 0, "i")],
    }
    for control in sorted(files, key=lambda one: one is not first):
        bring(AUGUST, single(control, AUGUST, *files[control]), control, force=True)
    sent([entrant(1, 2000), entrant(2, 2000)], [{(1, 2): "1"}], BLITZ, first_day=date(2026, 8, 5))
    close_period(until=date(2026, 9, 1), chapter=Chapter.BLITZ, at=datetime(2026, 9, 2, tzinfo=UTC))
    rows = run("export_frl", "--chapter", "blitz").out.splitlines()[1:]
    assert {row[15:23]: row.rpartition("1990")[2].strip() for row in rows} == {
        "Alpha, A": "w",
        "Bravo, B": "w",
        "Golf, G ": "w",
        "Hotel, H": "wi",
    }
