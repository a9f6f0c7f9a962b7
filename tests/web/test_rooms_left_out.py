"""ROOMS: the arena alone, without the rooms that can be left out, has no dead link and no page that fails."""

import os
import subprocess
import sys

import pytest

from tests.migrated import ROOT

WALK = """
import re
from html import unescape
from urllib.parse import urljoin, urlsplit

import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.test.utils import override_settings

call_command("migrate", verbosity=0)
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from datetime import UTC, datetime
from tests.arena import at, game, rated

anna, boris = rated(1800), rated(1700)
anna.user = User.objects.create_user("anna")
anna.save()
game(anna, boris)
publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=at(45_000))
User.objects.create_superuser("officer", is_staff=True)

BACKEND = "django.contrib.auth.backends.ModelBackend"
walked = 0
with override_settings(ALLOWED_HOSTS=["testserver"]):
    for login, start in (("", "/"), ("anna", "/"), ("officer", "/admin/")):
        client = Client(raise_request_exception=False)
        if login:
            client.force_login(User.objects.get(username=login), backend=BACKEND)
        found, seen = [(start, "")], {start}
        while found:
            path, source = found.pop()
            response = client.get(path)
            content = response.getvalue().decode("utf-8", "replace")
            walked += 1
            # An officer who is no member asks for no list; some links are buttons without JavaScript.
            if response.status_code >= 400 and response.status_code not in (403, 405):
                print(login or "visitor", response.status_code, path, "from", source)
            if "html" not in response.get("Content-Type", ""):
                continue
            for link in re.findall(r'href="([^"#]+)', content):
                to = urlsplit(urljoin(path, unescape(link)))
                if to.netloc or to.scheme or "/static/" in to.path or to.path in seen or to.query:
                    continue
                seen.add(to.path)
                found.append((to.path, path))
    for page in ("/search/", "/search/suggestions/"):
        answer = Client().get(page, {"q": anna.username})
        if answer.status_code != 200 or anna.get_absolute_url() not in answer.text:
            print("without rooms", page, "gets", answer.status_code)
    for page in ("/games/1/", "/changes/1/"):
        answer = Client().get(page, {"format": "json"})
        if answer.status_code != 400 or "is not available in that format" not in answer.text:
            print("without the API, JSON of", page, "gets", answer.status_code, answer.text[:200])
print("walked", walked)
"""


@pytest.mark.process
@pytest.mark.long
def test_the_arena_alone_has_no_dead_link(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WALK],
        cwd=ROOT,
        env={
            **os.environ,
            "ROOMS": "",
            "DATABASE_URL": f"sqlite:///{tmp_path}/office.sqlite3",
            "DJANGO_SETTINGS_MODULE": "foa.settings",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *faults, walked = done.stdout.splitlines()
    assert faults == []
    assert int(walked.split()[1]) > 100
