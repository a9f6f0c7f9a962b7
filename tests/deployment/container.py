"""``make container``: the commands of docs/containers.md in a copy of the checkout, and a look at what runs.

They are run by Docker where there is one, else by podman and podman-compose. ``--nested`` is for root on a
machine that is itself a container: nothing there may make a network, and no registry may be reached. Then the
base image comes from debootstrap, PostgreSQL from Debian's packages, and all share the machine's network.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import tomllib
from argparse import ArgumentParser
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import urllib3
import yaml

from tests.deployment.production import SUITE, commands, mirrors
from tests.migrated import ROOT

IMAGES = ("foa-rating-office", "foa-rating-office-proxy")
BASE, POSTGRESQL = "docker.io/library/debian:bookworm-slim", "docker.io/library/postgres:15-bookworm"

POSTGRESQL_OF_DEBIAN: Final = f"""
FROM {BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql
ENV PATH=/usr/lib/postgresql/15/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
RUN install -d -o postgres -g postgres $PGDATA /var/run/postgresql
USER postgres
CMD ["sh", "-ec", "[ -s $PGDATA/PG_VERSION ] || {{ \\
    echo $POSTGRES_PASSWORD > /tmp/password; \\
    initdb --username=$POSTGRES_USER --pwfile=/tmp/password --auth=scram-sha-256 $POSTGRES_INITDB_ARGS; \\
    echo host all all all scram-sha-256 >> $PGDATA/pg_hba.conf; \\
    pg_ctl -w start -o '-c listen_addresses='; \\
    PGPASSWORD=$POSTGRES_PASSWORD createdb --username=$POSTGRES_USER $POSTGRES_USER; \\
    pg_ctl -w stop; }}; exec postgres -c listen_addresses='*'"]
