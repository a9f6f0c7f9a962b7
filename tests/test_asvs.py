"""docs/asvs.md has each requirement of the ASVS once, and names tests that there are."""

import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
LINE = re.compile(r"\| (\d+\.\d+\.\d+) \| (.+?) \| (.+?) \| (.+?) \|")
LINES = [
    LINE.fullmatch(line).groups()
    for line in (ROOT / "docs" / "asvs.md").read_text().splitlines()
    if re.match(r"\| \d", line)
]

SECTIONS = """
    1.1:1-7 1.2:1-4 1.4:1,4,5 1.5:1-4 1.6:1-4 1.7:1-2 1.8:1-2 1.9:1-2 1.10:1 1.11:1-2 1.12:2 1.14:1-6
    2.1:1-12 2.2:1-3 2.3:1-3 2.4:1-5 2.5:1-7 2.6:1-3 2.7:1-6 2.8:1-7 2.9:1-3 2.10:1-4
    3.1:1 3.2:1-4 3.3:1-4 3.4:1-5 3.5:1-3 3.7:1 4.1:1,2,3,5 4.2:1-2 4.3:1-3
    5.1:1-5 5.2:1-8 5.3:1-10 5.4:1-3 5.5:1-4 6.1:1-3 6.2:1-6 6.3:1-2 6.4:1-2
    7.1:1-4 7.2:1-2 7.3:1,3,4 7.4:1-3 8.1:1-4 8.2:1-3 8.3:1-8 9.1:1-3 9.2:1-4 10.2:1-2 10.3:1-3 11.1:1-8
    12.1:1-3 12.2:1 12.3:1-6 12.4:1-2 12.5:1-2 12.6:1
    13.1:1,3,4,5 13.2:1,2,3,5,6 13.3:1-2 13.4:1-2 14.1:1-4 14.2:1-6 14.3:2,3 14.4:1-7 14.5:1-4
"""
"""Levels 1 and 2 of version 4.0.3. The numbers between were taken out of the standard or are of level 3."""


def numbers():
    for section in SECTIONS.split():
        before, _colon, which = section.partition(":")
        for one in which.split(","):
            first, _dash, last = one.partition("-")
            yield from (f"{before}.{number}" for number in range(int(first), int(last or first) + 1))


@cache
def names_in(path):
    return set(re.findall(r"^\s*def (test_\w+)\(", (ROOT / path).read_text(), re.M))


def test_each_requirement_is_there_once_and_in_order():
    assert [number for number, *_rest in LINES] == list(numbers())


@pytest.mark.parametrize(("number", "about", "state", "by"), LINES, ids=[line[0] for line in LINES])
def test_each_line_has_a_state_and_tests_that_there_are(number, about, state, by):
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", by)
    assert state in ("met", "read", "operator", "n/a", "**not met**")
    assert named or state != "met"
    assert by.count("tests/") == len(named)
    for path, name in named:
        assert name in names_in(path)
