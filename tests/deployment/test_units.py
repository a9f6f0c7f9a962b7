"""The systemd units of docs/systemd, as Debian's systemd reads them."""

import re
import shlex
import shutil
import subprocess

import pytest
from django.core.management import get_commands, load_command_class

from tests.migrated import ROOT
from tests.services import program

UNITS = ROOT / "docs" / "systemd"
SERVICES = sorted(path.name.replace("@.", "@1.") for path in UNITS.glob("*.service"))
ALL = sorted(path.name.replace("@.", "@1.") for path in UNITS.iterdir() if path.is_file())

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def analyze(tmp_path_factory):
    """Runs systemd-analyze on the units, with programs that are there; what it did."""
    systemd_analyze = program("systemd-analyze", package="systemd")
    place = tmp_path_factory.mktemp("systemd")
    programs = place / "bin"
    programs.mkdir()
    for name in ("gunicorn", "foa-manage", "uvicorn"):
        shutil.copy("/bin/true", programs / name)
    units = place / "units"
    shutil.copytree(UNITS, units)
    for unit in units.glob("*.service"):
        unit.write_text(unit.read_text().replace("/opt/foa/current/bin", str(programs)))

    def run(*arguments):
        return subprocess.run(
            [systemd_analyze, *arguments],
            env={"PATH": "/usr/sbin:/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{units}:"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_systemd_finds_nothing_wrong_with_any_unit(analyze):
    done = analyze("verify", "--man=no", *ALL)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_as_closed_as_systemd_rates_below_two(analyze, service):
    done = analyze("security", "--offline=true", "--threshold=20", "--no-pager", service)
    assert done.returncode == 0, done.stdout
    for closed in ("NoNewPrivileges=", "ProtectSystem=", "ProtectHome=", "PrivateTmp=", "PrivateDevices="):
        assert f"✓ {closed}" in done.stdout


def test_every_service_without_an_instance_has_a_timer():
    timers = {path.stem for path in UNITS.glob("*.timer")}
    assert timers == {path.stem for path in UNITS.glob("*.service") if "@" not in path.name}


def test_the_services_run_commands_that_there_are_with_arguments_that_they_take():
    ran = set()
    for unit in UNITS.glob("*.service"):
        for line in re.findall(r"^ExecStart=/opt/foa/current/bin/foa-manage (.*)$", unit.read_text(), re.M):
            name, *arguments = shlex.split(line)
            command = load_command_class(get_commands()[name], name)
            command.create_parser("foa-manage", name).parse_args(arguments)
            ran.add(name)
    assert ran == {
        "backup",
        "clearsessions",
        "cleartokens",
        "prune_db_task_results",
        "publish_due",
        "restore",
        "run_jobs",
    }
