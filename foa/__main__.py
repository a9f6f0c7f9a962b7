"""The command line: ``manage.py`` in a checkout, ``foa-manage`` where the package is installed."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command of the arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "foa.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
