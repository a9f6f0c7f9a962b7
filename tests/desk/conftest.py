"""What the tests of cases begin with."""

import pytest

from tests.desk.cases import arranged


@pytest.fixture(scope="class")
def players(standing):
    return standing(arranged)
