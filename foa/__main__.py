"""The command line: ``manage.py`` in a checkout, ``foa-manage`` where the package is installed."""

import errno
import os
import sys
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

_OF_DIRECTORIES: Final = (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS)
"""Faults of a path that a setting names, such as PROGRESS_DIR: not ours, on a full or a read-only disk."""


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
        if "--traceback" in sys.argv or fault.errno not in _OF_DIRECTORIES or not fault.filename:
            raise
        sys.exit(f"{fault.filename} can't be used: {fault.strerror}.")


if __name__ == "__main__":
    main()
