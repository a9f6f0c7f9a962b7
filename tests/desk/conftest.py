"""What the tests of cases begin with."""

import pytest

from tests.desk.cases import arranged, login


@pytest.fixture(scope="class")
def players(standing):
    return standing(arranged)


@pytest.fixture
def officer():
    return login("officer", "Rating officers")


@pytest.fixture
def other():
    return login("other", "Rating officers")
