"""Where the packages of the lab aren’t installed, the office works, and the lab says what it needs."""

import subprocess
import sys

import pytest

from tests.commands import run

BLOCKED = """
import sys
sys.modules.update(numpy=None, numba=None)
import os; os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
import django; django.setup()
import foa.urls; from django.urls import get_resolver; get_resolver().url_patterns
from django.core.management import load_command_class
load_command_class("ratings.lab", "lab").create_parser("manage.py", "lab")
"""


def test_the_command_says_what_to_install(monkeypatch):
    monkeypatch.setattr("ratings.lab.management.commands.lab.is_installed", lambda: False)
    said = (
        "The rating lab needs packages that aren’t installed. Install them with: pip install "
        "“foa-rating-office[lab]” (requirements-lab.txt)."
    )
    assert run("lab", "verify") == (1, "", said)


@pytest.mark.process
def test_nothing_of_the_office_imports_them():
    subprocess.run([sys.executable, "-c", BLOCKED], check=True)
