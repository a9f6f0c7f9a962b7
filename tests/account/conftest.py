"""Fixtures of the tests of logins."""

import pytest
from django.test import Client


@pytest.fixture
def client_factory():
    """Another browser."""
    return Client
