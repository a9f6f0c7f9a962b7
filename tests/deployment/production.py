"""``make production``: docs/production.md and docs/upgrading.md to the letter, on a Debian 12 with systemd.

The machine is a directory made by debootstrap and booted with systemd-nspawn. It has a network while
packages are installed, and none afterwards. This needs root, debootstrap and systemd-container.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks import arena
from tests.deployment.serving import running
from tests.deployment.traffic import MEMBERS
from tests.migrated import ROOT

SUITE = "bookworm"
CERTIFICATE = "etc/letsencrypt/live/ratings.example/fullchain.pem"
PROGRAMS = {"debootstrap": "debootstrap", "systemd-nspawn": "systemd-container", "nsenter": "util-linux"}
"""The package of each program that the machine is made with."""
WITH_NETWORK = ("Packages", "The office")
UNITS = (
    "foa-site@8001", "foa-site@8002", "foa-worker@1", "foa-worker@2", "nginx", "pgbouncer", "prometheus",
    "redis-server", "postgresql@15-main", "postgresql@15-replica", "foa-publish-due.timer",
    "foa-clear.timer", "foa-backup.timer", "foa-restore-drill.timer",
)  # fmt: skip


def commands(page):
    """The sections of a page, each with what is to be run, block by block."""
    return {
        section.partition("\n")[0]: re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S)
        for section in re.split(r"^## ", (ROOT / "docs" / page).read_text(), flags=re.M)[1:]
    }


def lacking(*, has_debian):
    """Say what this machine lacks, before anything is built."""
    if os.geteuid() != 0:
        yield "This needs root."
    packages = [
        package
        for program, package in PROGRAMS.items()
        if not shutil.which(program) and not (has_debian and program == "debootstrap")
    ]
    if packages:
        yield f"This needs packages that aren’t installed. Run: apt-get install {' '.join(packages)}"


def mirrors():
    """Where this machine gets its packages, which has to be the same Debian: by the names of suites."""
    asked = ["apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in told.splitlines())


def bare(machine):
    """A Debian with nothing but what it needs to start."""
    sources = mirrors()
    small = ["--variant=minbase", "--include=systemd-sysv,dbus,ca-certificates"]
    made = ["debootstrap", *small, SUITE, machine, sources[SUITE]]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    listed = [f"deb {sources[suite]} {suite} main\n" for suite in (SUITE, f"{SUITE}-security")]
    (machine / "etc/apt/sources.list").write_text("".join(listed))


def prepared(machine):
    """What is on it before the page begins: the wheel, and the way of this machine to packages."""
    for file in ("/etc/resolv.conf", "/etc/pip.conf"):
        if Path(file).exists():
            shutil.copy(file, machine / file[1:])
    trusted = Path("/usr/local/share/ca-certificates")
    shutil.copytree(trusted, machine / str(trusted)[1:], dirs_exist_ok=True)
    subprocess.run(["chroot", machine, "update-ca-certificates"], check=True, stdout=subprocess.DEVNULL)
    package(ROOT, machine / "root/build")
    with tempfile.TemporaryDirectory() as place:
        later = Path(place) / "later"
        left = shutil.ignore_patterns(".*", "build", "staticfiles", "tests", "*.sqlite3*", "office-*")
        shutil.copytree(ROOT, later, ignore=left)
        project = later / "pyproject.toml"
        project.write_text(re.sub(r'^(version = "[^"]+)"', r'\1.post1"', project.read_text(), flags=re.M))
        package(later, machine / "root/later")


def package(checkout, to):
    """What ``make package`` makes."""
    to.mkdir()
    shutil.copy(checkout / "requirements.txt", to)
    hatchling = Path(sys.executable).parent / "hatchling"
    subprocess.run([hatchling, "build", "--target", "wheel", "--directory", to], cwd=checkout, check=True)


def install(machine, script):
    """Run commands in the machine before it starts, with the network."""
    # Where systemd doesn't run, packages would start their servers in the old way.
    policy = machine / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    here = ["--quiet", "--pipe", "--register=no", "--keep-unit"]
    subprocess.run(["systemd-nspawn", *here, "-D", machine, "bash", "-c", script], check=True)
    policy.unlink()


def comm(process):
    """The name of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


@contextmanager
def booted(machine):
    """The machine, up; runs a script in it."""
    boot = [
        "systemd-nspawn",
        "--quiet",
        "-D",
        machine,
        "--boot",
        "--private-network",
        "--register=no",
        "--keep-unit",
    ]
    with running(boot, cwd=machine.parent, log="boot.log") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        # The first child only prepares the second, which is the systemd of the machine.
        while not (first := [one for one in children.read_text().split() if comm(one) == "systemd"]):
            assert process.poll() is None, "the machine doesn't boot"
            time.sleep(0.1)
        inside = ["nsenter", "--all", "--target", first[0]]
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

        def run(script, **how):
            bash = ["env", "-i", path, "HOME=/root", "LANG=C.UTF-8", "bash", "-c", script]
            return subprocess.run([*inside, *bash], **{"check": True, "text": True, **how})

        run.network = ["nsenter", "--net", "--target", first[0]]
        # It says so itself when it is up; whether all went well is looked at in the end.
        while (
            "bus" in run("systemctl is-system-running --wait 2>&1", check=False, capture_output=True).stdout
        ):
            time.sleep(0.5)
        yield run


