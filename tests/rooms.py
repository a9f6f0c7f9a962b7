"""What the tests of the whole house ask those of an installed room for, so that they name no room.

``tests/<room>/room.py`` may have ``furnish()``, which makes a row of each of its models; ``OFFICERS``,
what rating officers may do beyond looking, by model; ``GROUPS``, groups of its own with what they may do;
``COMMANDS``, with the columns that their help names; ``PAGES``, whom its addresses are for
(``tests/test_permission_matrix.py``); and ``check_demo()``, after the demo was loaded.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db.models import Model

OWN_APPS = [app for app in apps.get_app_configs() if app.name.partition(".")[0] in ("members", "ratings")]

_ROOMS = [
    import_module(f"tests.{path.parent.name}.room")
    for path in sorted(Path(__file__).parent.glob("*/room.py"))
    if apps.is_installed(f"ratings.{path.parent.name}")
]

OFFICERS: dict[type[Model], frozenset[str]] = {}
GROUPS: dict[str, dict[type[Model], frozenset[str]]] = {}
COMMANDS: dict[str, tuple[str, ...]] = {}
PAGES: list[dict[str, str]] = [room.PAGES for room in _ROOMS if hasattr(room, "PAGES")]
for _room in _ROOMS:
    OFFICERS |= getattr(_room, "OFFICERS", {})
    GROUPS |= getattr(_room, "GROUPS", {})
    COMMANDS |= getattr(_room, "COMMANDS", {})


def of_rooms(name: str) -> list[Callable[..., Any]]:
    """The functions of this name."""
    return [vars(room)[name] for room in _ROOMS if name in vars(room)]
