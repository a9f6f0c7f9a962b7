"""``pytest -p tests.postgresql -p tests.two_sites tests/browser``: two sites and two workers, and a browser.

Each has a directory of its own with the code alone. nginx asks the sites in turn. They share the database, a
Redis and a directory for uploads, as machines do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import connections
from django.test import override_settings

from tests.migrated import ROOT
from tests.services import free_port, program, redis, running, temporary_directory

CODE = ("foa", "members", "ratings", "templates", "manage.py")

SETTINGS = """
from foa.settings import *

# Passwords that nobody has to protect.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def forget_content_types(get_response):
    # Those that a test leaves are gone with it.
    def middleware(request):
        from django.contrib.contenttypes.models import ContentType

        ContentType.objects.clear_cache()
        return get_response(request)

    return middleware


MIDDLEWARE = ["settings_of_tests.forget_content_types", *MIDDLEWARE]
"""

_REDIS = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "KEY_PREFIX": "foa"}

NGINX = """
daemon off;
pid {place}/nginx.pid;
error_log {place}/nginx.log;
events {{ }}
http {{
    access_log {place}/access.log;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    upstream sites {{ {servers} }}
    server {{
        listen 127.0.0.1:{port};
        client_max_body_size 1g;
        location / {{
            proxy_pass http://sites;
            proxy_set_header Host $http_host;
        }}
    }}
}}
"""


@contextmanager
def two_sites(url: str) -> Iterator[SimpleNamespace]:
    """Two sites behind nginx over a database: ``url``, ``worker()``, and ``settings`` for who joins them."""
    with ExitStack() as stack:
        place = stack.enter_context(temporary_directory("sites"))
        cache, _ = stack.enter_context(redis())
        shared = {"CACHE_URL": cache, "UPLOAD_DIR": str(place / "uploads")}
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            **shared,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "settings_of_tests",
            # Links that a test makes work on the sites.
            "SECRET_KEY": settings.SECRET_KEY,
            "SECOND_PERSON_KINDS": "correct-game",
        }
        servers, directories = "", [place / "one", place / "two"]
        for directory in directories:
            directory.mkdir()
            for code in CODE:
                copy = shutil.copytree if (ROOT / code).is_dir() else shutil.copy
                copy(ROOT / code, directory / code)
            (directory / "settings_of_tests.py").write_text(SETTINGS)
            port = free_port()
            command = [sys.executable, "-m", "gunicorn", "foa.wsgi", "--bind", f"127.0.0.1:{port}"]
            stack.enter_context(
                running([*command, "--threads", "16"], ("127.0.0.1", port), directory, env=environment)
            )
            servers += f"server 127.0.0.1:{port}; "
        port = free_port()
        (place / "nginx.conf").write_text(NGINX.format(place=place, port=port, servers=servers))
        command = [program("nginx"), "-p", str(place), "-c", str(place / "nginx.conf")]
        stack.enter_context(running(command, ("127.0.0.1", port), place))

        def work() -> None:
            """Let a worker in each directory do what waits."""
            command = [sys.executable, "manage.py", "run_jobs", "--batch", "--no-startup-delay"]
            workers = [subprocess.Popen(command, cwd=one, env=environment) for one in directories]
            assert [worker.wait(300) for worker in workers] == [0, 0]

        yield SimpleNamespace(
            url=f"http://localhost:{port}",
            worker=work,
            uploads=shared["UPLOAD_DIR"],
            progress={**settings.CACHES["progress"], **_REDIS, "LOCATION": cache},
            # pytest-django changes settings of the live server, which has none to change here.
            _live_server_modified_settings=override_settings(),
        )


@pytest.fixture(scope="session")
def sites(django_db_setup):
    """Two sites over the database of the tests."""
    database = connections["default"].settings_dict
    assert database["ENGINE"].endswith("postgresql"), "SQLite is for one machine: add -p tests.postgresql"
    with two_sites(os.environ["DATABASE_URL"].replace("/postgres?", f"/{database['NAME']}?")) as started:
        yield started
