"""A version is one commit, and its databases can be upgraded: no migration loses its name unnoticed."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from foa.monitoring.health import OLDEST
from foa.version import version
from tests.deployment.versions import applied, ours, sections, versions

VERSIONS = versions()
_LISTED = list(VERSIONS)
UPGRADED = _LISTED[_LISTED.index(OLDEST) :]
TOO_OLD = _LISTED[: _LISTED.index(OLDEST)]


def test_this_version_is_listed():
    assert version() in VERSIONS, "Run python -m tests.deployment.versions"


def test_the_changelog_has_each_version_that_can_be_upgraded_with_its_date_and_its_migrations():
    said = sections()
    assert {one: date for one, (date, _text) in said.items()} == {
        one: VERSIONS[one]["date"] for one in UPGRADED
    }
    for one in UPGRADED:
        assert [name for name in VERSIONS[one]["migrations"] if f"`{name}`" not in said[one][1]] == []


@pytest.fixture
def left_by(db):
    """Let the database have the migrations of a version."""
    rows = MigrationRecorder.Migration.objects

    def leave(had):
        rows.filter(app__in={app for app, _name in ours()}).delete()
        rows.bulk_create(MigrationRecorder.Migration(app=app, name=name) for app, name in had)

    return leave


@pytest.mark.parametrize("had", UPGRADED)
def test_a_database_of_each_version_gets_exactly_the_migrations_that_it_lacks(left_by, had):
    left_by(applied(had))
    executor = MigrationExecutor(connection)
    executor.loader.check_consistent_history(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    later = {name for name in ours() if name[1] != "0001_version_0_15_0"}
    assert {(migration.app_label, migration.name) for migration, _backwards in plan} == later - applied(had)


def test_the_migrations_that_were_replaced_are_taken_for_applied(left_by):
    # What came later is there.
    left_by(applied(OLDEST) | {name for name in ours() if name[1] != "0001_version_0_15_0"})
    call_command("migrate", verbosity=0)
    assert ours() <= MigrationRecorder(connection).applied_migrations().keys()


@pytest.mark.parametrize("had", TOO_OLD)
def test_a_database_of_an_older_version_is_refused_with_the_version_that_upgrades_it(left_by, had):
    left_by(applied(had))
    with pytest.raises(CommandError, match=rf"before {OLDEST}\. Upgrade it to {OLDEST} first"):
        call_command("migrate", verbosity=0)
