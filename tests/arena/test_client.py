"""The client of docs/api.md does what the document says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from ratings.arena.services.registering import register_server
from tests.arena import member, opening

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.process,
]

DOCUMENT = Path(settings.BASE_DIR) / "docs" / "api.md"


def test_the_client_plays_a_game_and_prints_why_the_ratings_moved(live_server, tmp_path):
    _server, credentials = register_server("arena", trusted=True)
    opening(member("anna", name="Berg, Anna"), 1500)
    opening(member("boris", name="Lund, Boris"), 1500)
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(program.splitlines()) <= 30
    file = tmp_path / "client.py"
    file.write_text(program)
    told = subprocess.run(
        [sys.executable, file, live_server.url, *credentials, "anna", "boris"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert told[0].startswith("Anna Berg’s blitz rating rose by 10.00, from 1500.00 to 1510.00")
    assert told[1].startswith(f"{live_server.url}/changes/")
    assert told[2].startswith("Boris Lund’s blitz rating fell by 10.00, from 1500.00 to 1490.00")
