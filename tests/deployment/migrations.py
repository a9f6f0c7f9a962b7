"""``python -m tests.deployment.migrations``: migrations since the last release only add, without long locks.

The site of the last release runs on while they are applied, and has to come back afterwards if need be
(CONTRIBUTING.md, “Change the database”). The SQL is PostgreSQL’s, so one is started; git is not asked.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable

from foa.version import version
from tests.deployment.versions import applied, versions

NAMES = ("RUNPYTHON_ARGS_NAMING_CONVENTION", "RUNPYTHON_MODEL_VARIABLE_NAME", "RUNPYTHON_MODEL_IMPORT")
"""Checks of how a function of a migration is written, which say nothing of a lock."""

WIDER = ("0003_lists_of_chapters",)
"""Migrations with a unique constraint that allows all that the one before it allowed."""


def on_existing_table(pattern: str) -> Callable[..., bool]:
    """Finds statements on a table (the first group) that the migration didn't create itself."""

    def found(statements: Iterable[str], **_: object) -> bool:
        created = set()
        for statement in statements:
            if made := re.match(r"CREATE TABLE (\S+)", statement):
                created.add(made[1])
            if (asked := re.match(pattern, statement)) and asked[1] not in created:
                return True
        return False

    return found


def faults() -> int:
    """How many migrations since the last release break the rule; each is printed with what is wrong."""
    from django.apps import apps
    from django_migration_linter.migration_linter import MigrationLinter
    from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType
    from django_migration_linter.sql_analyser.postgresql import PostgresqlAnalyser

    # The linter's own check of indexes is content if the first one is on a new table.
    index = r"CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).* ON (\S+)"
    constraint = r"ALTER TABLE (\S+) ADD CONSTRAINT (?!.*NOT VALID).*(?:CHECK|FOREIGN KEY|EXCLUDE)"

    class Analyser(PostgresqlAnalyser):
        migration_checks = [
            *PostgresqlAnalyser.migration_checks,
            *(
                Check(code, on_existing_table(pattern), message, CheckMode.TRANSACTION, CheckType.ERROR)
                for code, pattern, message in (
                    ("CREATE_INDEX", index, "CREATE INDEX without CONCURRENTLY locks the table"),
                    ("ADD_CONSTRAINT", constraint, "ADD CONSTRAINT without NOT VALID reads a locked table"),
                )
            ),
        ]

    # Its warnings are what locks a table.
    linter = MigrationLinter(
        all_warnings_as_errors=True,
        exclude_migration_tests=NAMES,
        ignore_name=WIDER,
        quiet=["ok", "ignore"],
    )
    linter.sql_analyser_class = Analyser
    last = [one for one in versions() if one != version()][-1]
    released = applied(last)
    for (app, name), migration in sorted(linter.migration_loader.disk_migrations.items()):
        ours = apps.get_app_config(app).name.partition(".")[0] in ("foa", "members", "ratings")
        if ours and (app, name) not in released and not migration.replaces:
            linter.lint_migration(migration)
    return int(linter.nb_erroneous)


def main() -> None:
    """Exit code 1 if one breaks the rule."""
    import django

    from tests.postgresql import FAST, Server

    server = Server(FAST)
    try:
        os.environ["DATABASE_URL"] = server.url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
        django.setup()
        found = faults()
    finally:
        server.stop()
    if found:
        sys.exit("CONTRIBUTING.md, “Change the database”, says how to change it.")


if __name__ == "__main__":
    main()
