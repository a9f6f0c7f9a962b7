"""What the Makefile runs beside the tests starts in an environment without settings."""

import os
import subprocess
import sys

import pytest

from tests.soak.servers import ROOT

pytestmark = [pytest.mark.process, pytest.mark.pure]


@pytest.mark.parametrize("module", ["tests.soak", "tests.deployment.upgrade", "tests.deployment.production"])
def test_a_tool_of_the_makefile_starts(module):
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    asked = subprocess.run(
        [sys.executable, "-m", module, "--help"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.startswith(f"usage: python -m {module} ")
