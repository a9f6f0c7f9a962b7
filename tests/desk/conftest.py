"""What the tests of cases begin with."""

import pytest

from tests.desk.cases import arranged, login
from tests.rbb.conftest import shared_database

__all__ = ["officer", "other", "players", "shared_database"]


@pytest.fixture(scope="class")
def players(standing):
    return standing(arranged)


@pytest.fixture
def officer():
    return login("officer", "Rating officers")


@pytest.fixture
def other():
    return login("other", "Rating officers")
