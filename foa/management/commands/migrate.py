"""``migrate``, which refuses a database that is too old and names the version to upgrade to first."""

import gc
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from foa.monitoring.health import OLDEST, applied_migrations, is_too_old


class Command(migrate.Command):
    """Django's command, after a check of the migrations that the database has."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate. Raise CommandError for a database of a version before OLDEST."""
        if is_too_old(applied_migrations(options["database"])):
            raise CommandError(
                f"This database is from a version before {OLDEST}. "
                f"Upgrade it to {OLDEST} first (docs/upgrading.md)."
            )
        # Migrations make the same models hundreds of times. Looking for their garbage rarely saves a fifth of
        # the time.
        gc.set_threshold(50_000)
        super().handle(*args, **options)
