"""Versions that were released, each with its date and the migrations that it added (``versions.json``).

``stored_texts.json`` has the texts that they may have stored in English, to be read in any language.

``python -m tests.deployment.versions``: add that of pyproject.toml, and print its line of the changelog.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from foa.version import version

FILE = Path(__file__).with_suffix(".json")
STORED_TEXTS = FILE.with_name("stored_texts.json")
ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"

_STORING = ("foa.said", "ratings.rules.cited")

Name = tuple[str, str]
"""The app and the name of a migration."""


def versions() -> dict[str, Any]:
    """Return what each version added, by version, the oldest first."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def applied(until: str = "") -> set[Name]:
    """Return the names that migrations have in a database of a version, by default of the last one."""
    names: set[Name] = set()
    for one, added in versions().items():
        names.update(tuple(name.split(".")) for name in added["migrations"])
        if one == until:
            break
    return names


def ours() -> set[Name]:
    """Return the names of all migrations of this office, without those of packages."""
    from django.apps import apps
    from django.db.migrations.loader import MigrationLoader

    labels = {
        app.label for app in apps.get_app_configs() if app.name.split(".")[0] in ("foa", "members", "ratings")
    }
    return {name for name in MigrationLoader(None).disk_migrations if name[0] in labels}


def sections() -> dict[str, tuple[str, str]]:
    """Return the date and the text of each version in the changelog."""
    parts = re.split(r"^## (\S+) \((\S+)\)$", CHANGELOG.read_text(), flags=re.M)[1:]
    return {parts[place]: (parts[place + 1], parts[place + 2]) for place in range(0, len(parts), 3)}


def texts_to_store() -> set[str]:
    """Return the texts that this version may store in English, and translate when somebody reads them.

    They are those of decisions, rules and the audit, of ``labels.py``, and the names in models.
    """
    import polib
    from django.apps import apps
    from django.conf import settings
    from django.utils import translation

    found = set()
    for path in (one for app in ("foa", "members", "ratings") for one in (ROOT / app).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        marks = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if re.fullmatch("_|n?gettext(_lazy|_noop)?", alias.name)
            if node.module in _STORING or alias.name == "gettext_noop" or path.name == "labels.py"
        }
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in marks:
                found.update(one.value for one in node.args[:1] if isinstance(one, ast.Constant))
    with translation.override("en"):
        for model in apps.get_models():
            found |= {str(model._meta.verbose_name), str(model._meta.verbose_name_plural)}
            for field in model._meta.fields:
                found |= {str(field.verbose_name), *(str(label) for _value, label in field.flatchoices)}
    # Names in Django's own models and texts of placeholders alone aren't ours to translate.
    catalogue = polib.pofile(settings.LOCALE_PATHS[0] / "pl/LC_MESSAGES/django.po")
    return found & {entry.msgid for entry in catalogue}


def main() -> None:
    """Add the version that is released now."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
    django.setup()
    listed = versions()
    if version() in listed:
        sys.exit(f"{version()} is listed already. Set the new version in pyproject.toml first.")
    new = sorted(".".join(name) for name in ours() - applied())
    listed[version()] = {"date": sections()[version()][0], "migrations": new}
    FILE.write_text(json.dumps(listed, indent=2) + "\n")
    stored = json.loads(STORED_TEXTS.read_text())
    STORED_TEXTS.write_text(
        json.dumps(sorted({*stored, *texts_to_store()}), indent=0, ensure_ascii=False) + "\n"
    )
    print("Migrations: " + (", ".join(f"`{name}`" for name in new) or "none") + ".")


if __name__ == "__main__":
    main()
