"""Site and worker outlive a crash of PostgreSQL: nobody has to start them again."""

import os
from contextlib import closing

import psycopg
import pytest
import requests
from django_tasks_db.models import DBTaskResult

from tests.postgresql import TEMPLATE, start
from tests.services import wait_until
from tests.soak.servers import Process, Site

pytestmark = pytest.mark.process

QUEUE = DBTaskResult._meta.db_table


@pytest.fixture
def database():
    server = start()
    yield server
    server.stop()


def crash(database):
    """Every process ends at once, and nothing is written any more."""
    database._run("pg_ctl", "-D", database.data, "-m", "immediate", "-w", "stop")


def test_site_and_worker_go_on_when_the_database_is_back(database, tmp_path):
    url = database.url.replace("/postgres?", f"/{TEMPLATE}?").replace("CONN_MAX_AGE=0", "CONN_MAX_AGE=600")
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "SECRET_KEY": "restart" * 10,
        "PROGRESS_DIR": str(tmp_path / "progress"),
        "UPLOAD_DIR": str(tmp_path / "uploads"),
    }
    site = Site(environment, tmp_path / "site.log")
    worker = Process("manage.py run_jobs --no-startup-delay", environment, tmp_path / "worker.log")

    def ask(path):
        return requests.get(f"{site.address}{path}", timeout=60, headers={"Connection": "close"})

    def is_up():
        try:
            return ask("/api/v1/lists").status_code == 200
        except requests.ConnectionError:
            return False

    def ask_queue(statement):
        where = {"host": str(database.directory), "user": "postgres", "dbname": TEMPLATE}
        with closing(psycopg.connect(**where, autocommit=True)) as connection:
            return connection.execute(statement).fetchall()

    try:
        site.start()
        worker.start()
        wait_until(is_up)
        waiting = f"SELECT id FROM {QUEUE} WHERE status = 'READY'"
        wait_until(lambda: ask_queue(waiting))
        # Several threads of both processes have a connection now: no page is one that was kept.
        assert {ask(f"/members/?n={number}").status_code for number in range(20)} == {200}

        crash(database)
        for path in ("/games/", "/api/v1/members", "/lists/"):
            answer = ask(path)
            assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "5"), (path, answer.text)
        assert ask("/static/foa/site.js").status_code == 200
        log = tmp_path / "worker.log"
        wait_until(lambda: "trying again" in log.read_text())

        database.start()
        assert {ask(f"/members/?m={number}").status_code for number in range(20)} == {200}
        ((before,),) = ask_queue(f"UPDATE {QUEUE} SET run_after = now() WHERE status = 'READY' RETURNING id")
        done = f"SELECT 1 FROM {QUEUE} WHERE id = '{before}' AND status = 'SUCCESSFUL'"
        wait_until(lambda: ask_queue(done))
    finally:
        site.kill()
        worker.kill()
