"""What ``check --deploy`` says of an office that is about to run, or should be running."""

import json
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from foa import checks
from foa.monitoring import health
from tests.commands import MANAGE, environment


def test_an_office_that_does_not_run_is_told_all_that_is_missing(office):
    """In a process of its own, as operators ask."""
    asked = {"HTTPS": "true", "EMAIL_URL": "smtp://mail.example:25", "SECRET_KEY": "weak", "DEBUG": "true"}
    done = subprocess.run(
        [sys.executable, MANAGE, "check", "--deploy", "--database", "default"],
        env={**environment(office), "ALLOWED_HOSTS": "ratings.example", **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"\(((?:foa|security)\.\w+)\)", done.stdout + done.stderr)
    assert found == ["foa.W003", "foa.W005", "foa.W030", "security.W009", "security.W018"]


@pytest.mark.parametrize(
    "check", [checks.worker_was_heard_of, checks.backups_are_made, checks.migrations_are_applied]
)
def test_nothing_is_asked_of_a_database_that_is_not_named(check):
    assert check(databases=None) == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, ["No worker was ever running."]), (61, ["The worker has been silent since "]), (59, [])],
)
def test_a_worker_is_missed_after_a_minute(settings, seconds, said):
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {**settings.CACHES, "progress": {"BACKEND": memory, "LOCATION": f"silent {seconds}"}}
    if seconds is not None:
        caches["progress"].set("worker", timezone.now() - timedelta(seconds=seconds), None)
    found = [one.msg for one in checks.worker_was_heard_of(databases=["default"])]
    assert [message[: len(text)] for message, text in zip(found, said, strict=True)] == said


def test_a_backup_is_missed_until_one_is_complete(settings, tmp_path):
    def found():
        return [one.msg for one in checks.backups_are_made(databases=["default"])]

    settings.BACKUP_DIR = str(tmp_path)
    (tmp_path / "monday").mkdir()
    assert found() == [f"There is no backup in {tmp_path}."]
    (tmp_path / "monday" / "manifest.json").write_text(json.dumps({"made": "2026-11-23T03:00:00+00:00"}))
    assert found() == []


@pytest.mark.django_db
def test_migrations_that_are_not_applied_are_counted():
    def found():
        return [one.msg for one in checks.migrations_are_applied(databases=["default"])]

    assert found() == []
    applied = MigrationRecorder.Migration.objects.filter(name="0001_version_0_15_0").order_by("pk")
    for said in ("1 migration is not applied.", "2 migrations are not applied."):
        applied[0].delete()
        assert found() == [said]


MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /srv rw shared:1 - ext4 /dev/vdb rw
31 30 0:41 / /srv/the\\040office rw - nfs4 storage:/office rw,vers=4.2
"""


@pytest.mark.parametrize(
    ("directory", "warnings"),
    [
        ("/srv/the office/data", ["The SQLite file is on a network disk (nfs4), where it can break."]),
        ("/srv/the office", ["The SQLite file is on a network disk (nfs4), where it can break."]),
        ("/srv", []),
        ("/srv/the", []),
    ],
)
def test_sqlite_is_not_for_disks_of_a_network(monkeypatch, settings, tmp_path, directory, warnings):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    monkeypatch.setattr(health, "_MOUNTS", mounts)
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{directory}/office.sqlite3"}
    monkeypatch.setitem(settings.DATABASES, "default", database)
    assert [one.msg for one in checks.sqlite_is_on_a_disk_of_this_machine()] == warnings


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what their disks are")
def test_this_machine_says_what_its_disks_are():
    assert health.kind_of_disk(Path("/proc/self")) == "proc"


@pytest.mark.parametrize(
    ("hosts", "found"),
    [(["*"], ["foa.W007"]), (["ratings.example", "*"], ["foa.W007"]), (["ratings.example"], [])],
)
def test_every_host_allowed_is_a_warning(settings, hosts, found):
    settings.ALLOWED_HOSTS = hosts
    assert [one.id for one in checks.hosts_are_named()] == found


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("http://127.0.0.1:8000", ["foa.W008"]),
        ("http://127.8.0.1", ["foa.W008"]),
        ("https://[::1]:8443", ["foa.W008"]),
        ("http://localhost:8000", ["foa.W008"]),
        ("https://ratings.localhost", ["foa.W008"]),
        ("https://ratings.example", []),
        ("http://192.0.2.7:8000", []),
        ("https://localhost.example", []),
    ],
)
def test_links_that_lead_to_the_machine_itself_are_a_warning(settings, address, found):
    settings.SITE_URL = address
    assert [one.id for one in checks.site_url_leads_here_from_elsewhere()] == found
