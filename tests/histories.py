"""How many random examples a test takes of which each is a whole history of a database."""

import pytest
from hypothesis import settings


def at_most(examples: int) -> int:
    """So many, or as many as the profile allows (tests/conftest.py) if they are fewer."""
    return min(examples, settings().max_examples)


def seeds(number: int) -> list[object]:
    """So many seeds, of which PostgreSQL gets the first."""
    return [0, *(pytest.param(seed, marks=pytest.mark.rendered) for seed in range(1, number))]
