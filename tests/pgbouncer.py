"""``pytest -p tests.pgbouncer``: run the suite on PostgreSQL through a PgBouncer that pools transactions.

Each transaction may get another session of the server, so whatever leaves something behind in a session for
the next statement fails here.
"""

from __future__ import annotations

import atexit
import os
import pwd
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests import postgresql
from tests.services import program, running, temporary_directory, unprivileged

PORT = 6432
"""Part of the name of its socket, in a directory of its own."""

SETTINGS = """
[databases]
* = host={server}

[pgbouncer]
pool_mode = transaction
default_pool_size = 40
max_client_conn = 1000
listen_port = {port}
unix_socket_dir = {directory}
auth_type = trust
auth_file = {directory}/users
logfile = {directory}/pgbouncer.log
"""


@contextmanager
def pgbouncer(server: postgresql.Server) -> Iterator[str]:
    """A PgBouncer before a server: the address of the database ``postgres``."""
    with temporary_directory("pgbouncer") as directory:
        settings = directory / "pgbouncer.ini"
        settings.write_text(SETTINGS.format(server=server.directory, directory=directory, port=PORT))
        (directory / "users").write_text('"postgres" ""\n')
        command = [program("pgbouncer"), "-q", str(settings)]
        user = unprivileged()
        ids = {} if user is None else {"user": pwd.getpwnam(user).pw_uid, "group": pwd.getpwnam(user).pw_gid}
        with running(command, str(directory / f".s.PGSQL.{PORT}"), directory, **ids):
            yield f"postgres://postgres@/postgres?host={directory}&port={PORT}&CONN_MAX_AGE=0"


def pytest_addoption() -> None:
    """As a plugin, begin before anything reads the settings; the workers of xdist share both."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        stack = ExitStack()
        server = postgresql.start()
        stack.callback(server.stop)
        url = stack.enter_context(pgbouncer(server))
        atexit.register(stack.close)
        os.environ |= {
            "DATABASE_URL": url,
            "DATABASE_POOLED": "true",
            "TEMPLATE_DATABASE": postgresql.TEMPLATE,
        }
