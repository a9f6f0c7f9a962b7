"""The rules for Prometheus, read by Prometheus itself."""

import subprocess
from pathlib import Path

import pytest

from tests.commands import MANAGE
from tests.services import program

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    "asked",
    [
        ("check", "rules", MANAGE.parent / "docs/alerts.yml"),
        ("test", "rules", Path(__file__).with_name("alerts.yml")),
    ],
)
def test_alerts_are_sound_and_come_when_they_should(asked):
    command = [program("promtool", package="prometheus"), *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "SUCCESS" in done.stdout) == (0, True), done.stdout + done.stderr
