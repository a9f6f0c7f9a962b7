"""Links in mails and feeds lead to where the site is."""

import os
import socket
import subprocess
import sys

import pytest

from tests.test_translation import ROOT

pytestmark = [pytest.mark.process, pytest.mark.pure]


def site_url(**variables):
    known = {name: value for name, value in os.environ.items() if name not in ("SITE_URL", "PORT")}
    code = "from foa import settings; print(settings.SITE_URL)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**known, "ALLOWED_HOSTS": "localhost", **variables},
    )
    return found.stdout.strip()


def test_on_this_machine_it_is_the_port_of_the_site():
    assert site_url() == "http://127.0.0.1:8000"
    assert site_url(PORT="8110") == "http://127.0.0.1:8110"


def test_a_host_and_the_setting_come_first():
    assert site_url(PORT="8110", ALLOWED_HOSTS="ratings.example") == "http://ratings.example"
    assert site_url(PORT="8110", SITE_URL="https://ratings.example") == "https://ratings.example"


def test_make_run_tells_the_site_its_port():
    make = ["make", "--no-print-directory", "--eval", "told:; @echo $$PORT", "told", "PORT=8110"]
    assert subprocess.run(make, capture_output=True, text=True, check=True, cwd=ROOT).stdout == "8110\n"


def test_make_run_says_that_the_port_is_taken_before_it_does_anything():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        make = ["make", "-o", ".venv/runtime", "-o", ".env", "run", f"PORT={port}", "MANAGE=exit 3;"]
        ran = subprocess.run(make, capture_output=True, text=True, check=False, cwd=ROOT)
    assert f"Port {port} is taken. Choose another one: make run PORT=8110" in ran.stderr
    assert "opens at" not in ran.stdout


@pytest.mark.parametrize("packages", [".venv/runtime", ".venv/dev"])
def test_make_says_what_may_be_wrong_where_packages_cannot_be_installed(tmp_path, packages):
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\necho 'error: dns error' >&2\nexit 2\n")
    uv.chmod(0o755)
    lists = [option for name in ("requirements", "requirements-dev") for option in ("-W", f"{name}.txt")]
    make = ["make", "-o", ".venv/bin/uv", *lists, packages, f"BIN={tmp_path}"]
    ran = subprocess.run(make, capture_output=True, text=True, check=False, cwd=ROOT)
    said = "The packages can’t be installed: is there a network, and do pip and uv know your proxy or index?"
    assert ran.returncode != 0
    assert ran.stderr.splitlines()[:2] == ["error: dns error", said]
