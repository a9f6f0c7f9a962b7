"""The command line: ``manage.py`` in a checkout, ``foa-manage`` where the package is installed."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from foa import disks


def main() -> None:
    """Run the command of the arguments; report a wrong setting, database or directory in one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(fault))
    except (OperationalError, ProgrammingError) as fault:
        # Imported here: it needs much that no other command does.
        from foa.db_errors import is_of_database, unusable

        if "--traceback" in sys.argv or not is_of_database(fault):
            raise
        sys.exit(unusable(fault))
    except OSError as fault:
        if "--traceback" in sys.argv or not (told := disks.unusable(fault)):
            raise
        sys.exit(told)


if __name__ == "__main__":
    main()
