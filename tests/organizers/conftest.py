"""Fixtures of the tests of organizers."""

import pytest

from tests.otb.conftest import uploads

__all__ = ["officer", "uploads"]


@pytest.fixture
def officer(client, django_user_model):
    """A client of the office's staff, who may do everything."""
    client.user = django_user_model.objects.create_superuser("officer")
    client.force_login(client.user)
    return client