def look(run):
    """What is wrong with the machine, a line each."""
    for unit in UNITS:
        state = run(f"systemctl is-active {unit} || true", capture_output=True).stdout.strip()
        if state != "active":
            yield f"{unit} is {state}"
    if failed := run("systemctl --failed --no-legend", capture_output=True).stdout:
        yield failed
    streaming = "runuser -u postgres -- psql -Atc 'SELECT state FROM pg_stat_replication'"
    if run(streaming, capture_output=True).stdout != "streaming\n":
        yield "the replica doesn't follow"
    # A page that nginx keeps has the id of the request for which it was made.
    first, second, own = (told_id(run, cookies) for cookies in ("", "", "--cookie sessionid=none"))
    if first != second or first == own:
        yield f"nginx doesn’t keep a page, for visitors alone: {first}, {second}, {own}"


def told_id(run, cookies):
    """The id of the request that a page was made for."""
    ask = f"curl --silent --show-error --output /dev/null --dump-header - --cacert /{CERTIFICATE} {cookies}"
    ask += " --resolve ratings.example:443:127.0.0.1 https://ratings.example/members/"
    return re.search(r"^x-request-id: (\w+)", run(ask, capture_output=True).stdout, re.I | re.M)[1]


def ask_meanwhile(run, machine, script):
    """Send games and read pages through nginx while a script runs. What goes wrong, a line each."""
    arena.write_members(machine / "srv/foa/members.csv", MEMBERS)
    arena.write_ratings(machine / "srv/foa/ratings.csv", MEMBERS)
    run("foa import_members members.csv && foa import_ratings ratings.csv")
    said = run("foa add_server load", capture_output=True).stdout
    told = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    login = ["--client-id", told["client id"], "--secret", told["client secret"]]
    asked = ["tests.deployment.traffic", "https://127.0.0.1", *login, "--certificate", machine / CERTIFICATE]
    traffic = subprocess.Popen(
        [*run.network, sys.executable, "-m", *asked],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        run(script)
    finally:
        answered = json.loads(traffic.communicate(timeout=120)[0])
    print(f"answers by status: {answered['answers']}; games acknowledged: {len(answered['games'])}")
    yield from answered["faults"]
    ended = "from ratings.rbb.models import Game; print(Game.objects.filter(ended_at__isnull=False).count())"
    there = run(f'foa shell --no-imports -c "{ended}"', capture_output=True).stdout
    if int(there) < len(answered["games"]):
        yield f"{len(answered['games'])} games were acknowledged, {there.strip()} are there"
    run("foa replay --check")


def main():
    """Exit code 1 if a command of the page fails, or anything doesn't run afterwards."""
    parser = ArgumentParser(prog="python -m tests.deployment.production")
    parser.add_argument("--debian", type=Path, help="a bare Debian that is there already; it is copied")
    asked = parser.parse_args()
    if faults := list(lacking(has_debian=bool(asked.debian))):
        raise SystemExit("\n".join(faults))
    with tempfile.TemporaryDirectory(prefix="foa-machine-", dir="/var/tmp") as place:
        machine = Path(place) / "machine"
        if asked.debian:
            subprocess.run(["cp", "-a", asked.debian, machine], check=True)
        else:
            bare(machine)
        prepared(machine)
        page, upgrading = commands("production.md"), commands("upgrading.md")
        steps, (back,) = upgrading["Without downtime"], upgrading["The way back"]
        first = "".join(block for section in WITH_NETWORK for block in page.pop(section))
        # The second step of an upgrade installs the new version, which takes the network, too.
        install(machine, f"{first}mv /root/build /root/first\nmv /root/later /root/build\n{steps[1]}")
        faults = []
        with booted(machine) as run:
            try:
                run("set -eu; umask 022\n" + "".join(block for blocks in page.values() for block in blocks))
                faults += look(run)
                again = "set -eu; cd /root/build; VERSION=$(ls foa_rating_office-*.whl | cut -d - -f 2)\n"
                faults += ask_meanwhile(run, machine, again + steps[0] + "".join(steps[2:]) + back)
                faults += look(run)
            except subprocess.CalledProcessError as error:
                # What a unit says when it fails is in the journal alone.
                faults.append(str(error))
            if faults:
                print(run("journalctl --no-pager -u 'foa-*' -n 200", capture_output=True).stdout)
                raise SystemExit("\n".join(faults[:50]))
    print("The machine came up, was upgraded and taken back: nothing was lost, nothing was refused.")


if __name__ == "__main__":
    main()
