"""A version is one commit, and its databases can be upgraded: no migration loses its name unnoticed."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from foa.former_migrations import FORMER_NAMES, rename_applied
from foa.version import version
from tests.deployment.versions import applied, ours, present, sections, versions

VERSIONS = versions()
BRANCHES_OF_0_5_0 = (
    {("ratings", "0016_terminations")},
    {("ratings", "0020_lists_add_up"), ("ratings", "0021_rights_of_late_lines")},
)
"""What revisions that called themselves 0.5.0 had beside its migrations."""


def test_this_version_is_listed():
    assert version() in VERSIONS, "Run python -m tests.deployment.versions"


def test_the_changelog_has_each_version_with_its_date_and_from_0_12_0_on_with_its_migrations():
    said = sections()
    assert {one: said[one][0] for one in VERSIONS} == {one: added["date"] for one, added in VERSIONS.items()}
    for one in list(VERSIONS)[list(VERSIONS).index("0.11.7") + 1 :]:
        assert [name for name in VERSIONS[one]["migrations"] if f"`{name}`" not in said[one][1]] == []


def test_every_migration_of_every_version_is_known_by_its_name_or_its_former_one():
    assert [name for one in VERSIONS for name in applied(one) if present(name) not in ours()] == []
    assert FORMER_NAMES.keys() & ours() == set()


@pytest.mark.parametrize(
    "had",
    [applied(one) for one in VERSIONS] + [applied("0.5.0") | more for more in BRANCHES_OF_0_5_0],
    ids=[*VERSIONS, "0.5.0 with terminations", "0.5.0 with late lines"],
)
def test_a_database_of_each_version_gets_exactly_the_migrations_that_it_lacks(db, had):
    rows = MigrationRecorder.Migration.objects
    rows.filter(app__in={app for app, _name in ours()}).delete()
    rows.bulk_create(MigrationRecorder.Migration(app=app, name=name) for app, name in had)
    rename_applied("default")
    executor = MigrationExecutor(connection)
    executor.loader.check_consistent_history(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    lacking = ours() - {present(name) for name in had}
    assert {(migration.app_label, migration.name) for migration, _backwards in plan} == lacking
    assert (
        rows.filter(app__in=["otb", "ratings"], name__in=[name for _app, name in FORMER_NAMES]).count() == 0
    )
