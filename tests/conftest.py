"""Fixtures for every test."""

import pytest


@pytest.fixture(autouse=True)
def _plain_static_files(settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    # WhiteNoise warns of a missing directory, and reads every static file anew for every test client.
    settings.STATIC_ROOT = None
    settings.WHITENOISE_USE_FINDERS = False


@pytest.fixture
def staff(django_user_model, client):
    """The login of a superuser, in the test's own client."""
    client.force_login(django_user_model.objects.create_superuser("registrar"))
    return client
