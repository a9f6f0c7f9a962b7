"""Fixtures of the tests that need a database of their own, and of the pages of staff."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from tests.rbb.conftest import migrated, office, shared_database, within

__all__ = ["clerk", "migrated", "office", "officer", "shared_database", "within"]


@pytest.fixture
def clerk(django_user_model):
    """The login of somebody of a group."""

    def log_in(group):
        user = django_user_model.objects.create_user(group, is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client = Client()
        client.force_login(user)
        return client

    return log_in


@pytest.fixture
def officer(clerk):
    """The login of a rating officer."""
    return clerk("Rating officers")
