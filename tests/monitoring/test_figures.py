"""What is counted, and what is looked up when Prometheus asks."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from django.db import DatabaseError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client.parser import text_string_to_metric_families

from foa.monitoring import health, metrics
from foa.monitoring.health import is_worker_alive
from ratings.office import jobs
from ratings.office.models import AuditFinding
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import RatingChange
from tests.arena import game, rated
from tests.monitoring.test_requests import fail

pytestmark = pytest.mark.django_db

TOKEN = "Bearer a token"


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_TOKEN = "a token"


@pytest.fixture
def read(client):
    """The value of a figure by its name; None without it."""

    def figure(name, **labels):
        page = client.get("/metrics", headers={"authorization": TOKEN}).text
        # To parse a page with figures of all that other tests have asked for takes half a second.
        asked_for = "\n".join(line for line in page.splitlines() if line.startswith(name))
        samples = [one for family in text_string_to_metric_families(asked_for) for one in family.samples]
        return next((one.value for one in samples if (one.name, one.labels) == (name, labels)), None)

    return figure


def test_without_a_setting_there_is_no_such_page(client, settings):
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


def test_the_whole_page_can_be_read(client):
    page = client.get("/metrics", headers={"authorization": TOKEN}).text
    families = [family.name for family in text_string_to_metric_families(page)]
    assert {"foa_games_saved", "foa_queue_depth", "foa_replay_seconds"} <= set(families)
    assert len(families) == len(set(families))


def test_saved_games_are_counted_once_they_are_committed(read, django_capture_on_commit_callbacks):
    anna, bob = rated(1600), rated(1500)
    before = read("foa_games_saved_total")
    with django_capture_on_commit_callbacks() as committed:
        game(anna, bob)
    assert read("foa_games_saved_total") == before
    for callback in committed:
        callback()
    assert read("foa_games_saved_total") == before + 1


def test_a_replay_counts_the_rows_that_it_wrote(read):
    game(rated(1600), rated(1500))
    rows, replays = read("foa_replay_rows_total"), read("foa_replay_seconds_count")
    replay(check=True)
    assert (read("foa_replay_rows_total"), read("foa_replay_seconds_count")) == (rows, replays)
    RatingChange.objects.all().delete()
    replay()
    assert (read("foa_replay_rows_total"), read("foa_replay_seconds_count")) == (rows + 4, replays + 1)


def test_the_queue_says_how_long_its_oldest_task_has_waited(read, worker):
    assert (read("foa_queue_depth"), read("foa_queue_age_seconds")) == (0, 0)
    task = jobs.enqueue(fail, title="Fail", by=None).task
    DBTaskResult.objects.filter(pk=task).update(enqueued_at=timezone.now() - timedelta(minutes=5))
    assert read("foa_queue_depth") == 1
    assert 300 <= read("foa_queue_age_seconds") < 360


def test_the_worker_is_alive_for_a_minute_after_its_last_sign(read, worker):
    assert read("foa_worker_timestamp_seconds") is None
    assert is_worker_alive() is False
    for seconds, alive in ((61, False), (59, True)):
        last = timezone.now() - timedelta(seconds=seconds)
        caches["progress"].set("worker", last, None)
        assert is_worker_alive() is alive
        assert read("foa_worker_timestamp_seconds") == pytest.approx(last.timestamp())


def test_open_findings_of_the_audit_are_counted(read):
    for key in ("a", "b"):
        AuditFinding.objects.create(check_name="games", key=key, text="Wrong.", found_at=timezone.now())
    AuditFinding.objects.filter(key="b").update(is_there=False)
    assert read("foa_audit_findings") == 1


def test_the_newest_backup_is_known_by_its_manifest(read, settings, tmp_path):
    settings.BACKUP_DIR = str(tmp_path)
    assert read("foa_backup_timestamp_seconds") is None
    for day in (20, 22, 21):
        (tmp_path / f"{day}").mkdir()
        (tmp_path / f"{day}" / "manifest.json").write_text(f'{{"made": "2026-11-{day}T03:00:00+00:00"}}')
    (tmp_path / "unfinished").mkdir()
    made = datetime(2026, 11, 22, 3, tzinfo=UTC)
    assert read("foa_backup_timestamp_seconds") == made.timestamp()


def test_disks_are_known_by_what_is_on_them(read, settings, tmp_path):
    settings.UPLOAD_DIR = str(tmp_path / "not" / "there" / "yet")
    size = read("foa_disk_size_bytes", directory="uploads")
    assert size == health.shutil.disk_usage(tmp_path).total
    assert 0 < read("foa_disk_free_bytes", directory="uploads") < size


def test_without_a_replica_there_is_no_lag(read):
    assert read("foa_replica_lag_seconds") is None


def test_what_can_not_be_looked_up_is_missing_and_counted(read, monkeypatch, caplog):
    def broken():
        raise DatabaseError("gone")

    monkeypatch.setattr(metrics, "_FIGURES", [broken, metrics.disk_space])
    assert read("foa_figures_failed") == 1
    assert "broken failed" in caplog.text
    assert read("foa_disk_size_bytes", directory="uploads") > 0
