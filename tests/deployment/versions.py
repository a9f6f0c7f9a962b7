"""Versions that were released, each with its date and the migrations that it added (``versions.json``).

``python -m tests.deployment.versions``: add that of pyproject.toml, and print its line of the changelog.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from foa.version import version

FILE = Path(__file__).with_suffix(".json")
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"

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
    print("Migrations: " + (", ".join(f"`{name}`" for name in new) or "none") + ".")


if __name__ == "__main__":
    main()
