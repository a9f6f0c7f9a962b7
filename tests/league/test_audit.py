"""The audit of the league: it finds what was written behind the office's back, and nothing else."""

import pytest
from django.db import connection

from ratings.league.models import Board, CycleList, CycleResult
from ratings.league.services.cycles import close_cycle
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from tests.league.office import NOW

pytestmark = pytest.mark.django_db


def found():
    audit(only=("league-results", "league-lists"))
    return {(one.check_name, one.key): one.words for one in AuditFinding.objects.filter(is_there=True)}


def sql(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


@pytest.fixture
def closed(season):
    """Two closed cycles."""
    close_cycle(season, at=NOW)
    return season


def test_nothing_is_found_in_what_the_office_did_and_nothing_is_written(closed):
    before = list(CycleList.objects.values()), list(CycleResult.objects.values())
    assert found() == {}
    assert (list(CycleList.objects.values()), list(CycleResult.objects.values())) == before


def test_a_line_that_the_rounds_do_not_give_is_found_in_its_cycle_alone(closed):
    row = CycleResult.objects.get(cycle_list__cycle__number=1, name="Cruz")
    sql("UPDATE league_cycleresult SET new = new + 100 WHERE id = %s", row.pk)
    words = found()
    # The list of the cycle says something else than when it was published, too.
    assert set(words) == {
        ("league-results", f"cycle {row.cycle_list.cycle_id}"),
        ("league-lists", f"list {row.cycle_list_id}"),
    }
    assert words[("league-results", f"cycle {row.cycle_list.cycle_id}")]["players"] == "Cruz"


def test_a_figure_that_is_in_no_file_is_found_too(closed):
    row = CycleResult.objects.get(cycle_list__cycle__number=2, name="Diaz")
    sql("UPDATE league_cycleresult SET opponents = opponents + 1 WHERE id = %s", row.pk)
    assert list(found()) == [("league-results", f"cycle {row.cycle_list.cycle_id}")]


def test_a_board_that_was_changed_after_closing_is_found(closed):
    board = Board.objects.get(match__round=3, home_player__name="Cruz")
    sql("UPDATE league_board SET result = '1-0' WHERE id = %s", board.pk)
    ((key, words),) = found().items()
    assert key[0] == "league-results"
    assert {"Cruz", "Avery"} <= {*words["players"].split(", ")}
