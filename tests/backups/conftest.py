"""Offices on both databases, with backups and uploads of their own."""

import os
from types import SimpleNamespace

import pytest

from tests.backups.offices import Databases, Files
from tests.commands import run
from tests.databases import opened
from tests.postgresql import TEMPLATE, start


@pytest.fixture(scope="session")
def files(tmp_path_factory, django_db_blocker):
    with django_db_blocker.unblock():
        return Files(tmp_path_factory.mktemp("offices"))


@pytest.fixture(scope="session")
def databases(django_db_blocker):
    server = start()
    try:
        with django_db_blocker.unblock():
            yield Databases(server, TEMPLATE)
    finally:
        server.stop()


@pytest.fixture(params=["files", "databases"])
def offices(request, monkeypatch):
    """Where offices come from."""
    found = request.getfixturevalue(request.param)
    if isinstance(found, Databases):
        monkeypatch.setenv("PATH", f"{found.server.bin}:{os.environ['PATH']}")
    return found


@pytest.fixture
def office(offices, django_db_blocker, settings, tmp_path):
    """An office with the small arena and an upload."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.BACKUP_DIR = tmp_path / "backups"
    settings.UPLOAD_DIR.mkdir()
    (settings.UPLOAD_DIR / "a").write_bytes(b"brought by staff")
    umask = os.umask(0o022)
    url = offices.office()
    with django_db_blocker.unblock(), opened(url):
        yield SimpleNamespace(url=url, uploads=settings.UPLOAD_DIR, backups=settings.BACKUP_DIR)
    os.umask(umask)


@pytest.fixture
def backup(office):
    """A backup of the office."""
    done = run("backup")
    assert done.code == 0, done.err
    (path,) = office.backups.iterdir()
    return path
