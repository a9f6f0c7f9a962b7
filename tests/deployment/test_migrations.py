"""The rule of migrations: they only add, and lock no large table for long."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.migrated import ROOT

BEGIN = """
from django.db import migrations, models
from django.contrib.postgres.operations import AddIndexConcurrently

class Migration(migrations.Migration):
    dependencies = [("notices", "{before}")]
    atomic = {atomic}
    operations = [{operation}]
"""
FIELD = 'migrations.AddField("notice", "{name}", models.IntegerField({how}))'
FAULTY = {
    "0002_not_null": FIELD.format(name="more", how="default=0"),
    "0003_index": 'migrations.AddIndex("notice", models.Index(fields=["more"], name="more_idx"))',
    "0004_constraint": (
        'migrations.AddConstraint("notice", models.CheckConstraint(condition=models.Q(more=0), name="none"))'
    ),
    "0005_type": 'migrations.AlterField("notice", "more", models.BigIntegerField())',
    "0006_rename": 'migrations.RenameField("notice", "more", "less")',
    "0007_removed": 'migrations.RemoveField("notice", "less")',
    "0008_new_and_old_table": (
        'migrations.CreateModel("Beside", [("id", models.BigAutoField(primary_key=True)),'
        '("more", models.IntegerField(db_index=True))]),'
        'migrations.AddField("notice", "less", models.IntegerField(null=True, db_index=True))'
    ),
}
GOOD = {
    "0009_null": FIELD.format(name="nothing", how="null=True"),
    "0010_default_of_the_database": FIELD.format(name="one", how="db_default=1"),
    "0011_concurrently": 'AddIndexConcurrently("notice", models.Index(fields=["one"], name="one_idx"))',
    "0012_table": (
        'migrations.CreateModel("Another", [("id", models.BigAutoField(primary_key=True)),'
        '("more", models.IntegerField(unique=True)), ("less", models.IntegerField(db_index=True))])'
    ),
}


@pytest.mark.process
def test_what_takes_away_or_locks_is_found_and_what_adds_is_not(tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(ROOT / "ratings" / "notices" / "migrations", changed)
    before = "0001_version_0_15_0"
    for name, operation in {**FAULTY, **GOOD}.items():
        atomic = "Concurrently" not in operation
        text = BEGIN.format(before=before, operation=operation, atomic=atomic)
        (changed / f"{name}.py").write_text(text)
        before = name
    (tmp_path / "changed_settings.py").write_text(
        "from foa.settings import *\nMIGRATION_MODULES = {'notices': 'changed'}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.deployment.migrations"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "DJANGO_SETTINGS_MODULE": "changed_settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    named = re.findall(r"\((\w+), (\w+)\)\.\.\. ERR", done.stdout)
    assert named == [("notices", name) for name in FAULTY], done.stdout
    assert "Change the database" in done.stderr
