"""Variants handed to dask workers: the same answer, without a database, and a sentence if it can’t be had."""

import random
import threading

import pytest

distributed = pytest.importorskip("distributed")

from ratings.formats.variants import read_variant  # noqa: E402
from ratings.lab import workers  # noqa: E402
from ratings.lab.comparing import compare  # noqa: E402
from ratings.lab.extra import SchedulerFailed  # noqa: E402
from ratings.lab.models import Run  # noqa: E402
from ratings.office.jobs import StoppedError  # noqa: E402
from ratings.office.models import Job  # noqa: E402
from tests.commands import run  # noqa: E402
from tests.lab.test_engine import as_data, history  # noqa: E402

VARIANTS = [read_variant(f"[k]\nblitz = {k}", f"K {k}") for k in range(4, 10)]
VARIANTS.append(read_variant('yardstick = "elo"', "Elo"))
NOBODY = "tcp://127.0.0.1:1"
NO_ANSWER = f"No dask scheduler answers at {NOBODY}."


@pytest.fixture
def data():
    return as_data(history(random.Random(1), length=2_000))


def cluster(number):
    """A scheduler and so many workers in this process, where a test without a database has none to ask."""
    return distributed.LocalCluster(
        n_workers=number, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    )


GONE = threading.Event()


def held(report, toml, name):
    """A variant that takes until its worker is gone."""
    GONE.wait(60)


@pytest.fixture
def _impatient(monkeypatch):
    monkeypatch.setattr(workers, "_SECONDS", 1)


@pytest.mark.pure
class TestWorkers:
    def test_they_give_the_answer_that_the_office_itself_gives(self, data):
        told = []
        with cluster(2) as there:
            found = compare(data, VARIANTS, None, lambda *done: told.append(done), there.scheduler_address)
        assert found == compare(data, VARIANTS)
        assert told[-1] == (8, 8)

    def test_a_question_that_is_stopped_ends_as_a_stopped_one(self, data):
        def stopped(done, total):
            if done > 1:
                raise StoppedError

        with cluster(1) as there, pytest.raises(StoppedError):
            compare(data, VARIANTS, None, stopped, there.scheduler_address)

    @pytest.mark.usefixtures("_impatient")
    def test_an_address_without_a_scheduler(self, data):
        with pytest.raises(SchedulerFailed, match=NO_ANSWER):
            compare(data, VARIANTS, scheduler=NOBODY)
        with pytest.raises(SchedulerFailed, match=r"No dask scheduler answers at nonsense:x\."):
            compare(data, VARIANTS, scheduler="nonsense:x")

    @pytest.mark.usefixtures("_impatient")
    def test_a_scheduler_without_workers(self, data):
        with cluster(0) as there, pytest.raises(SchedulerFailed, match="has no workers"):
            compare(data, VARIANTS, scheduler=there.scheduler_address)

    def test_a_worker_with_another_version(self, data, monkeypatch):
        with cluster(1) as there:
            office = workers.Office()
            office.version = "0.1.0"
            monkeypatch.setattr(workers, "Office", lambda: office)
            said = f"A dask worker can’t run the lab: it has version {workers.version()}, and this is 0.1.0"
            with pytest.raises(SchedulerFailed, match=said):
                compare(data, VARIANTS, scheduler=there.scheduler_address)

    def test_the_last_worker_dies(self, data, monkeypatch):
        monkeypatch.setattr(workers, "of_variant", held)
        told = []
        with cluster(1) as there:

            def and_it_dies(*done):
                told.append(done)
                # First told before anything is handed over.
                if len(told) == 2:
                    (worker,) = there.workers.values()
                    there.sync(worker.close, executor_wait=False)

            try:
                with pytest.raises(SchedulerFailed, match="stopped early"):
                    compare(data, VARIANTS, None, and_it_dies, there.scheduler_address)
            finally:
                GONE.set()


@pytest.mark.django_db
@pytest.mark.usefixtures("_impatient")
class TestFailures:
    def test_the_command_keeps_nothing(self, tmp_path):
        (tmp_path / "k.toml").write_text("[k]\nblitz = 15")
        assert run("lab", "replay", tmp_path / "k.toml", "--scheduler", NOBODY) == (1, "", NO_ANSWER)
        assert not Run.objects.exists()

    def test_a_question_of_the_page_says_why(self, staff, worker, settings):
        settings.LAB_SCHEDULER = NOBODY
        staff.post("/admin/lab/run/add/", {"k": "15"})
        worker()
        asked = Run.objects.get()
        assert (asked.result, asked.job.state, asked.job.error) == (None, Job.State.FAILED, NO_ANSWER)
