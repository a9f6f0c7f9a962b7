"""How far a real replica lies behind, as Prometheus is told."""

import environ
import psycopg
import pytest
from django.conf import settings
from django.db import connections

from foa.monitoring.metrics import replica_lag
from tests.postgresql import FAST, Server
from tests.services import wait_until

pytestmark = pytest.mark.process


@pytest.fixture
def primary():
    server = Server(FAST)
    yield server
    server.stop()


@pytest.fixture
def replica(primary, monkeypatch, django_db_blocker):
    """A streaming replica of it, under its name in the settings."""
    copy = primary.directory / "copy"
    primary._run(
        "pg_basebackup", "-D", str(copy), "-R", "-c", "fast", "-h", str(primary.directory), "-U", "postgres"
    )
    server = Server(FAST, like=copy)
    database = environ.Env.db_url_config(server.url)
    connections.configure_settings({"default": {}, "replica": database})
    monkeypatch.setitem(settings.DATABASES, "replica", database)
    with django_db_blocker.unblock():
        yield server
        connections["replica"].close()
    del connections["replica"]
    server.stop()


def lag():
    """Seconds."""
    [metric] = replica_lag()
    return metric.samples[0].value


def write(primary, sql):
    with psycopg.connect(host=str(primary.directory), user="postgres", autocommit=True) as connection:
        connection.execute(sql)


def test_a_replica_lies_behind_while_it_does_not_replay_and_when_it_has_lost_its_primary(primary, replica):
    write(primary, "CREATE TABLE played ()")
    wait_until(lambda: lag() == 0)
    with connections["replica"].cursor() as cursor:
        cursor.execute("SELECT pg_wal_replay_pause()")
        write(primary, "INSERT INTO played DEFAULT VALUES")
        wait_until(lambda: lag() > 0)
        cursor.execute("SELECT pg_wal_replay_resume()")
        wait_until(lambda: lag() == 0)
        cursor.execute("ALTER SYSTEM SET primary_conninfo = ''")
        cursor.execute("SELECT pg_reload_conf()")
        wait_until(lambda: lag() > 0)