"""
"""In place of the image of PostgreSQL: it reads the same variables as far as compose.yaml sets them."""

NETWORK_OF_THE_MACHINE: Final = {
    "network_mode": "host",
    "extra_hosts": ["database:127.0.0.1", "site:127.0.0.1"],
    "ulimits": {"nofile": 1024, "nproc": 1024},
}
NESTED: Final = {"STORAGE_DRIVER": "vfs"}
"""What podman is told by the environment where it runs in a container."""

FILES: Final = dict(
    zip(
        ("members.csv", "ratings.csv", "games.csv"),
        re.findall(r"```csv\n(.*?)```", (ROOT / "docs" / "commands.md").read_text(), re.S),
        strict=True,
    )
)
"""The three small files of docs/commands.md."""

GAME: Final = "/api/v1/games/from-the-container"

VERSION_OF_THE_SITE: Final = (
    "docker compose exec -T site python3 -c "
    "\"from importlib.metadata import version; print(version('foa-rating-office'))\""
)


def run(*command: object, **how: object) -> subprocess.CompletedProcess[str]:
    """Run a command that has to succeed."""
    return subprocess.run([str(part) for part in command], **{"check": True, "text": True, **how})


class Podman:
    """``docker compose`` by podman-compose, which doesn’t wait until others are healthy."""

    def __init__(self, place: Path, *, nested: bool) -> None:
        self.place = place
        services = yaml.safe_load((place / "compose.yaml").read_text())["services"]
        # Without those that are started only on request.
        self.services = {name: one for name, one in services.items() if "profiles" not in one}
        tool = [Path(sys.executable).parent / "uv", "tool", "run", "--quiet", "podman-compose==1.6.0"]
        self.compose = [*tool, "-f", "compose.yaml"]
        self.build = ["podman", "build", "--format=docker", f"--ignorefile={place / '.containerignore'}"]
        if nested:
            os.environ.update(NESTED)
            here = place / "nested.yaml"
            everywhere = dict.fromkeys(self.services, NETWORK_OF_THE_MACHINE)
            here.write_text(yaml.safe_dump({"services": everywhere}))
            self.compose += ["-f", here.name, "--podman-args=--runtime=runc"]
            self.build += ["--network=host", "--isolation=chroot", *trusted(place)]

    def make_bases(self) -> None:
        """Make the images that no registry gives."""
        with tempfile.TemporaryDirectory(prefix="foa-base-", dir="/var/tmp") as base:
            run("debootstrap", "--variant=minbase", SUITE, base, mirrors()[SUITE], stdout=subprocess.DEVNULL)
            with subprocess.Popen(["tar", "-C", base, "-c", "."], stdout=subprocess.PIPE) as packed:
                run("podman", "import", "-", BASE, stdin=packed.stdout)
        run(*self.build, "--tag", POSTGRESQL, "-", input=POSTGRESQL_OF_DEBIAN)

    def __call__(self, what: str, *arguments: str) -> None:
        """Do what ``docker compose`` does."""
        if what == "build":
            for service in ("site", "proxy"):
                build = self.services[service]["build"]
                name = self.services[service]["image"].partition(":")[0]
                tag = f"{name}:{version(self.place)}"
                run(*self.build, f"--target={build['target']}", f"--tag=localhost/{tag}", build["context"])
        elif what == "up":
            for service in self._in_order():
                run(*self.compose, "up", "--detach", "--no-deps", service)
                self._wait(service)
        else:
            run(*self.compose, what, *arguments)

    def _in_order(self) -> list[str]:
        """Return all services, each after those that it depends on."""
        done: list[str] = []
        while len(done) < len(self.services):
            done += [
                name
                for name, service in self.services.items()
                if name not in done and set(service.get("depends_on", ())) <= set(done)
            ]
        return done

    def _wait(self, service: str) -> None:
        """Wait until others may start that depend on a service."""
        conditions = {
            depends["condition"]
            for other in self.services.values()
            for name, depends in other.get("depends_on", {}).items()
            if name == service
        }
        names = run(*self.compose, "ps", "--format", "{{.Names}}", capture_output=True).stdout.split()
        container = next(name for name in names if re.fullmatch(rf".*[_-]{service}[_-]1", name))
        if "service_completed_successfully" in conditions:
            code = run("podman", "wait", container, capture_output=True).stdout.strip()
            assert code == "0", f"{service} ended with {code}"
        if "service_healthy" in conditions:
            ends = time.monotonic() + 300
            while run("podman", "healthcheck", "run", container, check=False, capture_output=True).returncode:
                assert time.monotonic() < ends, f"{service} doesn’t get healthy"
                time.sleep(1)


def version(place: Path) -> str:
    """Return the version in the file ``.env`` that docs/containers.md writes."""
    return next(
        line.removeprefix("VERSION=")
        for line in (place / ".env").read_text().splitlines()
        if line.startswith("VERSION=")
    )


def trusted(place: Path) -> list[str]:
    """Give pip, while images are built, the certificates that this machine trusts."""
    bundle = Path(ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt")
    (place / "pip.conf").write_text("[global]\ncert = /opt/certificates.pem\n")
    return [f"--volume={place / 'pip.conf'}:/etc/pip.conf:ro", f"--volume={bundle}:/opt/certificates.pem:ro"]


def docker_by_podman(place: Path, *, nested: bool) -> None:
    """Put a program ``docker`` on the path that does by podman what docs/containers.md asks of Docker."""
    program = place / "bin" / "docker"
    program.parent.mkdir()
    this = f"{sys.executable} -m tests.deployment.container --place {place}{' --nested' if nested else ''}"
    program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {this} "$@"\n')
    program.chmod(0o755)
    os.environ["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"


class Site:
    """The office behind its proxy, as somebody asks it who knows its name."""

    def __init__(self, place: Path) -> None:
        named = {"assert_hostname": "ratings.example", "server_hostname": "ratings.example"}
        certificate = str(place / "certificate" / "fullchain.pem")
        # nginx answers 503 with Retry-After until a site that was started again is up.
        again = urllib3.Retry(24, redirect=False, status_forcelist=[503], allowed_methods=None)
        self.pool = urllib3.PoolManager(ca_certs=certificate, retries=again, **named)

    def ask(self, path: str, method: str = "GET", **how: object) -> urllib3.BaseHTTPResponse:
        """Return an answer that is none of an error."""
        headers = {"Host": "ratings.example", **how.pop("headers", {})}  # type: ignore[dict-item]
        answer = self.pool.request(method, f"https://127.0.0.1{path}", headers=headers, **how)  # type: ignore[arg-type]
        assert answer.status < 400, (method, path, answer.status)
        return answer

    def result(self) -> object:
        """Return the result of the game that was sent, as its server reads it."""
        return json.loads(self.ask(GAME, headers=self.bearer).data)["result"]

    def send_game(self, credentials: str) -> None:
        """Send a game by the API."""
        told = dict(line.split(": ", 1) for line in credentials.splitlines() if ": " in line)
        login = b64encode(f"{told['client id']}:{told['client secret']}".encode()).decode()
        asked = {
            "headers": {"Authorization": f"Basic {login}"},
            "fields": {"grant_type": "client_credentials"},
        }
        token = json.loads(self.ask("/oauth/token/", "POST", encode_multipart=False, **asked).data)
        ended = datetime.now(UTC) - timedelta(minutes=1)
        game = {
            "white": "anna",
            "black": "boris",
            "time_control": "180+2",
            "started_at": (ended - timedelta(minutes=6)).isoformat(),
            "ended_at": ended.isoformat(),
            "result": "1-0",
            "termination": "checkmate",
        }
        self.bearer = {"Authorization": f"Bearer {token['access_token']}"}
        self.ask(GAME, "PUT", json=game, headers=self.bearer)


def main() -> None:
    """Exit code 1 if a command of the page fails, or what it promises isn’t there."""
    parser = ArgumentParser(prog="python -m tests.deployment.container")
    parser.add_argument("--nested", action="store_true", help="on a machine that is itself a container")
    parser.add_argument("--place", type=Path, help="directory of compose.yaml: run a command of docker there")
    asked, command = parser.parse_known_args()
    if asked.place:
        os.chdir(asked.place)
        podman = Podman(asked.place, nested=asked.nested)
        podman(*command[1:]) if command[0] == "compose" else run("podman", *command)
        return
    with tempfile.TemporaryDirectory(prefix="foa-containers-", dir="/var/tmp") as directory:
        place = Path(directory) / "office"
        left = shutil.ignore_patterns(
            ".git", ".venv", "build", "staticfiles", "tests", "*.sqlite3*", "office-*", ".env"
        )
        shutil.copytree(ROOT, place, ignore=left)
        if not shutil.which("docker") or subprocess.run(["docker", "info"], capture_output=True).returncode:
            docker_by_podman(place, nested=asked.nested)
        if asked.nested:
            Podman(place, nested=True).make_bases()
        (place / "files").mkdir()
        for name, text in FILES.items():
            (place / "files" / name).write_text(text)
        project = place / "pyproject.toml"
        this = tomllib.loads(project.read_text())["project"]["version"]

        def do(script: str) -> str:
            """Run commands as in a shell of its own; what they print."""
            return run("bash", "-euc", script, cwd=place, stdout=subprocess.PIPE).stdout

        (first_list,) = commands("containers.md")["From nothing to the first list"]
        backup, restore = commands("containers.md")["Backup and restore"]
        upgrade, way_back = commands("containers.md")["Upgrade, and the way back"]
        try:
            do(first_list)
            site = Site(place)
            assert b"Anna" in site.ask(f"/lists/blitz/{datetime.now(UTC):%Y-%m}/1/").data
            site.send_game(do("docker compose exec -T site foa-manage add_server arena --trusted"))
            do(backup + restore)
            assert site.result() == "1-0"
            text = project.read_text()
            project.write_text(text.replace(f'"{this}"', f'"{this}.post1"', 1))
            do(upgrade)
            assert do(VERSION_OF_THE_SITE).strip() == f"{this}.post1"
            assert site.result() == "1-0"
            project.write_text(text)
            do(way_back)
            assert do(VERSION_OF_THE_SITE).strip() == this
            assert site.result() == "1-0"
            print(do("docker images; docker stats --no-stream"))
        finally:
            do("docker compose down --volumes")
    print("The office came up, published, took a game, was restored, upgraded and taken back.")


if __name__ == "__main__":
    main()
