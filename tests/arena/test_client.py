"""Each block of code of docs/api.md does what the document says, on an office without any member."""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import migrated
from tests.deployment.serving import started
from tests.migrated import ROOT
from tests.services import program

pytestmark = pytest.mark.process

TEXT = (ROOT / "docs" / "api.md").read_text()
BLOCKS = re.findall(r"```(sh|python|http|json)\n(.*?)```", TEXT, re.DOTALL)
(SITE,) = re.findall(r"^\.venv/bin/(gunicorn .*) --bind 127\.0\.0\.1:8000", TEXT, re.MULTILINE)
"""The command with which the document starts the site."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with what the commands of the document take for granted: a checkout, and a client."""
    place = tmp_path_factory.mktemp("client")
    shutil.copy(migrated.sqlite(), place / "office.sqlite3")
    for name in ("manage.py", "foa", "members", "ratings", "templates"):
        (place / name).symlink_to(ROOT / name)
    binaries = place / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (binaries / "python").chmod(0o755)
    shutil.copy(ROOT / "docs" / "client.py", place)
    (place / "variables").touch()
    return place


def test_each_block_of_code_on_the_page_runs(place):
    program("bash")
    program("curl")
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{place}/office.sqlite3",
        "SECRET_KEY": secrets.token_hex(32),
        # The host of a webhook has to be found, and no name of the document is.
        "WEBHOOKS_PRIVATE": "true",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    with started(
        [sys.executable, "-m", *SITE.split()], cwd=ROOT, env=environment, log=place / "site.log"
    ) as site:
        shell = Shell(place, environment)
        said = ""
        for language, code in BLOCKS:
            if language == "python":
                (place / "first.py").write_text(code)
            elif language == "sh" and "CLIENT_ID=…" in code:
                found = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
                pair = f"CLIENT_ID={found['client id']} CLIENT_SECRET={found['client secret']}"
                code = code.replace("CLIENT_ID=… CLIENT_SECRET=…", pair)
                shell.run(re.sub("SITE=[^ ]+", f"SITE={site}", code))
            elif language == "sh":
                said = shell.run(code)
            elif language == "http":
                said = shell.run(sent(code.replace("https://arena.example/hooks", "https://localhost/hooks")))
            else:
                for answered, shown in zip(said.splitlines(), code.splitlines(), strict=True):
                    assert names(json.loads(answered)) >= names(json.loads(shown))
        lines = shell.said["python first.py\n"].splitlines()
    assert lines[0] == f"{site}/members/1/"
    assert lines[2].startswith("Anna Berg’s blitz rating rose by 10.00, from 1500.00 to 1510.00")
    assert lines[3].startswith(f"{site}/changes/")
    assert lines[4].startswith("Boris Lund’s blitz rating fell by 10.00, from 1500.00 to 1490.00")


def test_the_page_on_commands_starts_the_same_site():
    assert f".venv/bin/{SITE} --bind 127.0.0.1:8000\n" in (ROOT / "docs" / "commands.md").read_text()


class Shell:
    """One block after the other, each with the variables of those before."""

    def __init__(self, place, environment):
        self.place, self.environment = place, environment
        self.said = {}

    def run(self, code):
        script = f"set -ae\n. ./variables\n{code}\nexport -p > variables\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.place,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (code, done.stdout, done.stderr)
        self.said[code] = done.stdout
        return done.stdout


def sent(block):
    """The command of curl that sends a request which the document writes out."""
    first, _blank, body = block.partition("\n\n")
    request, *headers = first.splitlines()
    method, path = request.split(" ", 1)
    headers = [f"--header '{one}'" for one in (*headers, "Authorization: Bearer '$TOKEN'")]
    if body and not any("Content-Type" in one for one in headers):
        headers.append("--header 'Content-Type: application/json'")
    data = f"--data-binary '{body.strip()}'" if body else ""
    return f'curl --fail-with-body --silent --request {method} "$SITE{path}" {" ".join(headers)} {data}\n'


def names(value):
    """The names of all members in what JSON says."""
    if isinstance(value, dict):
        return set(value) | {name for one in value.values() for name in names(one)}
    return {name for one in value for name in names(one)} if isinstance(value, list) else set()
