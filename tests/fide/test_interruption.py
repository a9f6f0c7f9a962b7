"""An import that is killed leaves the list in force as it was, whole."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

from tests.commands import MANAGE, environment, run
from tests.fide.office import combined, listed

ASKED = "SELECT (SELECT COUNT(*) FROM fide_fideplayer), (SELECT COUNT(*) FROM fide_fidelist)"


def test_kill_9_in_the_middle_leaves_the_old_list_whole(office, within, tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_bytes(combined(*(listed(number, rapid=1500) for number in range(1, 101))))
    with within():
        assert run("import_frl", old, "--period", "2025-10").code == 0
    new.write_bytes(combined(*(listed(number, rapid=1500) for number in range(1, 20_001))))
    code = (
        "import signal, sys, django; django.setup()\n"
        "from ratings.fide.services import staging\n"
        "from django.core.management import execute_from_command_line\n"
        "upsert = staging.Staged._upsert\n"
        "def slow(self, *arguments, **options):\n"
        "    upsert(self, *arguments, **options)\n"
        "    print('written', flush=True)\n"
        "    signal.pause()\n"
        "staging.Staged._upsert = slow\n"
        "execute_from_command_line(['manage.py', *sys.argv[1:]])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "import_frl", str(new), "--period", "2025-11"],
        env={**environment(office), "DJANGO_SETTINGS_MODULE": "foa.settings"},
        cwd=MANAGE.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "written\n"
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(office)) as database:
        assert database.execute(ASKED).fetchall() == [(100, 1)]
