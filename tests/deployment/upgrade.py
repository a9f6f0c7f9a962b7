"""``make upgrade FROM=REVISION``: an upgrade under load, and the way back.

The old version serves while games come in and pages are read. The new one migrates the database beside it.
Then both answer in turn, then the new one alone, then the old one again. In the end nothing may have been
refused, answered with 5xx or not at all, every acknowledged game must be there once, and the ledger must be
what its inputs give.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks import arena
from tests.deployment.serving import running
from tests.deployment.traffic import MEMBERS, Traffic
from tests.migrated import ROOT
from tests.postgresql import Server
from tests.services import free_port

LOCK_TIMEOUT = "-c lock_timeout=2s"
"""As docs/upgrading.md has it: a migration that waits for a table gives up before others wait behind it."""


class Version:
    """A version of the office: where it is, and how it is run."""

    def __init__(self, name, directory, python, url, files):
        self.name, self.directory, self.python, self.files = name, directory, python, files
        self.address = f"http://127.0.0.1:{free_port()}"
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "SECRET_KEY": "upgrade" * 10,
            "API_REQUESTS_OF_VISITOR": "100000",
            "PROGRESS_DIR": str(files / "progress"),
            "UPLOAD_DIR": str(files / "uploads"),
        }

    def manage(self, *arguments, **variables):
        """Run a command; what it says. A failure ends everything."""
        done = subprocess.run(
            [self.python, "manage.py", *arguments], cwd=self.directory, env={**self.environment, **variables},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(
                f"{self.name}: {' '.join(arguments)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return done.stdout

    def running(self, what, *command):
        """One of its processes, until the block ends: it is asked to end, and finishes what it is doing."""
        log = self.files / f"{self.name}-{what}.log"
        return running([self.python, *command], cwd=self.directory, env=self.environment, log=log)

    def site(self):
        bind = self.address.removeprefix("http://")
        serving = f"-m gunicorn foa.wsgi --bind {bind} --workers 2 --threads 8 --log-level warning"
        return self.running("site", *serving.split())

    def worker(self):
        return self.running("worker", "manage.py", "run_jobs")

    def wait(self):
        """Until it answers."""
        import urllib3

        urllib3.request(
            "GET", f"{self.address}/", retries=urllib3.Retry(600, backoff_factor=0.1, backoff_max=0.1)
        )


def checked_out(revision, place):
    """A directory with the files of a revision, and the Python of an environment with what it pins."""
    directory = place / "old"
    directory.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x"], cwd=directory, input=archive, check=True)
    environment = place / "environment"
    python = environment / "bin" / "python"
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, environment], check=True)
    pinned = directory / "requirements.txt"
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", pinned], check=True
    )
    return directory, python


def upgrade(revision, seconds, url, place):
    """What went wrong, a line each."""
    directory, python = checked_out(revision, place)
    files = place / "files"
    files.mkdir()
    old = Version("old", directory, python, url, files)
    new = Version("new", ROOT, sys.executable, url, files)
    old.manage("migrate", "--verbosity", "0")
    arena.write_members(files / "members.csv", MEMBERS)
    arena.write_ratings(files / "ratings.csv", MEMBERS)
    old.manage("import_members", str(files / "members.csv"))
    old.manage("import_ratings", str(files / "ratings.csv"))
    told = dict(line.split(": ", 1) for line in old.manage("add_server", "load").splitlines() if ": " in line)
    began = time.monotonic()

    def step(what):
        print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)

    with ExitStack() as old_site:
        old_site.enter_context(old.site())
        old.wait()
        traffic = Traffic([old.address], (told["client id"], told["client secret"]))
        with traffic.flowing("u"):
            with old.worker():
                step("the old version alone")
                time.sleep(seconds / 4)
                step("the old worker ends")
            applied = new.manage("migrate", PGOPTIONS=LOCK_TIMEOUT).count(" OK")
            step(f"{applied} migrations applied, while the old site answered")
            with ExitStack() as new_version:
                new_version.enter_context(new.site())
                new.wait()
                new_version.enter_context(new.worker())
                step("both versions, in turn")
                traffic.addresses = (old.address, new.address)
                time.sleep(seconds)
                step("the new version alone")
                traffic.addresses = (new.address,)
                time.sleep(seconds / 4)
                step("both again, then the way back")
                traffic.addresses = (old.address, new.address)
                time.sleep(seconds / 4)
                traffic.addresses = (old.address,)
                # Who asked the new site is answered before it ends.
                time.sleep(1)
            with old.worker():
                step("the old version alone, on the database of the new one")
                time.sleep(seconds / 4)
        step("done")
    answers = {what: dict(sorted(counted.items())) for what, counted in traffic.answers.items()}
    print(f"answers by status: {answers}; games acknowledged: {len(traffic.games)}")
    yield from traffic.faults
    looked = (
        "import json; from ratings.rbb.models import Game; "
        "ended = Game.objects.filter(ended_at__isnull=False);"
        "print(json.dumps(list(ended.values_list('external_id', flat=True))))"
    )
    there = json.loads(old.manage("shell", "--no-imports", "-c", looked).splitlines()[-1])
    lost = {f"load/{name}" for name in traffic.games} - set(there)
    if lost or len(there) != len(set(there)):
        yield f"{len(lost)} games are lost, {len(there) - len(set(there))} are there twice"
    for version in (old, new):
        version.manage("replay", "--check")
    for log in files.glob("*.log"):
        if "Traceback" in (said := log.read_text()):
            yield f"{log.name}: {said[-3000:]}"


def main():
    """Exit code 1 if anything was lost, refused or failed."""
    parser = ArgumentParser(
        prog="python -m tests.deployment.upgrade", description="Two versions side by side."
    )
    parser.add_argument("revision", help="the version to upgrade from: a tag, branch or commit")
    parser.add_argument("--seconds", type=float, default=60, help="how long both answer")
    asked = parser.parse_args()
    server = Server((ROOT / "docs" / "postgresql.conf").read_text())
    try:
        with tempfile.TemporaryDirectory(prefix="foa-upgrade-") as place:
            faults = list(upgrade(asked.revision, asked.seconds, server.url, Path(place)))
    finally:
        server.stop()
    if faults:
        raise SystemExit("\n".join(faults[:50]))
    print("Upgraded and taken back: nothing was lost, nothing was refused.")


if __name__ == "__main__":
    main()
