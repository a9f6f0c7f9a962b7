"""``migrate``, also for a database in which migrations have names of an earlier version."""

from typing import Any

from django.core.management.commands import migrate

from foa.former_migrations import rename_applied


class Command(migrate.Command):
    """Django's own, which reads the names of the applied migrations at its beginning."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Give them their present names before."""
        rename_applied(options["database"])
        super().handle(*args, **options)
