"""The lab’s tests need its packages; where they aren’t installed, one line says so."""

from pathlib import Path

from ratings.lab.extra import is_installed

collect_ignore = (
    []
    if is_installed()
    else [
        file.name for file in Path(__file__).parent.glob("test_*.py") if file.stem != "test_without_packages"
    ]
)


def pytest_terminal_summary(terminalreporter):
    if collect_ignore:
        told = "The tests of the rating lab were left out: install requirements-lab.txt."
        terminalreporter.write_line(told, yellow=True)
