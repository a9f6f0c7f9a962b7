"""A site with two processes and a worker, started for tests, over an SQLite file of its own."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

from tests.commands import MANAGE, environment
from tests.services import free_port, wait_until

TOKEN = "prometheus"


class Site:
    """Gunicorn and the worker in a directory. ``log``: what the site wrote to standard error."""

    def __init__(self, database, **settings):
        self.database, self.port, self.worker_port = Path(database), free_port(), free_port()
        self.log = self.database.with_name("site.log")
        self.environment = {
            **environment(database),
            "ALLOWED_HOSTS": "ratings.example",
            "HTTPS": "true",
            "TRUSTED_PROXIES": "127.0.0.1",
            "SECRET_KEY": "a key for tests" * 4,
            "METRICS_TOKEN": TOKEN,
            "WORKER_METRICS": f"127.0.0.1:{self.worker_port}",
            "LOG_JSON": "true",
            **settings,
        }

    @contextmanager
    def running(self):
        """Both of them. Whatever is left is killed in the end."""
        serving = f"--config python:foa.serving --workers 2 --bind 127.0.0.1:{self.port} foa.wsgi"
        with self.log.open("w") as log:
            run = {"env": self.environment, "cwd": MANAGE.parent, "stderr": log}
            self.master = subprocess.Popen([sys.executable, "-m", "gunicorn", *serving.split()], **run)
            self.worker = subprocess.Popen([sys.executable, MANAGE, "run_jobs", "--no-startup-delay"], **run)
        try:
            wait_until(lambda: len(self.processes()) == 2 and self.answers())
            yield self
        finally:
            self.worker.kill()
            self.master.send_signal(signal.SIGQUIT)
            for process in (self.worker, self.master):
                process.wait()

    def answers(self):
        with suppress(ConnectionError):
            return self.get("/healthz/live")[0] == 200

    def processes(self):
        """Those that answer, by their ids."""
        children = Path(f"/proc/{self.master.pid}/task/{self.master.pid}/children")
        return [int(one) for one in children.read_text().split()]

    def get(self, path, host="", port=None, **headers):
        """Status, headers and text of an answer. Without a host it is asked as a load balancer asks."""
        proxied = {"Host": host, "X-Forwarded-Proto": "https"} if host else {}
        with closing(HTTPConnection("127.0.0.1", port or self.port, timeout=60)) as connection:
            connection.request("GET", path, headers={**proxied, **headers})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def ready(self):
        """The status, and what each check says."""
        status, _headers, text = self.get("/healthz/ready")
        return status, json.loads(text)

    def figures(self, port=None):
        """What Prometheus reads: values by name and labels."""
        status, _headers, text = self.get("/metrics", port=port, Authorization=f"Bearer {TOKEN}")
        assert status == 200
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def records(self):
        """The lines of the log that are JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    @contextmanager
    def stopped(self, process):
        """A process that answers nobody in here."""
        os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process, signal.SIGCONT)
