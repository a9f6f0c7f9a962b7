"""What docs/production.md and docs/upgrading.md have people run. ``make production`` runs it."""

import re
import subprocess

import pytest

from tests.deployment.production import commands, lacking
from tests.migrated import ROOT
from tests.services import program


@pytest.mark.parametrize("page", ["production.md", "upgrading.md"])
def test_the_commands_of_a_page_are_a_script(page):
    script = "".join(block for blocks in commands(page).values() for block in blocks)
    done = subprocess.run([program("bash"), "-n"], input=script, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    share = set(re.findall(r"/opt/foa/current/share/foa/([\w.-]+)", script))
    packed = re.findall(r'^"docs/.*" = "share/foa/(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert share <= set(packed)


def test_the_office_reads_every_setting_of_the_page():
    (settings,) = [
        block for block in commands("production.md")["Settings"] if "> /srv/foa/.env <<END" in block
    ]
    names = re.findall(r"^([A-Z_]+)=(?!\$\(openssl rand -hex)", settings, re.M)
    source = (ROOT / "foa" / "settings.py").read_text()
    assert [name for name in names if not re.search(rf'\(\s*"{name}"', source)] == []


def test_the_pages_start_every_unit_and_nginx_knows_the_sites():
    started = " ".join(commands("production.md")["Sites, workers and timers"])
    # The process for followers is optional.
    followers = " ".join(commands("scaling.md")["Followers"])
    named = re.sub(r"@\d+", "@", f"{started} {followers}")
    for unit in (ROOT / "docs" / "systemd").glob("*.*"):
        if unit.suffix in (".timer", ".socket") or "@" in unit.name:
            assert unit.name.removesuffix(".service") in named, unit.name
    upstreams = dict(
        re.findall(r"^upstream (\w+) \{(.*?)^\}", (ROOT / "docs" / "nginx.conf").read_text(), re.M | re.S)
    )
    ports = {name: re.findall(r"server 127\.0\.0\.1:(\d+) ", text) for name, text in upstreams.items()}
    sites = re.findall(r"foa-site@(\d+)\.socket", started)
    assert ports == {"foa": sites, "foa_streams": re.findall(r"foa-streams@(\d+)\.socket", followers) + sites}


def test_make_production_says_what_it_needs_before_it_builds(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    said = "This needs packages that aren’t installed. Run: apt-get install "
    needed = ["This needs root.", f"{said}debootstrap systemd-container util-linux"]
    assert list(lacking(has_debian=False)) == needed
    assert list(lacking(has_debian=True))[1] == f"{said}systemd-container util-linux"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    for name in ("debootstrap", "systemd-nspawn", "nsenter"):
        (tmp_path / name).touch(mode=0o755)
    assert list(lacking(has_debian=False)) == []
