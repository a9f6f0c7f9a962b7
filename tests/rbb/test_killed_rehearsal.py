"""kill -9 while the worker looks at a file or stores it: nothing is there, and it is asked for again."""

import signal
from pathlib import Path

import pytest
from django.utils.module_loading import import_string
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from ratings.office.deciding import try_again
from ratings.office.importing import apply, ask_for_rehearsal, bring, import_kind
from ratings.office.models import FileImport
from ratings.rbb.decisions import importing
from ratings.rbb.ledger.game_files import import_games
from tests.arena import member
from tests.commands import game_row, manage
from tests.files import games_csv
from tests.rbb.workers import WORKER, half_a_minute_later, kill_half_way, read


@task(takes_context=True)
def stop_half_way(context, marker, path, arguments):
    """Do a task of the office, and hang when the games are stored and rated and not yet committed."""

    def hang(**options):
        result = import_games(**options)
        Path(marker).touch()
        signal.pause()
        return result

    importing.import_games = hang
    import_string(path).func(context, **arguments)


def _in_place_of(job, marker, path, **arguments):
    """What the worker takes in place of the job that was requested."""
    DBTaskResult.objects.filter(pk=job.task).delete()
    job.task = stop_half_way.enqueue(marker=marker, path=path, arguments=arguments).id
    job.save()


def ask(marker):
    """A file that is brought, over which the worker will hang."""
    for name in ("anna", "bob"):
        member(name)
    content = games_csv(game_row(1))
    kind = import_kind("import-games")
    one = bring(kind=kind, source="games.csv", content=content, options={}, by=None)
    _in_place_of(one.job, marker, "ratings.office.importing.rehearse_file", file_import=one.pk)


def confirm(marker):
    """The officer applies it; the worker will hang over that."""
    one = FileImport.objects.get()
    change_set = apply(one, None)
    _in_place_of(change_set.job, marker, "ratings.office.deciding.apply_change_set", change_set=change_set.pk)


@pytest.mark.process
def test_a_killed_rehearsal_and_a_killed_import_leave_nothing_and_are_asked_for_again(
    worker, office, within, tmp_path
):
    marker = tmp_path / "half-way"
    games, found = "SELECT COUNT(*) FROM ratings_game", "SELECT shown <> '{}' FROM office_fileimport"
    with within():
        ask(str(marker))
    kill_half_way(office, marker, *WORKER)
    half_a_minute_later(office)
    assert (read(office, games), read(office, found)) == ([(0,)], [(0,)])

    with within():
        ask_for_rehearsal(FileImport.objects.get(), None)
        worker()
    assert (read(office, games), read(office, found)) == ([(0,)], [(1,)])

    with within():
        confirm(str(marker))
    kill_half_way(office, marker, *WORKER)
    half_a_minute_later(office)
    assert read(office, games) == [(0,)]
    # The next worker finds that it was left.
    assert manage(office, *WORKER).code == 0
    states = "SELECT state FROM ratings_job ORDER BY id"
    assert read(office, states) == [("failed",), ("done",), ("failed",)]
    with within():
        try_again(FileImport.objects.get().change_set)
        worker()
    assert read(office, games) == [(1,)]
    assert read(office, "SELECT state FROM office_changeset") == [("applied",)]
