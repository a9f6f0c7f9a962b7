"""The wheel of ``make package``, installed where there is no checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest
import urllib3

from tests.deployment.serving import started
from tests.migrated import ROOT, sqlite

# One process builds it for all.
pytestmark = pytest.mark.process

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The file, as ``make package`` builds it."""
    built = tmp_path_factory.mktemp("wheel")
    command = [PROGRAMS / "hatchling", "build", "--target", "wheel", "--directory", built]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = built.iterdir()
    return file


@pytest.fixture(scope="module")
def office(wheel, tmp_path_factory):
    """A directory with a database and nothing else; the environment beside it has the wheel."""
    place = tmp_path_factory.mktemp("machine")
    environment = place / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    asked = [
        PROGRAMS / "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-deps",
        "--python",
        python,
        wheel,
    ]
    subprocess.run(asked, check=True)
    # The packages that requirements.txt pins are those of the tests.
    packages = next((environment / "lib").glob("python*")) / "site-packages"
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    home = place / "home"
    home.mkdir()
    shutil.copy(sqlite(), home / "foa.sqlite3")
    (home / ".env").write_text("SECRET_KEY=of-this-test-alone\nALLOWED_HOSTS=127.0.0.1\n")
    return home


def run(office, program, *arguments):
    """Run a program of the environment there; what it says."""
    command = [office.parent / "environment" / "bin" / program, *arguments]
    done = subprocess.run(command, cwd=office, env=bare(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare():
    """An environment that says nothing of the checkout or of a database."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def test_the_wheel_has_every_file_of_the_office(wheel):
    here = {
        path.relative_to(ROOT).as_posix()
        for folder in ("foa", "members", "ratings")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    here |= {
        f"foa/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "templates").rglob("*")
        if path.is_file()
    }
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name and ".data/" not in name}
    assert packed == here


def test_its_environment_has_the_files_that_an_operator_copies(office):
    share = office.parent / "environment" / "share" / "foa"
    for file in ("nginx.conf", "pgbouncer.ini", "postgresql.conf", "systemd/foa-site@.service"):
        assert (share / file).read_text() == (ROOT / "docs" / file).read_text()


def test_its_command_reads_settings_and_database_of_the_working_directory(office):
    """All migrations are in it: they are the ones that the database has."""
    shown = run(office, "foa-manage", "shell", "--no-imports", "-c",
        "from django.conf import settings as s; from django.core.management import call_command;"
        "print(s.SECRET_KEY, s.DATABASES['default']['NAME']);"
        "call_command('migrate', no_color=True); call_command('check', fail_level='WARNING')")  # fmt: skip
    assert shown.startswith(f"of-this-test-alone {office / 'foa.sqlite3'}\n")
    assert "No migrations to apply" in shown
    assert "identified no issues" in shown


def test_it_serves_pages_with_their_style_and_their_translation(office):
    run(office, "foa-manage", "collectstatic", "--no-input")
    gunicorn = [office.parent / "environment" / "bin" / "python", "-m", "gunicorn", "foa.wsgi"]
    with started(gunicorn, cwd=office, env=bare()) as address:
        page = urllib3.request("GET", f"{address}/", headers={"Accept-Language": "pl"}, timeout=60)
        assert page.status == 200
        assert '<html lang="pl"' in page.data.decode()
        style = re.search(r'href="(/static/foa/[^"]*\.[0-9a-f]{12}\.css)"', page.data.decode())[1]
        assert urllib3.request("GET", address + style, timeout=60).status == 200
