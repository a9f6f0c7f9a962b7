"""Fixtures of the tests of what keeps strangers out."""

from tests.account.conftest import client_factory  # noqa: F401  a fixture of logins
